// run_on_chips: a primitive's kernel on every chip of a mesh, or on the one that its tensors are parts on.
#pragma once

#include <optional>
#include <span>

#include "ttnn/op/program.hpp"

namespace ttnn {

// The chip that a call is limited to: the one that a tensor of it is a part on. The others are taken as they are there.
// Nothing: it runs on all chips. Throws where tensors are parts on different chips.
std::optional<uint32_t> only_chip(const Device& device, std::span<const Tensor> inputs,
                                  std::span<const Tensor> outputs);

// Calls the kernel with the tensors of each chip, on as many threads as the machine has. Chips whose inputs hold the
// same bytes get the same results, which are computed once. Where it throws for several chips, one of the errors is
// thrown.
void run_on_chips(const Device& device, const Primitive& primitive, std::span<Tensor> outputs);

}  // namespace ttnn
