// The time as files write it.
#pragma once

#include <ctime>
#include <string>

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

}  // namespace tracelift
