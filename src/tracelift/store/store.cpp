#include "tracelift/store/store.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracelift/store/clock.hpp"
#include "tracelift/store/master_file.hpp"
#include "tracelift/store/schema.hpp"
#include "tracelift/store/tables.hpp"
#include "tracelift/value/canonical.hpp"

namespace tracelift {
namespace {

constexpr std::string_view digest_key = "master_sha256";
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

void raise_total(Database& database, uint64_t at_least, uint64_t more) {
    const std::string known = meta(database, total_key);
    const uint64_t total = std::max<uint64_t>(known.empty() ? 0 : std::stoull(known), at_least) + more;
    set_meta(database, total_key, std::to_string(total));
}

// The text of a master that differs from the one we wrote last; nothing when it is ours or absent.
std::optional<std::string> foreign_master(Database& database, const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) {
        return std::nullopt;
    }
    std::string text = read_file(path);
    if (sha256(text) == meta(database, digest_key)) {
        return std::nullopt;
    }
    return text;
}

Added take_in(Database& database, const Master& master) {
    Added all;
    for (const Master::Run& run : master.runs) {
        if (run.executions.empty()) {
            continue;
        }
        const Added added = add_executions(database, run.run, run.executions);
        all.configurations += added.configurations;
        all.executions += added.executions;
        all.known += added.known;
    }
    raise_total(database, master.total_operations, 0);
    return all;
}

}  // namespace

std::filesystem::path store_directory(const std::optional<std::string>& option) {
    if (option) {
        return *option;
    }
    const char* variable = std::getenv("TRACELIFT_DIR");
    return variable != nullptr && *variable != '\0' ? variable : "traced_operations";
}

Store::Store(std::filesystem::path directory, Database database)
    : directory_(std::move(directory)), database_(std::move(database)) {}

Store Store::open_for_writing(const std::filesystem::path& directory) {
    std::error_code problem;
    std::filesystem::create_directories(directory, problem);
    if (problem) {
        throw StoreError(
            fmt::format("{}: cannot make the folder of the store: {}", directory.string(), problem.message()));
    }
    const FolderLock lock(directory);
    Database database(directory / database_name, Database::Mode::WRITE);
    migrate(database);
    return {directory, std::move(database)};
}

Store Store::open_for_reading(const std::filesystem::path& directory) {
    const std::filesystem::path database_path = directory / database_name;
    const std::filesystem::path master_path = directory / master_name;
    const bool has_database = std::filesystem::exists(database_path);
    if (!has_database && !std::filesystem::exists(master_path)) {
        throw StoreError(fmt::format("{}: there is no store here: expected {} or {}. 'tracelift trace' makes one",
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
    if (const auto text = foreign_master(database, master_path)) {
        Database copy = Database::copy_of(database);
        take_in(copy, read_master(*text, master_path.string()));
        return {directory, std::move(copy)};
    }
    return {directory, std::move(database)};
}

void Store::take_in_master() {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    const auto text = foreign_master(database_, master_path());
    if (!text) {
        return;
    }
    take_in(database_, read_master(*text, master_path().string()));
    rewrite_master(transaction);
}

void Store::rewrite_master(Transaction& transaction) {
    const std::string text = master_text(database_);
    set_meta(database_, digest_key, sha256(text));
    transaction.commit();
    replace_file(master_path(), text);
}

Added Store::add(const Master& master) {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    if (const auto text = foreign_master(database_, master_path())) {
        take_in(database_, read_master(*text, master_path().string()));
    }
    const Added added = take_in(database_, master);
    rewrite_master(transaction);
    return added;
}

Added Store::add(const TraceRun& run, std::span<const NewExecution> executions) {
    const FolderLock lock(directory_);
    Transaction transaction(database_);
    if (const auto text = foreign_master(database_, master_path())) {
        take_in(database_, read_master(*text, master_path().string()));
    }
    const bool again = Statement(database_, "SELECT 1 FROM trace_run WHERE uid = ?").with(run.uid).step();
    const Added added = add_executions(database_, run, executions);
    raise_total(database_, 0, again ? 0 : run.kept);
    rewrite_master(transaction);
    return added;
}

std::vector<OperationSummary> Store::operations() { return read_operations(database_); }

std::vector<Configuration> Store::configurations(std::string_view operation, std::string_view model) {
    return read_configurations(database_, operation, model);
}

std::vector<std::string> Store::models() { return read_models(database_); }

int64_t Store::begin_sweep(std::string_view command) {
    return Statement(database_, "INSERT INTO sweep_run (started, version, command) VALUES (?, ?, ?)")
        .with(local_time(), TRACELIFT_VERSION, command)
        .insert();
}

void Store::add_result(int64_t sweep, const SweepResult& result) {
    Statement(database_,
              "INSERT OR REPLACE INTO sweep_result (sweep_run_id, configuration_id, status, message, pcc, max_ulp, "
              "max_relative, max_absolute, equal, milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .with(sweep, result.configuration, result.status, result.message, result.pcc, result.max_ulp,
              result.max_relative, result.max_absolute, result.equal, result.milliseconds)
        .run();
}

void Store::finish_sweep(int64_t sweep) {
    Statement(database_, "UPDATE sweep_run SET finished = ? WHERE id = ?").with(local_time(), sweep).run();
}

}  // namespace tracelift
