// A value on one line, in the short forms of the analyzer of masters: enough to recognise an argument, not to rebuild
// it (Value::to_text shows everything).
#pragma once

#include <optional>
#include <string>

#include "tracelift/value/value.hpp"

namespace tracelift {

// E.g. Tensor(shape=[1, 1, 32, 32], dtype=BFLOAT16, memory=L1_INTERLEAVED), Layout::TILE, "text", 3, Dict(11 keys).
std::string show_text(const Value& value);

// None for an argument that was not given.
std::string show_argument(const std::optional<Value>& argument);

}  // namespace tracelift
