// What threads that work on devices of their own lose to each other: the same calls by one thread, and by each of two
// at the same time, with capture off and under a recorder. With a core for each, both take as long.
#include <filesystem>
#include <thread>

#include "ratio.hpp"
#include "tracelift/capture/recorder.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary.hpp"

namespace {

using namespace ttnn;

constexpr size_t calls = 20000;

class Worker {
public:
    Worker() {
        const TensorSpec spec({32, 32}, DataType::BFLOAT16, Layout::TILE);
        for (Tensor* operand : {&a_, &b_}) {
            *operand = Tensor::allocate_on_device(spec, device_);
            write<float>(*operand, std::vector<float>(32 * 32, 0.5F));
        }
    }
    void work() const {
        for (size_t i = 0; i < calls; ++i) {
            bench::keep(add(a_, b_));
        }
    }

private:
    std::shared_ptr<Device> device_ = Device::open();
    Tensor a_, b_;
};

bool compare(const std::string& kind, double aim) {
    const Worker first;
    const Worker second;
    bench::Ratio table("one thread" + kind, [&] { first.work(); });
    table.add(
        "each of two threads" + kind,
        [&] {
            const std::jthread other([&] { second.work(); });
            first.work();
        },
        aim);
    return table.report();
}

}  // namespace

int main() {
    bool met = compare(", capture off", 0.9);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("bench-threads-{}", getpid());
    std::filesystem::create_directory(folder);
    const auto recorder = std::make_shared<tracelift::Recorder>(folder, "bench");
    attach(recorder);
    met = compare(", recorded", 0.7) && met;  // both write to the same disk
    detach(recorder);
    std::filesystem::remove_all(folder);
    return met ? 0 : 1;
}
