// The worker side of the pool: a process that executes calls for another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracelift {

// Where a worker writes its replies: not stdout, which belongs to the operations.
inline constexpr int worker_reply_fd = 3;

// The argument that makes a program of ours a worker.
inline constexpr std::string_view worker_argument = "sweep-worker";

// Executes one request per line of stdin until its end, and returns the exit status. For each request the lines
// {"start": id} and the result are written to worker_reply_fd.
int run_worker();

// Becomes another program that serves in the same way: as expendable as a worker of ours. Returns only where it cannot
// be started, with an exit status.
int become_worker(std::vector<std::string> command);

}  // namespace tracelift
