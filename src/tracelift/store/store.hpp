// Store: the folder that keeps configurations, where they were executed, and what sweeps found.
//
// The database is the truth; `ttnn_operations_master.json` beside it is written from it. A master that somebody else
// changed is taken in first, so that nothing in it is lost. Writers hold a lock from reading the master to replacing
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/bind/binding.hpp"
#include "tracelift/store/sqlite.hpp"

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
    std::optional<std::string> stored;  // JSON text it was read from, where it did not come from our own runtime
    std::optional<std::string> legacy_hash;
    std::optional<std::string> legacy_variant;
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
};

struct Added {
    size_t configurations = 0;  // new ones
    size_t executions = 0;      // new pairs of configuration and run
    size_t known = 0;           // configurations that were there before
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
    std::optional<std::string> legacy_hash;  // that its master gave it, where we could compute it again
    std::optional<std::string> legacy_variant;
    std::vector<Execution> executions;
};
struct SweepResult {
    int64_t configuration = 0;
    std::string status;
    std::string message;
    std::optional<double> pcc, max_ulp, max_relative, max_absolute;
    std::optional<bool> equal;
    double milliseconds = 0;
};

struct Master;  // master_file.hpp

class Store {
public:
    // Makes the folder and the database where needed.
    static Store open_for_writing(const std::filesystem::path& directory);
    // Never changes anything. Throws when there is neither a database nor a master.
    static Store open_for_reading(const std::filesystem::path& directory);

    // Takes in a master that was changed by others, so that its configurations have a place in the database.
    void take_in_master();
    // Adds what another master says, and rewrites ours. All or nothing.
    Added add(const Master& master);
    // Adds a run and rewrites the master. All or nothing.
    Added add(const TraceRun& run, std::span<const NewExecution> executions);

    std::vector<OperationSummary> operations();
    // Empty model: all. A model is matched by any part of its name.
    std::vector<Configuration> configurations(std::string_view operation, std::string_view model = {});
    std::vector<std::string> models();

    int64_t begin_sweep(std::string_view command);
    void add_result(int64_t sweep, const SweepResult& result);
    void finish_sweep(int64_t sweep);

    const std::filesystem::path& directory() const { return directory_; }
    std::filesystem::path master_path() const { return directory_ / master_name; }

private:
    Store(std::filesystem::path directory, Database database);
    void rewrite_master(Transaction& transaction);
    std::filesystem::path directory_;
    Database database_;
};

}  // namespace tracelift
