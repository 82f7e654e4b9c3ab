// Values as C++ streams print them, e.g. in the nodes of graph captures: Name(member=value,...), {a, b}, Type::MEMBER.
#pragma once

#include <optional>
#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift {

// The plain tree that format 1 has for the same argument, e.g. {"Shape": [1, 32]}, so that one reader types both. What
// the text says beyond format 1 (row-major pages, host storage) is added to tensors. A text without structure comes
// back as text, nullopt when it has structure that cannot be followed.
std::optional<Value> cpp_tree(std::string_view text);

// One argument, typed: Value::Unparsed where it cannot be read.
Value read_cpp_text(std::string_view text);

}  // namespace tracelift
