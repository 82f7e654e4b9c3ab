// A moment as results write it.
#pragma once

#include <chrono>
#include <string>

#include <fmt/format.h>

#include "tracelift/base/clock.hpp"

namespace tracelift {

// "2026-01-15T10:46:16.123Z"
inline std::string utc_instant(std::chrono::system_clock::time_point when = std::chrono::system_clock::now()) {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
    std::string text = utc_text(static_cast<std::time_t>(milliseconds / 1000));
    text.insert(text.size() - 1, fmt::format(".{:03}", milliseconds % 1000));
    return text;
}

}  // namespace tracelift
