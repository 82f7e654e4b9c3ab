#include "case_file.hpp"

#include <fstream>
#include <stdexcept>

#include <sqlite3.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/base/sqlite.hpp"

namespace tracelift::report::testing {
namespace {

class Reader {
public:
    explicit Reader(const std::filesystem::path& path) : name_(path.filename().string()), file_(path) {
        if (!file_) {
            fail("cannot be read");
        }
    }

    Case read() {
        std::string line;
        while (std::getline(file_, line)) {
            if (!line.empty()) {
                entry(line);
            }
        }
        return std::move(result_);
    }

private:
    static std::string rest(const std::string& line, std::string_view word) { return line.substr(word.size()); }

    void entry(const std::string& line) {
        if (line.starts_with("case ")) {
            result_.title = rest(line, "case ");
        } else if (line.starts_with("file ")) {
            std::string text;
            for (const std::string& each : block()) {
                text += each + "\n";
            }
            result_.files.emplace_back(rest(line, "file "), text);
        } else if (line == "import folder") {
            result_.whole_folder = true;
        } else if (line == "import twice") {
            result_.twice = true;
        } else if (line == "rows") {
            expected_n_ = nullptr;
        } else if (line.starts_with("s ")) {
            result_.rows['s'].push_back(expectation(rest(line, "s ")));
        } else if (line.starts_with("n ")) {
            auto& rows = result_.rows['r'];
            rows.push_back(expectation(rest(line, "n ")));
            expected_n_ = &rows.back();
        } else if (line.starts_with("r ") && expected_n_ != nullptr) {
            *expected_n_ = expectation(rest(line, "r "));
            needs_reason_ = true;
        } else if (line.starts_with("why ") && needs_reason_) {
            needs_reason_ = false;
        } else if (line.starts_with("console ")) {
            // "console s 0"; 'r' replaces 'n'
            const char era = line[8] == 'n' ? 'r' : line[8];
            result_.consoles[era] = {line[10] - '0', block()};
        } else {
            fail("unknown line: " + line);
        }
    }

    std::vector<std::string> block() {
        std::vector<std::string> lines;
        std::string line;
        while (std::getline(file_, line)) {
            if (line == "end") {
                return lines;
            }
            lines.push_back(line);
        }
        fail("a block without end");
    }

    Expectation expectation(const std::string& text) {
        const size_t open = text.find('(');
        const size_t equals = text.find(") = ");
        if (open == text.npos || equals == text.npos) {
            fail("no table(columns) = rows: " + text);
        }
        return {text.substr(0, open), text.substr(open + 1, equals - open - 1), text.substr(equals + 4)};
    }

    [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(name_ + ": " + what); }

    std::string name_;
    std::ifstream file_;
    Case result_;
    Expectation* expected_n_ = nullptr;
    bool needs_reason_ = false;
};

std::string python_text(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\n' ? "\\n" : c == '\'' ? "\\'" : c == '\\' ? "\\\\" : std::string(1, c);
    }
    return out + "'";
}

std::string value_of(sqlite3_stmt* row, int column) {
    switch (sqlite3_column_type(row, column)) {
        case SQLITE_NULL: return "NULL";
        case SQLITE_INTEGER: return std::to_string(sqlite3_column_int64(row, column));
        case SQLITE_FLOAT: return python_float(sqlite3_column_double(row, column));
        default: {
            const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
            return python_text({bytes, static_cast<size_t>(sqlite3_column_bytes(row, column))});
        }
    }
}

}  // namespace

Case read_case(const std::filesystem::path& path) { return Reader(path).read(); }

std::string rows_of(const std::filesystem::path& path, const std::string& table, const std::string& columns) {
    Database database(path, Database::Mode::READ);
    if (database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = '" + table + "'") == 0) {
        return "(no such table)";
    }
    const bool is_view =
        database.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'view' AND name = '" + table + "'") != 0;
    std::string sql = "SELECT " + columns + " FROM " + table;
    if (table == "report_metadata") {
        sql += " WHERE key NOT LIKE 'git_%' AND key NOT LIKE 'tracelift_%'";  // which the specification leaves open
    }
    sql += is_view ? " ORDER BY operation_id, address" : " ORDER BY rowid";
    sqlite3_stmt* row = nullptr;
    if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &row, nullptr) != SQLITE_OK) {
        throw std::runtime_error(sql + ": " + sqlite3_errmsg(database.handle()));
    }
    std::string text;
    while (sqlite3_step(row) == SQLITE_ROW) {
        text += text.empty() ? "(" : " (";
        for (int i = 0; i < sqlite3_column_count(row); ++i) {
            text += (i == 0 ? "" : ", ") + value_of(row, i);
        }
        text += ")";
    }
    sqlite3_finalize(row);
    return text.empty() ? "(no rows)" : text;
}

}  // namespace tracelift::report::testing
