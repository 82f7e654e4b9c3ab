// `tracelift report import`.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "tracelift/cli/report.hpp"
#include "tracelift/report/import.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::cli {
namespace {

using namespace report;  // NOLINT(google-build-using-namespace): what this file is the command of

template <class Choice>
Choice choose(const Options& options, std::string_view name, std::string_view first, Choice first_choice,
              std::string_view second, Choice second_choice) {
    const std::string value = options.value_or(name, first);
    if (value != first && value != second) {
        throw UsageError{fmt::format("{} is '{}', not {} or {}", name, value, first, second)};
    }
    return value == first ? first_choice : second_choice;
}

ImportOptions read(const Options& options) {
    const auto& places = options.positional();
    if (places.size() < 2) {
        throw UsageError{"expected one or more reports or folders of reports, and the folder for the database"};
    }
    if (options.has("--append") && options.has("--replace")) {
        throw UsageError{"--append and --replace exclude each other"};
    }
    ImportOptions import;
    import.inputs.assign(places.begin(), places.end() - 1);
    import.directory = places.back();
    import.database = options.value_or("--db-name", import.database);
    if (import.database.empty() || import.database.find('/') != std::string::npos) {
        throw UsageError{"--db-name takes the name of a file without a folder"};
    }
    import.rules = choose(options, "--rules", "r", Rules::R, "s", Rules::S);
    import.existing = options.has("--append")    ? Existing::APPEND
                      : options.has("--replace") ? Existing::REPLACE
                                                 : Existing::REFUSE;
    import.layout_numbers =
        choose(options, "--layout-numbers", "importers", LayoutNumbers::IMPORTERS, "viewer", LayoutNumbers::VIEWER);
    import.svg = options.has("--svg");
    import.materialize = options.has("--materialize");
    import.keep_going = options.has("--keep-going");
    import.repeated_inputs = options.has("--repeated-inputs");
    import.source_files = options.has("--source-files");
    if (isatty(STDERR_FILENO) != 0) {
        import.progress = [](const std::string& name, size_t done, size_t total) {
            fmt::print(stderr, "\r\033[K{:.80}: {} of {} MB", name, done >> 20, total >> 20);
        if (done + (size_t{32} << 20) > total) {
            fmt::print(stderr, "\r\033[K");
        }
        std::fflush(stderr);
    };
}
return import;
}  // namespace

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

}  // namespace tracelift::cli

int report_import(const Options& options) {
    const ImportOptions import = read(options);
    const auto start = std::chrono::steady_clock::now();
    const ImportSummary summary = import_reports(import);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (options.has("--json")) {
        fmt::print("{}\n", to_json(summary, seconds.count()).dump(2));
    } else {
        for (const auto& [text, count] : summary.warnings) {
            fmt::print("Warning: {}{}\n", text, count > 1 ? fmt::format(" ({} times)", count) : "");
        }
        for (const std::string& skipped : summary.skipped) {
            fmt::print(stderr, "left out: {}\n", skipped);
        }
        fmt::print("{}", summary_text(summary));
    }
    return summary.skipped.empty() ? 0 : 1;
}

}  // namespace tracelift::cli
