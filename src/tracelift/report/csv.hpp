// Comma-separated values as spreadsheets write them: cells with a comma, a quotation mark or a line end are quoted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tracelift::report {

using CsvRow = std::vector<std::string>;

void append_csv_row(std::string& out, const CsvRow& cells);

// Rows of a text one after the other.
class CsvReader {
public:
    // `name` is for errors. A byte order mark is skipped.
    CsvReader(std::string_view text, std::string name);

    // False at the end. Empty lines are skipped. Throws ReportError with the line for a quotation that does not end.
    bool read(CsvRow& cells);
    // Of the row that was read last, from 1.
    size_t line() const { return row_line_; }

private:
    std::string_view text_;
    std::string name_;
    size_t at_ = 0;
    size_t line_ = 1;
    size_t row_line_ = 1;
};

}  // namespace tracelift::report
