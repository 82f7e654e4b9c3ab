// JSON text exactly as Python's json.dumps(value, sort_keys=True) writes it: what masters of format 2 were hashed over.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace tracelift {

// Whole numbers beyond 64 bits, which Python keeps and nlohmann::json reads as floats: 1e+20, or all their digits.
enum class WideNumbers : uint8_t { AS_FLOATS, IN_FULL };

// Keys sorted by code point, ", " and ": " between parts, ASCII only; Infinity, -Infinity and NaN bare.
std::string python_json(const nlohmann::json& value, WideNumbers wide = WideNumbers::AS_FLOATS);

// Python's repr of a float: the shortest digits that read back as the same number, "1.0", "1e-05", "inf", "nan".
std::string python_float(double value);

}  // namespace tracelift
