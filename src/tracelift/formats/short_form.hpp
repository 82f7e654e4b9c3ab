// What our own and the original's way to print arguments have in common: a few parts are shown, more are counted.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tracelift/value/value.hpp"

namespace tracelift::short_form {

inline constexpr size_t most_parts = 3;  // of a list or dict that is shown part by part
inline constexpr int deepest = 2;        // levels of such lists and dicts

// `text_at(value, depth)` is the text of a part.
template <class TextAt>
std::string of_dict(const Value::Dict& dict, int depth, const TextAt& text_at) {
    if (dict.size() > most_parts) {
        return fmt::format("Dict({} keys)", dict.size());
    }
    if (depth > deepest) {
        return "...";
    }
    std::string text;
    for (const auto& entry : dict) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, text_at(entry.value, depth + 1));
    }
    return "{" + text + "}";
}

template <class TextAt>
std::string of_list(const Value::List& list, int depth, const TextAt& text_at) {
    if (list.size() > most_parts) {
        return fmt::format("List({} items)", list.size());
    }
    if (depth > deepest) {
        return "...";
    }
    std::string text;
    for (const Value& item : list) {
        text += (text.empty() ? "" : ", ") + text_at(item, depth + 1);
    }
    return "[" + text + "]";
}

// An argument that could not be read; the start of the reason is enough to recognise it.
inline std::string of_unread(std::string_view reason) {
    return fmt::format("UnparsedElement(error: {}...)", reason.substr(0, 50));
}

}  // namespace tracelift::short_form
