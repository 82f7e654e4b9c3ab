// The texts that stand for single values in format 1: numbers, number lists, enumerators, absent optionals, types that
// were not captured. They mean the same as a whole argument and inside an object.
#pragma once

#include <string>
#include <string_view>

#include "tracelift/value/not_captured.hpp"
#include "tracelift/value/value.hpp"

namespace tracelift {

// null for an absent optional; a text that is nothing else, or stands in its own double quotes, is a string.
Value read_text(std::string_view text);

// A C++ identifier, as types and enumerators have it.
bool is_name(std::string_view text);

// A string such that read_text gives it back: in double quotes where it would read as something else.
std::string text_of_string(const std::string& value);

// A list of finite numbers and of such lists, not too deep for read_text.
bool is_number_list(const Value& value);
// Its text, e.g. "[[0, 0], [0, 13]]"; flags as 0 and 1.
std::string text_of_number_list(const Value::List& list);

}  // namespace tracelift
