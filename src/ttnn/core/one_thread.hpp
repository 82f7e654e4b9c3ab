// OneThread: asks what would share its work among threads to leave that be.
#pragma once

#include <atomic>

namespace ttnn {

// While one lives, work stays on the thread that asks for it: because each thread has work of its own, or because the
// last bits of matrix products depend on where the ranges of threads begin.
class OneThread {
public:
    OneThread() { wanted_.fetch_add(1, std::memory_order_relaxed); }
    ~OneThread() { wanted_.fetch_sub(1, std::memory_order_relaxed); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
    static bool wanted() { return wanted_.load(std::memory_order_relaxed) != 0; }

private:
    static inline std::atomic<int> wanted_ = 0;
};

}  // namespace ttnn
