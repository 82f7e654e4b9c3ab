#include "tracelift/report/csv.hpp"

#include <fmt/format.h>

#include "tracelift/report/report_error.hpp"

namespace tracelift::report {

void append_csv_row(std::string& out, const CsvRow& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
        out += i == 0 ? "" : ",";
        if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
            out += cells[i];
            continue;
        }
        out += '"';
        for (const char c : cells[i]) {
            out += c;
            out += c == '"' ? "\"" : "";
        }
        out += '"';
    }
    out += '\n';
}

CsvReader::CsvReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    at_ = text.starts_with(mark) ? mark.size() : 0;
}

bool CsvReader::read(CsvRow& cells) {
    cells.clear();
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
        line_ += text_[at_++] == '\n' ? 1 : 0;
    }
    if (at_ == text_.size()) {
        return false;
    }
    row_line_ = line_;
    cells.emplace_back();
    bool quoted = false;
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        line_ += c == '\n' ? 1 : 0;
        if (quoted) {
            if (c != '"') {
                cells.back() += c;
            } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
                cells.back() += text_[at_++];
            } else {
                quoted = false;
            }
        } else if (c == '"' && cells.back().empty()) {
            quoted = true;
        } else if (c == ',') {
            cells.emplace_back();
        } else if (c == '\n') {
            ++at_;
            return true;
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    if (quoted) {
        throw ReportError(fmt::format("{}: line {}: a quoted cell does not end", name_, row_line_));
    }
    return true;
}

}  // namespace tracelift::report
