// The composite that all binary operations share: layouts, ranks, batches and the output rules around the primitive.
#pragma once

#include "ttnn/compute/guard.hpp"
#include "ttnn/ops/eltwise/binary_arguments.hpp"

namespace ttnn {

// Checks the operands, brings them together and launches ttnn::prim::binary.
Tensor run_binary(const BinaryArguments& call);

// NumPy broadcast of two shapes over at most the last five dimensions; throws an Error that names the operation.
Shape binary_shape(std::string_view op, const Shape& a, const Shape& b);

// Where a new output of an elementwise operation lives. `b` may be nullptr.
MemoryConfig eltwise_memory_config(const MemoryConfig* given, const Tensor& a, const Tensor* b, const Shape& output);

// The tensor itself, or its tiled form.
Tensor in_tiles(const Tensor& tensor);

}  // namespace ttnn
