// What a store covers, figures of its whole, and whether it is sound.
#include <fmt/format.h>

#include "tracelift/catalog/sqlite/rows.hpp"
#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {

namespace stored {

struct CoverageRow : Coverage {};
template <>
struct Table<CoverageRow> : TableDefaults {
    using Row = CoverageRow;
    static constexpr auto columns =
        std::tuple{Column{"o.name", &Row::operation},
                   Column{"coalesce(c.dtype, '')", &Row::dtype},
                   Column{"coalesce(c.layout, '')", &Row::layout},
                   Column{"coalesce(c.buffer_type || '_' || c.memory_layout, '')", &Row::memory},
                   Column{"coalesce(m.short_name, m.name)", &Row::model},
                   Column{"count(DISTINCT c.id)", &Row::configurations},
                   Column{"sum(e.count)", &Row::executions},
                   Column{"count(DISTINCT CASE WHEN s.status = 'pass' THEN c.id END)", &Row::passed},
                   Column{"count(DISTINCT CASE WHEN s.status != 'pass' THEN c.id END)", &Row::not_passed},
                   Column{"coalesce(group_concat(DISTINCT s.status), '')", &Row::last_statuses}};
};

}  // namespace stored

namespace {

constexpr const char* coverage_rest =
    "FROM execution e JOIN configuration c ON c.id = e.configuration_id JOIN operation o ON o.id = c.operation_id "
    "JOIN model m ON m.id = e.model_id LEFT JOIN (SELECT configuration_id, status, max(sweep_run_id) FROM sweep_result "
    "GROUP BY configuration_id) s ON s.configuration_id = c.id "
    "WHERE (?1 = '' OR o.name = ?1) AND (?2 = '' OR instr(lower(m.name), lower(?2)) > 0 OR m.short_name = lower(?2)) "
    "GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

struct StatisticsQuestion {
    std::string_view name;
    std::string_view title;
    std::vector<std::string_view> columns;
    std::string sql;
};

std::vector<StatisticsQuestion> questions() {
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

constexpr size_t most_told = 20;  // of one kind of error

void check_database(Database& database, CatalogFacts& facts) {
    for (const std::string& found : Statement(database, "PRAGMA integrity_check(20)").values<std::string>()) {
        if (found != "ok") {
            facts.errors.push_back(fmt::format("database: {}", found));
        }
    }
    Statement references(database, "PRAGMA foreign_key_check");
    for (size_t told = 0; references.step() && told < most_told; ++told) {
        const auto [table, row, other] = references.row<std::string, int64_t, std::string>();
        facts.errors.push_back(
            fmt::format("table {}: row {} refers to a row of {} that is not there", table, row, other));
    }
}

}  // namespace

std::vector<Coverage> Store::coverage(const std::string& operation, const std::string& model) {
    Select<stored::CoverageRow> select(database_, coverage_rest);
    select.with(operation, model);
    std::vector<Coverage> all;
    for (stored::CoverageRow row; select.next(row);) {
        all.push_back(row);
    }
    return all;
}

std::vector<Statistics> Store::statistics() {
    std::vector<Statistics> all;
    for (const StatisticsQuestion& question : questions()) {
        Statistics statistics{std::string(question.name), std::string(question.title), {}};
        statistics.columns.assign(question.columns.begin(), question.columns.end());
        Statement select(database_, question.sql);
        while (select.step()) {
            Json row = Json::object();
            for (int i = 0; const std::string& column : statistics.columns) {
                row[column] = select.json(i++);
            }
            statistics.rows.push_back(std::move(row));
        }
        all.push_back(std::move(statistics));
    }
    return all;
}

CatalogFacts Store::facts() {
    CatalogFacts facts;
    check_database(database_, facts);
    Statement groups(database_,
                     "SELECT o.name, c.identity, count(*) FROM configuration c JOIN operation o ON o.id = "
                     "c.operation_id GROUP BY c.identity HAVING count(*) > 1 ORDER BY count(*) DESC, o.name");
    while (groups.step()) {
        auto [operation, identity, configurations] = groups.row<std::string, std::string, int64_t>();
        facts.groups.push_back({std::move(operation), std::move(identity), configurations});
    }
    const auto count = [&](std::string_view sql) { return static_cast<uint64_t>(database_.integer(sql)); };
    facts.identities = count("SELECT count(DISTINCT identity) FROM configuration");
    facts.with_unparsed = count("SELECT count(*) FROM configuration WHERE unparsed > 0");
    facts.with_lost = count("SELECT count(*) FROM configuration WHERE lost > 0");
    facts.unread = count("SELECT count(*) FROM unread");
    facts.executions = count("SELECT coalesce(sum(count), 0) FROM execution");
    return facts;
}

}  // namespace tracelift
