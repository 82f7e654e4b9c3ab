// `tracelift coverage` and `tracelift stats`: what the store covers, and who uses what.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/cli/table.hpp"
#include "tracelift/store/lookup.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::cli {
namespace {

int run_coverage(const Options& options) {
    OpenedStore opened(options);
    Catalog& store = *opened;
    const std::string model = options.value_or("--model", "");
    if (!model.empty()) {
        check_model(store, model);
    }
    std::vector<std::string> operations{""};
    if (const auto wanted = options.value("--op")) {
        operations.clear();
        for (const OperationSummary& found : find_stored(store.operation_names(), *wanted)) {
            operations.push_back(found.name);
        }
    }
    const Pager pager;
    Json rows = Json::array();
    const auto or_dash = [](std::string_view text) { return text.empty() ? std::string_view("-") : text; };
    if (!options.json()) {
        fmt::print(pager.out(), "{:<44} {:<10} {:<10} {:<20} {:<24} {:>8} {:>11}  {}\n", "operation", "dtype", "layout",
                   "memory", "model", "configs", "executions", "last sweep");
    }
    for (const std::string& operation : operations) {
        for (const Coverage& row : store.coverage(operation, model)) {
            if (options.json()) {
                rows.push_back({{"operation", cpp_name(row.operation)},
                                {"dtype", row.dtype},
                                {"layout", row.layout},
                                {"memory", row.memory},
                                {"model", row.model},
                                {"configurations", row.configurations},
                                {"executions", row.executions},
                                {"passed", row.passed},
                                {"not_passed", row.not_passed},
                                {"last_statuses", row.last_statuses}});
                continue;
            }
            const std::string swept = row.passed + row.not_passed == 0 ? "not swept"
                                      : row.not_passed == 0            ? fmt::format("pass {}", row.passed)
                                                                       : fmt::format("pass {}, not {} ({})", row.passed,
                                                                                     row.not_passed, row.last_statuses);
            fmt::print(pager.out(), "{:<44} {:<10} {:<10} {:<20} {:<24} {:>8} {:>11}  {}\n", cpp_name(row.operation),
                       or_dash(row.dtype), or_dash(row.layout), or_dash(row.memory), row.model, row.configurations,
                       row.executions, swept);
        }
    }
    if (options.json()) {
        print_json(rows, pager.out());
    }
    return 0;
}

constexpr size_t longest_text = 160;  // of a reason or a list of models

int run_stats(const Options& options) {
    OpenedStore store(options);
    Json all = Json::object();
    const Pager pager;
    for (Statistics& table : store->statistics()) {
        for (Json& row : table.rows) {
            if (row.contains("operation")) {
                row["operation"] = cpp_name(row["operation"].get<std::string>());
            }
        }
        if (!options.json() && !table.rows.empty()) {
            fmt::print(pager.out(), "\n{}\n", table.title);
            std::vector<Column> columns;
            for (const std::string& name : table.columns) {
                columns.push_back({name, name, longest_text});
            }
            print_table(pager.out(), table.rows, columns);
        }
        all[table.name] = std::move(table.rows);
    }
    if (options.json()) {
        print_json(all, pager.out());
    }
    return 0;
}

constexpr OptionInfo coverage_options[] = {
    {"--op", "OP", "only this operation"}, model_option, dir_option, json_option};
constexpr OptionInfo stats_options[] = {dir_option, json_option};

}  // namespace

const Command coverage_command{
    .name = "coverage",
    .help = "operation x dtype x layout x memory x model: configurations, executions, last sweep",
    .example = "tracelift coverage --op matmul",
    .options = coverage_options,
    .run = run_coverage};
const Command stats_command{.name = "stats",
                            .help = "who uses what, top operations, hardware and the parse ledger",
                            .example = "tracelift stats",
                            .options = stats_options,
                            .run = run_stats};

}  // namespace tracelift::cli
