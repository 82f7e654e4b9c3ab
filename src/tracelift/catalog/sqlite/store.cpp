#include "tracelift/catalog/sqlite/store.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracelift/base/text_digest.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/master_file.hpp"
#include "tracelift/catalog/sqlite/results.hpp"
#include "tracelift/catalog/sqlite/schema.hpp"
#include "tracelift/catalog/sqlite/tables.hpp"
#include "tracelift/catalog/sqlite/writer.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

constexpr std::string_view digest_key = "master_digest";
constexpr std::string_view stamp_key = "master_stamp";
constexpr std::string_view total_key = "total_operations";

// Held by one writer of a folder at a time, across processes; the kernel lets go of it when the process dies.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path& directory)
        : fd_(open((directory / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (fd_ < 0) {
            throw StoreError(fmt::format("{}: cannot be written: {}", directory.string(), std::strerror(errno)));
        }
        while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~FolderLock() { close(fd_); }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int fd_;
};

// While a file is taken in: no search for the rows that a new one refers to, since they were just looked up. A store
// that was empty before has a write-ahead log afterwards.
class BulkWriting {
public:
    explicit BulkWriting(Database& database) : database_(database), empty_(is_empty(database)) {
        database_.check_references(false);
    }
    ~BulkWriting() {
        database_.check_references(true);
        if (empty_) {
            database_.log_ahead();
        }
    }
    BulkWriting(const BulkWriting&) = delete;
    BulkWriting& operator=(const BulkWriting&) = delete;

private:
    Database& database_;
    bool empty_;
};

void raise_total(Database& database, uint64_t at_least, uint64_t more) {
    const std::string known = meta(database, total_key);
    const uint64_t total = std::max<uint64_t>(known.empty() ? 0 : std::stoull(known), at_least) + more;
    set_meta(database, total_key, std::to_string(total));
}

// True for a master that is not the one we wrote last; false when it is ours or absent.
bool is_foreign(Database& database, const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) {
        return false;
    }
    const std::string stamp = meta(database, stamp_key);
    if (!stamp.empty() && stamp == file_stamp(path)) {
        return false;
    }
    return file_digest(path) != meta(database, digest_key);
}

// Rows that nothing refers to any more; how many went.
int64_t drop_unreferenced(Database& database) {
    part_results(database);
    const int64_t before = database.integer("SELECT total_changes()");
    database.run(
        "DELETE FROM configuration WHERE id NOT IN (SELECT configuration_id FROM execution);"
        "DELETE FROM trace_run WHERE id NOT IN (SELECT trace_run_id FROM execution UNION SELECT trace_run_id FROM "
        "unread WHERE trace_run_id IS NOT NULL);"
        "DELETE FROM sweep_run WHERE finished IS NOT NULL AND id NOT IN (SELECT sweep_run_id FROM sweep_result);"
        "DELETE FROM operation WHERE id NOT IN (SELECT operation_id FROM configuration);"
        "DELETE FROM model WHERE id NOT IN (SELECT model_id FROM execution);"
        "DELETE FROM hardware WHERE id NOT IN (SELECT hardware_id FROM configuration WHERE hardware_id IS NOT NULL "
        "UNION SELECT hardware_id FROM trace_run WHERE hardware_id IS NOT NULL)");
    const int64_t dropped = database.integer("SELECT total_changes()") - before;
    count_text_bytes(database);
    return dropped;
}

ImportReport take_in(Database& database, const std::filesystem::path& path, const ImportOptions& options = {}) {
    ImportReport report = import_master(database, path, options);
    raise_total(database, report.total_operations, 0);
    join_results(database);
    return report;
}

Added add_run(Database& database, const TraceRun& run, std::span<const NewExecution> executions,
              std::span<const UnreadPiece> unread) {
    StoreWriter writer(database);
    const int64_t id = writer.run(run);
    for (const NewExecution& execution : executions) {
        const NewConfiguration& configuration = execution.configuration;
        const std::string hash = configuration.identity.empty() ? identity(configuration.call, configuration.hardware)
                                                                : configuration.identity;
        auto row = writer.find(hash, 0);
        if (row) {
            writer.known();
        } else {
            PreparedConfiguration fresh = prepare(configuration);
            row = writer.add(fresh, hash, 0);
        }
        writer.execute(*row, id, writer.model(execution.model), execution.count, execution.nanoseconds);
    }
    for (const UnreadPiece& piece : unread) {
        writer.unread(id, piece);
    }
    join_results(database);
    raise_total(database, 0, writer.is_new_run(id) ? run.kept : 0);
    add_text_bytes(database, writer.bytes());
    return writer.added();
}

}  // namespace

Store::Store(std::filesystem::path directory, Database database)
    : directory_(std::move(directory)), database_(std::move(database)) {}

Store::Store(Store&& other) noexcept
    : directory_(std::move(other.directory_)),
      database_(std::move(other.database_)),
      keeps_master_(other.keeps_master_) {}

Store& Store::operator=(Store&& other) noexcept {
    directory_ = std::move(other.directory_);
    database_ = std::move(other.database_);
    keeps_master_ = other.keeps_master_;
    return *this;
}

bool Store::master_holds_all() { return tracelift::master_holds_all(database_); }

Store Store::open_for_writing(const std::filesystem::path& directory) {
    std::error_code problem;
    std::filesystem::create_directories(directory, problem);
    if (problem) {
        throw StoreError(
            fmt::format("{}: cannot create the store's folder: {}", directory.string(), problem.message()));
    }
    const FolderLock lock(directory);
    Database database(directory / database_name, Database::Mode::WRITE);
    migrate(database);
    if (!is_empty(database)) {
        database.log_ahead();
    }
    return {directory, std::move(database)};
}

Store Store::open_for_reading(const std::filesystem::path& directory) {
    const std::filesystem::path database_path = directory / database_name;
    const std::filesystem::path master_path = directory / master_name;
    const bool has_database = std::filesystem::exists(database_path);
    if (std::filesystem::is_regular_file(directory)) {
        throw StoreError(
            fmt::format("{0}: expected the folder of a store, but this is a file; to make a store of it: tracelift "
                        "import {0} --dir DIR",
                        directory.string()));
    }
    if (!has_database && !std::filesystem::exists(master_path)) {
        throw StoreError(fmt::format("{}: there is no store here: expected {} or {}. 'tracelift trace' creates one",
                                     directory.string(), database_name, master_name));
    }
    Database database = has_database ? Database(database_path, Database::Mode::READ) : Database();
    if (has_database && database.integer("PRAGMA user_version") != current_schema_version()) {
        database = Database::copy_of(database);
        migrate(database);
    }
    if (!has_database) {
        migrate(database);
    }
    if (is_foreign(database, master_path)) {
        Database copy = Database::copy_of(database);
        take_in(copy, master_path);
        return {directory, std::move(copy)};
    }
    return {directory, std::move(database)};
}

void Store::take_in_master() {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    if (is_foreign(database_, master_path())) {
        take_in(database_, master_path());
        rewrite_master(transaction);
    }
}

// The database is committed before the new master appears: a process that dies in between leaves the old master, which
// the next writer takes for a foreign one and brings up to date.
void Store::rewrite_master(Transaction& transaction, bool changed) {
    if (!keeps_master_ || (!changed && std::filesystem::exists(master_path()))) {
        transaction.commit();
        return;
    }
    ReplacedFile file(master_path());
    TextDigest digest;
    write_master(database_, [&](std::string_view text) {
        digest.add(text);
        file.write(text);
    });
    set_meta(database_, stamp_key, file.finish());
    set_meta(database_, digest_key, digest.hex());
    transaction.commit();
    file.rename();
}

ImportReport Store::import_master(const std::filesystem::path& path, const ImportOptions& options) {
    const FolderLock lock(directory_);
    const BulkWriting bulk(database_);
    Transaction transaction(database_);
    const bool foreign = is_foreign(database_, master_path());
    if (foreign) {
        take_in(database_, master_path());
    }
    ImportReport report = take_in(database_, path, options);
    rewrite_master(transaction, foreign || report.added.changed);
    return report;
}

ImportReport Store::import_store(Catalog& from) {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    const bool foreign = is_foreign(database_, master_path());
    if (foreign) {
        take_in(database_, master_path());
    }
    ImportReport report = copy_catalog(database_, from);
    join_results(database_);
    raise_total(database_, from.total_operations(), 0);
    rewrite_master(transaction, foreign || report.added.changed);
    return report;
}

Added Store::add(const TraceRun& run, std::span<const NewExecution> executions, std::span<const UnreadPiece> unread) {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    const bool foreign = is_foreign(database_, master_path());
    if (foreign) {
        take_in(database_, master_path());
    }
    const Added added = add_run(database_, run, executions, unread);
    rewrite_master(transaction, foreign || added.changed);
    return added;
}

bool Store::delete_run(int64_t id) {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    if (is_foreign(database_, master_path())) {
        take_in(database_, master_path());
    }
    if (!Statement(database_, "SELECT 1 FROM trace_run WHERE id = ?").with(id).value<int64_t>()) {
        return false;
    }
    Statement(database_, "DELETE FROM execution WHERE trace_run_id = ?").with(id).run();
    Statement(database_, "DELETE FROM unread WHERE trace_run_id = ?").with(id).run();
    Statement(database_, "DELETE FROM trace_run WHERE id = ?").with(id).run();
    drop_unreferenced(database_);
    rewrite_master(transaction);
    return true;
}

int64_t Store::collect_garbage() {
    const FolderLock lock(directory_);
    int64_t dropped = 0;
    {
        Transaction transaction(database_);
        const bool foreign = is_foreign(database_, master_path());
        if (foreign) {
            take_in(database_, master_path());
        }
        dropped = drop_unreferenced(database_);
        rewrite_master(transaction, foreign || dropped != 0);
    }
    database_.run("VACUUM");
    database_.run("PRAGMA wal_checkpoint(TRUNCATE)");
    return dropped;
}

std::vector<OperationSummary> Store::operations() { return read_operations(database_); }

std::vector<OperationSummary> Store::operation_names() {
    std::vector<OperationSummary> operations;
    for (std::string& name : Statement(database_, "SELECT name FROM operation ORDER BY id").values<std::string>()) {
        operations.push_back({std::move(name), 0, 0});
    }
    return operations;
}

int64_t Store::configuration_count(const std::string& operation) {
    Statement count(
        database_, "SELECT count(*) FROM configuration WHERE operation_id = (SELECT id FROM operation WHERE name = ?)");
    return count.with(operation).value<int64_t>().value_or(0);
}

void Store::visit(const ConfigurationQuery& query, ttnn::FunctionRef<bool(Configuration&)> visit) {
    visit_configurations(database_, query, visit);
}

std::optional<std::string> Store::stored_text(int64_t configuration) {
    return read_stored_text(database_, configuration);
}

std::vector<std::string> Store::models() { return read_models(database_); }
std::vector<ModelSummary> Store::model_summaries() { return read_model_summaries(database_); }
std::vector<RunSummary> Store::runs() { return read_runs(database_); }

std::vector<std::string> Store::device_series() {
    return Statement(database_, "SELECT DISTINCT device_series FROM hardware ORDER BY 1").values<std::string>();
}

std::vector<RunExecution> Store::run_executions(int64_t run) {
    Statement select(database_,
                     "SELECT e.configuration_id, coalesce(m.short_name, ''), m.name FROM execution e JOIN model m ON "
                     "m.id = e.model_id WHERE e.trace_run_id = ?");
    std::vector<RunExecution> executions;
    for (select.with(run); select.step();) {
        auto [configuration, short_name, source] = select.row<int64_t, std::string, std::string>();
        executions.push_back({configuration, std::move(short_name), std::move(source)});
    }
    return executions;
}

void Store::visit_unread(ttnn::FunctionRef<void(const std::string& uid, const UnreadPiece&)> visit) {
    Statement select(database_,
                     "SELECT r.uid, u.place, u.text, u.reason FROM unread u JOIN trace_run r ON r.id = u.trace_run_id");
    while (select.step()) {
        auto [uid, place, text, reason] = select.row<std::string, std::string, std::string, std::string>();
        visit(uid, {std::move(place), std::move(text), std::move(reason)});
    }
}

bool Store::has_run(const std::string& uid) {
    return Statement(database_, "SELECT 1 FROM trace_run WHERE uid = ?").with(uid).value<int64_t>().has_value();
}

std::string Store::last_updated() {
    return Statement(database_, "SELECT coalesce(max(started), '') FROM trace_run").value<std::string>().value_or("");
}

uint64_t Store::total_operations() {
    const std::string total = meta(database_, total_key);
    return total.empty() ? 0 : std::stoull(total);
}

}  // namespace tracelift
