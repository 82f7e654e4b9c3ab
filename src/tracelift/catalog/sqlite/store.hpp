// Store: the folder that keeps configurations, where they were executed, and what sweeps found.
//
// The database is the truth; `ttnn_operations_master.json` beside it is written from it. A master that somebody else
// changed is taken in first, so that nothing in it is lost. Writers hold a lock from reading the master to replacing
// it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/bind/binding.hpp"
#include "tracelift/catalog/result_record.hpp"
#include "tracelift/formats/call_stream.hpp"
#include "ttnn/core/function_ref.hpp"

namespace tracelift {

inline constexpr std::string_view master_name = "ttnn_operations_master.json";
inline constexpr std::string_view database_name = "tracelift.db";

// `--dir`, else the environment variable TRACELIFT_DIR, else "traced_operations".
std::filesystem::path store_directory(const std::optional<std::string>& option);

// One configuration of a run or of a file, ready to be stored.
struct NewConfiguration {
    BoundCall call;
    std::optional<Hardware> hardware;
    std::string board;                  // to replay it on; may be empty
    std::string format;                 // it came in: "raw", "1", "2", "params", "calls", "graph"
    std::optional<std::string> stored;  // JSON text it was read from, where it did not come from our own runtime
    std::string digest;                 // of that text, to know it again; may be empty
    std::optional<std::string> legacy_hash;
};
struct NewExecution {
    NewConfiguration configuration;
    std::string model;
    uint64_t count = 1;
    uint64_t nanoseconds = 0;
};
struct TraceRun {
    std::string uid;
    std::string target;
    std::string started;  // "2025-10-16 04:22:52"
    std::string outcome;  // "passed", "failed", "crashed", "imported"
    uint64_t captured = 0;
    uint64_t kept = 0;
    std::optional<Hardware> hardware{};
    std::string arguments{};   // of the test, e.g. pytest's
    std::string git_commit{};  // of what was traced
    std::string software{};    // versions of drivers and firmware
};

struct Added {
    size_t configurations = 0;  // new ones
    size_t executions = 0;      // new pairs of configuration and run
    size_t known = 0;           // configurations that were there before
    bool changed = false;       // anything at all
};

struct OperationSummary {
    std::string name;  // "ttnn.add"
    int64_t configurations = 0;
    int64_t executions = 0;  // calls, over all runs
};
struct Execution {
    std::string model;
    std::string trace_uid;
    int64_t count = 0;
    int64_t nanoseconds = 0;
};
struct Configuration {
    int64_t id = 0;
    BoundCall call;
    std::optional<Hardware> hardware;
    std::string board;
    std::string identity;
    int64_t ordinal = 0;  // among equal ones of one file
    std::string format;
    std::optional<std::string> legacy_hash;  // that its master gave it
    std::vector<Execution> executions;
    std::optional<std::string> stored;  // its text; where it was asked for
};
// Which configurations are asked for.
struct ConfigurationQuery {
    std::string operation{};  // dotted; empty: all
    std::string model{};      // any part of a source, or a model's name; empty: all
    std::string hardware{};   // device series; empty: all
    std::string since{};      // first executed in a run that started then or later; empty: all
    int64_t trace_run = 0;    // executed in that run; 0: all
    bool with_texts = false;  // as the files had them
};
struct ModelSummary {
    int64_t id = 0;
    std::string name, family, source;
    int64_t configurations = 0;
    int64_t executions = 0;
};
struct RunSummary {
    int64_t id = 0;
    TraceRun run;
    std::string tool_version;
    std::vector<std::string> models;
    int64_t configurations = 0;
    int64_t executions = 0;
};
// Which results of sweeps are asked for.
struct ResultQuery {
    std::string operation{};   // dotted; empty: all
    std::string status{};      // "fail_crash"; empty: all
    std::string since{};       // began then or later, ISO 8601; empty: all
    int64_t sweep = 0;         // of that sweep; 0: of all
    bool latest_only = false;  // only the newest of each vector (sweep_name, suite, vector_id), over all sweeps
};

struct ImportOptions;  // import.hpp
struct ImportReport;

class Store {
public:
    // Makes the folder and the database where needed.
    static Store open_for_writing(const std::filesystem::path& directory);
    // Never changes anything. Throws when there is neither a database nor a master.
    static Store open_for_reading(const std::filesystem::path& directory);

    // For stores that nobody looks at: no master beside them.
    void without_master() { keeps_master_ = false; }
    // Takes in a master that was changed by others, so that its configurations have a place in the database.
    void take_in_master();
    // Adds what a master or capture file says, and rewrites ours where that changed anything. All or nothing.
    ImportReport import_master(const std::filesystem::path& file, const ImportOptions& options);
    // Adds what another store holds: configurations, runs and executions. All or nothing.
    ImportReport import_store(Store& from);
    // Adds a run and rewrites the master. All or nothing.
    Added add(const TraceRun& run, std::span<const NewExecution> executions, std::span<const UnreadPiece> unread = {});
    // Takes a run away, and the configurations that no other run executed. False: there is none of that id.
    bool delete_run(int64_t id);
    // Takes away what nothing refers to and gives the space back. The number of rows that went.
    int64_t collect_garbage();

    std::vector<OperationSummary> operations();
    std::vector<OperationSummary> operation_names();  // without counts: no more than a look at their table
    int64_t configuration_count(const std::string& operation);
    // Empty model: all. A model is matched by any part of its name.
    std::vector<Configuration> configurations(std::string_view operation, std::string_view model = {});
    // One at a time, in the order they came; `visit` returns false to stop.
    void visit(const ConfigurationQuery& query, ttnn::FunctionRef<bool(Configuration&)> visit);
    // The text a configuration was read from; nullopt for those of our own runtime.
    std::optional<std::string> stored_text(int64_t configuration);
    std::vector<std::string> models();  // their sources
    std::vector<ModelSummary> model_summaries();
    std::vector<RunSummary> runs();
    bool has_run(const std::string& uid);
    uint64_t total_operations();                // calls captured, over all runs
    std::string last_updated();                 // when the newest run started; empty: none
    Database& database() { return database_; }  // for questions beyond these

    // A sweep, whose id is not looked at; without a time it begins now.
    int64_t begin_sweep(const SweepRun& run);
    // All or none of them. A vector that has a result in this sweep gets the new one in its place.
    void add_results(int64_t sweep, std::span<const ResultRecord> results);
    void finish_sweep(int64_t sweep);
    // One at a time, sweep by sweep, in the order they came; `visit` returns false to stop.
    void visit_results(const ResultQuery& query, ttnn::FunctionRef<bool(int64_t sweep, ResultRecord&)> visit);
    std::vector<SweepRun> sweeps();  // newest first
    // By its id, "latest", or "latest~1" for the one before.
    std::optional<SweepRun> find_sweep(std::string_view text);
    // Milliseconds, the median over past results, by identity and by vector id. Those that never ran are missing.
    std::map<std::string, double> recorded_cost();

    const std::filesystem::path& directory() const { return directory_; }
    std::filesystem::path master_path() const { return directory_ / master_name; }

private:
    Store(std::filesystem::path directory, Database database);
    // Writes the master and commits; only commits where nothing changed.
    void rewrite_master(Transaction& transaction, bool changed = true);
    std::filesystem::path directory_;
    Database database_;
    bool keeps_master_ = true;
};

}  // namespace tracelift
