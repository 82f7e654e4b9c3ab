// Tables are declared once: a row struct, and a Table<Row> that lists its columns with their meaning. DDL, inserting
// and documentation follow from that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tracelift/base/sqlite.hpp"

namespace tracelift::report {

// Whose rows an import makes: R of this project (docs/visualizer.md), or S of the importer of the first reports.
enum class Rules : uint8_t { R, S };

template <class Row, class T>
struct Column {
    std::string_view name;
    T Row::*member;
    std::string_view meaning;
    std::string_view type = {};  // where it does not follow from T
};
template <class Row, class T, class... Rest>
Column(std::string_view, T Row::*, Rest...) -> Column<Row, T>;

// Specialised per row: name, meaning, columns, and where wanted `unique` and `only_r`.
template <class Row>
struct Table;

// What most tables have; a specialisation hides what differs.
struct TableDefaults {
    static constexpr std::string_view unique = {};  // columns of the UNIQUE constraint
    static constexpr bool only_r = false;           // not made under rules S
    static constexpr size_t batch = 1;              // rows per statement, for tables of numbers with many rows
};

template <class T>
constexpr std::string_view sql_type() {
    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, std::optional<int64_t>>) {
        return "int";
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
        return "float";
    } else {
        static_assert(std::is_same_v<T, std::string_view> || std::is_same_v<T, std::optional<std::string_view>>);
        return "text";
    }
}

template <class Row, class T>
std::string column_type(const Column<Row, T>& column) {
    if (!column.type.empty()) {
        return std::string(column.type);
    }
    const bool is_rank = column.name == "rank";
    return std::string(sql_type<T>()) + (is_rank ? " NOT NULL DEFAULT 0" : "");
}

// Calls `visit(column)` for every column in order.
template <class Row, class Visit>
void for_each_column(Visit&& visit) {
    std::apply([&](const auto&... column) { (visit(column), ...); }, Table<Row>::columns);
}

template <class Row>
std::string create_statement() {
    std::string columns;
    for_each_column<Row>([&](const auto& column) {
        columns += (columns.empty() ? "" : ", ") + std::string(column.name) + " " + column_type(column);
    });
    if (!Table<Row>::unique.empty()) {
        columns += ", UNIQUE (" + std::string(Table<Row>::unique) + ")";
    }
    return "CREATE TABLE IF NOT EXISTS " + std::string(Table<Row>::name) + " (" + columns + ")";
}

// An insert of one kind of row, prepared once. Rows of tables with a batch arrive in the database when one is full, and
// with `flush`.
template <class Row>
class Insert {
public:
    // `verb`: "INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE".
    explicit Insert(Database& database, std::string_view verb = "INSERT")
        : one_(database, text(verb, 1)), many_(database, text(verb, batch)) {}

    void operator()(const Row& row) {
        ++count_;
        if constexpr (batch == 1) {
            run_one(row);
        } else {
            waiting_[size_++] = row;
            if (size_ == batch) {
                run_many();
                size_ = 0;
            }
        }
    }
    void flush() {
        for (size_t i = 0; i < size_; ++i) {
            run_one(waiting_[i]);
        }
        size_ = 0;
    }
    // Rows handed over, also those that the database had already.
    int64_t count() const { return count_; }

private:
    static constexpr size_t batch = Table<Row>::batch;

    void run_one(const Row& row) {
        std::apply([&](const auto&... values) { one_.viewing(values...).run(); }, values_of(row));
    }
    void run_many() {
        many_.begin();
        for (const Row& row : waiting_) {
            std::apply([&](const auto&... values) { many_.add(values...); }, values_of(row));
        }
        many_.run();
    }
    static auto values_of(const Row& row) {
        return std::apply([&](const auto&... column) { return std::tie(row.*column.member...); }, Table<Row>::columns);
    }
    static std::string text(std::string_view verb, size_t rows) {
        std::string places;
        for_each_column<Row>([&](const auto&) { places += places.empty() ? "(?" : ", ?"; });
        std::string all = places + ")";
        for (size_t i = 1; i < rows; ++i) {
            all += ", " + places + ")";
        }
        return std::string(verb) + " INTO " + std::string(Table<Row>::name) + " VALUES " + all;
    }

    Statement one_;
    Statement many_;
    std::array<Row, batch> waiting_{};
    size_t size_ = 0;
    int64_t count_ = 0;
};

}  // namespace tracelift::report
