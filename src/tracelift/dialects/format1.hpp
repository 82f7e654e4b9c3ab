// Argument lists of format-1 masters (graph capture): a list of {"arg<i>": value} in the order of the C++ call.
//
// Values come out in the runtime's own encoding, so that an operation's declaration decodes them as if it had been
// traced here. Captures have no flags, only 0 and 1; our own lists have them where no declaration tells.
#pragma once

#include <optional>
#include <vector>

#include "tracelift/value/json.hpp"

namespace tracelift {

using Arguments = std::vector<std::optional<Value>>;  // nullopt: not given

// Stands for the named arguments of a call without a declaration.
inline constexpr std::string_view keywords_type = "Keywords";

// Who gives the values their types when they are read again.
enum class Typing {
    DECLARED,  // the operation's declaration: flags are written as 0 and 1, as captures have them
    OWN,       // nobody: what is written says it all
};

// Repairs what the capture damaged. A value that stays unreadable becomes Value::Unparsed; a list that is none, or an
// entry that is not an argument, throws std::invalid_argument that names the position.
Arguments read_arguments(const Value& list);  // a plain tree (json_tree.hpp)
Arguments read_arguments(const Json& list);
// One entry of that list, the one at `position`.
std::optional<Value> read_argument(const Value& entry, size_t position);

// What read_arguments reads back as the same values; a null is written as not given. Throws std::invalid_argument for
// a Tensor or MemoryConfig that lacks a field, unless the typing is their own.
Json write_arguments(const Arguments& arguments, Typing typing = Typing::DECLARED);

}  // namespace tracelift
