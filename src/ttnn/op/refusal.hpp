// Calls that a device operation refuses. Hardware allocates the outputs of a device operation before it looks at the
// arguments, so that the trace of a refused call has its primitive, its device operation and the output.
#pragma once

#include <string_view>
#include <vector>

#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// Calls `check`. When it throws while steps are captured, the primitive is shown with an output of the spec that
// `output` gives, or without one when that throws too; the error goes on then.
void check_primitive(std::string_view name, FunctionRef<void()> check, FunctionRef<std::vector<Tensor>()> inputs,
                     FunctionRef<TensorSpec()> output);

}  // namespace ttnn
