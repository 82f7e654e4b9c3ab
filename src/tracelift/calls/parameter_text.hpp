// The text of a parameter file: one call with all its arguments, in the form that TT-NN documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracelift/calls/traced_call.hpp"

namespace tracelift {

std::string parameter_text(const TracedCall& call, uint64_t number, std::string_view timestamp);

// One value as such a file shows it; `board` stands in what is said about devices.
std::string parameter_value_text(const Value& value, const std::string& board);

// "20260115_104616_345678": local time with microseconds.
std::string parameter_timestamp(int64_t microseconds_since_1970);

}  // namespace tracelift
