#include "tracelift/store/tables.hpp"

#include <fmt/format.h>

#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

std::string mesh_text(const std::vector<int64_t>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::vector<int64_t> mesh_of_text(std::string_view text) {
    std::vector<int64_t> shape;
    while (!text.empty()) {
        const size_t end = std::min(text.find('x'), text.size());
        shape.push_back(std::stoll(std::string(text.substr(0, end))));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shape;
}

std::string bytes_of(const Value::Dict& arguments) {
    ByteWriter writer;
    emit(arguments, writer);
    return writer.take();
}

int64_t id_of_name(Database& database, std::string_view table, std::string_view name) {
    Statement find(database, fmt::format("SELECT id FROM {} WHERE name = ?", table));
    if (find.with(name).step()) {
        return find.integer(0);
    }
    return Statement(database, fmt::format("INSERT INTO {} (name) VALUES (?)", table)).with(name).insert();
}

std::optional<int64_t> id_of_hardware(Database& database, const std::optional<Hardware>& hardware) {
    if (!hardware) {
        return std::nullopt;
    }
    const std::string mesh = mesh_text(hardware->mesh_shape);
    Statement find(database,
                   "SELECT id FROM hardware WHERE board_type = ? AND device_series = ? AND card_count = ? AND "
                   "mesh_shape = ? AND device_count = ?");
    if (find.with(hardware->board_type, hardware->device_series, hardware->card_count, mesh, hardware->device_count)
            .step()) {
        return find.integer(0);
    }
    return Statement(database,
                     "INSERT INTO hardware (board_type, device_series, card_count, mesh_shape, device_count) "
                     "VALUES (?, ?, ?, ?, ?)")
        .with(hardware->board_type, hardware->device_series, hardware->card_count, mesh, hardware->device_count)
        .insert();
}

// The run's id; a run that was stored before keeps what was known of it.
int64_t id_of_run(Database& database, const TraceRun& run) {
    Statement find(database, "SELECT id FROM trace_run WHERE uid = ?");
    if (find.with(run.uid).step()) {
        return find.integer(0);
    }
    return Statement(database,
                     "INSERT INTO trace_run (uid, target, started, outcome, captured, kept) VALUES (?, ?, ?, ?, ?, ?)")
        .with(run.uid, run.target, run.started, run.outcome, run.captured, run.kept)
        .insert();
}

class Adder {
public:
    Adder(Database& database, int64_t run) : database_(database), run_(run) {}

    void add(const NewExecution& execution) {
        const int64_t configuration = id_of(execution.configuration);
        const int64_t model = id_of_name(database_, "model", execution.model);
        find_execution_.with(configuration, run_, model);
        if (find_execution_.step()) {
            raise_.with(execution.count, execution.nanoseconds, configuration, run_, model).run();
            return;
        }
        insert_execution_.with(configuration, run_, model, execution.count, execution.nanoseconds).run();
        ++added_.executions;
    }
    const Added& added() const { return added_; }

private:
    int64_t id_of(const NewConfiguration& configuration) {
        const std::string hash = identity(configuration.call, configuration.hardware);
        if (find_.with(hash).step()) {
            ++added_.known;
            return find_.integer(0);
        }
        ++added_.configurations;
        return insert_
            .with(id_of_name(database_, "operation", configuration.call.operation),
                  id_of_hardware(database_, configuration.hardware), hash, canonical_version, configuration.call.bound,
                  configuration.board, bytes_of(configuration.call.arguments), configuration.stored,
                  configuration.legacy_hash, configuration.legacy_variant)
            .insert();
    }

    Database& database_;
    int64_t run_;
    Added added_;
    Statement find_{database_, "SELECT id FROM configuration WHERE identity = ?"};
    Statement insert_{
        database_,
        "INSERT INTO configuration (operation_id, hardware_id, identity, canonical_version, bound, board, "
        "arguments, stored, legacy_hash, legacy_variant) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    Statement find_execution_{
        database_, "SELECT 1 FROM execution WHERE configuration_id = ? AND trace_run_id = ? AND model_id = ?"};
    Statement raise_{database_,
                     "UPDATE execution SET count = max(count, ?), nanoseconds = max(nanoseconds, ?) "
                     "WHERE configuration_id = ? AND trace_run_id = ? AND model_id = ?"};
    Statement insert_execution_{database_,
                                "INSERT INTO execution (configuration_id, trace_run_id, model_id, count, nanoseconds) "
                                "VALUES (?, ?, ?, ?, ?)"};
};

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
    configuration.call.arguments = *ByteReader(row.text(5)).value().as<Value::Dict>();
    if (!row.is_null(11)) {
        configuration.legacy_hash = row.text(11);
        configuration.legacy_variant = row.text(12);
    }
    if (!row.is_null(6)) {
        configuration.hardware = Hardware{std::string(row.text(6)), std::string(row.text(7)), row.integer(8),
                                          mesh_of_text(row.text(9)), row.integer(10)};
    }
    return configuration;
}

}  // namespace

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

Added add_executions(Database& database, const TraceRun& run, std::span<const NewExecution> executions) {
    Adder adder(database, id_of_run(database, run));
    for (const NewExecution& execution : executions) {
        adder.add(execution);
    }
    return adder.added();
}

std::vector<OperationSummary> read_operations(Database& database) {
    Statement select(database,
                     "SELECT o.name, count(DISTINCT c.id), coalesce(sum(e.count), 0) FROM operation o "
                     "JOIN configuration c ON c.operation_id = o.id LEFT JOIN execution e ON e.configuration_id = c.id "
                     "GROUP BY o.id ORDER BY o.id");
    std::vector<OperationSummary> operations;
    while (select.step()) {
        operations.push_back({std::string(select.text(0)), select.integer(1), select.integer(2)});
    }
    return operations;
}

std::vector<Configuration> read_configurations(Database& database, std::string_view operation, std::string_view model) {
    Statement select(database,
                     "SELECT c.id, o.name, c.identity, c.bound, c.board, c.arguments, h.board_type, h.device_series, "
                     "h.card_count, h.mesh_shape, h.device_count, c.legacy_hash, c.legacy_variant FROM configuration c "
                     "JOIN operation o ON o.id = c.operation_id LEFT JOIN hardware h ON h.id = c.hardware_id "
                     "WHERE o.name = ?1 AND (?2 = '' OR c.id IN (SELECT e.configuration_id FROM execution e "
                     "JOIN model m ON m.id = e.model_id WHERE instr(lower(m.name), lower(?2)) > 0)) ORDER BY c.id");
    Statement executions(
        database,
        "SELECT m.name, r.uid, e.count, e.nanoseconds FROM execution e JOIN model m ON m.id = e.model_id "
        "JOIN trace_run r ON r.id = e.trace_run_id WHERE e.configuration_id = ? ORDER BY r.id, m.id");
    std::vector<Configuration> configurations;
    select.with(operation, model);
    while (select.step()) {
        configurations.push_back(read_configuration(select));
        configurations.back().executions = read_executions(executions, configurations.back().id);
    }
    return configurations;
}

std::vector<std::string> read_models(Database& database) {
    Statement select(database, "SELECT name FROM model ORDER BY id");
    std::vector<std::string> models;
    while (select.step()) {
        models.emplace_back(select.text(0));
    }
    return models;
}

std::optional<std::string> stored_text(Database& database, int64_t configuration) {
    Statement find(database, "SELECT stored FROM configuration WHERE id = ?");
    if (!find.with(configuration).step() || find.is_null(0)) {
        return std::nullopt;
    }
    return std::string(find.text(0));
}

}  // namespace tracelift
