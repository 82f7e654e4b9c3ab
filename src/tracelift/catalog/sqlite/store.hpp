// Store: the catalog in a folder, which keeps configurations, where they were executed, and what sweeps found.
//
// The database is the truth; `ttnn_operations_master.json` beside it is written from it. A master that somebody else
// changed is taken in first, so that nothing in it is lost. Writers hold a lock from reading the master to replacing
// it.
#pragma once

#include <filesystem>
#include <string_view>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

inline constexpr std::string_view database_name = "tracelift.db";

class Store : public Catalog {
public:
    // Makes the folder and the database where needed.
    static Store open_for_writing(const std::filesystem::path& directory);
    // Never changes anything. Throws when there is neither a database nor a master.
    static Store open_for_reading(const std::filesystem::path& directory);
    Store(Store&& other) noexcept;
    Store& operator=(Store&& other) noexcept;

    const std::filesystem::path& directory() const override { return directory_; }
    std::string place() const override { return (directory_ / database_name).string(); }
    std::filesystem::path master_path() const override { return directory_ / master_name; }
    uint64_t bytes() const override { return std::filesystem::file_size(directory_ / database_name); }
    Database& database() { return database_; }

    void without_master() override { keeps_master_ = false; }
    bool master_holds_all() override;
    void take_in_master() override;
    ImportReport import_master(const std::filesystem::path& file, const ImportOptions& options) override;
    ImportReport import_store(Catalog& from) override;
    Added add(const TraceRun& run, std::span<const NewExecution> executions,
              std::span<const UnreadPiece> unread = {}) override;
    bool delete_run(int64_t id) override;
    int64_t collect_garbage() override;

    std::vector<OperationSummary> operations() override;
    std::vector<OperationSummary> operation_names() override;
    int64_t configuration_count(const std::string& operation) override;
    void visit(const ConfigurationQuery& query, ttnn::FunctionRef<bool(Configuration&)> visit) override;
    std::optional<std::string> stored_text(int64_t configuration) override;
    std::vector<std::string> models() override;
    std::vector<ModelSummary> model_summaries() override;
    std::vector<std::string> device_series() override;

    std::vector<RunSummary> runs() override;
    bool has_run(const std::string& uid) override;
    std::vector<RunExecution> run_executions(int64_t run) override;
    void visit_unread(ttnn::FunctionRef<void(const std::string& uid, const UnreadPiece&)> visit) override;
    uint64_t total_operations() override;
    std::string last_updated() override;

    int64_t begin_sweep(const SweepRun& run) override;
    void add_results(int64_t sweep, std::span<const ResultRecord> results) override;
    void finish_sweep(int64_t sweep) override;
    void visit_results(const ResultQuery& query, ttnn::FunctionRef<bool(int64_t sweep, ResultRecord&)> visit) override;
    std::vector<SweepRun> sweeps() override;
    std::map<std::string, double> recorded_cost() override;

    std::vector<Coverage> coverage(const std::string& operation, const std::string& model) override;
    std::vector<Statistics> statistics() override;
    CatalogFacts facts() override;
    // Questions are SQL; arg(arguments, 'path') reads arguments, and names of operations may be written as in C++.
    std::unique_ptr<Answer> ask(const std::string& question) override;

private:
    Store(std::filesystem::path directory, Database database);
    // Writes the master and commits; only commits where nothing changed.
    void rewrite_master(Transaction& transaction, bool changed = true);
    std::filesystem::path directory_;
    Database database_;
    bool keeps_master_ = true;
};

}  // namespace tracelift
