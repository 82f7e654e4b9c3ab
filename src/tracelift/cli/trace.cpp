// `tracelift trace` and `tracelift import`: from a model run to the store.
#include <csignal>
#include <cstdio>

#include <fmt/format.h>

#include "tracelift/base/utf8.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/continuation.hpp"
#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/numbers.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/trace/run.hpp"

namespace tracelift::cli {
namespace {

const std::string rule(50, '=');
constexpr int pytest_interrupted = 2;  // its exit status

TraceOptions trace_options(const Options& options) {
    TraceOptions result;
    result.directory = store_directory(options.value("--dir"));
    result.name = options.value("--name");
    result.keep_raw = options.has("--store") || options.has("--keep-traces");
    result.include_failed = options.has("--include-failed");
    result.output_to_stderr = options.json();
    if (result.name && !is_utf8(*result.name)) {
        throw UsageError{fmt::format("--name takes text in UTF-8, got '{}'", utf8_text(*result.name))};
    }
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
            {"configurations_with_lost_arguments", ledger.with_lost},
            {"unread_pieces", report.ingested.unread.size()},
            {"new_configurations", report.added.configurations},
            {"known_configurations", report.added.known},
            {"operations", std::move(operations)},
            {"left_out", std::move(left_out)},
            {"master", report.master.string()},
            {"master_holds_all", report.master_holds_all},
            {"raw", report.raw.string()},
            {"readable", report.readable.string()}};
}

std::string_view result_text(const std::string& outcome) {
    return outcome == "passed"    ? "✅ PASSED"
           : outcome == "crashed" ? "💥 CRASHED"
           : outcome == "failed"  ? "❌ FAILED"
                                  : "📥 IMPORTED";
}

void print_ledger(const IngestLedger& ledger, size_t unread) {
    fmt::print("📋 Filtered to {} valid operations (from {} total)", grouped(ledger.kept), grouped(ledger.raw.calls));
    std::string parts;
    const auto add = [&](uint64_t count, std::string_view what) {
        if (count != 0) {
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", grouped(count), what);
        }
    };
    add(ledger.excluded, "excluded");
    add(ledger.not_listed, "not on the list");
    add(ledger.failed, "raised an error");
    fmt::print("{}\n", parts.empty() ? "" : ": left out " + parts);
    if (ledger.raw.unfinished != 0) {
        fmt::print("⚠️  {} calls never returned; their arguments were kept\n", ledger.raw.unfinished);
    }
    if (ledger.raw.incomplete != 0) {
        fmt::print("⚠️  {} records were cut short and are lost\n", ledger.raw.incomplete);
    }
    if (ledger.unbound != 0) {
        fmt::print("⚠️  {} configurations fit no declaration and are stored as they are\n", ledger.unbound);
    }
    if (ledger.with_lost != 0) {
        fmt::print("⚠️  {} configurations have arguments that the capture lost; they are replayed without them\n",
                   ledger.with_lost);
    }
    if (unread != 0) {
        fmt::print("⚠️  {} pieces of input could not be read; they are kept with the reason ('tracelift stats')\n",
                   unread);
    }
    for (const auto& [operation, problem] : ledger.problems) {
        fmt::print("   • {}: {}\n", cpp_name(operation), problem);
    }
}

// The file that holds what was captured: the kept trace, else the master, else nothing but the store.
void print_file(const TraceReport& report) {
    const auto size = [](const std::filesystem::path& path) { return grouped(std::filesystem::file_size(path)); };
    if (!report.readable.empty()) {
        fmt::print("💾 File: {} ({} bytes)\n", report.readable.string(), size(report.readable));
    } else if (report.master_holds_all) {
        fmt::print("💾 File: {} ({} bytes)\n", report.master.string(), size(report.master));
    }
    if (!report.master_holds_all) {
        fmt::print(
            "💾 Store: {} ({} bytes); it is too large to keep a master beside it; to write one: tracelift export "
            "master.json --dir {}\n",
            report.store, grouped(report.store_bytes), report.master.parent_path().string());
    }
    if (!report.raw.empty()) {
        fmt::print("💾 Raw traces: {}\n", report.raw.string());
    }
}

void print_report(const TraceReport& report) {
    const IngestLedger& ledger = report.ingested.ledger;
    fmt::print("📈 Captured {} operations\n", grouped(ledger.raw.calls));
    print_ledger(ledger, report.ingested.unread.size());
    fmt::print("📝 Added {} new unique configurations to master file\n", grouped(report.added.configurations));
    fmt::print("\n{0}\n📋 RESULTS\n{0}\n", rule);
    fmt::print(
        "Test Result: {}{}\n", result_text(report.outcome),
        report.end && !report.end->ok() ? fmt::format(" ({}); what was captured is stored", report.end->text()) : "");
    fmt::print("📊 Captured: {} operations, {} unique types\n", grouped(ledger.kept), report.ingested.operations.size());
    print_file(report);
    fmt::print("🔧 Unique Configurations (current {}):\n", report.end ? "test" : "import");
    for (const auto& [name, count] : report.ingested.operations) {
        fmt::print("   • {}: {} unique configs ({}x executed)\n", cpp_name(name), count.configurations,
                   count.executions);
    }
}

Road road_of(const std::string& name) {
    return name == "params" ? Road::PARAMS : name == "calls" ? Road::CALLS : name == "graph" ? Road::GRAPH : Road::RAW;
}

// Before the target runs, which may take long.
void print_beginning(const Target& target, const TraceOptions& settings, const Options& options) {
    fmt::print("🚀 TTNN Operations Tracer\n{0}\n📁 {1}\n{0}\n", rule, target.source);
    for (const auto& folder : left_behind(settings.directory)) {
        fmt::print("⚠️  An earlier run was cut short; to import what it captured: tracelift import {}\n",
                   folder.string());
    }
    const auto list = options.value("--valid-ops");
    fmt::print("🚀 Running {} with operations tracing...\n📋 Loaded {} valid operations from {}\n",
               target.kind == Target::Kind::PYTEST   ? "test"
               : target.kind == Target::Kind::SCRIPT ? "script"
                                                     : "program",
               grouped(settings.filter.valid().size()),
               list ? std::filesystem::path(*list).filename().string() : "the built-in list");
    std::fflush(stdout);
}

int run_trace(const Options& options) {
    const Target target = find_target(options.positional().front(), options.rest());
    TraceOptions settings = trace_options(options);
    settings.road = road_of(options.value_or("--via", "raw"));
    if (!options.json()) {
        print_beginning(target, settings, options);
    }
    const TraceReport report = trace(target, settings);
    options.json() ? print_json(to_json(report)) : print_report(report);
    if (report.ingested.executions.empty()) {
        fmt::print(stderr, "tracelift trace: no valid operation was left after filtering\n");
        return 1;
    }
    if (report.end->signal == SIGINT || report.end->signal == SIGTERM ||
        report.end->exit_status == pytest_interrupted) {
        fmt::print(
            stderr,
            "tracelift trace: the run was interrupted. To continue, trace it again: only what is new is added.\n");
    }
    return report.end->ok() ? 0 : 1;
}

int run_import(const Options& options) {
    TraceOptions settings = trace_options(options);
    settings.refuse_known = !options.has("--merge-known");
    if (options.has("--all-ops")) {
        settings.filter.keep_all();
    }
    for (const std::string& path : options.positional()) {
        check_importable(path);  // before any of them is taken in
    }
    Json list = Json::array();
    const Interrupts interrupts;
    size_t done = 0;
    int signal = 0;
    try {
        for (const std::string& path : options.positional()) {
            Interrupts::check();
            settings.progress = configuration_progress();
            import_path(path, settings, [&](const TraceReport& report) {
                settings.progress = {};  // clears its line
                options.json() ? list.push_back(to_json(report)) : print_report(report);
                settings.progress = configuration_progress();
            });
            settings.progress = {};
            ++done;
        }
    } catch (const Interrupted& interrupted) {
        settings.progress = {};
        signal = interrupted.signal;
    }
    if (options.json()) {
        print_json(list);
    }
    if (signal == 0) {
        return 0;
    }
    const std::vector<std::string> left(options.positional().begin() + static_cast<ptrdiff_t>(done),
                                        options.positional().end());
    fmt::print(stderr,
               "tracelift import: ended by {} after {} of {} paths; what was listed is stored, and nothing else. To "
               "continue: {}\n",
               signal_name(signal), done, options.positional().size(), continuation("import", options, left));
    return interrupted_status(signal);
}

constexpr OptionInfo name_option{"--name", "MODEL", "the name of the model (default: the path of what is traced)"};
constexpr OptionInfo valid_option{"--valid-ops", "FILE",
                                  "names of the operations to keep, one per line (default: all known)"};
constexpr OptionInfo excluded_option{"--excluded-ops", "FILE",
                                     "names of operations to leave out (default: those that only move data)"};
constexpr OptionInfo failed_option{"--include-failed", {}, "include calls that raised an error"};

constexpr ArgumentInfo trace_arguments[] = {
    {"TARGET", "a pytest node id (path/test.py::test_x), a test file or folder, a Python script or a program"}};
constexpr OptionInfo trace_options_list[] = {
    {"--store", {}, "keep the trace: raw records, and a readable <test>_ops_<time>.json beside them"},
    {"--keep-traces", {}, "the same as --store"},
    name_option,
    {"--via", "raw|params|calls|graph",
     "how calls are recorded: raw records (default), parameter files, call lines, a graph"},
    valid_option,
    excluded_option,
    failed_option,
    folder_option,
    json_option};

constexpr ArgumentInfo import_arguments[] = {
    {"PATH", "traces, masters, parameter files, call lines, graph reports or stores", 1, any_number}};
constexpr OptionInfo import_options_list[] = {
    name_option,     valid_option,
    excluded_option, {"--all-ops", {}, "import every operation, whatever its name"},
    failed_option,   {"--merge-known", {}, "import what is new in a file whose trace is already in the store"},
    folder_option,   json_option};

}  // namespace

const Command trace_command{
    .name = "trace",
    .help = "run a model test, script or program and store the configurations of its operations",
    .example = "tracelift trace tests/test_model.py::test_model --name bert -- -x",
    .arguments = trace_arguments,
    .options = trace_options_list,
    .statuses = "0 done, 1 the target failed (what it called is stored) or nothing was captured, 2 wrong usage",
    .rest_is_targets = true,
    .run = run_trace};
const Command import_command{.name = "import",
                             .help = "import traces, masters, parameter files, call lines, graph reports or stores",
                             .example = "tracelift import master.json --name bert",
                             .arguments = import_arguments,
                             .options = import_options_list,
                             .statuses = "0 done, 1 failed, 2 wrong usage, 130 or 143 ended by a signal",
                             .run = run_import};

}  // namespace tracelift::cli
