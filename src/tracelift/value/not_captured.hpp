// Values that a capture did not write down: what is left of them is Value::Unparsed with one of these reasons.
#pragma once

#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift {

inline constexpr std::string_view unsupported_type = "unsupported type";
inline constexpr std::string_view not_captured = "contents not captured";

inline bool was_not_captured(const Value& value) {
    const auto* unparsed = value.as<Value::Unparsed>();
    return unparsed != nullptr && (unparsed->reason == unsupported_type || unparsed->reason == not_captured);
}

}  // namespace tracelift
