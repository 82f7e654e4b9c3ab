#include "tracelift/catalog/sqlite/schema.hpp"

#include <iterator>

#include <fmt/format.h>

#include "tracelift/catalog/sqlite/old_placements.hpp"
#include "tracelift/catalog/sqlite/rows.hpp"
#include "tracelift/catalog/sqlite/views.hpp"

namespace tracelift {
namespace {

// How older stores become current ones; new ones are made from the declarations (rows.hpp). Each entry leads from the
// version that is its index to the next. Entries are never changed once released.
constexpr const char* migrations[] = {
    R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE operation (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE hardware (
    id INTEGER PRIMARY KEY, board_type TEXT NOT NULL, device_series TEXT NOT NULL, card_count INTEGER NOT NULL,
    mesh_shape TEXT NOT NULL, device_count INTEGER NOT NULL,
    UNIQUE (board_type, device_series, card_count, mesh_shape, device_count));
CREATE TABLE configuration (
    id INTEGER PRIMARY KEY,
    operation_id INTEGER NOT NULL REFERENCES operation,
    hardware_id INTEGER REFERENCES hardware,
    identity TEXT NOT NULL UNIQUE,
    canonical_version INTEGER NOT NULL,
    bound INTEGER NOT NULL,
    board TEXT NOT NULL,
    arguments BLOB NOT NULL,
    stored TEXT,
    legacy_hash TEXT,
    legacy_variant TEXT);
CREATE INDEX configuration_by_operation ON configuration (operation_id);
CREATE TABLE model (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE trace_run (
    id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, target TEXT NOT NULL, started TEXT NOT NULL,
    outcome TEXT NOT NULL, captured INTEGER NOT NULL, kept INTEGER NOT NULL);
CREATE TABLE execution (
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    trace_run_id INTEGER NOT NULL REFERENCES trace_run,
    model_id INTEGER NOT NULL REFERENCES model,
    count INTEGER NOT NULL,
    nanoseconds INTEGER NOT NULL,
    PRIMARY KEY (configuration_id, trace_run_id, model_id)) WITHOUT ROWID;
CREATE INDEX execution_by_model ON execution (model_id);
CREATE TABLE sweep_run (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, version TEXT NOT NULL, command TEXT NOT NULL);
CREATE TABLE sweep_result (
    sweep_run_id INTEGER NOT NULL REFERENCES sweep_run,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    status TEXT NOT NULL, message TEXT NOT NULL,
    pcc REAL, max_ulp REAL, max_relative REAL, max_absolute REAL, equal INTEGER,
    milliseconds REAL NOT NULL,
    PRIMARY KEY (sweep_run_id, configuration_id)) WITHOUT ROWID;
CREATE INDEX sweep_result_by_configuration ON sweep_result (configuration_id);
)",
    // Configurations of one file stay apart where their identity is equal (ordinal); texts are found by their digest;
    // facts of the first tensor answer questions without decoding arguments; runs and models say more of themselves.
    R"(
CREATE TABLE configuration_2 (
    id INTEGER PRIMARY KEY,
    operation_id INTEGER NOT NULL REFERENCES operation,
    hardware_id INTEGER REFERENCES hardware,
    identity TEXT NOT NULL,
    ordinal INTEGER NOT NULL DEFAULT 0,
    canonical_version INTEGER NOT NULL,
    bound INTEGER NOT NULL,
    note TEXT,
    board TEXT NOT NULL,
    format TEXT,
    digest BLOB,
    dtype TEXT, layout TEXT, memory_layout TEXT, buffer_type TEXT, shape TEXT,
    unparsed INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    legacy_hash TEXT,
    placements BLOB,
    arguments BLOB NOT NULL,
    stored TEXT,
    UNIQUE (identity, ordinal));
INSERT INTO configuration_2 (id, operation_id, hardware_id, identity, canonical_version, bound, board, legacy_hash,
    arguments, stored) SELECT id, operation_id, hardware_id, identity, canonical_version, bound, board, legacy_hash,
    arguments, stored FROM configuration;
DROP TABLE configuration;
ALTER TABLE configuration_2 RENAME TO configuration;
CREATE INDEX configuration_by_operation ON configuration (operation_id);
CREATE INDEX configuration_by_digest ON configuration (digest, ordinal, identity) WHERE digest IS NOT NULL;
ALTER TABLE trace_run ADD COLUMN hardware_id INTEGER REFERENCES hardware;
ALTER TABLE trace_run ADD COLUMN arguments TEXT;
ALTER TABLE trace_run ADD COLUMN tool_version TEXT;
ALTER TABLE trace_run ADD COLUMN git_commit TEXT;
ALTER TABLE trace_run ADD COLUMN software TEXT;
CREATE INDEX execution_by_run ON execution (trace_run_id);
ALTER TABLE model ADD COLUMN short_name TEXT;
ALTER TABLE model ADD COLUMN family TEXT;
ALTER TABLE model ADD COLUMN source_file TEXT;
ALTER TABLE model ADD COLUMN hf_model TEXT;
CREATE UNIQUE INDEX model_by_short_name ON model (short_name) WHERE short_name IS NOT NULL;
CREATE TABLE unread (
    id INTEGER PRIMARY KEY, trace_run_id INTEGER REFERENCES trace_run, place TEXT NOT NULL, text TEXT NOT NULL,
    reason TEXT NOT NULL, UNIQUE (place, text));
CREATE VIEW executions AS SELECT e.configuration_id, o.name AS operation, m.short_name AS model, m.name AS source,
    r.uid AS run, e.count, e.nanoseconds FROM execution e JOIN configuration c ON c.id = e.configuration_id
    JOIN operation o ON o.id = c.operation_id JOIN model m ON m.id = e.model_id
    JOIN trace_run r ON r.id = e.trace_run_id;
CREATE VIEW configurations AS SELECT c.id, o.name AS operation, c.identity, c.ordinal, c.bound, c.note, c.format,
    h.board_type, h.device_series, h.card_count, h.mesh_shape, h.device_count, c.dtype, c.layout, c.memory_layout,
    c.buffer_type, c.shape, c.unparsed, c.lost, c.legacy_hash AS config_hash, c.arguments,
    (SELECT sum(e.count) FROM execution e WHERE e.configuration_id = c.id) AS executions,
    (SELECT s.status FROM sweep_result s WHERE s.configuration_id = c.id ORDER BY s.sweep_run_id DESC LIMIT 1)
        AS last_status
    FROM configuration c JOIN operation o ON o.id = c.operation_id LEFT JOIN hardware h ON h.id = c.hardware_id;
CREATE VIEW operations AS SELECT o.id, o.name, count(DISTINCT c.id) AS configurations,
    coalesce(sum(e.count), 0) AS executions FROM operation o JOIN configuration c ON c.operation_id = o.id
    LEFT JOIN execution e ON e.configuration_id = c.id GROUP BY o.id;
CREATE VIEW models AS SELECT m.id, m.short_name AS name, m.family, m.name AS source, m.source_file, m.hf_model,
    (SELECT count(DISTINCT e.configuration_id) FROM execution e WHERE e.model_id = m.id) AS configurations,
    (SELECT coalesce(sum(e.count), 0) FROM execution e WHERE e.model_id = m.id) AS executions FROM model m;
CREATE VIEW runs AS SELECT r.id, r.uid, r.target, r.started, r.outcome, r.captured, r.kept, r.arguments,
    r.tool_version, r.git_commit, r.software, h.board_type, h.device_series, h.card_count, h.mesh_shape,
    (SELECT count(DISTINCT e.configuration_id) FROM execution e WHERE e.trace_run_id = r.id) AS configurations,
    (SELECT coalesce(sum(e.count), 0) FROM execution e WHERE e.trace_run_id = r.id) AS executions
    FROM trace_run r LEFT JOIN hardware h ON h.id = r.hardware_id;
CREATE VIEW results AS SELECT s.sweep_run_id AS sweep, w.started, s.configuration_id, o.name AS operation, s.status,
    s.message, s.pcc, s.max_ulp, s.max_relative, s.max_absolute, s.equal, s.milliseconds FROM sweep_result s
    JOIN sweep_run w ON w.id = s.sweep_run_id JOIN configuration c ON c.id = s.configuration_id
    JOIN operation o ON o.id = c.operation_id;
)",
    // Results are of vectors, of which a configuration is one source: they say themselves what they are of, and outlive
    // it. Sweeps say where they ran. Times are UTC from here on.
    R"(
ALTER TABLE sweep_run ADD COLUMN contents TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN card_type TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN git_commit TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN git_branch TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN git_author TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN environment TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep_run ADD COLUMN shard TEXT NOT NULL DEFAULT '';
UPDATE sweep_run SET started = coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', started, 'utc'), started),
    finished = coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', finished, 'utc'), finished);
CREATE TABLE sweep_result_3 (
    id INTEGER PRIMARY KEY,
    sweep_run_id INTEGER NOT NULL REFERENCES sweep_run,
    vector_id TEXT NOT NULL,
    sweep_name TEXT NOT NULL,
    suite TEXT NOT NULL,
    operation TEXT NOT NULL,
    identity TEXT NOT NULL,
    configuration_id INTEGER REFERENCES configuration ON DELETE SET NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL,
    exception TEXT NOT NULL,
    pcc REAL, max_ulp REAL, max_relative REAL, max_absolute REAL, equal INTEGER,
    milliseconds REAL NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    source TEXT NOT NULL,
    metrics TEXT NOT NULL,
    parameters TEXT NOT NULL,
    UNIQUE (sweep_run_id, vector_id, suite, sweep_name));
INSERT INTO sweep_result_3 (sweep_run_id, vector_id, sweep_name, suite, operation, identity, configuration_id, status,
    message, exception, pcc, max_ulp, max_relative, max_absolute, equal, milliseconds, started, ended, source, metrics,
    parameters) SELECT s.sweep_run_id, c.identity || iif(c.ordinal = 0, '', '#' || c.ordinal), o.name, 'model_traced',
    o.name, c.identity, c.id, s.status, iif(s.status = 'pass', s.message, ''), iif(s.status = 'pass', '', s.message),
    s.pcc, s.max_ulp, s.max_relative, s.max_absolute, s.equal, s.milliseconds, w.started, '', '', '{}', '{}'
    FROM sweep_result s JOIN sweep_run w ON w.id = s.sweep_run_id JOIN configuration c ON c.id = s.configuration_id
    JOIN operation o ON o.id = c.operation_id ORDER BY s.sweep_run_id, s.configuration_id;
DROP VIEW results;
DROP VIEW configurations;
DROP TABLE sweep_result;
ALTER TABLE sweep_result_3 RENAME TO sweep_result;
CREATE INDEX sweep_result_by_configuration ON sweep_result (configuration_id);
CREATE INDEX sweep_result_by_identity ON sweep_result (identity);
CREATE INDEX sweep_result_by_status ON sweep_result (status);
CREATE INDEX sweep_result_by_vector ON sweep_result (vector_id, suite, sweep_name, sweep_run_id);
CREATE VIEW configurations AS SELECT c.id, o.name AS operation, c.identity, c.ordinal, c.bound, c.note, c.format,
    h.board_type, h.device_series, h.card_count, h.mesh_shape, h.device_count, c.dtype, c.layout, c.memory_layout,
    c.buffer_type, c.shape, c.unparsed, c.lost, c.legacy_hash AS config_hash, c.arguments,
    (SELECT sum(e.count) FROM execution e WHERE e.configuration_id = c.id) AS executions,
    (SELECT s.status FROM sweep_result s WHERE s.configuration_id = c.id ORDER BY s.sweep_run_id DESC, s.id DESC
        LIMIT 1) AS last_status
    FROM configuration c JOIN operation o ON o.id = c.operation_id LEFT JOIN hardware h ON h.id = c.hardware_id;
CREATE VIEW results AS SELECT s.sweep_run_id AS sweep, w.started, s.configuration_id, s.operation, s.status,
    iif(s.exception = '', s.message, s.exception) AS message, s.pcc, s.max_ulp, s.max_relative, s.max_absolute, s.equal,
    s.milliseconds, s.sweep_name, s.suite, s.vector_id, s.identity, s.source, s.metrics, s.parameters
    FROM sweep_result s JOIN sweep_run w ON w.id = s.sweep_run_id;
)",
    // Tensors say themselves how they lie on a mesh.
    R"(
UPDATE configuration SET arguments = with_placements(arguments, placements) WHERE placements IS NOT NULL;
ALTER TABLE configuration DROP COLUMN placements;
)"};

}  // namespace

int current_schema_version() { return static_cast<int>(std::size(migrations)); }

void create_schema(Database& database) {
    stored::for_each_table([&]<class Row>() {
        database.run(create_statement<Row>());
        for (const std::string& statement : index_statements<Row>()) {
            database.run(statement);
        }
    });
    for (const stored::View& view : stored::views) {
        database.run(fmt::format("CREATE VIEW {} AS {}", view.name, view.select));
    }
}

void migrate(Database& database, int version) {
    const auto stored_version = [&] { return static_cast<int>(database.integer("PRAGMA user_version")); };
    if (stored_version() == version) {
        return;
    }
    database.run("PRAGMA foreign_keys = OFF");  // a table that others refer to may be made anew
    Transaction transaction(database);
    int at = stored_version();  // another process may have been first
    if (at > version) {
        throw StoreError(
            fmt::format("the store has version {}, this tracelift knows up to {}: use a newer one", at, version));
    }
    if (at == 0 && version == current_schema_version()) {
        create_schema(database);
        at = version;
    }
    add_placement_function(database);
    for (; at < version; ++at) {
        database.run(migrations[at]);
    }
    database.run(fmt::format("PRAGMA user_version = {}", at));
    transaction.commit();
    database.run("PRAGMA foreign_keys = ON");
}

std::string schema_markdown() {
    std::string text;
    stored::for_each_table([&]<class Row>() {
        text += fmt::format("`{}`: {}.\n\n| column | type | meaning |\n|---|---|---|\n", TableOf<Row>::name,
                            TableOf<Row>::meaning);
        for (const ColumnText& column : column_texts<Row>()) {
            text += fmt::format("| {} | {} | {} |\n", column.name, column.type, column.meaning);
        }
        text += '\n';
    });
    text.pop_back();  // the last needs no blank line behind it
    return text;
}

}  // namespace tracelift
