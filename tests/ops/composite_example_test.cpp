#include "ttnn/ops/example/composite_example.hpp"

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

TEST(CompositeExample, GivesACopyWithABufferOfItsOwn) {
    const auto device = Device::open();
    Tensor input = Tensor::allocate_on_device(TensorSpec({2, 32, 64}, DataType::BFLOAT16, Layout::TILE), device);
    std::vector<float> values(input.logical_volume());
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 128);
    }
    write<float>(input, values);

    const Tensor output = composite_example(input);

    EXPECT_EQ(output.spec(), input.spec());
    EXPECT_NE(output.buffer_address(), input.buffer_address());
    const Dense<float> copied = read<float>(output);
    EXPECT_TRUE(std::equal(copied.begin(), copied.end(), values.begin(), values.end()));
}

}  // namespace
}  // namespace ttnn
