// Shards that fit their tensors again after a size or a grid changed.
#pragma once

#include "tracelift/value/value.hpp"

namespace tracelift {

// The tensor with shards cut for its shape and grid, in whole tiles where it has tiles. Itself where it is not sharded.
Value fitted_tensor(const Value& tensor);

// `after` with all tensors fitted. A memory config among the arguments that was that of a tensor stays that: outputs
// are often laid out like inputs. Both calls have the same arguments and lists of the same length.
Value::Dict with_fitted_shards(const Value::Dict& before, const Value::Dict& after);

}  // namespace tracelift
