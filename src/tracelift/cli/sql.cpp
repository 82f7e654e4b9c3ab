// `tracelift sql`: questions to the store in SQL, read-only.
#include <algorithm>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tracelift/cli/command.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/cli/pager.hpp"
#include "tracelift/store/store.hpp"
#include "tracelift/store/value_path.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/json.hpp"

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

void print_json(Statement& question, std::FILE* out) {
    bool first = true;
    fmt::print(out, "[");
    while (question.step()) {
        Json row = Json::object();
        for (int i = 0; i < question.columns(); ++i) {
            row[question.name(i)] = question.json(i);
        }
        fmt::print(out, "{}\n  {}", first ? "" : ",", row.dump(-1, ' ', false, Json::error_handler_t::replace));
        first = false;
    }
    fmt::print(out, "{}]\n", first ? "" : "\n");
}

std::string text_of(const Statement& row, int column) {
    const Json value = row.json(column);
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

int run_sql(std::span<const std::string> arguments) {
    const Options options(arguments, {"--json"}, {"--dir"});
    Store store = Store::open_for_reading(store_directory(options.value("--dir")));
    sqlite3* database = store.database().handle();
    sqlite3_exec(database, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    sqlite3_create_function(database, "arg", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, argument_at, nullptr,
                            nullptr);
    Statement question(store.database(), options.only("question in SQL"));
    if (!question.is_question()) {
        throw UsageError{"expected one question such as 'SELECT * FROM operations'; nothing that changes the store"};
    }
    const Pager pager;
    options.has("--json") ? print_json(question, pager.out()) : print_table(question, pager.out());
    return 0;
}

}  // namespace

const Command sql_command{"sql", "'SELECT ...' [--dir DIR] [--json]",
                          "ask the store in SQL; views: operations, configurations, executions, models, runs, results",
                          run_sql};

}  // namespace tracelift::cli
