// Questions to a store in SQL.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tracelift/base/utf8.hpp"
#include "tracelift/catalog/sqlite/store.hpp"
#include "tracelift/catalog/value_path.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
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

class SqlAnswer : public Answer {
public:
    SqlAnswer(Database& database, const std::string& question) : rows_(database, question) {
        if (!rows_.is_question()) {
            throw BadQuestion("expected one query such as 'SELECT * FROM operations'; the store cannot be changed");
        }
        for (int i = 0; i < rows_.columns(); ++i) {
            columns_.push_back(rows_.name(i));
        }
    }

    const std::vector<std::string>& columns() const override { return columns_; }
    bool next(std::vector<Cell>& row) override {
        row.clear();
        if (!rows_.step()) {
            return false;
        }
        for (int i = 0; i < rows_.columns(); ++i) {
            row.push_back(cell(i));
        }
        return true;
    }

private:
    // Bytes become the values they stand for, else hexadecimal as SQL writes it: a terminal would obey them, and JSON
    // cannot hold them.
    Cell cell(int column) const {
        if (rows_.kind(column) != SQLITE_BLOB && rows_.kind(column) != SQLITE_TEXT) {
            return {rows_.json(column)};
        }
        const std::string_view bytes = rows_.text(column);
        const bool text = rows_.kind(column) == SQLITE_TEXT && is_utf8(bytes) && bytes.find('\0') == bytes.npos;
        return {text ? std::string(bytes) : hex(bytes), decoded(bytes)};
    }

    Statement rows_;
    std::vector<std::string> columns_;
};

}  // namespace

std::unique_ptr<Answer> Store::ask(const std::string& question) {
    sqlite3_exec(database_.handle(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    sqlite3_create_function(database_.handle(), "arg", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, argument_at,
                            nullptr, nullptr);
    return std::make_unique<SqlAnswer>(database_, with_dotted_names(question));
}

}  // namespace tracelift
