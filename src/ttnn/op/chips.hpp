// run_on_chips: a primitive's kernel on every chip of a mesh.
#pragma once

#include "ttnn/op/program.hpp"

namespace ttnn {

// Calls the kernel with the tensors of each chip, on as many threads as the machine has. Chips whose inputs hold the
// same bytes get the same results, which are computed once. Where it throws for several chips, one of the errors is
// thrown.
void run_on_chips(const Device& device, const Primitive& primitive, std::span<Tensor> outputs);

}  // namespace ttnn
