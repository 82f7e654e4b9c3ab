#include "tracelift/report/core_ranges.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace tracelift::report {
namespace {

constexpr uint32_t most = 256;  // rows and columns of cores that any device may have

std::optional<uint32_t> coordinate(std::string_view& text, std::string_view before) {
    if (!text.starts_with(before)) {
        return std::nullopt;
    }
    text.remove_prefix(before.size());
    uint32_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || value >= most) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
    return value;
}

}  // namespace

void CoreSet::add(std::string_view text) {
    constexpr std::array<std::string_view, 4> before = {"(x=", ",y=", ") - (x=", ",y="};
    for (size_t at = text.find(before[0]); at != std::string_view::npos; at = text.find(before[0], at + 1)) {
        std::string_view rest = text.substr(at);
        std::array<uint32_t, 4> values{};
        bool good = true;
        for (size_t i = 0; i < values.size() && good; ++i) {
            const auto value = coordinate(rest, before[i]);
            good = value.has_value();
            values[i] = value.value_or(0);
        }
        for (uint32_t x = values[0]; good && x <= values[2]; ++x) {
            for (uint32_t y = values[1]; y <= values[3]; ++y) {
                cores_.insert(x * most + y);
            }
        }
    }
}

}  // namespace tracelift::report
