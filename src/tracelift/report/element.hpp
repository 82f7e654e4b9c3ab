// Values of a parsed piece of a report. Liberal: what is missing or of another kind is nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace tracelift::report {

using Element = simdjson::dom::element;

std::optional<Element> member(const Element& object, std::string_view name);
std::optional<std::string_view> as_text(const Element& element);
// A number, a text of digits, or a boolean.
std::optional<int64_t> as_integer(const Element& element);
std::optional<double> as_number(const Element& element);

// Of an array, and of an object: the caller has asked what it is.
simdjson::dom::array items(const Element& array);
simdjson::dom::object fields(const Element& object);

// Appends the element as Python's json.dumps writes it.
void append_python_json(std::string& out, const Element& element);
void append_python_string(std::string& out, std::string_view text);
// A text itself, anything else as JSON.
std::string plain_text(const Element& element);

}  // namespace tracelift::report
