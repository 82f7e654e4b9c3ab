// `tracelift report`: graph reports as databases for the ttnn-visualizer, and questions to them.
#include "tracelift/cli/report.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/report/schema.hpp"

namespace tracelift::cli {
namespace {

int run_tables(const Options& options) {
    if (options.json()) {
        print_json({{"markdown", report::tables_markdown()}});
    } else {
        fmt::print("{}", report::tables_markdown());
    }
    return 0;
}

constexpr OptionInfo tables_options[] = {json_option};
constexpr Command tables_command{.name = "tables",
                                 .help = "the tables of the database and what their columns mean",
                                 .example = "tracelift report tables",
                                 .options = tables_options,
                                 .run = run_tables};
constexpr const Command* commands[] = {&report_import_command,      &report_stats_command,   &report_ops_command,
                                       &report_tensors_command,     &report_buffers_command, &report_peak_command,
                                       &report_errors_command,      &report_check_command,   &report_perf_command,
                                       &report_perf_import_command, &tables_command};

}  // namespace

std::filesystem::path database_path(const std::string& place) {
    std::filesystem::path path = place;
    if (std::filesystem::is_directory(path)) {
        path /= "db.sqlite";
    }
    if (!std::filesystem::exists(path)) {
        throw std::runtime_error(
            fmt::format("{}: there is no database; 'tracelift report import' creates one", path.string()));
    }
    return path;
}

const Command report_command{.name = "report",
                             .help = "make databases for the ttnn-visualizer from graph reports, and query them",
                             .example = "tracelift report import report.json out/",
                             .commands = commands};

}  // namespace tracelift::cli
