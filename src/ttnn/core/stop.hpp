// Asking work to stop: kernels look between their blocks whether they are still wanted. A thread is never ended from
// outside, because it may hold a lock (malloc's, that of the matrix library) which nobody would give back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ttnn/core/call_context.hpp"

namespace ttnn {

// Unwinds work that was asked to stop. Not a std::exception: nothing on the way may take it for a failure of its own.
struct Stopped {};

// Where one thread asks another to stop. It outlives the StopScope of the other.
class StopRequest {
public:
    StopRequest() = default;
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    void ask();
    bool asked() const { return asked_.load(std::memory_order_acquire); }

private:
    std::atomic<bool> asked_{false};
};

// While it lives, the checkpoints of its thread obey the request.
class StopScope : public ContextScope<&CallContext::stop> {
public:
    explicit StopScope(const StopRequest& request) : ContextScope(&request) {}
};

// What may ask this thread to stop; nullptr: nothing.
inline const StopRequest* current_stop() { return call_context.stop; }
inline bool is_stoppable() { return current_stop() != nullptr; }

namespace detail {
inline std::atomic<uint32_t> stops_asked{0};  // of all threads: zero, and one load to know it, nearly always
void stop_if_asked();
}  // namespace detail

// To be called between blocks of work of at most some tens of milliseconds. Throws Stopped.
inline void checkpoint() {
    if (detail::stops_asked.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        detail::stop_if_asked();
    }
}

}  // namespace ttnn
