#include "tracelift/base/utf8.hpp"

#include <cstdint>

#include <fmt/format.h>
#include <simdjson.h>

namespace tracelift {

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string utf8_text(std::string_view text) {
    if (is_utf8(text)) {
        return std::string(text);
    }
    std::string result;
    while (!text.empty()) {
        const auto lead = static_cast<uint8_t>(text[0]);
        const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        const std::string_view character = text.substr(0, length);
        if (is_utf8(character)) {
            result += character;
            text.remove_prefix(character.size());
        } else {
            result += fmt::format("\\x{:02x}", lead);
            text.remove_prefix(1);
        }
    }
    return result;
}

}  // namespace tracelift
