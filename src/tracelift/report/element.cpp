#include "tracelift/report/element.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"

namespace tracelift::report {
namespace {

using simdjson::dom::element_type;

// Bytes that stand for themselves inside a JSON string of ASCII.
constexpr auto is_plain = [] {
    std::array<bool, 256> table = {};
    for (size_t c = 0x20; c < 0x7F; ++c) {
        table[c] = c != '"' && c != '\\';
    }
    table[0x7F] = true;
    return table;
}();

void append_escape(std::string& out, uint32_t unit) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit); }

// One character beyond ASCII of a text that is UTF-8; returns its bytes.
size_t append_wide(std::string& out, std::string_view text) {
    const auto first = static_cast<uint8_t>(text[0]);
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    uint32_t code = first & (0x7FU >> length);
    for (size_t i = 1; i < length && i < text.size(); ++i) {
        code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3FU);
    }
    if (code >= 0x10000) {
        append_escape(out, 0xD7C0 + (code >> 10));
        append_escape(out, 0xDC00 + (code & 0x3FF));
    } else {
        append_escape(out, code);
    }
    return length;
}

void append_integer(std::string& out, auto value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

}  // namespace

std::optional<Element> member(const Element& object, std::string_view name) {
    Element found;
    if (!object.is_object() || object[name].get(found) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    return found;
}

simdjson::dom::array items(const Element& array) {
    simdjson::dom::array result;
    [[maybe_unused]] const auto error = array.get(result);
    return result;
}

simdjson::dom::object fields(const Element& object) {
    simdjson::dom::object result;
    [[maybe_unused]] const auto error = object.get(result);
    return result;
}

std::optional<std::string_view> as_text(const Element& element) {
    std::string_view text;
    return element.get(text) == simdjson::SUCCESS ? std::optional(text) : std::nullopt;
}

std::optional<int64_t> as_integer(const Element& element) {
    int64_t number = 0;
    switch (element.type()) {
        case element_type::INT64: return element.get_int64().value_unsafe();
        case element_type::BOOL: return element.get_bool().value_unsafe() ? 1 : 0;
        case element_type::STRING: {
            const std::string_view text = *as_text(element);
            const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
            return whole ? std::optional(number) : std::nullopt;
        }
        default: return std::nullopt;
    }
}

std::optional<double> as_number(const Element& element) {
    double number = 0;
    return element.get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

void append_python_string(std::string& out, std::string_view text) {
    out += '"';
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && is_plain[static_cast<uint8_t>(text[end])]) {
            ++end;
        }
        out.append(text, at, end - at);
        at = end;
        if (at == text.size()) {
            break;
        }
        const char c = text[at];
        if (static_cast<uint8_t>(c) >= 0x80) {
            at += append_wide(out, text.substr(at));
            continue;
        }
        ++at;
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            default: append_escape(out, static_cast<uint8_t>(c)); break;
        }
    }
    out += '"';
}

void append_python_json(std::string& out, const Element& element) {
    switch (element.type()) {
        case element_type::ARRAY: {
            out += '[';
            bool first = true;
            for (const Element item : items(element)) {
                out += first ? "" : ", ";
                first = false;
                append_python_json(out, item);
            }
            out += ']';
            break;
        }
        case element_type::OBJECT: {
            out += '{';
            bool first = true;
            for (const auto field : fields(element)) {
                out += first ? "" : ", ";
                first = false;
                append_python_string(out, field.key);
                out += ": ";
                append_python_json(out, field.value);
            }
            out += '}';
            break;
        }
        case element_type::STRING: append_python_string(out, *as_text(element)); break;
        case element_type::INT64: append_integer(out, element.get_int64().value_unsafe()); break;
        case element_type::UINT64: append_integer(out, element.get_uint64().value_unsafe()); break;
        case element_type::DOUBLE: out += python_float(element.get_double().value_unsafe()); break;
        case element_type::BOOL: out += element.get_bool().value_unsafe() ? "true" : "false"; break;
        case element_type::NULL_VALUE: out += "null"; break;
    }
}

std::string plain_text(const Element& element) {
    if (const auto text = as_text(element)) {
        return std::string(*text);
    }
    std::string json;
    append_python_json(json, element);
    return json;
}

}  // namespace tracelift::report
