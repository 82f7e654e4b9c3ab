// Answers of `tracelift report` for people; with --json they are printed as they come.
#include <algorithm>

#include <fmt/format.h>

#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/report.hpp"
#include "tracelift/cli/table.hpp"
#include "tracelift/report/check.hpp"
#include "tracelift/report/questions.hpp"

namespace tracelift::cli {
namespace {

using namespace report;  // NOLINT(google-build-using-namespace): what this file is the command of

Selection selection_of(const Options& options) {
    Selection selection;
    selection.name = options.value_or("--name", "");
    selection.limit = options.whole_or("--limit", -1);
    if (options.has("--op")) {
        selection.operation = options.whole_or("--op", 0);
    }
    if (options.has("--rank")) {
        selection.rank = options.whole_or("--rank", 0);
    }
    return selection;
}

// True when the answer has been printed as JSON.
bool printed_as_json(const Json& answer, const Options& options) {
    if (options.json()) {
        print_json(answer);
    }
    return options.json();
}

void print_operation(const Json& operation) {
    fmt::print("operation {}: {}, {:.6f} s\n", operation["operation_id"].get<int64_t>(),
               printable(operation["name"].get<std::string>()), operation["duration"].get<double>());
    for (const Json& argument : operation["arguments"]) {
        fmt::print("  {} = {}\n", cell(argument["name"]), printable(argument["value"].get<std::string>(), 200));
    }
    for (const std::string list : {"inputs", "outputs"}) {
        for (const Json& tensor : operation[list]) {
            fmt::print("  {}: tensor {} {} {} {}\n", list == "inputs" ? "takes" : "gives", cell(tensor["tensor_id"]),
                       cell(tensor["shape"]), cell(tensor["dtype"]), cell(tensor["layout"]));
        }
    }
    if (operation.contains("functions")) {
        for (const Json& function : operation["functions"]) {
            fmt::print("  {:{}}{} {:.3f} ms\n", "", 2 * function["depth"].get<size_t>(), cell(function["name"]),
                       function["duration_ns"].get<double>() / 1e6);
        }
    }
    if (operation.contains("performance")) {
        for (const Json& row : operation["performance"]) {
            fmt::print("  on device {}: {} {} ns, {} cores\n", cell(row["device_id"]), cell(row["op_code"]),
                       cell(row["device_kernel_duration_ns"]), cell(row["core_count"]));
        }
    }
    for (const Json& error : operation["errors"]) {
        fmt::print("  error {}: {}\n", cell(error["error_type"]), cell(error["error_message"]));
    }
    for (const Json& trace : operation["stack_trace"]) {
        fmt::print("  called from:\n");
        const std::string text = trace["stack_trace"].get<std::string>();
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find('\n', at), text.size());
            fmt::print("    {}\n", printable(std::string_view(text).substr(at, end - at), 160));
            at = end + 1;
        }
    }
}

void print_peak(std::string_view kind, const Json& peak) {
    fmt::print("{} peak: {} B", kind, peak["bytes"].get<int64_t>());
    if (!peak.contains("buffers")) {
        fmt::print("\n");
        return;
    }
    const std::string operation =
        peak.contains("operation")
            ? fmt::format(" in operation {} {}", cell(peak["operation_id"]), cell(peak["operation"]))
            : "";
    fmt::print(" at node {}{}\n", cell(peak["counter"]), operation);
    for (const Json& buffer : peak["buffers"]) {
        fmt::print("  {:>14} B  {}{}\n", buffer["size"].get<int64_t>(), cell(buffer["kind"]),
                   buffer.contains("address")
                       ? fmt::format(" of buffer {}, address {} on device {}, by operation {}", cell(buffer["buffer"]),
                                     cell(buffer["address"]), cell(buffer["device_id"]), cell(buffer["operation_id"]))
                       : "");
    }
    for (const Json& buffer : peak["circular_buffers"]) {
        fmt::print("  {:>14} B  circular buffer {}\n", buffer["size"].get<int64_t>(), cell(buffer["counter"]));
    }
}

int stats(Database& database, const Options& options) {
    const Json stats = ask_stats(database);
    if (printed_as_json(stats, options)) {
        return 0;
    }
    print_table(stdout, stats["reports"],
                {{"report_id", "report"},
                 {"name", "file"},
                 {"rules", "rules"},
                 {"nodes", "nodes"},
                 {"bytes", "bytes"},
                 {"base_id", "from id"},
                 {"last_id", "to id"},
                 {"rank", "rank"}});
    fmt::print("\n");
    for (const auto& [table, count] : stats["rows"].items()) {
        fmt::print("{:<22} {:>12}\n", table, count.get<int64_t>());
    }
    fmt::print("\n{} device(s); {:.6f} s in operations; the slowest:\n", stats["devices"].size(),
               stats["seconds_in_operations"].get<double>());
    print_table(stdout, stats["slowest"], {{"name", "operation"}, {"calls", "calls"}, {"seconds", "seconds"}});
    return 0;
}

int ops(Database& database, const Options& options) {
    const Selection selection = selection_of(options);
    const Json answer = selection.operation ? ask_operation(database, *selection.operation, selection.rank)
                                            : ask_operations(database, selection);
    if (printed_as_json(answer, options)) {
        return 0;
    }
    if (selection.operation) {
        print_operation(answer);
    } else {
        std::vector<Column> columns = {{"operation_id", "id"}, {"name", "operation"},  {"duration", "seconds"},
                                       {"inputs", "inputs"},   {"outputs", "outputs"}, {"rank", "rank"}};
        if (!answer.empty() && answer[0].contains("device_ns")) {
            columns.insert(columns.begin() + 3, {"device_ns", "device ns"});
        }
        print_table(stdout, answer, columns);
    }
    return 0;
}

int tensors(Database& database, const Options& options) {
    const Json answer = ask_tensors(database, selection_of(options));
    if (!printed_as_json(answer, options)) {
        print_table(stdout, answer,
                    {{"tensor_id", "tensor"},
                     {"shape", "shape"},
                     {"dtype", "dtype"},
                     {"layout", "layout"},
                     {"device_id", "device"},
                     {"address", "address"},
                     {"buffer_type", "memory"},
                     {"size", "bytes"},
                     {"producer_operation_id", "made by"},
                     {"last_use_operation_id", "last used by"},
                     {"deallocate_operation_id", "freed by"},
                     {"rank", "rank"}});
    }
    return 0;
}

int buffers(Database& database, const Options& options) {
    const Selection selection = selection_of(options);
    const Json answer = ask_buffers(database, selection);
    if (printed_as_json(answer, options)) {
        return 0;
    }
    if (selection.operation) {
        print_table(stdout, answer,
                    {{"device_id", "device"},
                     {"address", "address"},
                     {"max_size_per_bank", "bytes per bank"},
                     {"buffer_type", "type"},
                     {"buffer_layout", "layout"},
                     {"latest_tensor_id", "tensor"},
                     {"rank", "rank"}});
    } else {
        print_table(stdout, answer,
                    {{"operation_id", "id"},
                     {"name", "operation"},
                     {"buffers", "buffers"},
                     {"l1_per_bank", "L1 per bank"},
                     {"dram_per_bank", "DRAM per bank"},
                     {"rank", "rank"}});
    }
    return 0;
}

int peak(Database& database, const Options& options) {
    const Json answer = ask_peak(database);
    if (printed_as_json(answer, options)) {
        return 0;
    }
    for (const Json& report : answer) {
        fmt::print("{} (rank {})\n", cell(report["report"]), report["rank"].get<int64_t>());
        print_peak("L1", report["l1"]);
        print_peak("DRAM", report["dram"]);
    }
    return 0;
}

int errors(Database& database, const Options& options) {
    const Json answer = ask_errors(database);
    if (printed_as_json(answer, options)) {
        return 0;
    }
    if (answer.empty()) {
        fmt::print("no errors\n");
        return 0;
    }
    print_table(stdout, answer,
                {{"operation_id", "id"},
                 {"in_operation", "operation"},
                 {"error_type", "type"},
                 {"error_operation", "failed"},
                 {"error_message", "message"}});
    return 0;
}

int check(Database& database, const Options& options) {
    const CheckResult result = check_database(database);
    Json violations = Json::array();
    for (const Violation& violation : result.violations) {
        violations.push_back({{"rule", violation.rule},
                              {"meaning", violation.meaning},
                              {"count", violation.count},
                              {"example", violation.example}});
    }
    if (!printed_as_json({{"rules", result.rules}, {"violations", violations}}, options)) {
        for (const Violation& violation : result.violations) {
            fmt::print("{}: {}, broken {} time(s), first by {}\n", violation.rule, violation.meaning, violation.count,
                       printable(violation.example));
        }
        fmt::print("{} of {} rules hold\n", result.rules.size() - result.violations.size(), result.rules.size());
    }
    return result.violations.empty() ? 0 : 1;
}

template <int (*Question)(Database& database, const Options& options)>
int ask(const Options& options) {
    Database database(database_path(options.positional().front()), Database::Mode::READ);
    return Question(database, options);
}

constexpr ArgumentInfo arguments[] = {{"DB", "a database or its folder"}};
constexpr OptionInfo op_option{"--op", "ID", "only this operation", Range{0, 1e15, true}};
constexpr OptionInfo name_option{
    "--name", "TEXT", "only operations whose name contains this: ttnn::add, ttnn.add, add or any part of it"};
constexpr OptionInfo tensors_of_option{"--op", "ID", "only the inputs and outputs of this operation",
                                       Range{0, 1e15, true}};
constexpr OptionInfo shape_option{"--name", "TEXT", "only tensors whose shape contains this: '[1, 32,'"};
constexpr OptionInfo rank_option{"--rank", "N", "only what the host of this rank captured", Range{0, 1e6, true}};
constexpr OptionInfo limit_option{"--limit", "N", "at most this many rows", any_count};
constexpr OptionInfo plain_options[] = {json_option};
constexpr OptionInfo selecting_options[] = {op_option, name_option, rank_option, limit_option, json_option};
constexpr OptionInfo tensor_options[] = {tensors_of_option, shape_option, rank_option, limit_option, json_option};

constexpr Command question(std::string_view name, std::string_view help, std::string_view example,
                           std::span<const OptionInfo> options, int (*run)(const Options&)) {
    return {.name = name, .help = help, .example = example, .arguments = arguments, .options = options, .run = run};
}

}  // namespace

const Command report_stats_command = question("stats", "reports, rows and the slowest operations",
                                              "tracelift report stats out/", plain_options, ask<stats>);
const Command report_ops_command = question("ops", "the operations, or everything about one",
                                            "tracelift report ops out/ --op 12", selecting_options, ask<ops>);
const Command report_tensors_command =
    question("tensors", "tensors, and which operations make, use and free them",
             "tracelift report tensors out/ --limit 20", tensor_options, ask<tensors>);
const Command report_buffers_command =
    question("buffers", "buffers in memory, per operation or for one", "tracelift report buffers out/ --op 12",
             selecting_options, ask<buffers>);
const Command report_peak_command =
    question("peak", "peak memory use, and what makes it up", "tracelift report peak out/", plain_options, ask<peak>);
const Command report_errors_command =
    question("errors", "calls that failed", "tracelift report errors out/", plain_options, ask<errors>);
const Command report_check_command{
    .name = "check",
    .help = "check the database against the rules that the viewer relies on",
    .example = "tracelift report check out/",
    .arguments = arguments,
    .options = plain_options,
    .statuses = "0 all rules hold, 1 a rule is broken or the database cannot be read, 2 wrong usage",
    .run = ask<check>};

}  // namespace tracelift::cli
