#include "tracelift/store/schema.hpp"

#include <iterator>

#include <fmt/format.h>

namespace tracelift {
namespace {

// Each entry leads from the version that is its index to the next. Entries are never changed once released.
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
)"};

}  // namespace

int current_schema_version() { return static_cast<int>(std::size(migrations)); }

void migrate(Database& database) {
    const auto version = [&] { return static_cast<int>(database.integer("PRAGMA user_version")); };
    if (version() == current_schema_version()) {
        return;
    }
    Transaction transaction(database);
    int at = version();  // another process may have been first
    if (at > current_schema_version()) {
        throw StoreError(fmt::format("the store has version {}, this tracelift knows up to {}: use a newer one", at,
                                     current_schema_version()));
    }
    for (; at < current_schema_version(); ++at) {
        database.run(migrations[at]);
    }
    database.run(fmt::format("PRAGMA user_version = {}", at));
    transaction.commit();
}

}  // namespace tracelift
