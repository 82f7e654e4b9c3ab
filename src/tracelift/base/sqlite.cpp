#include "tracelift/base/sqlite.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace tracelift {
namespace {

constexpr int patience_ms = 30'000;

// Before the first database: it need not count its memory, which costs a lock each time it takes some. Refused, and no
// matter, in a process that used SQLite before.
void configure_once() {
    static const int status = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    (void)status;
}

}  // namespace

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
    const char* rest = nullptr;
    if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, &rest) !=
        SQLITE_OK) {
        database.fail("prepare a statement");
    }
    const std::string_view behind = sql.substr(static_cast<size_t>(rest - sql.data()));
    alone_ = behind.find_first_not_of(" \t\r\n;") == behind.npos;
}

int Statement::columns() const { return sqlite3_column_count(statement_); }
std::string Statement::name(int column) const { return sqlite3_column_name(statement_, column); }
bool Statement::is_question() const {
    return statement_ != nullptr && alone_ && sqlite3_stmt_readonly(statement_) != 0;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

void Statement::bind(int index, int64_t value) { sqlite3_bind_int64(statement_, index, value); }
void Statement::bind(int index, double value) { sqlite3_bind_double(statement_, index, value); }
void Statement::bind(int index, std::string_view value) {
    const char* text = value.empty() ? "" : value.data();  // a null pointer would bind NULL
    const auto lifetime = copies_ ? SQLITE_TRANSIENT : SQLITE_STATIC;
    if (sqlite3_bind_text64(statement_, index, text, value.size(), lifetime, SQLITE_UTF8) != SQLITE_OK) {
        database_.fail("take a text");
    }
}
void Statement::bind_null(int index) { sqlite3_bind_null(statement_, index); }

bool Statement::step() {
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_ROW) {
        return true;
    }
    if (status != SQLITE_DONE) {
        database_.fail("read or write");
    }
    return false;
}

void Statement::run() {
    while (step()) {
    }
}

int64_t Statement::insert() {
    run();
    return sqlite3_last_insert_rowid(database_.handle());
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::number(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
nlohmann::ordered_json Statement::json(int column) const {
    switch (sqlite3_column_type(statement_, column)) {
        case SQLITE_INTEGER: return integer(column);
        case SQLITE_FLOAT: return number(column);
        case SQLITE_NULL: return nullptr;
        case SQLITE_BLOB: return fmt::format("<{} bytes>", sqlite3_column_bytes(statement_, column));
        default: return text(column);
    }
}
int Statement::kind(int column) const { return sqlite3_column_type(statement_, column); }
std::string_view Statement::text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

Database::Database(const std::filesystem::path& path, Mode mode) : name_(path.string()) {
    configure_once();
    // A database is used by one thread at a time.
    const int flags =
        SQLITE_OPEN_NOMUTEX | (mode == Mode::READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        fail("open the database");
    }
    sqlite3_busy_timeout(handle_, patience_ms);
    if (mode == Mode::WRITE) {
        run("PRAGMA page_size = 16384");  // of a new database: several configurations fit on a page
        run("PRAGMA synchronous = NORMAL");
        hold_pages(usual_pages);
        run("PRAGMA foreign_keys = ON");
        return;
    }
    if (mode == Mode::BUILD) {
        run("PRAGMA journal_mode = OFF");
        run("PRAGMA synchronous = OFF");
        run("PRAGMA locking_mode = EXCLUSIVE");
        run("PRAGMA cache_size = -32768");
        return;
    }
    const auto first_read = [&] { return sqlite3_exec(handle_, "PRAGMA schema_version", nullptr, nullptr, nullptr); };
    const int status = first_read();
    if (status == SQLITE_CANTOPEN) {
        // A reader of a write-ahead log needs a shared file beside it; where it may not make one, nobody writes either.
        open_again(fmt::format("file:{}?immutable=1", name_), flags | SQLITE_OPEN_URI);
    } else if (status == SQLITE_READONLY) {
        // A writer died half-way, and what it did must be undone before anybody can read.
        open_again(name_, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE);
        if (first_read() != SQLITE_OK) {
            throw StoreError(fmt::format(
                "{}: a writer died halfway; a user with write access has to open it before it can be read", name_));
        }
        run("PRAGMA query_only = ON");
    }
}

void Database::open_again(const std::string& name, int flags) {
    sqlite3_close(handle_);
    if (sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
        fail("open the database");
    }
    sqlite3_busy_timeout(handle_, patience_ms);
}

Database::Database() : name_("a database in memory") {
    configure_once();
    if (sqlite3_open(":memory:", &handle_) != SQLITE_OK) {
        fail("make");
    }
}

Database Database::copy_of(Database& other) {
    Database copy;
    sqlite3_backup* backup = sqlite3_backup_init(copy.handle_, "main", other.handle_, "main");
    if (backup == nullptr || sqlite3_backup_step(backup, -1) != SQLITE_DONE) {
        other.fail("copy");
    }
    sqlite3_backup_finish(backup);
    return copy;
}

Database::~Database() { sqlite3_close(handle_); }

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), name_(std::move(other.name_)) {}

Database& Database::operator=(Database&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
    return *this;
}

void Database::run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("run a statement");
    }
}

void Database::log_ahead() {
    // Stays as it is while others read; the next writer asks again.
    sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
}

void Database::check_references(bool wanted) {
    sqlite3_exec(handle_, wanted ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF", nullptr, nullptr, nullptr);
}

void Database::hold_pages(size_t bytes) {
    sqlite3_exec(handle_, fmt::format("PRAGMA cache_size = -{}", bytes >> 10).c_str(), nullptr, nullptr, nullptr);
}

int64_t Database::integer(std::string_view sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

int64_t Database::changes() const { return sqlite3_total_changes64(handle_); }

void Database::fail(std::string_view doing) {
    const std::string reason = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
    throw StoreError(fmt::format("{}: cannot {}: {}", name_, doing, reason));
}

Transaction::~Transaction() {
    if (open_) {
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    database_.run("COMMIT");
    open_ = false;
}

}  // namespace tracelift
