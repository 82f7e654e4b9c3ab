// A case in plain text: reports, and the rows that rules S and N make of them. R makes those of N unless an `r` line
// says otherwise, with the reason behind `why`.
//
//   case C1 title            file report.json ... end            import folder | import twice
//   rows                     console s 0 ... end                 (exit status, lines)
//   s table(column, ...) = (1, 'text', NULL) (...)
//   n table(column, ...) = (no rows)
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tracelift::report::testing {

struct Expectation {
    std::string table;
    std::string columns;
    std::string rows;
};
struct Console {
    int status = 0;
    std::vector<std::string> lines;
};
struct Case {
    std::string title;
    std::vector<std::pair<std::string, std::string>> files;
    bool whole_folder = false;
    bool twice = false;
    std::map<char, std::vector<Expectation>> rows;  // by 's' and 'r'
    std::map<char, Console> consoles;
};

// Throws std::runtime_error for a file that is not in this form.
Case read_case(const std::filesystem::path& path);
// What `table` holds, in the notation of the cases; "(no such table)" where it is missing.
std::string rows_of(const std::filesystem::path& database, const std::string& table, const std::string& columns);

}  // namespace tracelift::report::testing
