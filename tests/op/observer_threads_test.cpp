// Observers come and go while other threads have events.
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ttnn/core/observer.hpp"

namespace ttnn {
namespace {

// Knows whether it may still be called.
class Guarded final : public Observer {
public:
    void function_failed(std::string_view, std::string_view) override {
        late += gone ? 1 : 0;
        ++events;
    }
    std::atomic<bool> gone{false};
    std::atomic<int> events{0};
    std::atomic<int> late{0};
};

void tell() {
    notify([](Observer& observer) { observer.function_failed({}, {}); });
}

TEST(ObserverThreads, NoEventComesAfterDetach) {
    constexpr int rounds = 300;
    std::atomic<bool> stop{false};
    std::vector<std::jthread> tellers;
    for (int i = 0; i < 3; ++i) {
        tellers.emplace_back([&] {
            while (!stop) {
                tell();
            }
        });
    }
    std::vector<std::shared_ptr<Guarded>> used(2 * rounds);
    {
        std::vector<std::jthread> changers;
        for (size_t changer = 0; changer < 2; ++changer) {
            changers.emplace_back([&, changer] {
                for (size_t i = 0; i < rounds; ++i) {
                    auto& observer = used[changer * rounds + i] = std::make_shared<Guarded>();
                    attach(observer);
                    tell();
                    detach(observer);
                    observer->gone = true;
                }
            });
        }
    }
    stop = true;
    tellers.clear();
    for (const auto& observer : used) {
        EXPECT_EQ(observer->late, 0);
        EXPECT_GE(observer->events, 1);
        EXPECT_EQ(observer.use_count(), 1);  // no list holds it any more
    }
    EXPECT_FALSE(captured());
}

// Runs something inside its events.
class Inside final : public Observer {
public:
    explicit Inside(std::function<void()> action) : action_(std::move(action)) {}
    void function_failed(std::string_view, std::string_view) override { action_(); }

private:
    std::function<void()> action_;
};

TEST(ObserverThreads, AnEventMayDetachAnyObserver) {
    const auto later = std::make_shared<Guarded>();
    std::shared_ptr<Inside> first;
    first = std::make_shared<Inside>([&] {
        detach(first);
        detach(later);
    });
    attach(first);
    attach(later);
    tell();
    EXPECT_EQ(later->events, 0);
    EXPECT_FALSE(captured());
}

TEST(ObserverThreads, AnEventMayHaveEventsAndAttach) {
    const auto other = std::make_shared<Guarded>();
    int depth = 0;
    const auto observer = std::make_shared<Inside>([&] {
        if (depth++ == 0) {
            attach(other);
            tell();
        }
    });
    attach(observer);
    tell();
    EXPECT_EQ(depth, 2);
    EXPECT_EQ(other->events, 1);  // of the inner event
    detach(observer);
    detach(other);
    EXPECT_EQ(other.use_count(), 1);
}

TEST(ObserverThreads, TwoThreadsThatDetachInsideEventsDoNotWaitForEachOther) {
    std::latch both(2);
    const auto one = std::make_shared<Guarded>();
    const auto two = std::make_shared<Guarded>();
    std::atomic<int> next{0};
    const auto observer = std::make_shared<Inside>([&] {
        const auto& own = next++ == 0 ? one : two;
        both.arrive_and_wait();
        detach(own);
    });
    attach(observer);
    attach(one);
    attach(two);
    {
        const std::jthread first(tell);
        const std::jthread second(tell);
    }
    detach(observer);
    EXPECT_EQ(one.use_count(), 1);
    EXPECT_EQ(two.use_count(), 1);
}

TEST(ObserverThreads, DetachWaitsForAnEventOnItsWay) {
    std::latch entered(1);
    std::atomic<bool> left{false};
    const auto slow = std::make_shared<Inside>([&] {
        entered.count_down();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        left = true;
    });
    attach(slow);
    const std::jthread teller(tell);
    entered.wait();
    detach(slow);
    EXPECT_TRUE(left);
}

TEST(ObserverThreads, AForkedChildDoesNotWaitForItsParentsThreads) {
    std::latch entered(1);
    std::latch over(1);
    const auto stuck = std::make_shared<Inside>([&] {
        entered.count_down();
        over.wait();
    });
    attach(stuck);
    const std::jthread teller(tell);
    entered.wait();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        detach(stuck);
        _exit(captured() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    over.count_down();
    detach(stuck);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace ttnn
