#include "ttnn/op/watchdog.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <exception>

#include <pthread.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

constexpr std::chrono::duration<double> grace{5.0};  // for a stopped thread to go

struct Work {
    FunctionRef<void()> run;
    std::exception_ptr problem{};
};

void* run_work(void* argument) {
    // A loop that never ends has no place where it could be stopped politely.
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    Work& work = *static_cast<Work*>(argument);
    try {
        work.run();
    } catch (const std::exception&) {  // not everything: a stopped thread unwinds, too
        work.problem = std::current_exception();
    }
    return nullptr;
}

// True when the thread has ended within the time.
bool join_within(pthread_t thread, std::chrono::duration<double> limit) {
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    const double seconds = static_cast<double>(end.tv_nsec) * 1e-9 + limit.count();
    end.tv_sec += static_cast<time_t>(seconds);
    end.tv_nsec = static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9);
    return pthread_timedjoin_np(thread, nullptr, &end) != ETIMEDOUT;
}

}  // namespace

void run_with_timeout(std::chrono::duration<double> limit, std::string_view what, FunctionRef<void()> run) {
    Work work{run};
    pthread_t thread{};
    require(pthread_create(&thread, nullptr, run_work, &work) == 0, "{}: no thread to watch it with", what);
    if (join_within(thread, limit)) {
        if (work.problem) {
            std::rethrow_exception(work.problem);
        }
        return;
    }
    pthread_cancel(thread);
    if (!join_within(thread, grace)) {
        fmt::print(stderr, "{} hangs and cannot be stopped\n", what);
        std::abort();
    }
    fail("{} did not end within {} s (TT_METAL_OPERATION_TIMEOUT_SECONDS): device timeout, it hangs", what,
         limit.count());
}

}  // namespace ttnn
