#include "ttnn/graph/svg_text.hpp"

#include <cstdint>

namespace ttnn::graph::svg {
namespace {

constexpr std::string_view replacement = "\uFFFD";
constexpr std::string_view ellipsis = "\u2026";

struct Character {
    char32_t code;  // 0: the bytes are not UTF-8
    size_t bytes;
};

size_t sequence_length(uint8_t first) {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first < 0xE0) {
        return 2;
    }
    if (first >= 0xE0 && first < 0xF0) {
        return 3;
    }
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// Needs a text that is not empty. A byte that begins nothing valid stands alone.
Character first_character(std::string_view text) {
    const auto first = static_cast<uint8_t>(text[0]);
    const size_t length = sequence_length(first);
    if (length == 1) {
        return {first, 1};
    }
    if (length == 0 || length > text.size()) {
        return {0, 1};
    }
    char32_t code = first & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<uint8_t>(text[i]);
        if ((byte & 0xC0u) != 0x80u) {
            return {0, 1};
        }
        code = code << 6 | (byte & 0x3Fu);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return overlong || surrogate || code > 0x10FFFF ? Character{0, 1} : Character{code, length};
}

bool is_space(char32_t code) { return code == '\t' || code == '\n' || code == '\r'; }

bool is_printable(char32_t code) {
    const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    return !control && code != 0xFFFE && code != 0xFFFF;
}

// Every wide script begins beyond; a narrow character counted as wide only shortens a text a little earlier.
size_t columns_of(char32_t code) { return code >= 0x1100 ? 2 : 1; }

void append_character(std::string& out, Character character, std::string_view bytes) {
    switch (character.code) {
        case '&': out += "&amp;"; return;
        case '<': out += "&lt;"; return;
        case '>': out += "&gt;"; return;
        case '"': out += "&quot;"; return;
        case '\'': out += "&#39;"; return;
        default: out += is_printable(character.code) ? bytes : replacement;
    }
}

void append(std::string& out, std::string_view text, char line_end) {
    while (!text.empty()) {
        const Character character = first_character(text);
        if (is_space(character.code)) {
            out += character.code == '\n' ? line_end : ' ';
        } else {
            append_character(out, character, text.substr(0, character.bytes));
        }
        text.remove_prefix(character.bytes);
    }
}

}  // namespace

void append_xml(std::string& out, std::string_view text) { append(out, text, '\n'); }

void append_xml_line(std::string& out, std::string_view text, size_t columns) {
    size_t used = 0;
    size_t cut = 0;  // bytes that leave one column for the ellipsis
    for (size_t at = 0; at < text.size();) {
        const Character character = first_character(text.substr(at));
        used += columns_of(character.code);
        if (used > columns) {
            append(out, text.substr(0, cut), ' ');
            out += ellipsis;
            return;
        }
        at += character.bytes;
        if (used < columns) {
            cut = at;
        }
    }
    append(out, text, ' ');
}

}  // namespace ttnn::graph::svg
