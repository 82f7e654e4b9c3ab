// The operations of Mamba models, against figures worked out by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/ssm/hc_sum_reduce.hpp"
#include "ttnn/ops/ssm/prefix_scan.hpp"
#include "ttnn/ops/ssm/repeat_and_interleave_eltwise_mul.hpp"

namespace ttnn {
namespace {

using experimental::hc_sum_reduce;
using experimental::prefix_scan;
using experimental::repeat_and_interleave_eltwise_mul;
using test::counting;
using test::error_of;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::HasSubstr;

class StateSpaceTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tiles(const Shape& shape, const std::vector<float>& values, const MemoryConfig& memory = {},
                 DataType dtype = DataType::BFLOAT16) const {
        return tensor(device, TensorSpec(shape, dtype, Layout::TILE, memory), values);
    }
};

TEST_F(StateSpaceTest, SumsNeighboursAndKeepsWhatFillsTheTile) {
    std::vector<float> values(size_t{20} * 1024, 0.0F);
    std::fill_n(values.begin() + 32, 32, 1.0F);            // row 0, second group
    std::fill_n(values.begin() + 1024 + 992, 32, -0.25F);  // row 1, last group
    const Tensor sums = hc_sum_reduce(tiles({1, 1, 20, 1024}, values), {.memory_config = l1_memory_config()});
    EXPECT_EQ(sums.spec(), TensorSpec({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE, l1_memory_config()));
    std::vector<float> expected(size_t{32} * 32, 0.0F);
    expected[1] = 32;
    expected[63] = -8;
    EXPECT_EQ(values_of(sums), expected);
    EXPECT_EQ(hc_sum_reduce(tiles({1, 1, 20, 1024}, values), {.dtype = DataType::BFLOAT8_B}).dtype(),
              DataType::BFLOAT8_B);
    EXPECT_THAT(error_of([&] { hc_sum_reduce(counting(device, {1, 1, 32, 96})); }), HasSubstr("argument 'input'"));
}

// Two columns on two cores: one that halves what was before, one that counts.
TEST_F(StateSpaceTest, ScansAlongTheSequenceAndKeepsTheLastState) {
    const auto shards = [](uint32_t height) {
        return test::sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {height, 32});
    };
    std::vector<float> a(size_t{32} * 64, 0.0F);
    std::vector<float> bx(a.size(), 0.0F);
    for (size_t row = 0; row < 32; ++row) {
        a[row * 64] = 0.5F;
        a[row * 64 + 40] = 1.0F;
        bx[row * 64 + 40] = 2.0F;
    }
    std::vector<float> before(64, 0.0F);
    before[0] = 4.0F;
    before[40] = 1.0F;
    const Tensor state =
        tensor(device, TensorSpec({1, 1, 1, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR, shards(1)), before);
    const Tensor states =
        prefix_scan(tiles({1, 1, 32, 64}, a, shards(32)), tiles({1, 1, 32, 64}, bx, shards(32)), state);
    EXPECT_EQ(states.spec(), TensorSpec({1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE, shards(32)));
    const auto values = values_of(states);
    for (size_t row = 0; row < 32; ++row) {
        EXPECT_EQ(values[row * 64], std::ldexp(2.0F, -static_cast<int>(row)));
        EXPECT_EQ(values[row * 64 + 40], static_cast<float>(3 + 2 * row));
    }
    EXPECT_EQ(values_of(state)[0], std::ldexp(2.0F, -31));
    EXPECT_EQ(values_of(state)[40], 65);
    EXPECT_THAT(error_of([&] {
                    prefix_scan(tiles({1, 1, 32, 64}, a), tiles({1, 1, 32, 64}, bx), state);
                }),
                HasSubstr("argument 'a' must be sharded"));
}

TEST_F(StateSpaceTest, RepeatsOneFactorAndInterleavesTheOther) {
    constexpr uint32_t columns = 32 * 5120;
    const Tensor a = counting(device, {1, 1, 32, 32}, DataType::BFLOAT16, {}, 32);
    std::vector<float> wide(size_t{32} * 5120, 0.0F);
    wide[3] = 2.0F;            // row 0
    wide[5120 + 5119] = 1.0F;  // row 1
    const Tensor product = repeat_and_interleave_eltwise_mul(a, tiles({1, 1, 32, 5120}, wide));
    EXPECT_EQ(product.logical_shape(), Shape({1, 1, 32, columns}));
    const auto values = values_of(product);
    for (size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(values[3 * 32 + i], 2 * static_cast<float>(i));
        EXPECT_EQ(values[2 * size_t{columns} - 32 + i], static_cast<float>(i));
    }
    EXPECT_EQ(values[2 * 32 + 5], 0);
    EXPECT_THAT(error_of([&] { repeat_and_interleave_eltwise_mul(a, a); }), HasSubstr("argument 'b'"));
}

}  // namespace
}  // namespace ttnn
