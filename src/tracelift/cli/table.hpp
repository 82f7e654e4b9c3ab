// Rows for people: texts that a terminal can show, in columns.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/json.hpp"

namespace tracelift::cli {

inline constexpr size_t widest_cell = 60;

// One line, without characters that a terminal would obey.
std::string printable(std::string_view text, size_t longest = widest_cell);

std::string cell(const Json& value, size_t longest = widest_cell);

struct Column {
    std::string key;
    std::string title;
    size_t longest = widest_cell;
};

// Numbers to the right, texts to the left, each column as wide as it needs. `rows` is a list of objects.
void print_table(std::FILE* out, const Json& rows, const std::vector<Column>& columns);

}  // namespace tracelift::cli
