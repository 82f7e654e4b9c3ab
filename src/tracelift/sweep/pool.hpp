// The pool: runs calls in worker processes, so that no call can harm another one's result or the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/sweep/call.hpp"

namespace tracelift {

struct PoolOptions {
    std::vector<std::string> worker_command{"/proc/self/exe", "sweep-worker"};  // serves requests as run_worker does
    unsigned workers = default_workers();
    std::chrono::milliseconds timeout{60'000};                 // of one call; also for a worker to start and to finish
    std::optional<std::chrono::milliseconds> start_timeout{};  // of a worker's start, where it is not that of a call
    unsigned timeout_retries = 0;                              // how often a call that took too long is tried again
    uint64_t memory_limit = default_memory_limit();            // resident bytes of one worker
    std::function<bool()> go_on{};  // asked many times a second; false ends the run, and what is left gets no result

    static unsigned default_workers();       // one per processor
    static uint64_t default_memory_limit();  // a third of the machine's memory
};

// How a piece of work ended that no worker answered.
struct Loss {
    Status status = Status::NOT_RUN;
    std::string message{};
    double milliseconds = 0;
};

// A reply that answers nothing that was asked; the text says why.
struct BrokenReply {
    std::string reason;
};

// What is to be done, piece by piece, numbered from 0. The pool asks on the thread of run_work. For a request with the
// id i a worker replies with the lines {"start": i} and an object that has "id": i; while it loads what the request
// needs first, that is {"start": i, "loading": true}, for which `start_timeout` holds.
class Work {
public:
    virtual ~Work() = default;
    virtual size_t size() const = 0;
    virtual int64_t id(size_t index) const { return static_cast<int64_t>(index); }
    virtual std::string request(size_t index) const = 0;  // a line with its end
    virtual std::optional<std::chrono::milliseconds> timeout(size_t) const {
        return std::nullopt;
    }  // nullopt: the pool's
    // Asked right before its turn: a value ends it without a worker.
    virtual std::optional<Loss> refused(size_t) { return std::nullopt; }
    // Each piece gets one of these, in the order in which they end. `replied` throws BrokenReply, which costs the
    // worker its life and the piece its result.
    virtual void replied(size_t index, const Json& reply) = 0;
    virtual void lost(size_t index, const Loss& loss) = 0;
};

// Returns when everything has ended, or when it is not to go on. What else `replied` and `lost` throw ends the run: the
// workers are killed, and it goes on to the caller. Workers die with the thread that called this.
void run_work(Work& work, const PoolOptions& options);

// The result that a worker of ours replied; throws BrokenReply.
CallResult parsed_result(const Json& reply);

// Called once per request, on the thread of run_calls, in the order in which calls end.
using CallDone = std::function<void(const CallRequest&, const CallResult&)>;

// The same for calls of operations.
void run_calls(std::span<const CallRequest> requests, const PoolOptions& options, const CallDone& done);

}  // namespace tracelift
