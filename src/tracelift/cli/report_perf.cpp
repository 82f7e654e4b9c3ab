// `tracelift report perf` and `tracelift report perf-import`.
#include <fmt/format.h>

#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/report.hpp"
#include "tracelift/report/perf_export.hpp"
#include "tracelift/report/perf_import.hpp"

namespace tracelift::cli {
namespace {

int run_perf(const Options& options) {
    const auto summary = report::write_perf_report(options.positional()[0], options.positional()[1]);
    if (options.json()) {
        print_json({{"table", summary.table.string()},
                    {"device_log", summary.device_log.string()},
                    {"operations", summary.operations},
                    {"empty_columns", summary.empty_columns}});
    } else {
        fmt::print("{}", report::summary_text(summary));
    }
    return 0;
}

int run_perf_import(const Options& options) {
    Database database(database_path(options.positional()[1]), Database::Mode::WRITE);
    const auto summary = report::import_performance(database, options.positional()[0]);
    if (options.json()) {
        print_json({{"file", summary.file.string()},
                    {"rows", summary.rows},
                    {"devices", summary.devices},
                    {"matched", summary.matched},
                    {"past", summary.past},
                    {"left_out", summary.left_out}});
    } else {
        fmt::print("{}", report::summary_text(summary));
    }
    return 0;
}

constexpr OptionInfo options[] = {json_option};
constexpr ArgumentInfo perf_arguments[] = {{"REPORT", "a captured report"},
                                           {"OUTDIR", "the folder for the performance report"}};
constexpr ArgumentInfo import_arguments[] = {{"PERF", "a performance report: its CSV file or its folder"},
                                             {"DB", "a report database, or its folder"}};

}  // namespace

const Command report_perf_command{.name = "perf",
                                  .help = "write a performance report from a captured report",
                                  .example = "tracelift report perf report.json perf/",
                                  .arguments = perf_arguments,
                                  .options = options,
                                  .run = run_perf};
const Command report_perf_import_command{.name = "perf-import",
                                         .help = "import a performance report from hardware into a report database",
                                         .example = "tracelift report perf-import perf/ out/",
                                         .arguments = import_arguments,
                                         .options = options,
                                         .run = run_perf_import};

}  // namespace tracelift::cli
