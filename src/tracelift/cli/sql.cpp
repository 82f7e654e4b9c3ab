// `tracelift sql`: questions to the store in SQL, read-only.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tracelift/base/utf8.hpp"
#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/store/value_path.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift::cli {
namespace {

// arg(arguments, 'input_tensor.dtype'): what stands at a path of a configuration's arguments.
void argument_at(sqlite3_context* context, int, sqlite3_value** values) {
    const auto text = [&](int index) {
        return std::string_view(static_cast<const char*>(sqlite3_value_blob(values[index])),
                                static_cast<size_t>(sqlite3_value_bytes(values[index])));
    };
    try {
        const Value arguments = ByteReader(text(0)).value();
        const Value* found = value_at(arguments, text(1));
        if (found == nullptr || found->is_null()) {
            sqlite3_result_null(context);
        } else if (const auto* number = found->as<int64_t>()) {
            sqlite3_result_int64(context, *number);
        } else if (const auto* real = found->as<double>()) {
            sqlite3_result_double(context, *real);
        } else {
            const std::string plain = plain_text(*found);
            sqlite3_result_text(context, plain.data(), static_cast<int>(plain.size()), SQLITE_TRANSIENT);
        }
    } catch (const std::exception& error) {
        sqlite3_result_error(context, error.what(), -1);
    }
}

// The arguments of a configuration, if these bytes are such.
std::optional<Value> decoded(std::string_view bytes) {
    try {
        ByteReader reader(bytes);
        Value value = reader.value();
        return reader.done() && value.as<Value::Dict>() != nullptr ? std::optional(std::move(value)) : std::nullopt;
    } catch (const BadBytes&) {
        return std::nullopt;
    }
}

std::string hex(std::string_view bytes) {
    std::string text = "X'";
    for (const char c : bytes) {
        text += fmt::format("{:02X}", static_cast<uint8_t>(c));
    }
    return text + "'";
}

// Bytes become the values they stand for, else hexadecimal as SQL writes it: a terminal would obey them, and JSON
// cannot hold them.
Json value_of(const Statement& row, int column, bool for_people) {
    if (row.kind(column) != SQLITE_BLOB && row.kind(column) != SQLITE_TEXT) {
        return row.json(column);
    }
    const std::string_view bytes = row.text(column);
    if (const auto value = decoded(bytes)) {
        return for_people ? Json(value->to_text()) : tracelift::to_json(*value);
    }
    const bool text = row.kind(column) == SQLITE_TEXT && is_utf8(bytes) && bytes.find('\0') == bytes.npos;
    return text ? std::string(bytes) : hex(bytes);
}

// Names of operations are dotted in the store; whoever writes 'ttnn::add' means the same.
std::string with_dotted_names(std::string question) {
    constexpr std::string_view begin = "'ttnn::";
    for (size_t at = question.find(begin); at != question.npos; at = question.find(begin, at + 1)) {
        const size_t end = std::min(question.find('\'', at + 1), question.size());
        std::string name = dotted_name(std::string_view(question).substr(at + 1, end - at - 1));
        question.replace(at + 1, end - at - 1, name);
    }
    return question;
}

void print_rows(Statement& question, std::FILE* out) {
    bool first = true;
    fmt::print(out, "[");
    while (question.step()) {
        Json row = Json::object();
        for (int i = 0; i < question.columns(); ++i) {
            row[question.name(i)] = value_of(question, i, false);
        }
        fmt::print(out, "{}\n  {}", first ? "" : ",", json_text(row));
        first = false;
    }
    fmt::print(out, "{}]\n", first ? "" : "\n");
}

std::string text_of(const Statement& row, int column) {
    const Json value = value_of(row, column, true);
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

// Columns as wide as the first thousand rows want them.
void print_table(Statement& question, std::FILE* out) {
    constexpr size_t looked_at = 1000;
    constexpr size_t widest = 80;
    std::vector<std::vector<std::string>> rows(1);
    std::vector<size_t> widths;
    for (int i = 0; i < question.columns(); ++i) {
        rows[0].push_back(question.name(i));
        widths.push_back(rows[0].back().size());
    }
    const auto print = [&](const std::vector<std::string>& row) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
        }
        fmt::print(out, "{}\n", line);
    };
    size_t count = 0;
    for (; question.step(); ++count) {
        std::vector<std::string> row;
        for (int i = 0; i < question.columns(); ++i) {
            row.push_back(text_of(question, i));
        }
        if (rows.empty()) {
            print(row);
            continue;
        }
        for (size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], std::min(widest, row[i].size()));
        }
        rows.push_back(std::move(row));
        if (rows.size() > looked_at) {
            std::ranges::for_each(rows, print);
            rows.clear();
        }
    }
    std::ranges::for_each(rows, print);
    fmt::print(out, "({} row{})\n", count, count == 1 ? "" : "s");
}

int run_sql(const Options& options) {
    OpenedStore store(options);
    sqlite3* database = store->database().handle();
    sqlite3_exec(database, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    sqlite3_create_function(database, "arg", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, argument_at, nullptr,
                            nullptr);
    Statement question(store->database(), with_dotted_names(options.positional().front()));
    if (!question.is_question()) {
        throw UsageError{"expected one query such as 'SELECT * FROM operations'; the store cannot be changed"};
    }
    const Pager pager;
    options.json() ? print_rows(question, pager.out()) : print_table(question, pager.out());
    return 0;
}

constexpr ArgumentInfo arguments[] = {
    {"QUESTION", "a SELECT; views: operations, configurations, executions, models, runs, results"}};
constexpr OptionInfo options[] = {dir_option, json_option};

}  // namespace

const Command sql_command{
    .name = "sql",
    .help = "query the store in SQL, read-only",
    .example = "tracelift sql \"SELECT operation, arg(arguments, 'input_tensor.shape') FROM configurations\"",
    .arguments = arguments,
    .options = options,
    .run = run_sql};

}  // namespace tracelift::cli
