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

constexpr const char* coverage_sql =
    "SELECT o.name, coalesce(c.dtype, ''), coalesce(c.layout, ''), coalesce(c.buffer_type || '_' || c.memory_layout, "
    "''), "
    "coalesce(m.short_name, m.name), count(DISTINCT c.id), sum(e.count), "
    "count(DISTINCT CASE WHEN s.status = 'pass' THEN c.id END), "
    "count(DISTINCT CASE WHEN s.status IS NOT NULL AND s.status != 'pass' THEN c.id END), "
    "coalesce(group_concat(DISTINCT s.status), '') "
    "FROM execution e JOIN configuration c ON c.id = e.configuration_id JOIN operation o ON o.id = c.operation_id "
    "JOIN model m ON m.id = e.model_id LEFT JOIN (SELECT configuration_id, status, max(sweep_run_id) FROM sweep_result "
    "GROUP BY configuration_id) s ON s.configuration_id = c.id "
    "WHERE (?1 = '' OR o.name = ?1) AND (?2 = '' OR instr(lower(m.name), lower(?2)) > 0 OR m.short_name = lower(?2)) "
    "GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

int run_coverage(const Options& options) {
    OpenedStore opened(options);
    Store& store = *opened;
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
    Statement select(store.database(), coverage_sql);
    for (const std::string& operation : operations) {
        select.with(operation, model);
        while (select.step()) {
            const int64_t passed = select.integer(7);
            const int64_t other = select.integer(8);
            if (options.json()) {
                rows.push_back({{"operation", cpp_name(select.text(0))},
                                {"dtype", select.text(1)},
                                {"layout", select.text(2)},
                                {"memory", select.text(3)},
                                {"model", select.text(4)},
                                {"configurations", select.integer(5)},
                                {"executions", select.integer(6)},
                                {"passed", passed},
                                {"not_passed", other},
                                {"last_statuses", select.text(9)}});
                continue;
            }
            const std::string swept = passed + other == 0 ? "not swept"
                                      : other == 0        ? fmt::format("pass {}", passed)
                                                   : fmt::format("pass {}, not {} ({})", passed, other, select.text(9));
            fmt::print(pager.out(), "{:<44} {:<10} {:<10} {:<20} {:<24} {:>8} {:>11}  {}\n", cpp_name(select.text(0)),
                       or_dash(select.text(1)), or_dash(select.text(2)), or_dash(select.text(3)), select.text(4),
                       select.integer(5), select.integer(6), swept);
        }
    }
    if (options.json()) {
        print_json(rows, pager.out());
    }
    return 0;
}

struct Table {
    std::string_view name;
    std::string_view title;
    std::vector<std::string_view> columns;
    std::string sql;
};

std::vector<Table> stat_tables() {
    return {
        {"top_operations",
         "Top operations by executions",
         {"operation", "configurations", "executions"},
         "SELECT o.name, count(DISTINCT c.id), sum(e.count) FROM execution e JOIN configuration c ON c.id = "
         "e.configuration_id JOIN operation o ON o.id = c.operation_id GROUP BY o.id ORDER BY 3 DESC, 1 LIMIT 15"},
        {"models",
         "Models",
         {"model", "operations", "configurations", "executions"},
         "SELECT coalesce(m.short_name, m.name), count(DISTINCT c.operation_id), count(DISTINCT c.id), sum(e.count) "
         "FROM execution e JOIN configuration c ON c.id = e.configuration_id JOIN model m ON m.id = e.model_id "
         "GROUP BY m.id ORDER BY 4 DESC"},
        {"shared_operations",
         "Who uses what: operations by number of models",
         {"operation", "models", "which"},
         "SELECT o.name, count(DISTINCT e.model_id), group_concat(DISTINCT coalesce(m.short_name, m.name)) FROM "
         "execution e JOIN configuration c ON c.id = e.configuration_id JOIN operation o ON o.id = c.operation_id "
         "JOIN model m ON m.id = e.model_id GROUP BY o.id ORDER BY 2 DESC, 1 LIMIT 15"},
        {"hardware",
         "Hardware",
         {"board", "series", "cards", "mesh", "configurations"},
         "SELECT coalesce(h.board_type, 'not known'), coalesce(h.device_series, ''), coalesce(h.card_count, ''), "
         "coalesce(h.mesh_shape, ''), count(*) FROM configuration c LEFT JOIN hardware h ON h.id = c.hardware_id "
         "GROUP BY h.id ORDER BY 5 DESC"},
        {"ledger",
         "Parse ledger, by format",
         {"format", "configurations", "bound", "of these with lost arguments", "as stored", "unparsed arguments",
          "lost arguments"},
         "SELECT coalesce(format, ''), count(*), sum(bound), sum(bound AND lost > 0), sum(1 - bound), sum(unparsed), "
         "sum(lost) FROM configuration GROUP BY 1 ORDER BY 2 DESC"},
        {"unbound",
         "Not bound, and why",
         {"operation", "configurations", "reason"},
         "SELECT o.name, count(*), max(coalesce(c.note, '')) FROM configuration c JOIN operation o ON o.id = "
         "c.operation_id WHERE c.bound = 0 GROUP BY o.id ORDER BY 2 DESC, 1"},
        {"unread",
         "Input that could not be read",
         {"place", "reason"},
         "SELECT place, reason FROM unread ORDER BY id"}};
}

constexpr size_t longest_text = 160;  // of a reason or a list of models

int run_stats(const Options& options) {
    OpenedStore store(options);
    Json all = Json::object();
    const Pager pager;
    for (const Table& table : stat_tables()) {
        Statement select(store->database(), table.sql);
        Json rows = Json::array();
        while (select.step()) {
            Json row = Json::object();
            for (size_t i = 0; i < table.columns.size(); ++i) {
                Json value = select.json(static_cast<int>(i));
                row[std::string(table.columns[i])] =
                    table.columns[i] == "operation" ? Json(cpp_name(value.get<std::string>())) : std::move(value);
            }
            rows.push_back(std::move(row));
        }
        if (!options.json() && !rows.empty()) {
            fmt::print(pager.out(), "\n{}\n", table.title);
            std::vector<Column> columns;
            for (const std::string_view name : table.columns) {
                columns.push_back({std::string(name), std::string(name), longest_text});
            }
            print_table(pager.out(), rows, columns);
        }
        all[std::string(table.name)] = std::move(rows);
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
