// The names that a declaration has for the arguments of a bound call.
#pragma once

#include <string>
#include <vector>

#include "tracelift/bind/binding.hpp"

namespace tracelift {

// The declaration that took a bound call, among its operation's overloads.
const ttnn::OpInfo& overload_of(const BoundCall& call);

// By C++ position, as `positional_arguments` counts; also those at the end that were not given.
std::vector<std::string> positional_names(const BoundCall& call);

}  // namespace tracelift
