// `tracelift report import`.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "tracelift/cli/interrupts.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/progress.hpp"
#include "tracelift/cli/report.hpp"
#include "tracelift/report/import.hpp"

namespace tracelift::cli {
namespace {

using namespace report;  // NOLINT(google-build-using-namespace): what this file is the command of

ImportOptions read(const Options& options) {
    const auto& places = options.positional();
    if (options.has("--append") && options.has("--replace")) {
        throw UsageError{"--append and --replace exclude each other"};
    }
    ImportOptions import;
    import.inputs.assign(places.begin(), places.end() - 1);
    import.directory = places.back();
    import.database = options.value_or("--db-name", import.database);
    if (import.database.empty() || import.database.find('/') != std::string::npos) {
        throw UsageError{"--db-name takes a file name without a folder"};
    }
    import.rules = options.value_or("--rules", "r") == "r" ? Rules::R : Rules::S;
    import.existing = options.has("--append")    ? Existing::APPEND
                      : options.has("--replace") ? Existing::REPLACE
                                                 : Existing::REFUSE;
    if (const auto numbers = options.value("--layout-numbers")) {
        import.layout_numbers = *numbers == "viewer" ? LayoutNumbers::VIEWER : LayoutNumbers::IMPORTERS;
    }
    import.svg = options.has("--svg");
    import.materialize = options.has("--materialize");
    import.keep_going = options.has("--keep-going");
    import.repeated_inputs = options.has("--repeated-inputs");
    import.source_files = options.has("--source-files");
    return import;
}

Json to_json(const ImportSummary& summary, double seconds) {
    Json rows = Json::object();
    for (const auto& [what, count] : summary.rows) {
        rows[what] = count;
    }
    return {{"database", summary.database.string()},
            {"reports", summary.reports},
            {"nodes", summary.nodes},
            {"seconds", seconds},
            {"rows", rows},
            {"files", summary.files},
            {"pictures", summary.pictures},
            {"warnings", summary.warnings},
            {"skipped", summary.skipped}};
}

void print(const ImportSummary& summary) {
    for (const auto& [text, count] : summary.warnings) {
        fmt::print("Warning: {}{}\n", text, count > 1 ? fmt::format(" ({} times)", count) : "");
    }
    for (const std::string& skipped : summary.skipped) {
        fmt::print(stderr, "left out: {}\n", skipped);
    }
    fmt::print("{}", summary_text(summary));
}

ImportSummary import_with_progress(ImportOptions import) {
    Progress progress("MB read", 0);
    import.progress = [&](const std::string& name, size_t done, size_t total) { Interrupts::check();
    progress.reach(done >> 20U, fmt::format("{:.80} ({} MB)", name, total >> 20U));
};
return import_reports(import);
}  // namespace

int run_import(const Options& options) {
    const ImportOptions import = read(options);
    const Interrupts interrupts;
    const auto start = std::chrono::steady_clock::now();
    ImportSummary summary;
    try {
        summary = import_with_progress(import);
    } catch (const Interrupted& interrupted) {
        const std::string database = (import.directory / import.database).string();
        if (options.json()) {
            print_json({{"database", database}, {"reports", 0}, {"ended_by", signal_name(interrupted.signal)}});
        }
        fmt::print(stderr,
                   "tracelift report import: ended by {}; {} is unchanged. To continue, run the same command "
                   "again.\n",
                   signal_name(interrupted.signal), database);
        return interrupted_status(interrupted.signal);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    options.json() ? print_json(to_json(summary, seconds.count())) : print(summary);
    return summary.skipped.empty() ? 0 : 1;
}

constexpr ArgumentInfo arguments[] = {{"REPORT", "reports, or folders of reports", 1, any_number},
                                      {"OUTDIR", "the folder for the database; the viewer opens it"}};
constexpr OptionInfo options[] = {
    {"--svg", {}, "also draw pictures of the graph and of memory"},
    {"--rules", "r|s", "make rows as the viewer's own importer does (r, the default) or as the first one did (s)"},
    {"--append", {}, "add to an existing database"},
    {"--replace", {}, "replace an existing database"},
    {"--materialize", {}, "always store buffers as a table"},
    {"--keep-going", {}, "skip reports that cannot be read"},
    {"--db-name", "NAME", "the name of the database (default: db.sqlite)"},
    {"--layout-numbers", "viewer|importers",
     "how memory layouts are numbered: as in the viewer (the default) or as in other importers"},
    {"--repeated-inputs", {}, "one row per argument that is a tensor, even if it is the same tensor"},
    {"--source-files", {}, "store the source files that stack traces name"},
    json_option};

}  // namespace tracelift::cli

const Command report_import_command{
    .name = "import",
    .help = "make a database for the ttnn-visualizer from graph reports",
    .example = "tracelift report import --svg report.json out/",
    .arguments = arguments,
    .options = options,
    .statuses = "0 done, 1 failed or a report was left out, 2 wrong usage, 130 or 143 ended by a signal",
    .run = run_import};

}  // namespace tracelift::cli
