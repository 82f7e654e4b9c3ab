// Sweeps: vectors of combinations written and hashed per second, and what isolation adds to a native call. Every figure
// is the best of several: other programs only ever make them worse.
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "tracelift/base/sha256.hpp"
#include "tracelift/sweep/execute.hpp"
#include "tracelift/sweep/native_vectors.hpp"
#include "tracelift/sweep/pool.hpp"
#include "tracelift/sweep/runner.hpp"
#include "tracelift/sweep/worker.hpp"
#include "ttnn/op/op_info.hpp"

namespace tracelift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_generated = 200'000;  // vectors a second
constexpr double most_isolation = 0.5;       // ms a call

// Seconds of the fastest of some runs.
template <class Action>
double best_of(unsigned times, const Action& action) {
    double best = std::numeric_limits<double>::infinity();
    for (unsigned i = 0; i < times; ++i) {
        const auto begin = Clock::now();
        action();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

Value tensor(uint32_t height, uint32_t width, ttnn::DataType dtype, const ttnn::MemoryConfig& memory) {
    const ttnn::TensorSpec spec({1, 1, height, width}, dtype, ttnn::Layout::TILE, memory);
    const auto described = ttnn::Tensor::without_bytes(spec, ttnn::StorageType::DEVICE);
    return ttnn::type_info<ttnn::Tensor>().encode(&described);
}

Configuration configuration(Value::Dict arguments, size_t number) {
    Configuration made;
    made.id = static_cast<int64_t>(number);
    made.identity = fmt::format("{:064x}", number);
    made.call.operation = "ttnn.add";
    made.call.arguments = std::move(arguments);
    made.call.bound = true;
    return made;
}

// 50 shapes x 3 x 3 dtypes x 20 pairs of memory configs.
std::vector<Configuration> traced_adds() {
    constexpr std::array dtypes{ttnn::DataType::BFLOAT16, ttnn::DataType::FLOAT32, ttnn::DataType::BFLOAT8_B};
    std::vector<Configuration> traced;
    for (uint32_t i = 0; i < 180; ++i) {
        // A shard that any of the heights fits into, on one of 20 grids.
        const ttnn::MemoryConfig memory(
            ttnn::TensorMemoryLayout::HEIGHT_SHARDED, ttnn::BufferType::L1,
            ttnn::ShardSpec{ttnn::CoreRangeSet(ttnn::CoreRange({0, 0}, {i % 5, i / 5 % 4})), {1600, 64}});
        const uint32_t height = 32 * (1 + i % 50);
        traced.push_back(configuration({{"input_tensor_a", tensor(height, 64, dtypes[i % 3], memory)},
                                        {"input_tensor_b", tensor(height, 64, dtypes[i / 3 % 3], memory)}},
                                       i));
    }
    return traced;
}

bool generation_meets_its_aim() {
    const auto spaces = traced_spaces(traced_adds());
    size_t vectors = 0;
    size_t bytes = 0;
    size_t mixed = 0;
    const double seconds = best_of(9, [&] {
        vectors = bytes = 0;
        for (const TracedSpace& space : spaces) {
            space.visit_texts(traced_suite, [&](std::span<const uint32_t>, const std::string& text) {
                mixed += static_cast<size_t>(sha224(text)[0]);
                bytes += text.size();
                return ++vectors < 200'000;
            });
        }
    });
    const double rate = static_cast<double>(vectors) / seconds;
    fmt::print("{:<52} {:>10.0f}/s  aim {:.0f}/s {}  ({} vectors of {} bytes, {})\n",
               "sweep: vectors generated and hashed", rate, least_generated, rate >= least_generated ? "ok" : "MISSED",
               vectors, bytes / vectors, mixed % 10);
    return rate >= least_generated;
}

void call_all(std::span<const Vector> vectors) {
    for (const Vector& vector : vectors) {
        execute(vector.native->request);
    }
}

// How many pass.
size_t sweep_all(std::span<const Vector> vectors) {
    RunnerOptions options;
    options.pool.workers = 1;
    size_t passed = 0;
    run_vectors(vectors, options,
                [&](const Vector&, const ResultRecord& result) { passed += result.status == Status::PASS ? 1 : 0; });
    return passed;
}

// The same calls in this process, and in one worker with journal-less isolation.
bool isolation_meets_its_aim() {
    constexpr size_t calls = 2000;
    std::vector<Configuration> configurations;
    for (size_t i = 0; i < calls; ++i) {
        configurations.push_back(configuration({{"input_tensor_a", tensor(32, 32, ttnn::DataType::BFLOAT16, {})},
                                                {"input_tensor_b", tensor(32, 32, ttnn::DataType::BFLOAT16, {})}},
                                               i));
    }
    const std::vector<Vector> vectors = traced_vectors(configurations);
    execute(vectors[0].native->request);  // opens the device
    const double plain = best_of(5, [&] { call_all(vectors); }) / calls;
    size_t passed = 0;
    const double isolated = best_of(5, [&] { passed = sweep_all(vectors); }) / calls;
    const double added = 1e3 * (isolated - plain);
    fmt::print("{:<52} {:>10.3f} ms  aim {} ms {}  (a call alone {:.3f} ms, isolated {:.3f} ms, {} of {} passed)\n",
               "sweep: isolation of a native vector", added, most_isolation, added <= most_isolation ? "ok" : "MISSED",
               1e3 * plain, 1e3 * isolated, passed, calls);
    return added <= most_isolation && passed == calls;
}

}  // namespace
}  // namespace tracelift

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == tracelift::worker_argument) {
        return tracelift::run_worker();
    }
    const bool generation = tracelift::generation_meets_its_aim();
    const bool isolation = tracelift::isolation_meets_its_aim();
    return generation && isolation ? 0 : 1;
}
