// The time as masters write it.
#pragma once

#include <ctime>
#include <string>

namespace tracelift {

// "2025-10-16 04:22:52"
inline std::string local_time(std::time_t when = std::time(nullptr)) {
    std::tm parts{};
    localtime_r(&when, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts)};
}

}  // namespace tracelift
