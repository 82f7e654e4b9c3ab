#include "tracelift/report/element.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/base/python_json.hpp"

namespace tracelift::report {
namespace {

using simdjson::dom::element_type;

void write_python(JsonText& json, const Element& element) {
    switch (element.type()) {
        case element_type::ARRAY:
            json.begin_array();
            for (const Element item : items(element)) {
                write_python(json, item);
            }
            json.end_array();
            break;
        case element_type::OBJECT:
            json.begin_object();
            for (const auto field : fields(element)) {
                json.key(field.key);
                write_python(json, field.value);
            }
            json.end_object();
            break;
        case element_type::STRING: json.text(*as_text(element)); break;
        case element_type::INT64: json.number(element.get_int64().value_unsafe()); break;
        case element_type::UINT64: json.number(element.get_uint64().value_unsafe()); break;
        case element_type::DOUBLE: json.raw(python_float(element.get_double().value_unsafe())); break;
        case element_type::BOOL: json.raw(element.get_bool().value_unsafe() ? "true" : "false"); break;
        case element_type::NULL_VALUE: json.raw("null"); break;
    }
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
    append_json_string(out, text, JsonCharacters::ASCII);
}

void append_python_json(std::string& out, const Element& element) {
    JsonText json(JsonForm::PYTHON);
    json.buffer().swap(out);
    write_python(json, element);
    json.buffer().swap(out);
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
