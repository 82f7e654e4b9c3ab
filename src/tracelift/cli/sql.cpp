// `tracelift sql`: questions to the store in SQL, read-only.
#include <algorithm>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "tracelift/cli/commands.hpp"
#include "tracelift/cli/json_output.hpp"
#include "tracelift/cli/opened.hpp"
#include "tracelift/cli/pager.hpp"

namespace tracelift::cli {
namespace {

using Cells = std::vector<Answer::Cell>;

void print_rows(Answer& answer, std::FILE* out) {
    bool first = true;
    fmt::print(out, "[");
    for (Cells cells; answer.next(cells);) {
        Json row = Json::object();
        for (size_t i = 0; i < cells.size(); ++i) {
            row[answer.columns()[i]] = cells[i].value ? to_json(*cells[i].value) : std::move(cells[i].json);
        }
        fmt::print(out, "{}\n  {}", first ? "" : ",", json_text(row));
        first = false;
    }
    fmt::print(out, "{}]\n", first ? "" : "\n");
}

std::string text_of(const Answer::Cell& cell) {
    if (cell.value) {
        return cell.value->to_text();
    }
    return cell.json.is_null() ? "" : cell.json.is_string() ? cell.json.get<std::string>() : cell.json.dump();
}

// Columns as wide as the first thousand rows want them.
void print_table(Answer& answer, std::FILE* out) {
    constexpr size_t looked_at = 1000;
    constexpr size_t widest = 80;
    std::vector<std::vector<std::string>> rows{answer.columns()};
    std::vector<size_t> widths;
    for (const std::string& name : answer.columns()) {
        widths.push_back(name.size());
    }
    const auto print = [&](const std::vector<std::string>& row) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
        }
        fmt::print(out, "{}\n", line);
    };
    size_t count = 0;
    for (Cells cells; answer.next(cells); ++count) {
        std::vector<std::string> row;
        std::ranges::transform(cells, std::back_inserter(row), text_of);
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
    std::unique_ptr<Answer> answer;
    try {
        answer = store->ask(options.positional().front());
    } catch (const BadQuestion& error) {
        throw UsageError{error.what()};
    }
    const Pager pager;
    options.json() ? print_rows(*answer, pager.out()) : print_table(*answer, pager.out());
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
