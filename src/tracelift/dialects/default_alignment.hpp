// The alignment that the runtime gives a tensor when nobody asks for another: traces leave it out.
#pragma once

#include "tracelift/value/value.hpp"

namespace tracelift {

// Of a Tensor with this layout, memory config and tile (nullptr: the usual one); null when they do not tell.
Value default_alignment(const Value& layout, const Value& memory_config, const Value* tile);

}  // namespace tracelift
