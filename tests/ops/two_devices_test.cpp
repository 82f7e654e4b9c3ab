// Devices are values: an n150 and a p150 work at once, in two threads, with right results and statistics of their own.
#include <thread>

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/matmul/matmul.hpp"

namespace ttnn {
namespace {

struct Outcome {
    std::vector<float> values;
    uint64_t bytes_while_running = 0;
    uint64_t bytes_afterwards = 0;
    uint64_t first_address = 0;
};

Tensor filled(const std::shared_ptr<Device>& device, const Shape& shape, float value) {
    Tensor tensor =
        Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, l1_memory_config()), device);
    write<float>(tensor, std::vector<float>(shape.volume(), value));
    return tensor;
}

Outcome work(const std::shared_ptr<Device>& device, float value) {
    Outcome outcome;
    for (int round = 0; round < 50; ++round) {
        const Tensor a = filled(device, {64, 64}, value);
        outcome.first_address = a.buffer_address();
        const Tensor sum = add(a, a);
        const Tensor product = matmul(sum, a, {.memory_config = l1_memory_config()});
        outcome.bytes_while_running = device->statistics(BufferType::L1).total_allocated;
        const Dense<float> values = read<float>(product);
        outcome.values.assign(values.begin(), values.end());
    }
    outcome.bytes_afterwards = device->statistics(BufferType::L1).total_allocated;
    return outcome;
}

TEST(TwoDevices, WorkAtOnceWithoutTouchingEachOther) {
    const auto wormhole = Device::open({.device_id = 0, .board = "n150"});
    const auto blackhole = Device::open({.device_id = 1, .board = "p150"});
    Outcome first;
    Outcome second;
    std::thread one([&] { first = work(wormhole, 1.0F); });
    std::thread two([&] { second = work(blackhole, 2.0F); });
    one.join();
    two.join();
    // 2x * x summed over 64 columns.
    EXPECT_EQ(first.values, std::vector<float>(64 * 64, 128.0F));
    EXPECT_EQ(second.values, std::vector<float>(64 * 64, 512.0F));
    // Three tensors of four tiles, one tile per bank.
    EXPECT_EQ(first.bytes_while_running, 3 * 2048U);
    EXPECT_EQ(second.bytes_while_running, 3 * 2048U);
    EXPECT_EQ(first.bytes_afterwards, 0U);
    EXPECT_EQ(second.bytes_afterwards, 0U);
    EXPECT_EQ(first.first_address, 1499136U - 2048U);
    EXPECT_EQ(second.first_address, 1572864U - 2048U);
}

}  // namespace
}  // namespace ttnn
