#include "ttnn/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/one_thread.hpp"

namespace ttnn {
namespace {

// How often every member was visited, and in how many ranges.
struct Visits {
    std::vector<std::atomic<int>> members;
    std::atomic<int> ranges = 0;
    explicit Visits(size_t count) : members(count) {}
    void operator()(size_t first, size_t last) {
        ++ranges;
        for (size_t i = first; i < last; ++i) {
            ++members[i];
        }
    }
    bool each_once() const {
        return std::ranges::all_of(members, [](const std::atomic<int>& visits) { return visits == 1; });
    }
};

TEST(Parallel, VisitsEveryMemberOnce) {
    for (const size_t count : {1, 2, 7, 64, 1000, 4099}) {
        for (const size_t least : {0, 1, 3, 500, 5000}) {
            Visits visits(count);
            parallel(count, least, visits);
            EXPECT_TRUE(visits.each_once()) << count << " members, at least " << least;
            EXPECT_LE(visits.ranges, std::max<size_t>(1, count / std::max<size_t>(least, 1)));
        }
    }
    parallel(0, 1, [](size_t, size_t) { FAIL() << "nothing to do"; });
}

TEST(Parallel, InsideOfAnotherOneWorkStaysOnItsThread) {
    std::atomic<bool> moved = false;
    parallel(64, 1, [&](size_t first, size_t last) {
        const std::thread::id here = std::this_thread::get_id();
        parallel(100 * (last - first), 1,
                 [&](size_t begin, size_t) { moved = moved || begin != 0 || std::this_thread::get_id() != here; });
    });
    EXPECT_EQ(moved, std::thread::hardware_concurrency() < 2);
}

TEST(Parallel, OneThreadMeansOneRange) {
    const OneThread one_thread;
    Visits visits(1000);
    parallel(1000, 1, visits);
    EXPECT_TRUE(visits.each_once());
    EXPECT_EQ(visits.ranges, 1);
}

TEST(Parallel, ThrowsTheFirstErrorWhenAllHaveEnded) {
    std::atomic<size_t> visited = 0;
    try {
        parallel(100, 1, [&](size_t first, size_t last) {
            visited += last - first;
            throw std::runtime_error(std::to_string(first));
        });
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "0");
    }
    EXPECT_EQ(visited, 100);
}

TEST(Parallel, ThreadsObeyTheRequestOfTheCaller) {
    StopRequest request;
    request.ask();
    const StopScope scope(request);
    std::atomic<int> begun = 0;
    EXPECT_THROW(parallel(100, 1,
                          [&](size_t, size_t) {
                              ++begun;
                              checkpoint();
                          }),
                 Stopped);
    EXPECT_EQ(begun, std::thread::hardware_concurrency() < 2 ? 1 : 0);
}

// Whether a child of fork() does this to its end, which comes within seconds.
template <class Work>
bool works_in_a_child(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(work() ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool shares_work() {
    Visits visits(1000);
    parallel(1000, 1, visits);
    return visits.each_once() && (visits.ranges > 1 || std::thread::hardware_concurrency() < 2);
}

#ifndef __SANITIZE_THREAD__  // which allows no threads in a child of fork()

TEST(Parallel, WorksInAChildProcess) {
    EXPECT_TRUE(shares_work());  // starts threads that the child does not have
    EXPECT_TRUE(works_in_a_child(shares_work));
}

TEST(Parallel, WorksInAChildOfABusyProcess) {
    // One of the parent's threads is inside of a call, and stays there until the child has ended.
    std::atomic<bool> inside = false;
    std::atomic<bool> over = false;
    std::thread busy([&] {
        parallel(64, 1, [&](size_t, size_t) {
            inside = true;
            inside.notify_all();
            over.wait(false);
        });
    });
    inside.wait(false);
    EXPECT_TRUE(works_in_a_child(shares_work));
    over = true;
    over.notify_all();
    busy.join();
    EXPECT_TRUE(works_in_a_child([] {
        const OneThread own;  // of the thread that forks: this one counts in the child
        return works_in_a_child([] { return !shares_work() || std::thread::hardware_concurrency() < 2; });
    }));
}

TEST(Parallel, WorksInChildrenOfAProcessThatBeginsCalls) {
    std::atomic<bool> over = false;
    std::thread busy([&] {
        while (!over) {
            parallel(2, 1, [](size_t, size_t) {});
        }
    });
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(works_in_a_child(shares_work)) << "child " << i;
    }
    over = true;
    busy.join();
}

#ifndef __SANITIZE_ADDRESS__  // whose shadow needs more than the limit

TEST(Parallel, WorksWhereNoThreadCanBeStarted) {
    EXPECT_TRUE(works_in_a_child([] {
        uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t memory = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 20);
        const rlimit limit{memory, memory};  // too little for a stack
        bool works = setrlimit(RLIMIT_AS, &limit) == 0;
        for (int i = 0; i < 3; ++i) {
            works = works && shares_work();
        }
        return works;
    }));
}

#endif  // __SANITIZE_ADDRESS__
#endif  // __SANITIZE_THREAD__

TEST(Parallel, BlocksAreWhole) {
    Visits visits((size_t{5} << 20) + 3);
    in_blocks(visits.members.size(), [&](size_t first, size_t count) {
        EXPECT_LE(count, size_t{1} << 20);
        visits(first, first + count);
    });
    EXPECT_TRUE(visits.each_once());
}

// Products are cut by rows, by columns or by batches.
TEST(Parallel, ProductsAreWholeHoweverTheyAreCut) {
    for (const compute::GemmShape& shape :
         {compute::GemmShape{.m = 700, .n = 130, .k = 90}, compute::GemmShape{.m = 33, .n = 3001, .k = 70},
          compute::GemmShape{.m = 33, .n = 3001, .k = 70, .transpose_a = true, .transpose_b = true},
          compute::GemmShape{.m = 601, .n = 131, .k = 90, .transpose_a = true},
          compute::GemmShape{.batches = 40, .m = 50, .n = 60, .k = 70, .transpose_b = true}}) {
        // Whole numbers: sums are exact in any order.
        std::vector<float> a(shape.batches * shape.m * shape.k);
        std::vector<float> b(shape.batches * shape.k * shape.n);
        for (size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<float>(i % 7) - 3;
        }
        for (size_t i = 0; i < b.size(); ++i) {
            b[i] = static_cast<float>(i % 5) - 2;
        }
        std::vector<float> out(shape.batches * shape.m * shape.n, 99.0F);
        compute::gemm(shape, a.data(), b.data(), out.data());
        size_t wrong = 0;
        for (size_t batch = 0; batch < shape.batches; ++batch) {
            const float* left = a.data() + batch * shape.m * shape.k;
            const float* right = b.data() + batch * shape.k * shape.n;
            for (size_t row = 0; row < shape.m; ++row) {
                for (size_t column = 0; column < shape.n; ++column) {
                    float sum = 0;
                    for (size_t i = 0; i < shape.k; ++i) {
                        sum += left[shape.transpose_a ? i * shape.m + row : row * shape.k + i] *
                               right[shape.transpose_b ? column * shape.k + i : i * shape.n + column];
                    }
                    wrong += out[(batch * shape.m + row) * shape.n + column] != sum ? 1 : 0;
                }
            }
        }
        EXPECT_EQ(wrong, 0) << shape.batches << " x " << shape.m << " x " << shape.n << " x " << shape.k;
    }
}

std::vector<float> random_numbers(size_t count) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> draw(-1, 1);
    std::vector<float> numbers(count);
    std::ranges::generate(numbers, [&] { return draw(random); });
    return numbers;
}

// To the last bit, on however many threads and whether or not somebody may stop them.
TEST(Parallel, ProductsDependOnNothingButTheirOperands) {
    for (const compute::GemmShape& shape :
         {compute::GemmShape{.m = 700, .n = 130, .k = 901}, compute::GemmShape{.m = 33, .n = 3001, .k = 705},
          compute::GemmShape{.m = 1301, .n = 777, .k = 333, .transpose_a = true},
          compute::GemmShape{.m = 1001, .n = 515, .k = 97, .transpose_b = true},
          compute::GemmShape{.m = 600, .n = 1500, .k = 1500},
          compute::GemmShape{.batches = 9, .m = 290, .n = 60, .k = 400, .shared_b = true},
          compute::GemmShape{.batches = 7, .m = 290, .n = 60, .k = 400}}) {
        const std::vector<float> a = random_numbers(shape.batches * shape.m * shape.k);
        const std::vector<float> b = random_numbers(shape.batches * shape.k * shape.n);
        const auto product = [&] {
            std::vector<float> out(shape.batches * shape.m * shape.n);
            compute::gemm(shape, a.data(), b.data(), out.data());
            return out;
        };
        const std::vector<float> alone = [&] {
            const OneThread one_thread;
            return product();
        }();
        const auto text = fmt::format("{} x {} x {} x {}", shape.batches, shape.m, shape.n, shape.k);
        EXPECT_TRUE(product() == alone) << text;
        StopRequest request;
        const StopScope scope(request);
        EXPECT_TRUE(product() == alone) << text << " with a watchdog";
    }
}

}  // namespace
}  // namespace ttnn
