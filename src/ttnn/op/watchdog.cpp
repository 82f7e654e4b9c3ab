#include "ttnn/op/watchdog.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include "ttnn/core/error.hpp"
#include "ttnn/core/stop.hpp"

namespace ttnn {
namespace {

constexpr std::chrono::duration<double> longest{1e8};  // more would overflow the clock
constexpr std::chrono::seconds patience{5};            // before saying that a stop takes long

// One operation on its thread.
class Work {
public:
    explicit Work(FunctionRef<void()> run) : run_(run) {}

    void ask_to_stop() { request_.ask(); }

    void run() {
        try {
            const StopScope scope(request_);
            run_();
        } catch (const Stopped&) {
            stopped_ = true;
        } catch (...) {
            problem_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        done_ = true;
        ended_.notify_all();
    }

    // True when it has ended within the time.
    template <class Duration>
    bool wait_for(Duration limit) {
        std::unique_lock lock(mutex_);
        return ended_.wait_for(lock, limit, [&] { return done_; });
    }

    // Once the thread is joined.
    bool stopped() const { return stopped_; }
    void rethrow() const {
        if (problem_) {
            std::rethrow_exception(problem_);
        }
    }

private:
    FunctionRef<void()> run_;
    StopRequest request_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool done_ = false;
    bool stopped_ = false;
    std::exception_ptr problem_;
};

// What is under way. At the end of the process everything is asked to stop and waited for.
class Works {
public:
    static Works& get() {
        static Works& works = *[] {
            auto* made = new Works;  // never destroyed: other threads may still be leaving it
            std::atexit([] { get().stop_all(); });
            return made;
        }();
        return works;
    }

    void add(Work& work) {
        const std::lock_guard lock(mutex_);
        if (process_ != getpid()) {  // after a fork: the threads of the parent are not here
            works_.clear();
            process_ = getpid();
        }
        works_.push_back(&work);
        if (ending_) {
            work.ask_to_stop();
        }
    }

    void remove(Work& work) {
        const std::lock_guard lock(mutex_);
        std::erase(works_, &work);
        none_.notify_all();
    }

private:
    void stop_all() {
        if (process_ != getpid()) {
            return;
        }
        std::unique_lock lock(mutex_);
        ending_ = true;
        for (Work* work : works_) {
            work->ask_to_stop();
        }
        none_.wait(lock, [&] { return works_.empty(); });
    }

    std::mutex mutex_;
    std::condition_variable none_;
    std::vector<Work*> works_;
    pid_t process_ = 0;
    bool ending_ = false;
};

// The thread of a work, joined and taken off the list however its caller goes on.
class Watched {
public:
    explicit Watched(Work& work) : work_(work) {
        Works::get().add(work_);
        try {
            thread_ = std::thread([this] { work_.run(); });
        } catch (...) {
            Works::get().remove(work_);
            throw;
        }
    }
    ~Watched() {
        thread_.join();
        Works::get().remove(work_);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

private:
    Work& work_;
    std::thread thread_;
};

}  // namespace

void run_with_timeout(std::chrono::duration<double> limit, std::string_view what, FunctionRef<void()> run) {
    Work work(run);
    bool in_time = false;
    {
        const Watched watched(work);
        in_time = work.wait_for(std::min(limit, longest));
        if (!in_time) {
            work.ask_to_stop();
            if (!work.wait_for(patience)) {
                fmt::print(stderr, "{} did not finish within {} s and has not stopped yet; waiting for it\n", what,
                           limit.count());
            }
        }
    }
    require(
        in_time,
        "{} did not finish within {} s (TT_METAL_OPERATION_TIMEOUT_SECONDS): device timeout, potential hang detected",
        what, limit.count());
    require(!work.stopped(), "{} was stopped because the process is exiting", what);
    work.rethrow();
}

}  // namespace ttnn
