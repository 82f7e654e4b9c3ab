#include "ttnn/core/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "ttnn/core/one_thread.hpp"

namespace ttnn {
namespace {

// A call of parallel(). Threads that come when all ranges are taken touch nothing of the caller's, which may be gone.
class Job {
public:
    Job(size_t count, size_t ranges, FunctionRef<void(size_t, size_t)> work)
        : count_(count), ranges_(ranges), work_(work), stop_(current_stop()), problems_(ranges) {}

    // Takes ranges until none is left.
    void take() {
        for (size_t i = next_++; i < ranges_; i = next_++) {
            try {
                checkpoint();
                work_(count_ * i / ranges_, count_ * (i + 1) / ranges_);
            } catch (...) {
                problems_[i] = std::current_exception();
            }
            if (++done_ == ranges_) {
                done_.notify_all();
            }
        }
    }
    void take_for_caller() {
        if (next_ >= ranges_) {
            return;
        }
        std::optional<StopScope> scope;
        if (stop_ != nullptr) {
            scope.emplace(*stop_);
        }
        take();
    }
    void wait() {
        for (size_t done = done_; done != ranges_; done = done_) {
            done_.wait(done);
        }
        for (const std::exception_ptr& problem : problems_) {
            if (problem) {
                std::rethrow_exception(problem);
            }
        }
    }

private:
    const size_t count_;
    const size_t ranges_;
    const FunctionRef<void(size_t, size_t)> work_;
    const StopRequest* const stop_;
    std::vector<std::exception_ptr> problems_;
    std::atomic<size_t> next_ = 0;
    std::atomic<size_t> done_ = 0;
};

constinit std::mutex mutex_of_process;

// A child of fork() must not find the mutex held by a thread that it does not have.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { mutex_of_process.lock(); }, [] { mutex_of_process.unlock(); },
                   [] {
                       mutex_of_process.unlock();
                       OneThread::keep_own();
                   });

// Threads that wait for jobs, one less than there are processors.
class Helpers {
public:
    // Those of this process: a child of fork() has none of its parent's. They are never taken down, because they may
    // wait in here when the process ends.
    static Helpers& of_process() {
        const std::lock_guard lock(mutex_of_process);
        static Helpers* helpers = nullptr;
        if (helpers == nullptr || helpers->process_ != getpid()) {
            helpers = new Helpers;
            helpers->start();
        }
        return *helpers;
    }

    void show(const std::shared_ptr<Job>& job) {
        {
            const std::lock_guard lock(mutex_);
            job_ = job;
            ++number_;
        }
        changed_.notify_all();
    }

private:
    Helpers() = default;

    // As many as the system allows: whoever has work takes part in it, so it gets done without any.
    void start() {
        try {
            for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
                std::thread([this] { serve(); }).detach();
            }
        } catch (const std::system_error&) {
        }
    }

    [[noreturn]] void serve() {
        uint64_t seen = 0;
        while (true) {
            std::shared_ptr<Job> job;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return number_ != seen; });
                seen = number_;
                job = job_;
            }
            job->take_for_caller();
        }
    }

    const pid_t process_ = getpid();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Job> job_;
    uint64_t number_ = 0;
};

}  // namespace

void parallel(size_t count, size_t least, FunctionRef<void(size_t first, size_t last)> work) {
    if (count == 0) {
        return;
    }
    const size_t most = count / std::max<size_t>(least, 1);
    if (most < 2 || OneThread::wanted() || std::thread::hardware_concurrency() < 2) {
        return work(0, count);
    }
    constexpr size_t ranges_each = 4;  // who is done first takes from what the others have not begun
    const OneThread one_thread_each;
    const auto job =
        std::make_shared<Job>(count, std::min<size_t>(most, std::thread::hardware_concurrency() * ranges_each), work);
    Helpers::of_process().show(job);
    job->take();
    job->wait();
}

}  // namespace ttnn
