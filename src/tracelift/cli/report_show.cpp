// Answers of `tracelift report` for people; with --json they are printed as they come.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

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
    selection.limit = options.value("--limit") ? static_cast<int64_t>(options.number_or("--limit", 1)) : -1;
    if (const auto text = options.value("--op")) {
        int64_t id = 0;
        const auto read = std::from_chars(text->data(), text->data() + text->size(), id);
        if (read.ec != std::errc() || read.ptr != text->data() + text->size()) {
            throw UsageError{fmt::format("--op is '{}', not the id of an operation", *text)};
        }
        selection.operation = id;
    }
    return selection;
}

// True when the answer has been printed as JSON.
bool printed_as_json(const Json& answer, const Options& options) {
    if (options.has("--json")) {
        // Texts of foreign databases may be no UTF-8.
        fmt::print("{}\n", answer.dump(2, ' ', false, Json::error_handler_t::replace));
    }
    return options.has("--json");
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

}  // namespace

int report_stats(Database& database, const Options& options) {
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

int report_ops(Database& database, const Options& options) {
    const Selection selection = selection_of(options);
    const Json answer =
        selection.operation ? ask_operation(database, *selection.operation) : ask_operations(database, selection);
    if (printed_as_json(answer, options)) {
        return 0;
    }
    if (selection.operation) {
        print_operation(answer);
    } else {
        print_table(stdout, answer,
                    {{"operation_id", "id"},
                     {"name", "operation"},
                     {"duration", "seconds"},
                     {"inputs", "inputs"},
                     {"outputs", "outputs"},
                     {"rank", "rank"}});
    }
    return 0;
}

int report_tensors(Database& database, const Options& options) {
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
                     {"size", "per bank"},
                     {"producer_operation_id", "made by"},
                     {"last_use_operation_id", "last used by"},
                     {"deallocate_operation_id", "freed by"}});
    }
    return 0;
}

int report_buffers(Database& database, const Options& options) {
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
                     {"latest_tensor_id", "tensor"}});
    } else {
        print_table(stdout, answer,
                    {{"operation_id", "id"},
                     {"name", "operation"},
                     {"buffers", "buffers"},
                     {"l1_per_bank", "L1 per bank"},
                     {"dram_per_bank", "DRAM per bank"}});
    }
    return 0;
}

int report_peak(Database& database, const Options& options) {
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

int report_errors(Database& database, const Options& options) {
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

int report_check(const Options& options) {
    Database database(database_path(options.only("a database or its folder")), Database::Mode::READ);
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
        fmt::print("{} of {} rules are kept\n", result.rules.size() - result.violations.size(), result.rules.size());
    }
    return result.violations.empty() ? 0 : 1;
}

}  // namespace tracelift::cli
