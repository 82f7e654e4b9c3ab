// Watchdog: an operation that takes too long becomes an error.
#pragma once

#include <chrono>
#include <string_view>

#include "ttnn/core/function_ref.hpp"

namespace ttnn {

// Runs `work` on a thread of its own. When it takes longer than the limit it is asked to stop, and as soon as it has
// come to a checkpoint (core/stop.hpp) an Error that names `what` is thrown: until then it may write into memory that
// the caller gives back. A process that ends meanwhile stops the work in the same way before anything is torn down.
void run_with_timeout(std::chrono::duration<double> limit, std::string_view what, FunctionRef<void()> work);

}  // namespace ttnn
