// Small host-side helpers behind methods of Tensor.
#pragma once

#include "ttnn/tensor/tensor.hpp"

namespace ttnn::python {

// A host tensor of `shape` filled with `value`, with `tensor` at position `start`.
Tensor padded_on_host(const Tensor& tensor, const Shape& shape, const Shape& start, double value);
// The block from `begins` to `ends` (exclusive).
Tensor unpadded_on_host(const Tensor& tensor, const Shape& begins, const Shape& ends);
// The block of a sharded device tensor that one core holds, as a host tensor.
Tensor extract_shard(const Tensor& tensor, CoreCoord core);
Tensor extract_shard(const Tensor& tensor, size_t core_index);

}  // namespace ttnn::python
