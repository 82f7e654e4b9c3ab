#include "tracelift/catalog/sqlite/tables.hpp"

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/rows.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

constexpr std::string_view bytes_key = "text_bytes";

std::vector<int64_t> mesh_of_text(std::string_view text) {
    std::vector<int64_t> shape;
    while (!text.empty()) {
        const size_t end = std::min(text.find('x'), text.size());
        shape.push_back(std::stoll(std::string(text.substr(0, end))));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shape;
}

}  // namespace

// Rows that questions have: joins of the tables.
namespace stored {

struct FoundConfiguration : MachineColumns {
    int64_t id = 0;
    std::string operation, identity, board;
    bool bound = false;
    std::string_view arguments;
    std::optional<std::string> legacy_hash;
    int64_t ordinal = 0;
    std::string format, note;
    std::optional<std::string> stored;
    std::string digest;
};
template <>
struct Table<FoundConfiguration> : TableDefaults {
    using Row = FoundConfiguration;
    static constexpr auto columns = std::tuple_cat(
        std::tuple{Column{"c.id", &Row::id}, Column{"o.name", &Row::operation}, Column{"c.identity", &Row::identity},
                   Column{"c.board", &Row::board}, Column{"c.bound", &Row::bound},
                   Column{"c.arguments", &Row::arguments}, Column{"c.legacy_hash", &Row::legacy_hash},
                   Column{"c.ordinal", &Row::ordinal}, Column{"coalesce(c.format, '')", &Row::format},
                   Column{"coalesce(c.note, '')", &Row::note}, Column{"iif(?6, c.stored, NULL)", &Row::stored},
                   Column{"iif(?6, coalesce(c.digest, x''), x'')", &Row::digest}},
        machine_columns);
};

struct FoundExecution {
    std::string model, trace_uid;
    int64_t count = 0;
    int64_t nanoseconds = 0;
};
template <>
struct Table<FoundExecution> : TableDefaults {
    using Row = FoundExecution;
    static constexpr auto columns =
        std::tuple{Column{"m.name", &Row::model}, Column{"r.uid", &Row::trace_uid}, Column{"e.count", &Row::count},
                   Column{"e.nanoseconds", &Row::nanoseconds}};
};

struct FoundRun : MachineColumns {
    int64_t id = 0;
    std::string uid, target, started, outcome;
    int64_t captured = 0;
    int64_t kept = 0;
    std::string arguments, git_commit, software, tool_version;
    int64_t configurations = 0;
    int64_t executions = 0;
};
template <>
struct Table<FoundRun> : TableDefaults {
    using Row = FoundRun;
    static constexpr auto columns = std::tuple_cat(
        std::tuple{Column{"r.id", &Row::id}, Column{"r.uid", &Row::uid}, Column{"r.target", &Row::target},
                   Column{"r.started", &Row::started}, Column{"r.outcome", &Row::outcome},
                   Column{"r.captured", &Row::captured}, Column{"r.kept", &Row::kept},
                   Column{"coalesce(r.arguments, '')", &Row::arguments},
                   Column{"coalesce(r.git_commit, '')", &Row::git_commit},
                   Column{"coalesce(r.software, '')", &Row::software},
                   Column{"coalesce(r.tool_version, '')", &Row::tool_version},
                   Column{"(SELECT count(DISTINCT e.configuration_id) FROM execution e WHERE e.trace_run_id = r.id)",
                          &Row::configurations},
                   Column{"(SELECT coalesce(sum(e.count), 0) FROM execution e WHERE e.trace_run_id = r.id)",
                          &Row::executions}},
        machine_columns);
};

}  // namespace stored

namespace {

Configuration configuration_of(stored::FoundConfiguration& row) {
    Configuration configuration;
    configuration.id = row.id;
    configuration.call.operation = std::move(row.operation);
    configuration.call.bound = row.bound;
    configuration.call.note = std::move(row.note);
    configuration.call.arguments = arguments_of(row.arguments);
    configuration.identity = std::move(row.identity);
    configuration.board = std::move(row.board);
    configuration.hardware = hardware_of(row);
    configuration.legacy_hash = std::move(row.legacy_hash);
    configuration.ordinal = row.ordinal;
    configuration.format = std::move(row.format);
    configuration.stored = std::move(row.stored);
    configuration.digest = std::move(row.digest);
    return configuration;
}

// The conditions of a query; its parameters are bound in this order whatever is asked.
std::string conditions(const ConfigurationQuery& query) {
    std::string where = "1";
    if (!query.operation.empty()) {
        where += " AND c.operation_id = (SELECT id FROM operation WHERE name = ?1)";
    }
    if (!query.model.empty()) {
        where +=
            " AND c.id IN (SELECT e.configuration_id FROM execution e JOIN model m ON m.id = e.model_id "
            "WHERE instr(lower(m.name), lower(?2)) > 0 OR m.short_name = lower(?2))";
    }
    if (!query.hardware.empty()) {
        where += " AND lower(h.device_series) = lower(?3)";
    }
    if (!query.since.empty()) {
        where +=
            " AND c.id IN (SELECT e.configuration_id FROM execution e JOIN trace_run r ON r.id = e.trace_run_id "
            "GROUP BY e.configuration_id HAVING min(r.started) >= ?4)";
    }
    if (query.trace_run != 0) {
        where += " AND c.id IN (SELECT e.configuration_id FROM execution e WHERE e.trace_run_id = ?5)";
    }
    return where + " AND ?1 IS NOT NULL AND ?2 IS NOT NULL AND ?3 IS NOT NULL AND ?4 IS NOT NULL AND ?5 IS NOT NULL";
}

}  // namespace

std::optional<Hardware> hardware_of(const MachineColumns& row) {
    if (!row.board_type) {
        return std::nullopt;
    }
    return Hardware{*row.board_type, row.device_series.value_or(""), row.card_count, mesh_of_text(row.mesh_shape),
                    row.device_count};
}

Value::Dict arguments_of(std::string_view bytes) {
    const Value value = ByteReader(bytes).value();
    const auto* dict = value.as<Value::Dict>();
    if (dict == nullptr) {
        throw StoreError("the arguments of a configuration are damaged");
    }
    return *dict;
}

std::string meta(Database& database, std::string_view key) {
    Statement find(database, "SELECT value FROM meta WHERE key = ?");
    return find.with(key).value<std::string>().value_or("");
}

void set_meta(Database& database, std::string_view key, std::string_view value) {
    Insert<stored::MetaRow>(database, "INSERT",
                            upsert_clause<stored::MetaRow>("key"))({std::string(key), std::string(value)});
}

std::vector<OperationSummary> read_operations(Database& database) {
    // Two sums by index instead of one join over all executions.
    Statement select(database,
                     "SELECT o.name, count(*), coalesce(sum((SELECT sum(e.count) FROM execution e WHERE "
                     "e.configuration_id = c.id)), 0) FROM operation o JOIN configuration c ON c.operation_id = o.id "
                     "GROUP BY o.id ORDER BY o.id");
    std::vector<OperationSummary> operations;
    while (select.step()) {
        auto [name, configurations, executions] = select.row<std::string, int64_t, int64_t>();
        operations.push_back({std::move(name), configurations, executions});
    }
    return operations;
}

std::vector<OperationSummary> count_operations(Database& database) {
    Statement select(database,
                     "SELECT o.name, count(*) FROM configuration c JOIN operation o ON o.id = c.operation_id GROUP BY "
                     "c.operation_id ORDER BY c.operation_id");
    std::vector<OperationSummary> operations;
    while (select.step()) {
        auto [name, configurations] = select.row<std::string, int64_t>();
        operations.push_back({std::move(name), configurations, 0});
    }
    return operations;
}

void visit_configurations(Database& database, const ConfigurationQuery& query,
                          ttnn::FunctionRef<bool(Configuration&)> visit) {
    Select<stored::FoundConfiguration> select(
        database, fmt::format("FROM configuration c JOIN operation o ON o.id = c.operation_id LEFT JOIN hardware h ON "
                              "h.id = c.hardware_id WHERE {} ORDER BY c.id",
                              conditions(query)));
    Select<stored::FoundExecution> executions(
        database,
        "FROM execution e JOIN model m ON m.id = e.model_id JOIN trace_run r ON r.id = e.trace_run_id WHERE "
        "e.configuration_id = ? ORDER BY r.id, m.id");
    select.with(query.operation, query.model, query.hardware, query.since, query.trace_run, query.with_texts);
    for (stored::FoundConfiguration row; select.next(row);) {
        Configuration configuration = configuration_of(row);
        executions.with(configuration.id);
        for (stored::FoundExecution execution; executions.next(execution);) {
            configuration.executions.push_back(
                {std::move(execution.model), std::move(execution.trace_uid), execution.count, execution.nanoseconds});
        }
        if (!visit(configuration)) {
            return;
        }
    }
}

std::vector<std::string> read_models(Database& database) {
    return Statement(database, "SELECT name FROM model ORDER BY id").values<std::string>();
}

std::vector<ModelSummary> read_model_summaries(Database& database) {
    Statement select(database,
                     "SELECT id, coalesce(name, source), coalesce(family, ''), source, configurations, executions "
                     "FROM models ORDER BY id");
    std::vector<ModelSummary> models;
    while (select.step()) {
        auto [id, name, family, source, configurations, executions] =
            select.row<int64_t, std::string, std::string, std::string, int64_t, int64_t>();
        models.push_back({id, std::move(name), std::move(family), std::move(source), configurations, executions});
    }
    return models;
}

std::vector<RunSummary> read_runs(Database& database) {
    Select<stored::FoundRun> select(database,
                                    "FROM trace_run r LEFT JOIN hardware h ON h.id = r.hardware_id ORDER BY r.id");
    Statement models(database,
                     "SELECT DISTINCT coalesce(m.short_name, m.name) FROM execution e JOIN model m ON m.id = "
                     "e.model_id WHERE e.trace_run_id = ? ORDER BY m.id");
    std::vector<RunSummary> runs;
    for (stored::FoundRun row; select.next(row);) {
        RunSummary summary;
        summary.id = row.id;
        summary.run = {.uid = row.uid,
                       .target = row.target,
                       .started = row.started,
                       .outcome = row.outcome,
                       .captured = static_cast<uint64_t>(row.captured),
                       .kept = static_cast<uint64_t>(row.kept),
                       .hardware = hardware_of(row),
                       .arguments = row.arguments,
                       .git_commit = row.git_commit,
                       .software = row.software};
        summary.tool_version = row.tool_version;
        summary.configurations = row.configurations;
        summary.executions = row.executions;
        summary.models = models.with(summary.id).values<std::string>();
        runs.push_back(std::move(summary));
    }
    return runs;
}

std::optional<std::string> read_stored_text(Database& database, int64_t configuration) {
    Statement find(database, "SELECT stored FROM configuration WHERE id = ? AND stored IS NOT NULL");
    return find.with(configuration).value<std::string>();
}

bool is_empty(Database& database) { return database.integer("SELECT NOT EXISTS (SELECT 1 FROM configuration)") != 0; }

uint64_t text_bytes(Database& database) {
    const std::string known = meta(database, bytes_key);
    return known.empty() ? 0 : std::stoull(known);
}

void add_text_bytes(Database& database, uint64_t bytes) {
    if (bytes != 0) {
        set_meta(database, bytes_key, std::to_string(text_bytes(database) + bytes));
    }
}

void count_text_bytes(Database& database) {
    const int64_t bytes =
        database.integer("SELECT coalesce(sum(coalesce(length(stored), 2 * length(arguments))), 0) FROM configuration");
    set_meta(database, bytes_key, std::to_string(bytes));
}

}  // namespace tracelift
