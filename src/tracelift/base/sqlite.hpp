// A thin layer over SQLite: errors become exceptions, statements are typed and prepared once per use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tracelift/base/errors.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tracelift {

class Database;

class Statement {
public:
    Statement(Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    // Binds all parameters in order and starts over.
    template <class... Args>
    Statement& with(const Args&... args) {
        reset();
        int index = 0;
        (bind(++index, args), ...);
        return *this;
    }
    // The same without copies: texts must stay where they are until the statement has run.
    template <class... Args>
    Statement& viewing(const Args&... args) {
        copies_ = false;
        with(args...);
        copies_ = true;
        return *this;
    }
    // The same in pieces: `begin`, then `add` until every parameter has its value.
    void begin() {
        reset();
        bound_ = 0;
    }
    template <class... Args>
    void add(const Args&... args) {
        copies_ = false;
        (bind(++bound_, args), ...);
        copies_ = true;
    }
    bool step();   // true: a row is there
    void run();    // to the end
    void reset();  // gives up what it has read; `with` begins with it
    // Runs it and gives the id of the inserted row.
    int64_t insert();

    int columns() const;
    std::string name(int column) const;
    bool is_question() const;  // one statement, which changes nothing

    // The columns of the row that is there, in order: const auto [id, name] = select.row<int64_t, std::string>().
    template <class... Ts>
    std::tuple<Ts...> row() const {
        std::tuple<Ts...> values;
        int column = 0;
        std::apply([&](auto&... value) { (get(column++, value), ...); }, values);
        return values;
    }
    // The first column of the first row, and ready for the next question.
    template <class T>
    std::optional<T> value() {
        std::optional<T> result;
        if (step()) {
            get(0, result.emplace());
        }
        reset();
        return result;
    }
    // The first column of all rows.
    template <class T>
    std::vector<T> values() {
        std::vector<T> all;
        while (step()) {
            get(0, all.emplace_back());
        }
        return all;
    }
    // One column into a value; a text that is only viewed is valid until the next step.
    void get(int column, int64_t& value) const { value = integer(column); }
    void get(int column, uint64_t& value) const { value = static_cast<uint64_t>(integer(column)); }
    void get(int column, bool& value) const { value = integer(column) != 0; }
    void get(int column, double& value) const { value = number(column); }
    void get(int column, std::string_view& value) const { value = text(column); }
    void get(int column, std::string& value) const { value = text(column); }
    template <class T>
    void get(int column, std::optional<T>& value) const {
        value.reset();
        if (!is_null(column)) {
            get(column, value.emplace());
        }
    }

    int64_t integer(int column) const;
    double number(int column) const;
    std::string_view text(int column) const;  // valid until the next step; blobs too
    bool is_null(int column) const;
    nlohmann::ordered_json json(int column) const;  // by the type that the column has
    int kind(int column) const;  // SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL

private:
    void bind(int index, int64_t value);
    void bind(int index, int value) { bind(index, int64_t{value}); }
    void bind(int index, uint64_t value) { bind(index, static_cast<int64_t>(value)); }
    void bind(int index, bool value) { bind(index, int64_t{value}); }
    void bind(int index, double value);
    void bind(int index, std::string_view value);
    void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
    void bind(int index, const char* value) { bind(index, std::string_view(value)); }
    void bind_null(int index);
    template <class T>
    void bind(int index, const std::optional<T>& value) {
        value ? bind(index, *value) : bind_null(index);
    }

    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    bool alone_ = true;  // nothing but blanks stood behind it
    bool copies_ = true;
    int bound_ = 0;
};

class Database {
public:
    // BUILD: a file that nobody else sees yet. Nothing protects it from a crash; who builds it renames it when it is
    // done.
    enum class Mode : uint8_t { READ, WRITE, BUILD };
    // Waits up to half a minute for other processes. READ also works in a folder that cannot be written.
    Database(const std::filesystem::path& path, Mode mode);
    // An empty one in memory, or a copy of another.
    Database();
    static Database copy_of(Database& other);
    ~Database();
    Database(Database&& other) noexcept;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    Database& operator=(Database&& other) noexcept;

    void run(const std::string& sql);
    // From now on with a write-ahead log: nobody who reads has to wait, but new pages are written twice, which the
    // first import into a new store can do without.
    void log_ahead();
    // Whether rows that a new one refers to are looked for; outside a transaction.
    void check_references(bool wanted);
    // How many bytes of pages it may hold in memory.
    void hold_pages(size_t bytes);
    static constexpr size_t usual_pages = size_t{96} << 20;  // of a writer: an import's indexes stay in memory
    int64_t integer(std::string_view sql);                   // of the first column of the only row
    int64_t changes() const;                                 // rows written since it was opened
    sqlite3* handle() { return handle_; }
    [[noreturn]] void fail(std::string_view doing);

private:
    void open_again(const std::string& name, int flags);

    sqlite3* handle_ = nullptr;
    std::string name_;
};

// Begins a write transaction at once; rolls back unless committed.
class Transaction {
public:
    explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& database_;
    bool open_ = true;
};

}  // namespace tracelift
