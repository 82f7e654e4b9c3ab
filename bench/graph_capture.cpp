// How fast a graph capture takes nodes, what a node costs in memory, and how fast reports are written.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/graph/report.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/matmul/linear.hpp"

namespace {

using namespace ttnn;
namespace fs = std::filesystem;

constexpr double aim_nodes = 1e6;     // per second
constexpr double aim_report = 200e6;  // bytes per second
constexpr double aim_linear_ms = 10;

double seconds_of(auto work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint64_t private_bytes() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("RssAnon:")) {
            return std::stoull(line.substr(8)) * 1024;
        }
    }
    return 0;
}

// A linear layer whose operands have a million times a million elements, 2 TB each; the best of some.
double seconds_of_huge_linear(const std::shared_ptr<Device>& device) {
    const TensorSpec spec({1'048'576, 1'048'576}, DataType::BFLOAT16, Layout::TILE);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        best = std::min(best, seconds_of([&] {
                            graph::query_trace([&] {
                                const Tensor x = Tensor::allocate_on_device(spec, device);
                                const Tensor w = Tensor::allocate_on_device(spec, device);
                                linear(x, w);
                            });
                        }));
    }
    return best;
}

}  // namespace

int main() {
    constexpr size_t calls = 20'000;
    const auto device = Device::open();
    const Tensor a =
        Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config()), device);
    std::string pattern = (fs::temp_directory_path() / "bench-graph-XXXXXX").string();
    const fs::path folder = mkdtemp(pattern.data());
    const uint64_t before = private_bytes();
    const auto capture = std::make_shared<graph::Capture>(graph::CaptureOptions{.mode = graph::RunMode::NO_DISPATCH});
    call_context.dispatch = Dispatch::BLOCKED;
    attach(capture);
    const double capturing = seconds_of([&] {
        for (size_t i = 0; i < calls; ++i) {
            add(a, a);
        }
    });
    detach(capture);
    call_context.dispatch = Dispatch::NOT_DECIDED;
    capture->end();
    const uint64_t after = private_bytes();
    const double report = seconds_of([&] { graph::write_report(*capture, folder / "report.json", false); });
    const auto nodes = static_cast<double>(capture->size());
    const auto bytes = static_cast<double>(fs::file_size(folder / "report.json"));
    const double rate = nodes / capturing;
    const double linear_ms = seconds_of_huge_linear(device) * 1e3;
    const double writing = bytes / report;
    fmt::print("{:<44} {:>14} {:>14}\n", "graph capture of small adds, NO_DISPATCH", "reached", "aim");
    fmt::print("{:<44} {:>14.0f} {:>14.0f}{}\n", "nodes captured per second", rate, aim_nodes,
               rate >= aim_nodes ? "" : "  MISSED");
    fmt::print("{:<44} {:>14.0f}\n", "bytes per node in memory", static_cast<double>(after - before) / nodes);
    fmt::print("{:<44} {:>14.0f} {:>14.0f}{}\n", "report bytes per second, text made on the way", writing, aim_report,
               writing >= aim_report ? "" : "  MISSED");
    fmt::print("{:<44} {:>14.3f} {:>14.0f}{}\n", "ms to trace a linear of 1M x 1M elements", linear_ms, aim_linear_ms,
               linear_ms <= aim_linear_ms ? "" : "  MISSED");
    fmt::print("{} nodes, report of {:.1f} MB\n", capture->size(), bytes / 1e6);
    fs::remove_all(folder);
    return rate >= aim_nodes && writing >= aim_report && linear_ms <= aim_linear_ms ? 0 : 1;
}
