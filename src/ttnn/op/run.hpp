// Which run of an operation this thread is in: all programs that one call compiles are compiled for it, however often
// it uses them.
#pragma once

#include <cstdint>

namespace ttnn {

// Raised by whoever sees operations begin; 0 before the first.
inline thread_local uint64_t operation_run = 0;

}  // namespace ttnn
