// Tables are declared once: a row struct, and a Table<Row> that lists its columns with their meaning. DDL, inserting
// and documentation follow from that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "tracelift/store/sqlite.hpp"

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

// An insert of one kind of row, prepared once.
template <class Row>
class Insert {
public:
    // `verb`: "INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE".
    explicit Insert(Database& database, std::string_view verb = "INSERT") : statement_(database, text(verb)) {}

    void operator()(const Row& row) {
        std::apply([&](const auto&... column) { statement_.viewing(row.*column.member...).run(); },
                   Table<Row>::columns);
        ++count_;
    }
    // Rows handed over, also those that the database had already.
    int64_t count() const { return count_; }

private:
    static std::string text(std::string_view verb) {
        std::string places;
        for_each_column<Row>([&](const auto&) { places += places.empty() ? "?" : ", ?"; });
        return std::string(verb) + " INTO " + std::string(Table<Row>::name) + " VALUES (" + places + ")";
    }

    Statement statement_;
    int64_t count_ = 0;
};

}  // namespace tracelift::report
