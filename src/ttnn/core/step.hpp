// run_step: a step below an operation, told to the observers.
#pragma once

#include <span>

#include "ttnn/core/observer.hpp"

namespace ttnn {

// Tells the observers that the step begins, calls `body`, and tells them how it ended: with the outputs that `body`
// gives, or with what the exception that leaves it says.
void run_step(const FunctionCall& call, FunctionRef<std::span<const Tensor>()> body);

}  // namespace ttnn
