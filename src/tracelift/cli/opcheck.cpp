// `tracelift opcheck`: the table of operations against their references.
#include "ttnn/check/opcheck.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "tracelift/bind/binding.hpp"
#include "tracelift/bind/board_text.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/continuation.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/cli/progress.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/nearest.hpp"

namespace tracelift::cli {
namespace {

std::vector<const ttnn::OpInfo*> chosen_operations(const Options& options) {
    std::vector<const ttnn::OpInfo*> operations;
    for (const std::string& name : options.positional()) {
        const ttnn::OpInfo* op = ttnn::find_operation(name);
        if (op == nullptr) {
            throw UsageError{
                fmt::format("no operation '{}'{}", name, ttnn::did_you_mean(ttnn::nearest_operations(name)))};
        }
        operations.push_back(op);
    }
    return operations.empty() ? ttnn::all_operations() : operations;
}

ttnn::Mutation mutation_of(const Options& options) {
    const auto name = options.value("--mutate");
    return name ? ttnn::member_of<ttnn::Mutation>(*name).value() : ttnn::Mutation::NONE;
}

void print_case(const ttnn::CaseResult& result) {
    fmt::print("    {:<8} {}  {}{}{}\n",
               result.rejected         ? "rejected"
               : result.scorecard.pass ? "pass"
                                       : "FAIL",
               result.combination.to_string(), result.call, result.scorecard.reason.empty() ? "" : "\n             ",
               result.scorecard.reason);
}

Json to_json(const ttnn::OpCheck& check) {
    Json row{{"operation", cpp_name(check.op->name)},
             {"cases", check.cases},
             {"failed", check.failed},
             {"rejected", check.rejected},
             {"worst_pcc", check.cases == 0 ? Json() : Json(check.worst_pcc)},
             {"worst_ulp", check.cases == 0 ? Json() : Json(check.worst_ulp)}};
    for (const auto& failure : check.failures) {
        row["failures"].push_back({{"combination", failure.combination.to_string()},
                                   {"call", failure.call},
                                   {"reason", failure.scorecard.reason}});
    }
    return row;
}

// Why an operation has no row of numbers.
std::string not_judged(const ttnn::OpInfo& op) {
    return !op.is_judged() ? std::string(op.no_reference) : "it declares no cases";
}

void print_row(const ttnn::OpCheck& check) {
    const bool ran = check.cases != 0;
    fmt::print("{:<44} {:>6} {:>8} {:>10} {:>10}  {}\n", cpp_name(check.op->name), check.cases, check.rejected,
               ran ? fmt::format("{:.6f}", check.worst_pcc) : "", ran ? fmt::format("{:.3g}", check.worst_ulp) : "",
               check.pass() ? "pass"
               : !ran       ? "NO LEGAL CASE"
                            : fmt::format("FAIL ({} of {})", check.failed, check.cases));
    for (const auto& failure : check.failures) {
        print_case(failure);
    }
}

struct Totals {
    size_t red = 0, cases = 0, not_judged = 0;
    Json report = Json::array();
};

// Checks one after the other; true when a signal ended it before `*next`.
bool check_all(const std::vector<const ttnn::OpInfo*>& operations, const Options& options, Totals& totals,
               std::vector<const ttnn::OpInfo*>::const_iterator& next) {
    const ttnn::Mutation mutation = mutation_of(options);
    const auto device = open_board(options.value_or("--board", ""));
    const Interrupts interrupts;
    Progress progress("operations", operations.size());
    for (next = operations.begin(); next != operations.end(); ++next) {
        if (Interrupts::arrived() != 0) {
            return true;
        }
        const ttnn::OpInfo& op = **next;
        progress.advance(op.name);
        if (!op.is_judged() || op.cases == nullptr) {
            ++totals.not_judged;
            if (options.json()) {
                totals.report.push_back({{"operation", cpp_name(op.name)}, {"not_judged", not_judged(op)}});
            } else {
                progress.finish();
                fmt::print("{:<44} {:>6} {:>8} {:>10} {:>10}  not judged: {}\n", cpp_name(op.name), "", "", "", "",
                           not_judged(op));
            }
            continue;
        }
        std::function<void(const ttnn::CaseResult&)> each;
        if (options.has("--verbose")) {
            each = [&](const ttnn::CaseResult& result) {
                progress.finish();
                print_case(result);
            };
        }
        const auto check = ttnn::check_operation(op, device, mutation, each);
        totals.cases += check.cases;
        totals.red += check.pass() ? 0 : 1;
        if (options.json()) {
            totals.report.push_back(to_json(check));
        } else {
            progress.finish();
            print_row(check);
        }
    }
    return false;
}

int run_opcheck(const Options& options) {
    const auto operations = chosen_operations(options);
    if (!options.json()) {
        fmt::print("{:<44} {:>6} {:>8} {:>10} {:>10}  {}\n", "operation", "cases", "rejected", "worst PCC", "worst ULP",
                   "verdict");
    }
    Totals totals;
    auto next = operations.begin();
    const bool interrupted = check_all(operations, options, totals, next);
    if (options.json()) {
        print_json(totals.report);
    } else if (!interrupted) {
        fmt::print("\n{} operations, {} cases, {} operations red, {} not judged\n", operations.size(), totals.cases,
                   totals.red, totals.not_judged);
    }
    if (interrupted) {
        const int signal = Interrupts::arrived();
        std::vector<std::string> left;
        std::transform(next, operations.end(), std::back_inserter(left),
                       [](const ttnn::OpInfo* op) { return cpp_name(op->name); });
        fmt::print(stderr, "ended by {} after {} of {} operations. To continue: {}\n", signal_name(signal),
                   next - operations.begin(), operations.size(), continuation("opcheck", options, left));
        return interrupted_status(signal);
    }
    return totals.red == 0 ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {
    {"OP", "operations, as ttnn::add, ttnn.add or add (default: all)", 0, any_number}};
constexpr OptionInfo options[] = {
    {"--mutate", "scale|drop-column|arguments|stray", "change results, to prove that the check notices"},
    {"--board", "BOARD", "the board to run on, with a mesh of its chips: n300, n300@1x2 (default: n150)"},
    {"--verbose", {}, "print every case"},
    json_option};

}  // namespace

const Command opcheck_command{
    .name = "opcheck",
    .help = "run every operation's cases against its reference and print the table",
    .example = "tracelift opcheck softmax --verbose",
    .arguments = arguments,
    .options = options,
    .statuses = "0 all pass, 1 an operation is red, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_opcheck};

}  // namespace tracelift::cli
