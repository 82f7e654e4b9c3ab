#include "tracelift/base/json_text.hpp"

#include <cstring>

namespace tracelift {

namespace {

constexpr uint64_t ones = 0x0101010101010101;
constexpr uint64_t high_bits = 0x8080808080808080;

// Non-zero if a byte of `word` is below `limit`; exact as an answer for the whole word.
constexpr uint64_t any_below(uint64_t word, uint64_t limit) { return (word - ones * limit) & ~word & high_bits; }

// Whether eight characters can stand in JSON as they are: ASCII without control characters, '"' and '\\'.
constexpr bool all_plain(uint64_t word) {
    return ((word & high_bits) | any_below(word, 0x20) | any_below(word ^ (ones * '"'), 1) |
            any_below(word ^ (ones * '\\'), 1)) == 0;
}

constexpr bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
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
    constexpr char hex[] = "0123456789abcdef";
    out += "\\u00";
    out += hex[c >> 4];
    out += hex[c & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (true) {
        const size_t plain = plain_length(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) {
            break;
        }
        size_t taken = 1;
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            append_control_character(out, text.front());
        } else if (const size_t length = wide_character_length(text); length > 0) {
            out.append(text.substr(0, length));
            taken = length;
        } else {
            out += "\xEF\xBF\xBD";
        }
        text.remove_prefix(taken);
    }
    out += '"';
}

}  // namespace tracelift
