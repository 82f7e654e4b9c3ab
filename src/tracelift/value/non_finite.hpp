// Numbers that JSON lacks, as texts: Python writes inf, -inf and nan, its JSON module Infinity, -Infinity and NaN.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace tracelift {

// The number that a text spells; nothing for any other text. Formats in which such a text stands for the number have to
// mark a text of that spelling.
inline std::optional<double> non_finite_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view size = text.substr(negative ? 1 : 0);
    if (size == "inf" || size == "Infinity") {
        return (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
    }
    if (!negative && (size == "nan" || size == "NaN")) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return std::nullopt;
}

}  // namespace tracelift
