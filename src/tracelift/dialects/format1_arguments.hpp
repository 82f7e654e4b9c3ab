// The arguments of a call as format 1 has them.
#pragma once

#include "tracelift/bind/binding.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift {

// By C++ position; what has none stands by name behind the others.
Json format1_arguments(const BoundCall& call);

}  // namespace tracelift
