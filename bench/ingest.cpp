// How fast raw traces are read, counted, bound and merged, and that memory does not grow with their length.
//   bench_ingest [CALLS]
#include "tracelift/trace/ingest.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelift/capture/raw_file.hpp"
#include "tracelift/value/bytes.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary.hpp"

namespace {

using namespace tracelift;
namespace fs = std::filesystem;

constexpr size_t distinct_calls = 200;
constexpr double aim_rate = 300'000;
constexpr double aim_growth = 1.1;  // of memory, for ten times the input

// Calls of `add` with distinct scalars, as the recorder writes them: a beginning and an end each.
void write_trace(const fs::path& path, size_t calls) {
    const auto device = ttnn::Device::open();
    const ttnn::TensorSpec spec({1, 1, 32, 32}, ttnn::DataType::BFLOAT16, ttnn::Layout::TILE);
    const ttnn::Tensor tensor = ttnn::Tensor::allocate_on_device(spec, device);
    const ttnn::OpInfo& op = *ttnn::find_operation("ttnn.add");
    RawFile file(path);
    ByteWriter writer;
    for (size_t i = 0; i < calls; ++i) {
        decltype(ttnn::add)::Params params;
        params.input_tensor_a = tensor;
        params.input_tensor_b = static_cast<double>(i % distinct_calls);
        writer.clear();
        writer.varint(i);
        writer.raw_text(op.name);
        writer.raw_text(device->board().name);
        ttnn::put_call(op, &params, writer);
        file.append(RecordKind::BEGIN, writer.bytes());
        writer.clear();
        writer.varint(i);
        writer.varint(1000);
        writer.raw_text("");
        file.append(RecordKind::END, writer.bytes());
    }
}

// Peak of what this process keeps to itself; pages of the mapped file can go at any time and do not count.
uint64_t private_kilobytes() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("RssAnon:")) {
            return std::stoull(line.substr(8));
        }
    }
    return 0;
}

struct Measured {
    double seconds;
    uint64_t kilobytes;
};

// In a child, so that memory of one size does not count for the other.
Measured measure(const fs::path& path) {
    int ends[2];
    if (pipe(ends) != 0) {
        std::abort();
    }
    if (fork() == 0) {
        const auto start = std::chrono::steady_clock::now();
        CallTable table;
        table.read(path);
        const Ingested ingested = ingest(table, OperationFilter(), "model", false);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        const Measured result{ingested.executions.size() == distinct_calls ? spent.count() : -1.0, private_kilobytes()};
        const bool sent = write(ends[1], &result, sizeof(result)) == sizeof(result);
        _exit(sent ? 0 : 1);
    }
    Measured result{};
    if (read(ends[0], &result, sizeof(result)) != sizeof(result)) {
        std::abort();
    }
    close(ends[0]);
    close(ends[1]);
    wait(nullptr);
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t calls = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    std::string pattern = (fs::temp_directory_path() / "bench-ingest-XXXXXX").string();
    const fs::path folder = mkdtemp(pattern.data());
    fmt::print("{:<44} {:>12} {:>14} {:>12}\n", "ingest of raw traces", "time", "records/s", "memory");
    Measured last{};
    double growth = 0;
    bool good = true;
    for (const size_t factor : {1, 10}) {
        const fs::path path = folder / fmt::format("{}.tlraw", factor);
        write_trace(path, calls * factor);
        const Measured now = measure(path);
        const double rate = 2.0 * static_cast<double>(calls * factor) / now.seconds;
        fmt::print("{:<44} {:>9.1f} ms {:>14.0f} {:>9.1f} MB\n",
                   fmt::format("{} calls, {} distinct", calls * factor, distinct_calls), now.seconds * 1e3, rate,
                   static_cast<double>(now.kilobytes) / 1e3);
        good = good && now.seconds > 0 && rate >= aim_rate;
        growth = factor == 1 ? 1.0 : static_cast<double>(now.kilobytes) / static_cast<double>(last.kilobytes);
        last = now;
    }
    fmt::print("aim: >= {:.0f} records/s; memory for ten times the input grew {:.2f}x (aim <= {:.1f}x){}\n", aim_rate,
               growth, aim_growth, good && growth <= aim_growth ? "" : "  MISSED");
    fs::remove_all(folder);
    return good && growth <= aim_growth ? 0 : 1;
}
