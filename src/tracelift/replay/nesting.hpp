// How deep a JSON text is nested: asked of texts from elsewhere before anything recursive reads them.
#pragma once

#include <cstddef>
#include <string_view>

namespace tracelift {

inline constexpr size_t deepest_record = 64;

// Brackets in strings do not count. Of a text that is not JSON: some number.
constexpr size_t nesting(std::string_view text) {
    size_t depth = 0;
    size_t deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            deepest = ++depth > deepest ? depth : deepest;
        } else if ((c == ']' || c == '}') && depth != 0) {
            --depth;
        }
    }
    return deepest;
}

}  // namespace tracelift
