// The worker side of the pool: a process that executes calls for another one.
#pragma once

#include <string_view>

namespace tracelift {

// Where a worker writes its replies: not stdout, which belongs to the operations.
inline constexpr int worker_reply_fd = 3;

// The argument that makes a program of ours a worker.
inline constexpr std::string_view worker_argument = "sweep-worker";

// Executes one request per line of stdin until its end, and returns the exit status. For each request the lines
// {"start": id} and the result are written to worker_reply_fd.
int run_worker();

}  // namespace tracelift
