// Watchdog: an operation that hangs becomes an error.
#pragma once

#include <chrono>
#include <string_view>

#include "ttnn/core/function_ref.hpp"

namespace ttnn {

// Runs `work` on a thread of its own and throws an Error that names `what` when it takes longer. The thread is stopped
// then; one that cannot be stopped ends the process, because it would go on writing into memory that is given back.
void run_with_timeout(std::chrono::duration<double> limit, std::string_view what, FunctionRef<void()> work);

}  // namespace ttnn
