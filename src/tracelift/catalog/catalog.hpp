// Catalog: what commands, sweeps and reports ask of a store and change in it, whatever keeps it. A backend is a folder
// of its own (sqlite/); only what opens stores knows which there are (store/open.hpp).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/catalog/records.hpp"
#include "tracelift/catalog/result_record.hpp"
#include "tracelift/value/value.hpp"
#include "ttnn/core/function_ref.hpp"

namespace tracelift {

inline constexpr std::string_view master_name = "ttnn_operations_master.json";  // the file beside a store

// A question in the language of the backend, and its answer row by row.
class Answer {
public:
    struct Cell {
        Json json;                     // by the type that it has; bytes as X'0A1B'
        std::optional<Value> value{};  // where the bytes are values, such as the arguments of a configuration
    };
    Answer() = default;
    virtual ~Answer() = default;
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

    virtual const std::vector<std::string>& columns() const = 0;
    virtual bool next(std::vector<Cell>& row) = 0;  // false: there are no more
};
// The backend does not take questions of that kind, or the question would change something.
class BadQuestion : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Catalog {
public:
    Catalog() = default;
    virtual ~Catalog() = default;
    Catalog(const Catalog&) = delete;
    Catalog& operator=(const Catalog&) = delete;

    virtual const std::filesystem::path& directory() const = 0;
    virtual std::filesystem::path master_path() const = 0;  // of the master JSON beside it
    virtual std::string place() const = 0;                  // where what it holds is kept, for people
    virtual uint64_t bytes() const = 0;                     // that this takes

    // Changes.

    // For catalogs that nobody looks at: no master beside them.
    virtual void without_master() = 0;
    // Whether the master beside it holds its configurations, or says how to export them.
    virtual bool master_holds_all() = 0;
    // Takes in a master that was changed by others, so that its configurations have a place here.
    virtual void take_in_master() = 0;
    // Adds what a master or capture file says, and rewrites ours where that changed anything. All or nothing.
    virtual ImportReport import_master(const std::filesystem::path& file, const ImportOptions& options) = 0;
    // Adds what another one holds: configurations, runs and executions. All or nothing.
    virtual ImportReport import_store(Catalog& from) = 0;
    // Adds a run and rewrites the master. All or nothing.
    virtual Added add(const TraceRun& run, std::span<const NewExecution> executions,
                      std::span<const UnreadPiece> unread = {}) = 0;
    // Takes a run away, and the configurations that no other run executed. False: there is none of that id.
    virtual bool delete_run(int64_t id) = 0;
    // Takes away what nothing refers to and gives the space back. The number of rows that went.
    virtual int64_t collect_garbage() = 0;

    // Configurations.

    virtual std::vector<OperationSummary> operations() = 0;
    virtual std::vector<OperationSummary> operation_names() = 0;  // without counts: no more than a look at their table
    virtual int64_t configuration_count(const std::string& operation) = 0;
    // One at a time, in the order they came; `visit` returns false to stop.
    virtual void visit(const ConfigurationQuery& query, ttnn::FunctionRef<bool(Configuration&)> visit) = 0;
    // Empty model: all. A model is matched by any part of its name.
    std::vector<Configuration> configurations(std::string_view operation, std::string_view model = {});
    // The text a configuration was read from; nullopt for those of our own runtime.
    virtual std::optional<std::string> stored_text(int64_t configuration) = 0;
    virtual std::vector<std::string> models() = 0;  // their sources
    virtual std::vector<ModelSummary> model_summaries() = 0;
    virtual std::vector<std::string> device_series() = 0;  // that anything was captured on

    // Runs.

    virtual std::vector<RunSummary> runs() = 0;
    virtual bool has_run(const std::string& uid) = 0;
    virtual std::vector<RunExecution> run_executions(int64_t run) = 0;
    // Pieces of input that are not calls, with the uid of their run.
    virtual void visit_unread(ttnn::FunctionRef<void(const std::string& uid, const UnreadPiece&)> visit) = 0;
    virtual uint64_t total_operations() = 0;  // calls captured, over all runs
    virtual std::string last_updated() = 0;   // when the newest run started; empty: none

    // Sweeps.

    // A sweep, whose id is not looked at; without a time it begins now.
    virtual int64_t begin_sweep(const SweepRun& run) = 0;
    // All or none of them. A vector that has a result in this sweep gets the new one in its place.
    virtual void add_results(int64_t sweep, std::span<const ResultRecord> results) = 0;
    virtual void finish_sweep(int64_t sweep) = 0;
    // One at a time, sweep by sweep, in the order they came; `visit` returns false to stop.
    virtual void visit_results(const ResultQuery& query,
                               ttnn::FunctionRef<bool(int64_t sweep, ResultRecord&)> visit) = 0;
    virtual std::vector<SweepRun> sweeps() = 0;  // newest first
    // By its id, "latest", or "latest~1" for the one before.
    std::optional<SweepRun> find_sweep(std::string_view text);
    // Milliseconds, the median over past results, by identity and by vector id. Those that never ran are missing. Only
    // of runs that are whole and finished: what a shard has must not depend on how far the others are.
    virtual std::map<std::string, double> recorded_cost() = 0;

    // Figures.

    // Of all operations, or of one; of all models, or of those that have this in their name.
    virtual std::vector<Coverage> coverage(const std::string& operation, const std::string& model) = 0;
    virtual std::vector<Statistics> statistics() = 0;
    virtual CatalogFacts facts() = 0;
    // Throws BadQuestion.
    virtual std::unique_ptr<Answer> ask(const std::string& question) = 0;
};

}  // namespace tracelift
