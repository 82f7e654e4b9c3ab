// `tracelift trace` and `tracelift import`: from a model run to the store.
#include <cstdio>

#include <fmt/format.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/trace/run.hpp"

namespace tracelift::cli {
namespace {

const std::string rule(50, '=');

TraceOptions trace_options(const Options& options) {
    TraceOptions result;
    result.directory = store_directory(options.value("--dir"));
    result.name = options.value("--name");
    result.keep_raw = options.has("--store") || options.has("--keep-traces");
    result.include_failed = options.has("--include-failed");
    result.output_to_stderr = options.has("--json");
    if (const auto path = options.value("--valid-ops")) {
        result.filter.load_valid(*path);
    }
    if (const auto path = options.value("--excluded-ops")) {
        result.filter.load_excluded(*path);
    }
    return result;
}

Json to_json(const TraceReport& report) {
    const IngestLedger& ledger = report.ingested.ledger;
    Json operations = Json::object();
    for (const auto& [name, count] : report.ingested.operations) {
        operations[cpp_name(name)] = {{"configurations", count.configurations}, {"executions", count.executions}};
    }
    Json left_out = Json::object();
    for (const auto& [name, calls] : ledger.dropped) {
        left_out[cpp_name(name)] = calls;
    }
    return {{"trace_uid", report.uid},
            {"model", report.model},
            {"outcome", report.outcome},
            {"end", report.end ? Json(report.end->text()) : Json()},
            {"captured", ledger.raw.calls},
            {"kept", ledger.kept},
            {"excluded", ledger.excluded},
            {"not_listed", ledger.not_listed},
            {"failed_calls", ledger.raw.failed},
            {"unfinished_calls", ledger.raw.unfinished},
            {"incomplete_records", ledger.raw.incomplete},
            {"unbound_configurations", ledger.unbound},
            {"unread_pieces", report.ingested.unread.size()},
            {"new_configurations", report.added.configurations},
            {"known_configurations", report.added.known},
            {"operations", std::move(operations)},
            {"left_out", std::move(left_out)},
            {"master", report.master.string()},
            {"raw", report.raw.string()}};
}

std::string_view result_text(const std::string& outcome) {
    return outcome == "passed"    ? "✅ PASSED"
           : outcome == "crashed" ? "💥 CRASHED"
           : outcome == "failed"  ? "❌ FAILED"
                                  : "📥 IMPORTED";
}

void print_ledger(const IngestLedger& ledger, size_t unread) {
    fmt::print("📋 Filtered to {} valid operations (from {} total)", ledger.kept, ledger.raw.calls);
    std::string parts;
    const auto add = [&](uint64_t count, std::string_view what) {
        if (count != 0) {
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
        }
    };
    add(ledger.excluded, "excluded");
    add(ledger.not_listed, "not on the list");
    add(ledger.failed, "raised an error");
    fmt::print("{}\n", parts.empty() ? "" : ": left out " + parts);
    if (ledger.raw.unfinished != 0) {
        fmt::print("⚠️  {} calls never came back; their arguments were kept\n", ledger.raw.unfinished);
    }
    if (ledger.raw.incomplete != 0) {
        fmt::print("⚠️  {} records were cut off in the middle and are lost\n", ledger.raw.incomplete);
    }
    if (ledger.unbound != 0) {
        fmt::print("⚠️  {} configurations fit no declaration and are stored as they are\n", ledger.unbound);
    }
    if (unread != 0) {
        fmt::print("⚠️  {} pieces could not be read; they are kept with their reason ('tracelift stats')\n",
                   unread);
    }
    for (const auto& [operation, problem] : ledger.problems) {
        fmt::print("   • {}: {}\n", cpp_name(operation), problem);
    }
}

void print_report(const TraceReport& report) {
    const IngestLedger& ledger = report.ingested.ledger;
    fmt::print("📈 Captured {} operations\n", ledger.raw.calls);
    print_ledger(ledger, report.ingested.unread.size());
    fmt::print("📝 Added {} new unique configurations to master file\n", report.added.configurations);
    fmt::print("\n{0}\n📋 RESULTS\n{0}\n", rule);
    fmt::print(
        "Test Result: {}{}\n", result_text(report.outcome),
        report.end && !report.end->ok() ? fmt::format(" ({}); what was captured is stored", report.end->text()) : "");
    fmt::print("📊 Captured: {} operations, {} unique types\n", ledger.kept, report.ingested.operations.size());
    fmt::print("💾 File: {} ({} bytes)\n", report.master.string(), std::filesystem::file_size(report.master));
    if (!report.raw.empty()) {
        fmt::print("💾 Raw traces: {}\n", report.raw.string());
    }
    fmt::print("🔧 Unique Configurations (current {}):\n", report.end ? "test" : "import");
    for (const auto& [name, count] : report.ingested.operations) {
        fmt::print("   • {}: {} unique configs ({}x executed)\n", cpp_name(name), count.configurations,
                   count.executions);
    }
}

Road road_of(const std::string& name) {
    constexpr std::pair<std::string_view, Road> roads[] = {
        {"raw", Road::RAW}, {"params", Road::PARAMS}, {"calls", Road::CALLS}, {"graph", Road::GRAPH}};
    for (const auto& [known, road] : roads) {
        if (known == name) {
            return road;
        }
    }
    throw UsageError{fmt::format("--via is raw, params, calls or graph, not '{}'", name)};
}

int run_trace(std::span<const std::string> arguments) {
    const Options options(arguments, {"--store", "--keep-traces", "--include-failed", "--json"},
                          {"--dir", "--name", "--valid-ops", "--excluded-ops", "--via"});
    const Target target = find_target(options.only("target"), options.rest());
    TraceOptions settings = trace_options(options);
    settings.road = road_of(options.value_or("--via", "raw"));
    const bool json = options.has("--json");
    if (!json) {
        fmt::print("🚀 TTNN Operations Tracer\n{0}\n📁 {1}\n{0}\n", rule, target.source);
        for (const auto& folder : left_behind(settings.directory)) {
            fmt::print("⚠️  An earlier run was cut off; what it captured can be taken in: tracelift import {}\n",
                       folder.string());
        }
        fmt::print("🚀 Running {} with operations tracing...\n📋 Loaded {} valid operations\n",
                   target.kind == Target::Kind::PYTEST   ? "test"
                   : target.kind == Target::Kind::SCRIPT ? "script"
                                                         : "program",
                   settings.filter.valid_count());
        std::fflush(stdout);
    }
    const TraceReport report = trace(target, settings);
    json ? fmt::print("{}\n", to_json(report).dump(2)) : print_report(report);
    if (report.ingested.executions.empty()) {
        fmt::print(stderr, "tracelift trace: no valid operation was left after filtering\n");
        return 1;
    }
    return report.end->ok() ? 0 : 1;
}

int run_import(std::span<const std::string> arguments) {
    const Options options(arguments, {"--include-failed", "--merge-known", "--all-ops", "--json"},
                          {"--dir", "--name", "--valid-ops", "--excluded-ops"});
    TraceOptions settings = trace_options(options);
    settings.refuse_known = !options.has("--merge-known");
    settings.progress = import_progress();
    if (options.has("--all-ops")) {
        settings.filter.keep_all();
    }
    if (options.positional().empty()) {
        throw UsageError{"expected at least one path"};
    }
    for (const std::string& path : options.positional()) {
        check_importable(path);  // before any of them is taken in
    }
    Json list = Json::array();
    for (const std::string& path : options.positional()) {
        for (const TraceReport& report : import_path(path, settings)) {
            if (options.has("--json")) {
                list.push_back(to_json(report));
            } else {
                print_report(report);
            }
        }
    }
    if (options.has("--json")) {
        fmt::print("{}\n", list.dump(2));
    }
    return 0;
}

}  // namespace

const Command trace_command{
    "trace",
    "TARGET [--store] [--name MODEL] [--dir DIR] [--via raw|params|calls|graph] [--valid-ops FILE] "
    "[--excluded-ops FILE] [--include-failed] [--json] [-- ARGS...]",
    "run a model test, script or program and store the configurations of its operations", run_trace};
const Command import_command{
    "import",
    "PATH... [--name MODEL] [--dir DIR] [--valid-ops FILE] [--excluded-ops FILE] [--all-ops] "
    "[--include-failed] [--merge-known] [--json]",
    "take traces, masters, parameter files, call lines, graph reports or stores into the store", run_import};

}  // namespace tracelift::cli
