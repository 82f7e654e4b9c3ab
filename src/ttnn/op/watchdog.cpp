#include "ttnn/op/watchdog.hpp"

#include <cstdlib>
#include <exception>
#include <future>
#include <thread>

#include <pthread.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

constexpr std::chrono::seconds grace{5};  // for a stopped thread to go

// Says that the thread is gone, also when it was stopped.
struct Farewell {
    std::promise<void>& gone;
    ~Farewell() { gone.set_value(); }
};

}  // namespace

void run_with_timeout(std::chrono::duration<double> limit, std::string_view what, FunctionRef<void()> work) {
    std::promise<void> gone;
    std::exception_ptr problem;
    auto ended = gone.get_future();
    std::thread thread([&] {
        const Farewell farewell{gone};
        // A loop that never ends has no place where it could be stopped politely.
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
        try {
            work();
        } catch (const Error&) {
            problem = std::current_exception();
        }
    });
    if (ended.wait_for(limit) == std::future_status::ready) {
        thread.join();
        if (problem) {
            std::rethrow_exception(problem);
        }
        return;
    }
    pthread_cancel(thread.native_handle());
    if (ended.wait_for(grace) != std::future_status::ready) {
        fmt::print(stderr, "{} hangs and cannot be stopped\n", what);
        std::abort();
    }
    thread.join();
    fail("{} did not end within {} s (TT_METAL_OPERATION_TIMEOUT_SECONDS): device timeout, it hangs", what,
         limit.count());
}

}  // namespace ttnn
