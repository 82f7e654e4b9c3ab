#include "tracelift/cli/table.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace tracelift::cli {

std::string printable(std::string_view text, size_t longest) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<uint8_t>(c);
        out += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
        if (out.size() > longest) {
            while (!out.empty() && (static_cast<uint8_t>(out.back()) & 0xC0U) == 0x80U) {
                out.pop_back();  // not in the middle of a character
            }
            out.back() = '~';
            break;
        }
    }
    return out;
}

std::string cell(const Json& value, size_t longest) {
    if (value.is_null()) {
        return "-";
    }
    if (value.is_number_float()) {
        return fmt::format("{:.6f}", value.get<double>());
    }
    return value.is_string() ? printable(value.get<std::string>(), longest) : value.dump();
}

void print_table(std::FILE* out, const Json& rows, const std::vector<Column>& columns) {
    std::vector<std::vector<std::string>> lines(1);
    for (const Column& column : columns) {
        lines[0].push_back(column.title);
    }
    for (const Json& row : rows) {
        auto& line = lines.emplace_back();
        for (const Column& column : columns) {
            line.push_back(row.contains(column.key) ? cell(row[column.key], column.longest) : "");
        }
    }
    for (const auto& line : lines) {
        std::string text;
        for (size_t i = 0; i < columns.size(); ++i) {
            size_t width = 0;
            for (const auto& each : lines) {
                width = std::max(width, each[i].size());
            }
            const bool left = !rows.empty() && rows[0].contains(columns[i].key) && rows[0][columns[i].key].is_string();
            text += left ? fmt::format("{:<{}}  ", line[i], width) : fmt::format("{:>{}}  ", line[i], width);
        }
        fmt::print(out, "{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
    }
}

}  // namespace tracelift::cli
