// The time as files write it.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

#include <fmt/format.h>

namespace tracelift {

// "2025-10-16 04:22:52", as in masters.
inline std::string local_time(std::time_t when = std::time(nullptr)) {
    std::tm parts{};
    localtime_r(&when, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts)};
}

// "2026-01-15T10:46:16Z", as in files of traced calls.
inline std::string utc_text(std::time_t when = std::time(nullptr)) {
    std::tm parts{};
    gmtime_r(&when, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// "2026-01-15T10:46:16.123Z", as results of sweeps write it.
inline std::string utc_instant(std::chrono::system_clock::time_point when = std::chrono::system_clock::now()) {
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
    std::string text = utc_text(static_cast<std::time_t>(milliseconds / 1000));
    text.insert(text.size() - 1, fmt::format(".{:03}", milliseconds % 1000));
    return text;
}

}  // namespace tracelift
