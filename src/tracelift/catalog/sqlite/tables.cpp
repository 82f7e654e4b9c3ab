#include "tracelift/catalog/sqlite/tables.hpp"

#include <fmt/format.h>

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

std::vector<Execution> read_executions(Statement& select, int64_t configuration) {
    std::vector<Execution> executions;
    select.with(configuration);
    while (select.step()) {
        executions.push_back(
            {std::string(select.text(0)), std::string(select.text(1)), select.integer(2), select.integer(3)});
    }
    return executions;
}

Configuration read_configuration(const Statement& row) {
    Configuration configuration;
    configuration.id = row.integer(0);
    configuration.call.operation = row.text(1);
    configuration.identity = row.text(2);
    configuration.call.bound = row.integer(3) != 0;
    configuration.board = row.text(4);
    configuration.call.arguments = arguments_of(row.text(5));
    configuration.hardware = hardware_at(row, 6);
    if (!row.is_null(11)) {
        configuration.legacy_hash = row.text(11);
    }
    configuration.ordinal = row.integer(12);
    configuration.format = row.text(13);
    configuration.call.note = row.text(14);
    if (!row.is_null(15)) {
        configuration.call.placements = arguments_of(row.text(15));
    }
    if (!row.is_null(16)) {
        configuration.stored = row.text(16);
    }
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

std::optional<Hardware> hardware_at(const Statement& row, int column) {
    if (row.is_null(column)) {
        return std::nullopt;
    }
    return Hardware{std::string(row.text(column)), std::string(row.text(column + 1)), row.integer(column + 2),
                    mesh_of_text(row.text(column + 3)), row.integer(column + 4)};
}

Value::Dict arguments_of(std::string_view bytes) {
    const Value value = ByteReader(bytes).value();
    const auto* dict = value.as<Value::Dict>();
    if (dict == nullptr) {
        throw StoreError("the arguments of a configuration are damaged");
    }
    return *dict;
}

std::string mesh_text(const std::vector<int64_t>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::string meta(Database& database, std::string_view key) {
    Statement find(database, "SELECT value FROM meta WHERE key = ?");
    return find.with(key).step() ? std::string(find.text(0)) : std::string();
}

void set_meta(Database& database, std::string_view key, std::string_view value) {
    Statement(database,
              "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
        .with(key, value)
        .run();
}

std::vector<OperationSummary> read_operations(Database& database) {
    // Two sums by index instead of one join over all executions.
    Statement select(database,
                     "SELECT o.name, count(*), coalesce(sum((SELECT sum(e.count) FROM execution e WHERE "
                     "e.configuration_id = c.id)), 0) FROM operation o JOIN configuration c ON c.operation_id = o.id "
                     "GROUP BY o.id ORDER BY o.id");
    std::vector<OperationSummary> operations;
    while (select.step()) {
        operations.push_back({std::string(select.text(0)), select.integer(1), select.integer(2)});
    }
    return operations;
}

std::vector<OperationSummary> count_operations(Database& database) {
    Statement select(database,
                     "SELECT o.name, count(*) FROM configuration c JOIN operation o ON o.id = c.operation_id GROUP BY "
                     "c.operation_id ORDER BY c.operation_id");
    std::vector<OperationSummary> operations;
    while (select.step()) {
        operations.push_back({std::string(select.text(0)), select.integer(1), 0});
    }
    return operations;
}

void visit_configurations(Database& database, const ConfigurationQuery& query,
                          ttnn::FunctionRef<bool(Configuration&)> visit) {
    Statement select(
        database,
        fmt::format("SELECT c.id, o.name, c.identity, c.bound, c.board, c.arguments, h.board_type, h.device_series, "
                    "h.card_count, h.mesh_shape, h.device_count, c.legacy_hash, c.ordinal, coalesce(c.format, ''), "
                    "coalesce(c.note, ''), c.placements, {} FROM configuration c JOIN operation o ON o.id = "
                    "c.operation_id LEFT JOIN hardware h ON h.id = c.hardware_id WHERE {} ORDER BY c.id",
                    query.with_texts ? "c.stored" : "NULL", conditions(query)));
    Statement executions(
        database,
        "SELECT m.name, r.uid, e.count, e.nanoseconds FROM execution e JOIN model m ON m.id = e.model_id "
        "JOIN trace_run r ON r.id = e.trace_run_id WHERE e.configuration_id = ? ORDER BY r.id, m.id");
    select.with(query.operation, query.model, query.hardware, query.since, query.trace_run);
    while (select.step()) {
        Configuration configuration = read_configuration(select);
        configuration.executions = read_executions(executions, configuration.id);
        if (!visit(configuration)) {
            return;
        }
    }
}

std::vector<std::string> read_models(Database& database) {
    Statement select(database, "SELECT name FROM model ORDER BY id");
    std::vector<std::string> models;
    while (select.step()) {
        models.emplace_back(select.text(0));
    }
    return models;
}

std::vector<ModelSummary> read_model_summaries(Database& database) {
    Statement select(database,
                     "SELECT id, coalesce(name, source), coalesce(family, ''), source, configurations, executions "
                     "FROM models ORDER BY id");
    std::vector<ModelSummary> models;
    while (select.step()) {
        models.push_back({select.integer(0), std::string(select.text(1)), std::string(select.text(2)),
                          std::string(select.text(3)), select.integer(4), select.integer(5)});
    }
    return models;
}

std::vector<RunSummary> read_runs(Database& database) {
    Statement select(database,
                     "SELECT r.id, r.uid, r.target, r.started, r.outcome, r.captured, r.kept, r.arguments, "
                     "r.git_commit, r.software, r.tool_version, h.board_type, h.device_series, h.card_count, "
                     "h.mesh_shape, h.device_count, (SELECT count(DISTINCT e.configuration_id) FROM execution e WHERE "
                     "e.trace_run_id = r.id), (SELECT coalesce(sum(e.count), 0) FROM execution e WHERE "
                     "e.trace_run_id = r.id) FROM trace_run r LEFT JOIN hardware h ON h.id = r.hardware_id "
                     "ORDER BY r.id");
    Statement models(database,
                     "SELECT DISTINCT coalesce(m.short_name, m.name) FROM execution e JOIN model m ON m.id = "
                     "e.model_id WHERE e.trace_run_id = ? ORDER BY m.id");
    std::vector<RunSummary> runs;
    while (select.step()) {
        RunSummary summary;
        summary.id = select.integer(0);
        summary.run = {std::string(select.text(1)),
                       std::string(select.text(2)),
                       std::string(select.text(3)),
                       std::string(select.text(4)),
                       static_cast<uint64_t>(select.integer(5)),
                       static_cast<uint64_t>(select.integer(6)),
                       hardware_at(select, 11),
                       std::string(select.text(7)),
                       std::string(select.text(8)),
                       std::string(select.text(9))};
        summary.tool_version = select.text(10);
        summary.configurations = select.integer(16);
        summary.executions = select.integer(17);
        models.with(summary.id);
        while (models.step()) {
            summary.models.emplace_back(models.text(0));
        }
        runs.push_back(std::move(summary));
    }
    return runs;
}

std::optional<std::string> read_stored_text(Database& database, int64_t configuration) {
    Statement find(database, "SELECT stored FROM configuration WHERE id = ?");
    if (!find.with(configuration).step() || find.is_null(0)) {
        return std::nullopt;
    }
    return std::string(find.text(0));
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
