// OneThread: asks what would share its work among threads to leave that be.
#pragma once

#include <atomic>

namespace ttnn {

// While one lives, work stays on the thread that asks for it, because each thread has work of its own. It ends on the
// thread that it began on.
class OneThread {
public:
    OneThread() { add(1); }
    ~OneThread() { add(-1); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
    static bool wanted() { return wanted_.load(std::memory_order_relaxed) != 0; }
    // In a child of fork(): those of the parent's other threads end there, and not here.
    static void keep_own() { wanted_.store(own_, std::memory_order_relaxed); }

private:
    static void add(int count) {
        own_ += count;
        wanted_.fetch_add(count, std::memory_order_relaxed);
    }

    static inline std::atomic<int> wanted_ = 0;
    static inline thread_local int own_ = 0;  // of this thread
};

}  // namespace ttnn
