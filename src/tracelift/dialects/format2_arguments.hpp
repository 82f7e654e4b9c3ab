// Configurations of format 2: {"config_id", "config_hash", "arguments": {...}, "executions": [...]}.
#pragma once

#include "tracelift/bind/binding.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift {

// Required arguments by position while they stand in front, the rest by name; of an unbound call as stored.
Json format2_arguments(const BoundCall& call);

}  // namespace tracelift
