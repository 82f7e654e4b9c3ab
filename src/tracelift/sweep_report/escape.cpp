#include "tracelift/sweep_report/escape.hpp"

#include <initializer_list>

#include <fmt/format.h>

#include "tracelift/base/utf8.hpp"

namespace tracelift {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// At most `longest` bytes, never half a character.
std::string cut(std::string text, size_t longest) {
    if (text.size() <= longest) {
        return text;
    }
    size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    text.resize(end);
    return text + "…";
}

void replace_codes(std::string& text, std::initializer_list<std::string_view> codes, std::string_view by) {
    for (const std::string_view code : codes) {
        for (size_t at = text.find(code); at != text.npos; at = text.find(code, at + by.size())) {
            text.replace(at, code.size(), by);
        }
    }
}

}  // namespace

std::string one_line(std::string_view text, size_t longest) {
    std::string whole = utf8_text(text);
    replace_codes(whole, {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xc2\x85"}, " ");  // line ends of Unicode
    std::string line;
    for (const char c : whole) {
        const char shown = is_control(c) ? ' ' : c;
        if (shown != ' ' || (!line.empty() && line.back() != ' ')) {
            line += shown;
        }
    }
    return cut(std::move(line), longest);
}

std::string markup_text(std::string_view text) {
    std::string escaped;
    for (const char c : utf8_text(text)) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            case '\'': escaped += "&#39;"; break;
            case '\n': escaped += "&#10;"; break;  // attributes would lose a plain one
            case '\t': escaped += "&#9;"; break;
            case '\r': escaped += "&#13;"; break;
            default:
                if (is_control(c)) {
                    escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
                } else {
                    escaped += c;
                }
        }
    }
    // The two code points above that XML cannot hold either.
    replace_codes(escaped, {"\xef\xbf\xbe", "\xef\xbf\xbf"}, "\xef\xbf\xbd");
    return escaped;
}

std::string github_data(std::string_view text) {
    std::string escaped;
    for (const char c : utf8_text(text)) {
        switch (c) {
            case '%': escaped += "%25"; break;
            case '\r': escaped += "%0D"; break;
            case '\n': escaped += "%0A"; break;
            default: escaped += is_control(c) && c != '\t' ? ' ' : c;
        }
    }
    return escaped;
}

std::string github_property(std::string_view text) {
    std::string escaped;
    for (const char c : github_data(text)) {
        switch (c) {
            case ':': escaped += "%3A"; break;
            case ',': escaped += "%2C"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

std::string markdown_cell(std::string_view text, size_t longest) {
    std::string escaped;
    for (const char c : one_line(text, longest)) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '\\':
            case '`':
            case '*':
            case '_':
            case '[':
            case ']':
            case '#':
            case '!':
            case '~':
            case '@':
            case '|': escaped += fmt::format("&#{};", static_cast<int>(c)); break;
            default: escaped += c;
        }
    }
    return escaped;
}

std::string script_json(const Json& json) {
    std::string escaped;
    for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
        switch (c) {
            case '<': escaped += "\\u003c"; break;
            case '>': escaped += "\\u003e"; break;
            case '&': escaped += "\\u0026"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

}  // namespace tracelift
