// The reference of products of large results, which computes rows when they are asked for.
#include <random>

#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/reference/matmul.hpp"

namespace ttnn::reference {
namespace {

constexpr uint32_t side = 8192;  // a result of 2^26 numbers, of which a few are looked at
constexpr uint32_t inner = 3;

Tensor random_tensor(const std::shared_ptr<Device>& device, const Shape& shape) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> numbers(-1.0F, 1.0F);
    std::vector<float> values(shape.volume());
    for (float& value : values) {
        value = numbers(random);
    }
    return test::tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
}

class LargeLinear : public ::testing::TestWithParam<bool> {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_P(LargeLinear, RowsAreThoseOfTheWholeProduct) {
    const bool transposed_b = GetParam();
    const LinearCall call{.a = random_tensor(device, {2, side / 2, inner}),
                          .b = random_tensor(device, transposed_b ? Shape{side, inner} : Shape{inner, side}),
                          .bias = random_tensor(device, {1, side}),
                          .transpose_b = transposed_b,
                          .dtype = DataType::FLOAT32};
    const Array result = linear(call);
    ASSERT_EQ(result.shape, (Shape{2, side / 2, side}));
    const std::vector<double> a = values(call.a).values.held();
    const std::vector<double> b = values(call.b).values.held();
    const std::vector<double> bias = values(*call.bias).values.held();
    for (const size_t row : {size_t{0}, size_t{511}, size_t{512}, size_t{side} - 1}) {
        for (const size_t column : {size_t{0}, size_t{4095}, size_t{side} - 1}) {
            double sum = 0;
            for (size_t k = 0; k < inner; ++k) {
                sum += a[row * inner + k] * (transposed_b ? b[column * inner + k] : b[k * side + column]);
            }
            const size_t index = row * side + column;
            EXPECT_NEAR(result.values[index], sum + bias[column], 1e-12) << row << ", " << column;
            EXPECT_GT(result.slack[index], 0.0);
            EXPECT_LT(result.slack[index], 1e-5);
        }
    }
    std::vector<double> across(2 * side);  // the end of one row and the beginning of the next
    result.values.read(512 * size_t{side} - side, across);
    EXPECT_EQ(across[side - 1], result.values[512 * size_t{side} - 1]);
    EXPECT_EQ(across[side], result.values[512 * size_t{side}]);
}

INSTANTIATE_TEST_SUITE_P(Weights, LargeLinear, ::testing::Bool(),
                         [](const auto& weights) { return weights.param ? "Transposed" : "Plain"; });

}  // namespace
}  // namespace ttnn::reference
