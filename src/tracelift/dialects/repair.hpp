// Repair of argument texts that the capture of format 1 failed to turn into JSON (UnparsedElement).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift {

// The text with the known damage undone: ranges of cores written with a dash, opaque bodies "{...}", pairs without
// brackets, arrays in quotes, bare enumerators. Text without such damage comes back unchanged.
std::string repaired_text(std::string_view text);

// The plain tree of the object that a damaged text stands for, nullopt when it is beyond repair.
std::optional<Value> repair(std::string_view text);

// The list after "logical_shape": in a text that is otherwise unreadable.
std::optional<Value> readable_shape(std::string_view text);

}  // namespace tracelift
