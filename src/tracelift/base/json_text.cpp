#include "tracelift/base/json_text.hpp"

#include <cstring>

namespace tracelift {

namespace {

constexpr uint64_t ones = 0x0101010101010101;
constexpr uint64_t high_bits = 0x8080808080808080;

// Non-zero if a byte of `word` is below `limit`; exact as an answer for the whole word.
constexpr uint64_t any_below(uint64_t word, uint64_t limit) { return (word - ones * limit) & ~word & high_bits; }

constexpr uint64_t any_equal(uint64_t word, uint64_t byte) { return any_below(word ^ (ones * byte), 1); }
constexpr unsigned char rubout = 0x7F;  // stands for itself, but Python escapes it

// Whether eight characters can stand in JSON as they are: ASCII without control characters, '"' and '\\'.
constexpr bool all_plain(uint64_t word) {
    return ((word & high_bits) | any_below(word, 0x20) | any_equal(word, '"') | any_equal(word, '\\') |
            any_equal(word, rubout)) == 0;
}

constexpr bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < rubout && c != '"' && c != '\\';
}

size_t plain_length(std::string_view text) {
    size_t at = 0;
    for (uint64_t word = 0; at + sizeof(word) <= text.size(); at += sizeof(word)) {
        std::memcpy(&word, text.data() + at, sizeof(word));
        if (!all_plain(word)) {
            break;
        }
    }
    while (at < text.size() && is_plain(text[at])) {
        ++at;
    }
    return at;
}

// Bytes of the UTF-8 character above ASCII that `text` begins with; 0 if it is none (Unicode 15, table 3-7).
size_t wide_character_length(std::string_view text) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto between = [&](size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
    const auto follows = [&](size_t i) { return between(i, 0x80, 0xBF); };
    const unsigned lead = byte(0);
    if (lead >= 0xC2 && lead <= 0xDF) {
        return follows(1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool second = between(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
        return second && follows(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool second = between(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
        return second && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

// A UTF-16 unit.
void append_escape(std::string& out, uint32_t unit) {
    constexpr char hex[] = "0123456789abcdef";
    out += "\\u";
    for (const int shift : {12, 8, 4, 0}) {
        out += hex[(unit >> shift) & 15];
    }
}

// One character above ASCII, as escapes.
void append_wide_escape(std::string& out, std::string_view character) {
    uint32_t code = static_cast<unsigned char>(character[0]) & (0x7FU >> character.size());
    for (const char c : character.substr(1)) {
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    }
    if (code >= 0x10000) {
        append_escape(out, 0xD7C0 + (code >> 10));
        append_escape(out, 0xDC00 + (code & 0x3FF));
    } else {
        append_escape(out, code);
    }
}

void append_control_character(std::string& out, char c) {
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    append_escape(out, static_cast<unsigned char>(c));
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, JsonCharacters characters) {
    constexpr std::string_view unreadable = "\xEF\xBF\xBD";
    out += '"';
    while (true) {
        const size_t plain = plain_length(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) {
            break;
        }
        size_t taken = 1;
        const auto first = static_cast<unsigned char>(text.front());
        if (first == rubout && characters == JsonCharacters::ALL) {
            out += text.front();
        } else if (first < 0x80) {
            append_control_character(out, text.front());
        } else {
            const size_t length = wide_character_length(text);
            const std::string_view character = length > 0 ? text.substr(0, length) : unreadable;
            if (characters == JsonCharacters::ALL) {
                out += character;
            } else {
                append_wide_escape(out, character);
            }
            taken = length > 0 ? length : 1;
        }
        text.remove_prefix(taken);
    }
    out += '"';
}

std::string json_text(const Json& json, int indent, JsonCharacters characters) {
    return json.dump(indent, ' ', characters == JsonCharacters::ASCII, Json::error_handler_t::replace);
}

}  // namespace tracelift
