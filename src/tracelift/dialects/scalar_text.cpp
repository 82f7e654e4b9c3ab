#include "tracelift/dialects/scalar_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift {
namespace {

constexpr int deepest_number_list = 8;

bool is_absent(std::string_view text) {
    return text == "nullopt" || text == "std::nullopt" || text == "<nullopt>" ||
           (text.starts_with("[ unsupported type ,") && text.find("std::nullopt_t") != std::string_view::npos);
}

template <class T>
std::optional<T> parsed(std::string_view text) {
    T value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

std::optional<Value> read_number(std::string_view text) {
    if (text == "inf" || text == "-inf") {
        return (text == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
    }
    if (text == "nan" || text == "-nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    static constexpr std::string_view numerals = "+-.0123456789eE";
    if (text.find_first_not_of(numerals) != text.npos) {
        return std::nullopt;
    }
    if (const auto number = parsed<int64_t>(text)) {
        return *number;
    }
    const bool integral = text.find_first_of(".eE") == std::string_view::npos;  // and too large for an int64
    if (const auto number = integral ? std::nullopt : parsed<double>(text)) {
        return *number;
    }
    return std::nullopt;
}

std::optional<Value> numbers_of(const Json& json) {
    if (json.is_number_float()) {
        return json.get<double>();
    }
    const bool too_large =
        json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
    if (json.is_number_integer() && !too_large) {
        return json.get<int64_t>();
    }
    if (!json.is_array()) {
        return std::nullopt;
    }
    Value::List list;
    for (const Json& item : json) {
        auto number = numbers_of(item);
        if (!number) {
            return std::nullopt;
        }
        list.push_back(std::move(*number));
    }
    return list;
}

int nesting(std::string_view text) {
    int deepest = 0;
    int depth = 0;
    for (char c : text) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        deepest = std::max(deepest, depth);
    }
    return deepest;
}

// Most lists are plain ints, which JSON reads the same way but not as fast. Nothing: it is not one of those.
std::optional<Value::List> plain_ints(std::string_view inside) {
    Value::List list;
    const char* at = inside.data();
    const char* const end = at + inside.size();
    while (at != end) {
        if (!list.empty() && *at++ != ',') {
            return std::nullopt;
        }
        while (at != end && *at == ' ') {
            ++at;
        }
        int64_t number = 0;
        const auto [stopped, problem] = std::from_chars(at, end, number);
        const char* const digits = at != end && *at == '-' ? at + 1 : at;
        if (problem != std::errc() || (*digits == '0' && stopped - digits > 1)) {
            return std::nullopt;
        }
        list.emplace_back(number);
        at = stopped;
    }
    return list;
}

// "[3, 3]", "[[0, 1], [2, 3]]", "{32, 32}".
std::optional<Value> read_number_list(std::string_view text) {
    const bool braced = text.starts_with('{') && text.ends_with('}');
    const bool listed = text.starts_with('[') && text.ends_with(']');
    if (!braced && !listed) {
        return std::nullopt;
    }
    const std::string_view inside = text.substr(1, text.size() - 2);
    if (auto ints = plain_ints(inside)) {
        return std::move(*ints);
    }
    if (text.find_first_not_of("[]{}+-.0123456789eE, ") != std::string_view::npos ||
        nesting(text) > deepest_number_list) {
        return std::nullopt;
    }
    const Json json = Json::parse(fmt::format("[{}]", inside), nullptr, /*allow_exceptions=*/false);
    return json.is_discarded() ? std::nullopt : numbers_of(json);
}

bool is_qualified_name(std::string_view text) {
    for (size_t mark = text.find("::"); mark != std::string_view::npos; mark = text.find("::")) {
        if (!is_name(text.substr(0, mark))) {
            return false;
        }
        text.remove_prefix(mark + 2);
    }
    return is_name(text);
}

// "DataType::BFLOAT16"; a type may be qualified itself.
std::optional<Value> read_enum(std::string_view text) {
    const size_t mark = text.rfind("::");
    if (mark == std::string_view::npos || !is_qualified_name(text)) {
        return std::nullopt;
    }
    return Value::Enum{std::string(text.substr(0, mark)), std::string(text.substr(mark + 2))};
}

std::optional<Value> read_uncaptured(std::string_view text) {
    if (text.starts_with("[ unsupported type ,")) {
        return Value::Unparsed{std::string(text), std::string(unsupported_type)};
    }
    if (text.starts_with("[{...}")) {
        return Value::Unparsed{std::string(text), std::string(not_captured)};
    }
    return std::nullopt;
}

bool is_number_list(const Value& value, int levels) {
    const auto* list = value.as<Value::List>();
    return list != nullptr && levels > 0 && std::ranges::all_of(*list, [levels](const Value& item) {
               const auto* number = item.as<double>();
               return item.as<int64_t>() != nullptr || item.as<bool>() != nullptr ||
                      (number != nullptr && std::isfinite(*number)) || is_number_list(item, levels - 1);
           });
}

}  // namespace

bool is_name(std::string_view text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    return !text.empty() && !is_digit(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c); });
}

Value read_text(std::string_view text) {
    if (is_absent(text)) {
        return {};
    }
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) {
        return text.substr(1, text.size() - 2);
    }
    for (auto* read : {read_number, read_number_list, read_uncaptured, read_enum}) {
        if (auto value = read(text)) {
            return std::move(*value);
        }
    }
    return text;
}

std::string text_of_string(const std::string& value) {
    return read_text(value) == Value(value) ? value : fmt::format("\"{}\"", value);
}

bool is_number_list(const Value& value) { return is_number_list(value, deepest_number_list); }

std::string text_of_number_list(const Value::List& list) {
    std::string text;
    for (const Value& item : list) {
        text += text.empty() ? "" : ", ";
        if (const auto* inner = item.as<Value::List>()) {
            text += text_of_number_list(*inner);
        } else if (const auto* number = item.as<double>()) {
            text += python_float(*number);
        } else if (const auto* flag = item.as<bool>()) {
            text += *flag ? "1" : "0";
        } else {
            text += std::to_string(*item.as<int64_t>());
        }
    }
    return "[" + text + "]";
}

}  // namespace tracelift
