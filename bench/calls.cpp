// One C++ measurement per run, in nanoseconds per call, for bench/against_torch.py to interleave with torch:
//   bench_calls add32 | linear
#include <chrono>
#include <cstdio>
#include <string_view>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/matmul/linear.hpp"

namespace {

using namespace ttnn;

Tensor tiles(const std::shared_ptr<Device>& device, const Shape& shape) {
    Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE), device);
    std::vector<float> values(shape.volume());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 251) / 251.0F - 0.5F;
    }
    write<float>(tensor, values);
    return tensor;
}

template <class Call>
double nanoseconds_per_call(size_t calls, Call call) {
    for (size_t i = 0; i < calls / 10 + 1; ++i) {
        call();
    }
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < calls; ++i) {
        call();
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(calls);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "add32";
    const auto device = Device::open();
    if (what == "add32") {
        const Tensor a = tiles(device, {32, 32});
        const Tensor b = tiles(device, {32, 32});
        std::printf("%.1f\n", nanoseconds_per_call(100000, [&] { add(a, b); }));
        return 0;
    }
    if (what == "linear") {
        const Tensor x = tiles(device, {1, 1, 1024, 1024});
        const Tensor w = tiles(device, {1024, 4096});
        std::printf("%.1f\n", nanoseconds_per_call(5, [&] { linear(x, w); }));
        return 0;
    }
    std::fprintf(stderr, "bench_calls: measures add32 or linear, not '%s'\n", argv[1]);
    return 2;
}
