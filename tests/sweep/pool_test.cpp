// Calls in worker processes: whatever one does, the others get their results.
#include "tracelift/sweep/pool.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/requests.hpp"
#include "tracelift/base/scratch_folder.hpp"

namespace tracelift {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

PoolOptions options_for(unsigned workers) {
    PoolOptions options;
    options.workers = workers;
    options.timeout = 300s;  // far beyond what a healthy call takes on the slowest machine
    options.memory_limit = 300'000'000;
    return options;
}

size_t open_files() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0; }

// By id; checks that every request has one result and that nothing is left behind.
std::map<int64_t, CallResult> run(const std::vector<CallRequest>& requests, const PoolOptions& options) {
    std::map<int64_t, CallResult> results;
    const size_t files = open_files();
    run_calls(requests, options, [&](const CallRequest& request, const CallResult& result) {
        EXPECT_EQ(request.id, result.id);
        EXPECT_TRUE(results.emplace(result.id, result).second) << "a second result for " << result.id;
    });
    EXPECT_EQ(results.size(), requests.size());
    EXPECT_EQ(open_files(), files);
    EXPECT_FALSE(has_children());
    return results;
}

CallResult run_one(const CallRequest& request, const PoolOptions& options) {
    return run({request}, options).at(request.id);
}

struct Misbehaviour {
    const char* behaviour;
    Status status;
    const char* message;
};
constexpr Misbehaviour misbehaviours[] = {
    {"aborts", Status::FAIL_CRASH, "killed by SIGABRT (Aborted) during the call: about to abort"},
    {"exits", Status::FAIL_CRASH, "exited with status 3 during the call"},
    {"eats_memory", Status::FAIL_HOST_MEMORY, "300 MB allowed"},
    {"throws_bad_alloc", Status::FAIL_HOST_MEMORY, "not enough host memory"},
    {"throws_other", Status::FAIL, "an index"},
    {"breaks_replies", Status::INFRA_WORKER_LOST, "broken reply"},
    {"wrong", Status::FAIL, "where the reference gives"},
    {"prints", Status::PASS, ""},
};

class PoolOf : public testing::TestWithParam<unsigned> {};

TEST_P(PoolOf, EveryMisbehaviourHasItsStatusAndTheCallsAroundItPass) {
    std::vector<CallRequest> requests;
    for (const Misbehaviour& bad : misbehaviours) {
        requests.push_back(double_request(std::ssize(requests), "healthy"));
        requests.push_back(double_request(std::ssize(requests), bad.behaviour));
    }
    requests.push_back(double_request(std::ssize(requests), "healthy"));

    const auto results = run(requests, options_for(GetParam()));
    for (const auto& [id, result] : results) {
        SCOPED_TRACE(requests[static_cast<size_t>(id)].operation);
        if (id % 2 == 0) {
            EXPECT_EQ(result.status, Status::PASS) << result.message;
            continue;
        }
        const Misbehaviour& bad = misbehaviours[id / 2];
        EXPECT_EQ(result.status, bad.status) << result.message;
        EXPECT_THAT(result.message, HasSubstr(bad.message));
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, PoolOf, testing::Values(1U, 3U),
                         [](const auto& workers) { return std::to_string(workers.param); });

TEST(Pool, ACallWithoutAnEndTimesOutAndThoseAroundItPass) {
    PoolOptions options = options_for(1);
    options.timeout = 10s;
    const auto results =
        run({double_request(1, "healthy"), double_request(2, "sleeps"), double_request(3, "healthy")}, options);
    EXPECT_EQ(results.at(1).status, Status::PASS) << results.at(1).message;
    EXPECT_EQ(results.at(2).status, Status::FAIL_TIMEOUT);
    EXPECT_THAT(results.at(2).message, HasSubstr("no result within 10000 ms"));
    EXPECT_EQ(results.at(3).status, Status::PASS) << results.at(3).message;
}

TEST(Pool, RunsOperationsOnTheBoardsAsked) {
    std::vector<CallRequest> requests;
    for (const char* board : {"n150", "p150"}) {
        requests.push_back(operation_request(
            "ttnn.add", {{"input_tensor_a", tensor_value({64, 64})}, {"input_tensor_b", 1.5}}, board));
        requests.push_back(operation_request(
            "ttnn.matmul", {{"input_tensor_a", tensor_value({64, 64})}, {"input_tensor_b", tensor_value({64, 32})}},
            board));
        requests.push_back(operation_request("ttnn.softmax", {{"input_tensor", tensor_value({32, 64})}}, board));
    }
    for (size_t i = 0; i < requests.size(); ++i) {
        requests[i].id = static_cast<int64_t>(i);
    }
    for (const auto& [id, result] : run(requests, options_for(2))) {
        EXPECT_EQ(result.status, Status::PASS) << result.message;
        EXPECT_TRUE(result.called);
    }
}

TEST(Pool, ManyCallsEachHaveOneResult) {
    PoolOptions options = options_for(2);
    options.memory_limit =
        8'000'000'000;  // half of it is never reached, by shadow memory neither: no worker is replaced
    std::vector<CallRequest> requests;
    for (int64_t id = 0; id < 2000; ++id) {
        requests.push_back(double_request(id, "healthy"));
    }
    for (const auto& [id, result] : run(requests, options)) {
        EXPECT_EQ(result.status, Status::PASS) << result.message;
    }
}

TEST(Pool, NoCallsAreNoWork) { EXPECT_TRUE(run({}, options_for(2)).empty()); }

TEST(Pool, ARequestMayBeLargerThanAPipe) {
    const CallResult result = run_one(double_request(1, "healthy", std::string(3'000'000, 'x')), options_for(1));
    EXPECT_EQ(result.status, Status::PASS) << result.message;
}

TEST(Pool, WhatOneCallLeavesInMemoryIsNotChargedToTheNext) {
    PoolOptions options = options_for(1);
    // Shadow memory counts: an eighth for addresses, four times as much for threads. Two calls still exceed the limit.
#if defined(__SANITIZE_THREAD__)
    options.memory_limit *= 4;
#elif defined(TTNN_SANITIZED)
    options.memory_limit += options.memory_limit / 2;
#endif
    std::vector<CallRequest> requests;
    for (int64_t id = 0; id < 4; ++id) {
        requests.push_back(double_request(id, "leaks_host_memory"));
    }
    for (const auto& [id, result] : run(requests, options)) {
        EXPECT_EQ(result.status, Status::PASS) << result.message;
    }
}

TEST(Pool, AWorkerKilledFromOutsideIsInfrastructure) {
    const std::string path = testing::TempDir() + fmt::format("sweep_pool_test_{}.pid", getpid());
    std::jthread killer([&] {
        for (pid_t pid = 0; pid <= 0; std::this_thread::sleep_for(1ms)) {
            std::ifstream(path) >> pid;
            if (pid > 0) {
                kill(pid, SIGKILL);
            }
        }
    });
    const PoolOptions options = options_for(1);
    const auto results = run({double_request(1, "sleeps", path), double_request(2, "healthy")}, options);
    EXPECT_EQ(results.at(1).status, Status::INFRA_WORKER_LOST);
    EXPECT_THAT(results.at(1).message, HasSubstr("killed by SIGKILL"));
    EXPECT_EQ(results.at(2).status, Status::PASS);
    std::filesystem::remove(path);
}

TEST(Pool, WhatAWorkerStartedEndsWithIt) {
    const ScratchFolder folder;
    const std::string path = (folder.path() / "pid").string();
    EXPECT_EQ(run_one(double_request(1, "forks", path), options_for(1)).status, Status::PASS);
    pid_t child = 0;
    std::ifstream(path) >> child;
    ASSERT_GT(child, 0);
    for (int i = 0; i < 1000 && kill(child, 0) == 0; ++i) {  // whoever adopted it may take a moment
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_NE(kill(child, 0), 0) << "process " << child << " is still there";
}

TEST(Pool, ACallThatTakesTooLongIsTriedAgainAsOftenAsAsked) {
    const ScratchFolder folder;
    const std::string path = (folder.path() / "tries").string();
    PoolOptions options = options_for(1);
    options.timeout = 3s;
    options.timeout_retries = 2;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    options.worker_command = {"/bin/sh", "-c", "echo x >> " + path + "; exec " + self + " sweep-worker"};
    EXPECT_EQ(run_one(double_request(1, "sleeps"), options).status, Status::FAIL_TIMEOUT);
    EXPECT_EQ(std::filesystem::file_size(path), 6U) << "a line per worker: three attempts";
}

TEST(Pool, AWorkerThatCannotBeStartedLosesEveryCallWithTheReason) {
    PoolOptions options = options_for(2);
    options.worker_command = {"/no/such/worker", "sweep-worker"};
    const auto results = run({double_request(1, "healthy"), double_request(2, "healthy")}, options);
    for (const auto& [id, result] : results) {
        EXPECT_EQ(result.status, Status::INFRA_WORKER_LOST);
        EXPECT_THAT(result.message, AllOf(HasSubstr("/no/such/worker sweep-worker"), HasSubstr("No such file")));
    }
}

TEST(Pool, AWorkerThatDiesBeforeItsCallIsTriedTwice) {
    const std::string path = testing::TempDir() + fmt::format("sweep_pool_test_{}.tries", getpid());
    PoolOptions options = options_for(1);
    options.worker_command = {"/bin/sh", "-c", "echo x >> " + path + "; echo no licence >&2; exit 4"};
    const CallResult result = run_one(double_request(1, "healthy"), options);
    EXPECT_EQ(result.status, Status::INFRA_WORKER_LOST);
    EXPECT_EQ(result.message, "the worker exited with status 4 before it started the call: no licence");
    EXPECT_EQ(std::filesystem::file_size(path), 4U) << "two lines, one per attempt";
    std::filesystem::remove(path);
}

TEST(Pool, AWorkerThatNeverStartsItsCallIsInfrastructure) {
    PoolOptions options = options_for(1);
    options.timeout = 100ms;
    options.worker_command = {"/bin/sleep", "1000"};
    const CallResult result = run_one(double_request(1, "healthy"), options);
    EXPECT_EQ(result.status, Status::INFRA_WORKER_LOST);
    EXPECT_EQ(result.message, "the worker did not start the call within 100 ms");
}

TEST(Pool, AWorkerThatDoesNotFinishIsKilled) {  // or this takes longer than a test may
    PoolOptions options = options_for(1);
    options.timeout = 10s;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    options.worker_command = {"/bin/sh", "-c", self + " sweep-worker; exec sleep 1000"};
    EXPECT_EQ(run_one(double_request(1, "healthy"), options).status, Status::PASS);
}

TEST(Pool, WhatTheCallerThrowsEndsTheRunAndItsWorkers) {
    const std::vector<CallRequest> requests{double_request(1, "sleeps"), double_request(2, "healthy")};
    PoolOptions options = options_for(2);
    options.timeout = std::chrono::hours(24);  // whoever waits for the sleeper waits longer than a test may take
    const size_t files = open_files();
    EXPECT_THROW(run_calls(requests, options,
                           [](const CallRequest&, const CallResult&) { throw std::runtime_error("disk full"); }),
                 std::runtime_error);
    EXPECT_EQ(open_files(), files);
    EXPECT_FALSE(has_children());
}

TEST(Pool, CallsInParallelDoNotWaitForEachOther) {
    const ScratchFolder folder;
    std::vector<CallRequest> requests;
    for (int64_t id = 0; id < 4; ++id) {
        requests.push_back(double_request(id, "meets_three_others", folder.path().string()));
    }
    for (const auto& [id, result] : run(requests, options_for(4))) {
        EXPECT_EQ(result.status, Status::PASS) << result.message;
    }
}

TEST(Pool, EndsInOrderWhenItIsNotToGoOn) {
    // The second call would sleep until its time is over; the run is ended while it does.
    const std::vector<CallRequest> requests{double_request(1, "prints"), double_request(2, "sleeps"),
                                            double_request(3, "prints")};
    PoolOptions options = options_for(1);
    options.timeout = 1h;
    std::vector<int64_t> done;
    options.go_on = [&] { return done.empty(); };
    run_calls(requests, options, [&](const CallRequest&, const CallResult& result) { done.push_back(result.id); });
    EXPECT_THAT(done, testing::ElementsAre(1));
    EXPECT_FALSE(has_children());
}

}  // namespace
}  // namespace tracelift
