// Tables are declared once: a row struct, and a Table<Row> that lists its columns with their meaning. DDL, inserting,
// reading and documentation follow from that, so that no column is known by its position.
//
//   struct ModelRow { std::optional<int64_t> id; std::string name; std::optional<std::string> family; };
//   template <>
//   struct Table<ModelRow> : TableDefaults {
//       using Row = ModelRow;
//       static constexpr std::string_view name = "model";
//       static constexpr std::string_view meaning = "where calls were made";
//       static constexpr auto columns = std::tuple{Column{"id", &Row::id, "", "INTEGER PRIMARY KEY"},
//                                                  Column{"name", &Row::name, "as files write it"},
//                                                  Column{"family", &Row::family, "llama, bert, ..."}};
//   };
//
// A row that only a question has (a join) is declared like one, with expressions in the place of names and no name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracelift/base/sqlite.hpp"

namespace tracelift {

template <class Row, class T>
struct Column {
    std::string_view name;
    T Row::*member;
    std::string_view meaning = {};
    std::string_view type = {};  // where it does not follow from T
};
template <class Row, class T, class... Rest>
Column(std::string_view, T Row::*, Rest...) -> Column<Row, T>;

struct Index {
    std::string_view name;
    std::string_view columns;
    std::string_view where = {};  // of the rows that it has
    bool unique = false;
};

// The declaration of a row's table: name, meaning, columns, and what differs from the defaults. A namespace of tables
// has a `Table` of its own to specialise, and a function that is found by the row:
//   template <class Row> struct Table;
//   template <class Row> Table<Row> table_of(const Row*);
template <class Row>
using TableOf = decltype(table_of(static_cast<const Row*>(nullptr)));

// What most tables have; a specialisation hides what differs.
struct TableDefaults {
    static constexpr std::string_view unique = {};       // columns of the UNIQUE constraint
    static constexpr std::string_view primary_key = {};  // of several columns; such a table has no rowid
    static constexpr std::array<Index, 0> indexes{};
    static constexpr size_t batch = 1;  // rows per statement, for tables of numbers with many rows

    // The type of a column: what may be NULL is an optional.
    template <class T>
    static constexpr std::string_view type_of();
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
constexpr std::string_view TableDefaults::type_of() {
    if constexpr (std::is_same_v<T, std::optional<int64_t>> || std::is_same_v<T, std::optional<bool>>) {
        return "INTEGER";
    } else if constexpr (std::is_integral_v<T>) {
        return "INTEGER NOT NULL";
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        return "REAL";
    } else if constexpr (std::is_same_v<T, double>) {
        return "REAL NOT NULL";
    } else {
        return IsOptional<T>::value ? "TEXT" : "TEXT NOT NULL";
    }
}

template <class Row, class T>
std::string column_type(const Column<Row, T>& column) {
    return std::string(column.type.empty() ? TableOf<Row>::template type_of<T>() : column.type);
}

// Calls `visit(column)` for every column in order.
template <class Row, class Visit>
void for_each_column(Visit&& visit) {
    std::apply([&](const auto&... column) { (visit(column), ...); }, TableOf<Row>::columns);
}

// "a, b, c"
template <class Row>
std::string column_names() {
    std::string names;
    for_each_column<Row>([&](const auto& column) { names += (names.empty() ? "" : ", ") + std::string(column.name); });
    return names;
}

template <class Row>
std::string create_statement() {
    std::string columns;
    for_each_column<Row>([&](const auto& column) {
        columns += (columns.empty() ? "" : ", ") + std::string(column.name) + " " + column_type(column);
    });
    if (!TableOf<Row>::unique.empty()) {
        columns += ", UNIQUE (" + std::string(TableOf<Row>::unique) + ")";
    }
    const bool keyed = !TableOf<Row>::primary_key.empty();
    if (keyed) {
        columns += ", PRIMARY KEY (" + std::string(TableOf<Row>::primary_key) + ")";
    }
    return "CREATE TABLE IF NOT EXISTS " + std::string(TableOf<Row>::name) + " (" + columns + ")" +
           (keyed ? " WITHOUT ROWID" : "");
}

template <class Row>
std::vector<std::string> index_statements() {
    std::vector<std::string> statements;
    for (const Index& index : TableOf<Row>::indexes) {
        statements.push_back(std::string("CREATE ") + (index.unique ? "UNIQUE " : "") + "INDEX IF NOT EXISTS " +
                             std::string(index.name) + " ON " + std::string(TableOf<Row>::name) + " (" +
                             std::string(index.columns) + ")" +
                             (index.where.empty() ? "" : " WHERE " + std::string(index.where)));
    }
    return statements;
}

// What documentation says of a table.
struct ColumnText {
    std::string name, type, meaning;
};
template <class Row>
std::vector<ColumnText> column_texts() {
    std::vector<ColumnText> texts;
    for_each_column<Row>([&](const auto& column) {
        texts.push_back({std::string(column.name), column_type(column), std::string(column.meaning)});
    });
    return texts;
}

// "INSERT INTO t (a, b) VALUES (?, ?), (?, ?)" for that many rows.
template <class Row>
std::string insert_statement(std::string_view verb = "INSERT", size_t rows = 1) {
    std::string places;
    for_each_column<Row>([&](const auto&) { places += places.empty() ? "(?" : ", ?"; });
    std::string all = places + ")";
    for (size_t i = 1; i < rows; ++i) {
        all += ", " + places + ")";
    }
    return std::string(verb) + " INTO " + std::string(TableOf<Row>::name) + " (" + column_names<Row>() + ") VALUES " +
           all;
}

// A clause behind an insert: a row with equal `key` columns gets the new values of all others but `kept`.
template <class Row>
std::string upsert_clause(std::string_view key, std::string_view kept = {}) {
    const auto lists = [](std::string_view list, std::string_view name) {
        for (size_t at = list.find(name); at != list.npos; at = list.find(name, at + 1)) {
            const size_t end = at + name.size();
            if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ',')) {
                return true;
            }
        }
        return false;
    };
    std::string updates;
    for_each_column<Row>([&](const auto& column) {
        if (!lists(key, column.name) && !lists(kept, column.name)) {
            const std::string name(column.name);
            updates += (updates.empty() ? "" : ", ") + name + " = excluded." + name;
        }
    });
    return " ON CONFLICT (" + std::string(key) + ") DO UPDATE SET " + updates;
}

// An insert of one kind of row, prepared once. Rows of tables with a batch arrive in the database when one is full, and
// with `flush`. The texts of a row must stay until then.
template <class Row>
class Insert {
public:
    // `verb`: "INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"; `behind`: what stands behind the values.
    explicit Insert(Database& database, std::string_view verb = "INSERT", std::string_view behind = {})
        : one_(database, insert_statement<Row>(verb) + std::string(behind)) {
        if constexpr (batch > 1) {
            many_.emplace(database, insert_statement<Row>(verb, batch) + std::string(behind));
        }
    }

    void operator()(const Row& row) {
        ++count_;
        if constexpr (batch == 1) {
            bind(row).run();
        } else {
            waiting_[size_++] = row;
            if (size_ == batch) {
                run_many();
                size_ = 0;
            }
        }
    }
    // At once, and the id that the row has got.
    int64_t id_of(const Row& row) {
        ++count_;
        return bind(row).insert();
    }
    void flush() {
        for (size_t i = 0; i < size_; ++i) {
            bind(waiting_[i]).run();
        }
        size_ = 0;
    }
    // Rows handed over, also those that the database had already.
    int64_t count() const { return count_; }

private:
    static constexpr size_t batch = TableOf<Row>::batch;

    Statement& bind(const Row& row) {
        return std::apply([&](const auto&... values) -> Statement& { return one_.viewing(values...); }, values_of(row));
    }
    void run_many() {
        many_->begin();
        for (const Row& row : waiting_) {
            std::apply([&](const auto&... values) { many_->add(values...); }, values_of(row));
        }
        many_->run();
    }
    static auto values_of(const Row& row) {
        return std::apply([&](const auto&... column) { return std::tie(row.*column.member...); },
                          TableOf<Row>::columns);
    }

    Statement one_;
    std::optional<Statement> many_;
    std::array<Row, batch == 1 ? 0 : batch> waiting_{};
    size_t size_ = 0;
    int64_t count_ = 0;
};

// Reads rows, each column into its member. `rest` stands behind the columns: "FROM ..." for rows of joins; of a table
// its name is known, and `rest` is what stands behind that: "WHERE id = ?".
template <class Row>
class Select {
public:
    explicit Select(Database& database, std::string_view rest = {}) : statement_(database, text(rest)) {}

    template <class... Args>
    Select& with(const Args&... args) {
        statement_.with(args...);
        return *this;
    }
    // False: there are no more. Texts that the row only views are valid until the next call.
    bool next(Row& row) {
        if (!statement_.step()) {
            return false;
        }
        int at = 0;
        for_each_column<Row>([&](const auto& column) { statement_.get(at++, row.*column.member); });
        return true;
    }
    std::optional<Row> one() {
        Row row{};
        const bool found = next(row);
        statement_.reset();
        return found ? std::optional(std::move(row)) : std::nullopt;
    }
    std::vector<Row> all() {
        std::vector<Row> rows;
        for (Row row{}; next(row); row = Row{}) {
            rows.push_back(std::move(row));
        }
        return rows;
    }

private:
    static std::string text(std::string_view rest) {
        std::string sql = "SELECT " + column_names<Row>() + " ";
        if constexpr (requires { TableOf<Row>::name; }) {
            sql += "FROM " + std::string(TableOf<Row>::name) + " ";
        }
        return sql + std::string(rest);
    }

    Statement statement_;
};

}  // namespace tracelift
