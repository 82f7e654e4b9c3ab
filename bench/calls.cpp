// One C++ measurement per run, in nanoseconds per call, for the scripts beside it to interleave with others:
//   bench_calls add32 | view | linear [CALLS], the first two also with "-recorded": under a recorder
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tracelift/capture/recorder.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/data_movement/view.hpp"
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

// A recorder into a scratch folder, attached while it lives; nothing when not asked for.
class Recorded {
public:
    explicit Recorded(bool asked) {
        if (asked) {
            std::string pattern = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
            folder_ = mkdtemp(pattern.data());
            recorder_ = std::make_shared<tracelift::Recorder>(folder_, "bench");
            attach(recorder_);
        }
    }
    ~Recorded() {
        if (recorder_) {
            detach(recorder_);
            std::filesystem::remove_all(folder_);
        }
    }
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;

private:
    std::filesystem::path folder_;
    std::shared_ptr<tracelift::Recorder> recorder_;
};

}  // namespace

int main(int argc, char** argv) {
    std::string_view what = argc > 1 ? argv[1] : "add32";
    const size_t calls = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000;
    const auto device = Device::open();
    const Recorded recorded(what.ends_with("-recorded"));
    what = what.substr(0, what.find('-'));
    if (what == "add32") {
        const Tensor a = tiles(device, {32, 32});
        const Tensor b = tiles(device, {32, 32});
        std::printf("%.1f\n", nanoseconds_per_call(calls, [&] { add(a, b); }));
        return 0;
    }
    if (what == "view") {
        const Tensor a = tiles(device, {1, 32, 32});
        const std::vector<int64_t> shape{32, 32};
        std::printf("%.1f\n", nanoseconds_per_call(calls, [&] { view(a, shape); }));
        return 0;
    }
    if (what == "linear") {
        const Tensor x = tiles(device, {1, 1, 1024, 1024});
        const Tensor w = tiles(device, {1024, 4096});
        std::printf("%.1f\n", nanoseconds_per_call(5, [&] { linear(x, w); }));
        return 0;
    }
    std::fprintf(stderr, "bench_calls: measures add32, view or linear, not '%s'\n", argv[1]);
    return 2;
}
