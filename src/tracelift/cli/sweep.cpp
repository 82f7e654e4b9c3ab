// `tracelift sweep run`: stored configurations against their references, in isolated workers.
#include "tracelift/sweep/sweep.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/stored.hpp"

namespace tracelift::cli {
namespace {

// One row of the table.
struct Row {
    size_t configurations = 0;
    std::map<Status, size_t> by_status;
    std::optional<double> worst_pcc{};  // of those that were compared
    std::optional<double> worst_ulp{};
    double milliseconds = 0.0;

    void add(const CallResult& result) {
        ++configurations;
        ++by_status[result.status];
        milliseconds += result.milliseconds;
        if (result.status == Status::PASS || result.status == Status::FAIL) {
            worst_pcc = std::min(worst_pcc.value_or(1.0), result.pcc);
            worst_ulp = std::max(worst_ulp.value_or(0.0), result.max_ulp);
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
        fmt::print("{:<40} {:>7} {:>6} {:>10} {:>9} {:>9.1f}  {}\n", name, row.configurations, row.count(Status::PASS),
                   row.worst_pcc ? fmt::format("{:.6f}", *row.worst_pcc) : "",
                   row.worst_ulp ? fmt::format("{:.3g}", *row.worst_ulp) : "", row.milliseconds, row.verdict());
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

// What was done before a signal came, in the place of a table of everything.
void tell_interrupted(int signal, const std::vector<Configuration>& all, const std::vector<SweptConfiguration>& swept,
                      std::FILE* out) {
    std::vector<const Configuration*> done;
    for (const auto& each : swept) {
        done.push_back(each.configuration);
    }
    fmt::print(out,
               "ended by {} after {} of {} configurations; what ran is stored. To continue: tracelift sweep run {}\n",
               signal_name(signal), swept.size(), all.size(), remaining_operations(all, done));
}

int run_sweep(const Options& options) {
    OpenedStore store(options, OpenedStore::Mode::WRITE);
    const auto configurations = chosen_configurations(*store, options, false);
    const Interrupts interrupts;
    Progress progress("configurations", configurations.size());
    const auto swept =
        sweep(*store, configurations, pool_options(options, progress),
              fmt::format("run {}", fmt::join(options.positional(), " ")), [&](const SweptConfiguration& each) {
                  progress.advance(fmt::format("{} {}", cpp_name(each.configuration->call.operation),
                                               ttnn::member_name(each.result.status)));
              });
    progress.finish();
    const auto count = [&](Status status) {
        return std::ranges::count_if(swept, [&](const auto& each) { return each.result.status == status; });
    };
    const int signal = swept.size() == configurations.size() ? 0 : Interrupts::arrived();
    if (options.json()) {
        Json list = Json::array();
        for (const auto& each : swept) {
            list.push_back(to_json(each));
        }
        print_json(list);
    } else {
        print_table(swept);
        print_problems(swept);
    }
    if (signal != 0) {
        tell_interrupted(signal, configurations, swept, stderr);
        return interrupted_status(signal);
    }
    if (!options.json()) {
        fmt::print("\n{} of {} configurations pass; results are {}\n", count(Status::PASS), swept.size(),
                   store.is_scratch() ? fmt::format("not kept, since {} is not a store", store.named().string())
                                      : fmt::format("in {}", store->place()));
    }
    const bool good = count(Status::PASS) + count(Status::NOT_RUN) == static_cast<ptrdiff_t>(swept.size());
    return good && count(Status::PASS) != 0 ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {operations_argument};
constexpr OptionInfo options[] = {{"--all", {}, "all stored operations"},
                                  model_option,
                                  timeout_option,
                                  memory_option,
                                  jobs_option,
                                  dir_option,
                                  json_option};
constexpr Command run_command{
    .name = "run",
    .help = "run stored configurations in isolated workers and compare them with the references",
    .example = "tracelift sweep run add softmax --timeout 10",
    .arguments = arguments,
    .options = options,
    .statuses =
        "0 all that can run pass, 1 something does not or nothing ran, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_sweep};
constexpr const Command* commands[] = {&run_command};

}  // namespace

const Command sweep_command{.name = "sweep",
                            .help = "run stored configurations as tests",
                            .example = "tracelift sweep run --all",
                            .commands = commands};

}  // namespace tracelift::cli
