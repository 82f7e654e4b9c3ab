// `tracelift report`: graph reports as databases for the ttnn-visualizer, and questions to them.
#include "tracelift/cli/report.hpp"

#include <fmt/format.h>

#include "tracelift/report/schema.hpp"

namespace tracelift::cli {
namespace {

struct Question {
    std::string_view name;
    int (*answer)(Database& database, const Options& options);
};
constexpr Question questions[] = {{"stats", report_stats},     {"ops", report_ops},   {"tensors", report_tensors},
                                  {"buffers", report_buffers}, {"peak", report_peak}, {"errors", report_errors}};

int run_report(std::span<const std::string> arguments) {
    if (arguments.empty()) {
        throw UsageError{"expected what to do"};
    }
    const std::string& what = arguments.front();
    const auto rest = arguments.subspan(1);
    if (what == "import") {
        return report_import(Options(rest,
                                     {"--svg", "--append", "--replace", "--materialize", "--keep-going",
                                      "--repeated-inputs", "--source-files", "--json"},
                                     {"--rules", "--db-name", "--layout-numbers"}));
    }
    if (what == "tables") {
        if (!rest.empty()) {
            throw UsageError{"tables takes no arguments"};
        }
        fmt::print("{}", report::tables_markdown());
        return 0;
    }
    const Options options(rest, {"--json"}, {"--op", "--name", "--limit"});
    if (what == "check") {
        return report_check(options);
    }
    for (const Question& question : questions) {
        if (question.name == what) {
            Database database(database_path(options.only("a database or its folder")), Database::Mode::READ);
            return question.answer(database, options);
        }
    }
    throw UsageError{fmt::format("unknown '{}'", what)};
}

}  // namespace

std::filesystem::path database_path(const std::string& place) {
    std::filesystem::path path = place;
    if (std::filesystem::is_directory(path)) {
        path /= "db.sqlite";
    }
    if (!std::filesystem::exists(path)) {
        throw std::runtime_error(
            fmt::format("{}: there is no database; 'tracelift report import' makes one", path.string()));
    }
    return path;
}

const Command report_command{
    "report",
    "import [--svg] [--rules r|s] [--append|--replace] [--materialize] [--keep-going] [--db-name NAME]\n"
    "                      [--layout-numbers importers|viewer] [--repeated-inputs] [--source-files] INPUT... OUTDIR\n"
    "       tracelift report stats|ops|tensors|buffers|peak|errors|check DB [--op ID] [--name TEXT] [--limit N] "
    "[--json]\n"
    "       tracelift report tables",
    "graph reports as databases for the ttnn-visualizer, and questions to them", run_report};

}  // namespace tracelift::cli
