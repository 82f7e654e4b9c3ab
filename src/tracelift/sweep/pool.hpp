// The pool: runs calls in worker processes, so that no call can harm another one's result or the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/sweep/call.hpp"

namespace tracelift {

struct PoolOptions {
    std::vector<std::string> worker_command{"/proc/self/exe", "sweep-worker"};  // a program that calls run_worker
    unsigned workers = default_workers();
    std::chrono::milliseconds timeout{60'000};       // of one call; also for a worker to start and to finish
    uint64_t memory_limit = default_memory_limit();  // resident bytes of one worker
    std::function<bool()> go_on{};  // asked many times a second; false ends the run, and what is left gets no result

    static unsigned default_workers();       // one per processor
    static uint64_t default_memory_limit();  // a quarter of the machine's memory
};

// Called once per request, on the thread of run_calls, in the order in which calls end.
using CallDone = std::function<void(const CallRequest&, const CallResult&)>;

// Returns when every request has its result, or when it is not to go on. What `done` throws ends the run: the workers
// are killed, and it goes on to the caller. Workers die with the thread that called this.
void run_calls(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done);

}  // namespace tracelift
