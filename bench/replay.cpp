// Replay: small recorded calls carried out per second in one process, and tests written per second.
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "tracelift/bind/left_out.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/test_case.hpp"
#include "tracelift/sweep/execute.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_replays = 20'000;  // a second
constexpr double least_tests = 5'000;     // a second

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// A call of one tile, as `pytest --ops-jsonl` writes it; `number` makes it another configuration.
std::string line(size_t number) {
    const std::string tensor =
        R"({"__type__":"ttnn.TensorRef","shape":[1,1,32,32],"dtype":"DataType.BFLOAT16","layout":"Layout.TILE",)"
        R"("memory_config":{"__type__":"ttnn.MemoryConfig","memory_layout":"INTERLEAVED","buffer_type":"DRAM"}})";
    return fmt::format(R"({{"op_name":"ttnn.add","inputs":[{},{}],"kwargs":{{}},"output":null}})", tensor, number + 2);
}

bool told(const char* what, double rate, double aim) {
    fmt::print("{:<52} {:>10.0f}/s  aim {:.0f}/s {}\n", what, rate, aim, rate >= aim ? "ok" : "MISSED");
    return rate >= aim;
}

// Each line is read, bound, given inputs and called; `compare`: and held against the reference.
bool replays(const char* what, bool compare, double aim) {
    constexpr size_t count = 20'000;
    Binder binder;
    size_t good = 0;
    const auto begin = Clock::now();
    for (size_t i = 0; i < count; ++i) {
        const ReplayCall call = replay_of(read_call_line(line(i), "bench"), "", binder);
        const CallResult result = execute({.operation = call.call.operation,
                                           .arguments = replayable(call.call.arguments),
                                           .board = call.board,
                                           .compare = compare,
                                           .memory_limit = uint64_t{1} << 30});
        good += result.status == Status::PASS ? 1 : 0;
    }
    const double rate = static_cast<double>(count) / seconds_since(begin);
    return good == count && told(what, rate, aim);
}

bool generation(const char* what, std::vector<TestFile> (*write)(std::span<const TestCase>)) {
    constexpr size_t count = 10'000;
    Binder binder;
    std::vector<ReplayCall> calls;
    for (size_t i = 0; i < count; ++i) {
        calls.push_back(replay_of(read_call_line(line(i), "bench"), "", binder));
    }
    const auto begin = Clock::now();
    const TestPlan plan = plan_tests(calls, {});
    const std::vector<TestFile> files = write(plan.cases);
    const double rate = static_cast<double>(plan.cases.size()) / seconds_since(begin);
    return files.size() == 1 && files.front().tests == count && told(what, rate, least_tests);
}

}  // namespace
}  // namespace tracelift

int main() {
    using namespace tracelift;  // NOLINT(google-build-using-namespace): a program of its own
    bool met = replays("replay: small records, called", false, least_replays);
    met &= replays("replay: small records, called and compared", true, 0);
    met &= generation("replay: tests written for pytest", pytest_files);
    met &= generation("replay: tests written for gtest", gtest_files);
    return met ? 0 : 1;
}
