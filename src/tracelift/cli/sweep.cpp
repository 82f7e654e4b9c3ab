// `tracelift sweep run`: stored configurations against their references, in isolated workers.
#include "tracelift/sweep/sweep.hpp"

#include <algorithm>
#include <map>

#include "tracelift/cli/progress.hpp"
#include "tracelift/cli/stored.hpp"

namespace tracelift::cli {
namespace {

// One row of the table.
struct Row {
    size_t configurations = 0;
    std::map<Status, size_t> by_status;
    double worst_pcc = 1.0;
    double worst_ulp = 0.0;
    double milliseconds = 0.0;

    void add(const CallResult& result) {
        ++configurations;
        ++by_status[result.status];
        milliseconds += result.milliseconds;
        if (result.status == Status::PASS || result.status == Status::FAIL) {
            worst_pcc = std::min(worst_pcc, result.pcc);
            worst_ulp = std::max(worst_ulp, result.max_ulp);
        }
    }
    size_t count(Status status) const {
        const auto found = by_status.find(status);
        return found == by_status.end() ? 0 : found->second;
    }
    // "ok", or how many ended otherwise.
    std::string verdict() const {
        std::string text;
        for (const auto& [status, number] : by_status) {
            if (status != Status::PASS) {
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, ttnn::member_name(status));
            }
        }
        return text.empty() ? "ok" : text;
    }
};

Json to_json(const SweptConfiguration& swept) {
    Json entry{{"id", swept.configuration->id},
               {"operation", cpp_name(swept.configuration->call.operation)},
               {"identity", swept.configuration->identity},
               {"status", ttnn::member_name(swept.result.status)},
               {"message", swept.result.message},
               {"milliseconds", swept.result.milliseconds}};
    if (swept.result.status == Status::PASS || swept.result.status == Status::FAIL) {
        entry["pcc"] = swept.result.pcc;
        entry["max_ulp"] = swept.result.max_ulp;
        entry["max_relative"] = swept.result.max_relative;
        entry["max_absolute"] = swept.result.max_absolute;
        entry["equal"] = swept.result.equal;
    }
    return entry;
}

void print_table(const std::vector<SweptConfiguration>& swept) {
    std::map<std::string, Row> rows;
    Row total;
    for (const auto& each : swept) {
        rows[cpp_name(each.configuration->call.operation)].add(each.result);
        total.add(each.result);
    }
    const auto print_row = [](const std::string& name, const Row& row) {
        fmt::print("{:<40} {:>7} {:>6} {:>10.6f} {:>9.3g} {:>9.1f}  {}\n", name, row.configurations,
                   row.count(Status::PASS), row.worst_pcc, row.worst_ulp, row.milliseconds, row.verdict());
    };
    fmt::print("{:<40} {:>7} {:>6} {:>10} {:>9} {:>9}  {}\n", "operation", "configs", "pass", "worst PCC", "worst ULP",
               "ms", "verdict");
    for (const auto& [name, row] : rows) {
        print_row(name, row);
    }
    print_row("total", total);
}

void print_problems(const std::vector<SweptConfiguration>& swept) {
    for (const auto& each : swept) {
        if (each.result.status != Status::PASS) {
            fmt::print("  {} #{}: {}: {}\n", cpp_name(each.configuration->call.operation), each.configuration->id,
                       ttnn::member_name(each.result.status), each.result.message);
        }
    }
}

int run_sweep(std::span<const std::string> arguments) {
    if (arguments.empty() || arguments.front() != "run") {
        throw UsageError{"expected 'run'"};
    }
    const Options options(arguments.subspan(1), {"--all", "--json"},
                          {"--dir", "--model", "--timeout", "--memory", "--jobs"});
    const auto directory = store_directory(options.value("--dir"));
    Store::open_for_reading(directory);  // says clearly when there is none, instead of making one
    Store store = Store::open_for_writing(directory);
    store.take_in_master();
    const auto configurations = chosen_configurations(store, options, false);
    Progress progress(configurations.size());
    const auto swept = sweep(store, configurations, pool_options(options), fmt::format("{}", fmt::join(arguments, " ")),
                             [&](const SweptConfiguration& each) {
                                 progress.advance(fmt::format("{} {}", cpp_name(each.configuration->call.operation),
                                                              ttnn::member_name(each.result.status)));
                             });
    const auto count = [&](Status status) {
        return std::ranges::count_if(swept, [&](const auto& each) { return each.result.status == status; });
    };
    if (options.has("--json")) {
        Json list = Json::array();
        for (const auto& each : swept) {
            list.push_back(to_json(each));
        }
        fmt::print("{}\n", list.dump(2));
    } else {
        print_table(swept);
        print_problems(swept);
        fmt::print("\n{} of {} configurations pass; results are in {}\n", count(Status::PASS), swept.size(),
                   (directory / database_name).string());
    }
    const bool good = count(Status::PASS) + count(Status::NOT_RUN) == static_cast<ptrdiff_t>(swept.size());
    return good && count(Status::PASS) != 0 ? 0 : 1;
}

}  // namespace

const Command sweep_command{
    "sweep",
    "run OP... [--all] [--model M] [--timeout SECONDS] [--memory MEGABYTES] [--jobs N] [--dir DIR] "
    "[--json]",
    "run stored configurations in isolated workers and compare them with the references", run_sweep};

}  // namespace tracelift::cli
