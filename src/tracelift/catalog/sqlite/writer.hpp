// StoreWriter: adds rows to the store's tables inside a transaction of the caller. Statements are prepared once and the
// ids of small tables are remembered, so that one writer serves a whole import.
#pragma once

#include <map>
#include <unordered_map>

#include "tracelift/catalog/sqlite/configuration_row.hpp"
#include "tracelift/catalog/sqlite/known_rows.hpp"

namespace tracelift {

class StoreWriter {
public:
    explicit StoreWriter(Database& database) : database_(database) {}

    // Reads at once what the finding of texts and executions would ask for one by one.
    void read_known() { known_ = KnownRows::read(database_); }

    struct Known {
        int64_t id = 0;
        std::string identity;
        int64_t ordinal = 0;
    };
    // The configuration that was read from a text of this digest.
    std::optional<Known> find_text(std::string_view digest);
    std::optional<int64_t> find(const std::string& identity, int64_t ordinal);
    int64_t add(PreparedConfiguration& fresh, const std::string& identity, int64_t ordinal);
    // A second one like a stored one, which a file lists twice.
    int64_t add_like(int64_t configuration, int64_t ordinal);
    // Counts a configuration that was there before.
    void known() { ++added_.known; }
    // Adds an execution; of one that is there, the larger count stays. `fresh`: there can be none yet.
    void execute(int64_t configuration, int64_t run, int64_t model, uint64_t count, uint64_t nanoseconds,
                 bool fresh = false);
    void unread(int64_t run, const UnreadPiece& piece);

    // A run that was stored before keeps what was known of it.
    int64_t run(const TraceRun& run);
    bool is_new_run(int64_t run) const { return new_runs_.contains(run); }
    int64_t model(const std::string& source);

    const Added& added() const { return added_; }
    uint64_t bytes() const { return bytes_; }  // of configurations that were added

private:
    int64_t operation(const std::string& name);
    std::optional<int64_t> hardware(const std::optional<Hardware>& hardware);

    Database& database_;
    std::optional<KnownRows> known_;
    Added added_;
    uint64_t bytes_ = 0;
    std::unordered_map<std::string, int64_t> operations_;
    std::unordered_map<std::string, int64_t> models_;
    std::unordered_map<std::string, int64_t> hardware_;
    std::map<int64_t, bool> new_runs_;
    Statement find_text_{database_,
                         "SELECT id, identity, ordinal FROM configuration WHERE digest = ? ORDER BY ordinal"};
    Statement find_{database_, "SELECT id FROM configuration WHERE identity = ? AND ordinal = ?"};
    Insert<stored::ConfigurationRow> insert_{database_};
    Select<stored::ExecutionRow> find_execution_{database_,
                                                 "WHERE configuration_id = ? AND trace_run_id = ? AND model_id = ?"};
    Insert<stored::ExecutionRow> insert_execution_{database_};
    Insert<stored::ExecutionRow> raise_{database_, "INSERT",
                                        " ON CONFLICT (configuration_id, trace_run_id, model_id) DO UPDATE SET count = "
                                        "max(count, excluded.count), nanoseconds = max(nanoseconds, "
                                        "excluded.nanoseconds)"};
    Insert<stored::UnreadRow> insert_unread_{database_, "INSERT OR IGNORE"};
};

}  // namespace tracelift
