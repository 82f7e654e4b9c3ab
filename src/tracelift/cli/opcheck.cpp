// `tracelift opcheck`: the table of operations against their references.
#include "ttnn/check/opcheck.hpp"

#include <algorithm>
#include <cstdio>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "ttnn/device/device.hpp"

namespace tracelift::cli {
namespace {

std::vector<const ttnn::OpInfo*> chosen_operations(const Options& options) {
    std::vector<const ttnn::OpInfo*> operations;
    for (const std::string& name : options.positional()) {
        const ttnn::OpInfo* op = ttnn::find_operation(name);
        if (op == nullptr) {
            throw UsageError{
                fmt::format("no operation '{}'; near: {}", name, fmt::join(ttnn::nearest_operations(name), ", "))};
        }
        operations.push_back(op);
    }
    return operations.empty() ? ttnn::all_operations() : operations;
}

ttnn::Mutation mutation_of(const Options& options) {
    const auto name = options.value("--mutate");
    const auto mutation = name ? ttnn::member_of<ttnn::Mutation>(*name) : ttnn::Mutation::NONE;
    if (!mutation) {
        throw UsageError{fmt::format("--mutate takes scale or drop-column, got '{}'", *name)};
    }
    return *mutation;
}

void print_case(const ttnn::CaseResult& result) {
    fmt::print("    {:<8} {}  {}{}{}\n",
               result.rejected         ? "rejected"
               : result.scorecard.pass ? "pass"
                                       : "FAIL",
               result.combination.to_string(), result.call, result.scorecard.reason.empty() ? "" : "\n             ",
               result.scorecard.reason);
}

nlohmann::json to_json(const ttnn::OpCheck& check) {
    nlohmann::json row{{"operation", check.op->name}, {"cases", check.cases},         {"failed", check.failed},
                       {"rejected", check.rejected},  {"worst_pcc", check.worst_pcc}, {"worst_ulp", check.worst_ulp}};
    for (const auto& failure : check.failures) {
        row["failures"].push_back({{"combination", failure.combination.to_string()},
                                   {"call", failure.call},
                                   {"reason", failure.scorecard.reason}});
    }
    return row;
}

int run_opcheck(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json", "--verbose"}, {"--mutate", "--board"});
    const bool json = options.has("--json");
    const auto operations = chosen_operations(options);
    const ttnn::Mutation mutation = mutation_of(options);
    const auto device = ttnn::Device::open({.board = options.value_or("--board", "")});
    nlohmann::json report = nlohmann::json::array();
    size_t red = 0;
    size_t cases = 0;
    size_t without_reference = 0;
    if (!json) {
        fmt::print("{:<44} {:>6} {:>8} {:>10} {:>10}  {}\n", "operation", "cases", "rejected", "worst PCC", "worst ULP",
                   "verdict");
    }
    for (const ttnn::OpInfo* op : operations) {
        if (op->reference == nullptr || op->cases == nullptr) {
            ++without_reference;
            continue;
        }
        const auto check = ttnn::check_operation(
            *op, device, mutation,
            options.has("--verbose") ? print_case : std::function<void(const ttnn::CaseResult&)>());
        cases += check.cases;
        red += check.pass() ? 0 : 1;
        if (json) {
            report.push_back(to_json(check));
            continue;
        }
        fmt::print("{:<44} {:>6} {:>8} {:>10.6f} {:>10.3g}  {}\n", check.op->name, check.cases, check.rejected,
                   check.worst_pcc, check.worst_ulp,
                   check.pass()       ? "pass"
                   : check.cases == 0 ? "NO LEGAL CASE"
                                      : fmt::format("FAIL ({} of {})", check.failed, check.cases));
        for (const auto& failure : check.failures) {
            print_case(failure);
        }
    }
    if (json) {
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("\n{} operations, {} cases, {} operations red, {} without a reference\n", operations.size(), cases,
                   red, without_reference);
    }
    return red == 0 ? 0 : 1;
}

}  // namespace

const Command opcheck_command{"opcheck", "[OP...] [--mutate scale|drop-column] [--board B] [--verbose] [--json]",
                              "run every operation's cases against its reference and print the table", run_opcheck};

}  // namespace tracelift::cli
