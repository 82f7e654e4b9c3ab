// The present time as files of traced calls write it.
#pragma once

#include <ctime>
#include <string>

namespace tracelift {

// "2026-01-15T10:46:16Z".
inline std::string utc_text() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace tracelift
