// Rotary embeddings by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/rotary/rotary_embedding.hpp"
#include "ttnn/ops/rotary/rotary_embedding_llama.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RotaryTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tiles(const Shape& shape, const std::vector<float>& values, const MemoryConfig& config = {}) const {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, config), values);
    }
    Tensor constant(const Shape& shape, float value, const MemoryConfig& config = {}) const {
        return tiles(shape, std::vector<float>(shape.volume(), value), config);
    }
    // The matrix that turns pairs of columns, so many times one below the other.
    Tensor pairs(uint32_t count, const MemoryConfig& config = {}) const {
        std::vector<float> values(size_t{count} * 1024);
        for (size_t copy = 0; copy < count; ++copy) {
            for (size_t i = 0; i < 32; i += 2) {
                values[copy * 1024 + i * 32 + i + 1] = 1;
                values[copy * 1024 + (i + 1) * 32 + i] = -1;
            }
        }
        return tiles({1, 1, 32 * count, 32}, values, config);
    }
    MemoryConfig users(uint32_t count, uint32_t width, uint32_t row = 0) const {
        return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                            ShardSpec{CoreRangeSet(CoreRange({0, row}, {count - 1, row})), {32, width}});
    }
};

TEST_F(RotaryTest, PairsOfColumnsAreTurned) {
    const Tensor x = counting(device, {1, 2, 32, 64});
    const Tensor one = constant({1, 1, 64, 64}, 1);
    const Tensor none = constant({1, 1, 64, 64}, 0);
    EXPECT_EQ(values_of(experimental::rotary_embedding_llama(x, one, none, pairs(1))), values_of(x));
    const std::vector<float> turned = values_of(experimental::rotary_embedding_llama(x, none, one, pairs(1)));
    EXPECT_EQ(turned[0], -1);  // 0, 1, 2, 3 -> -1, 0, -3, 2
    EXPECT_EQ(turned[1], 0);
    EXPECT_EQ(turned[2], -3);
    EXPECT_EQ(turned[3], 2);
    EXPECT_EQ(turned[62], -7);
    EXPECT_EQ(turned[63], 6);
}

TEST_F(RotaryTest, EachRowHasItsOwnAngle) {
    std::vector<float> angles(64 * 32);
    for (size_t i = 0; i < angles.size(); ++i) {
        angles[i] = static_cast<float>(i / 32);
    }
    const Tensor x = constant({2, 2, 40, 32}, 1);
    const Tensor table = tiles({1, 1, 64, 32}, angles);
    const std::vector<float> result =
        values_of(experimental::rotary_embedding_llama(x, table, constant({1, 1, 64, 32}, 0), pairs(1)));
    for (size_t row = 0; row < 160; ++row) {
        ASSERT_EQ(result[row * 32 + 5], static_cast<float>(row % 40));
    }
}

TEST_F(RotaryTest, UsersHaveTheFirstRowOfTheirTables) {
    const Tensor x = tiles({1, 2, 3, 32}, std::vector<float>(192, 2), users(2, 32));
    std::vector<float> angles(2 * 32, 3.0F);
    std::fill(angles.begin() + 32, angles.end(), 5.0F);
    const Tensor cosines = tiles({1, 2, 1, 32}, angles, users(2, 32));
    const Tensor sines = constant({1, 2, 1, 32}, 0, users(2, 32));
    const Tensor result =
        experimental::rotary_embedding_llama(x, cosines, sines, pairs(2, users(2, 32)), {.is_decode_mode = true});
    EXPECT_EQ(result.spec(), x.spec());
    std::vector<float> expected(192, 6.0F);
    std::fill(expected.begin() + 96, expected.end(), 10.0F);
    EXPECT_EQ(values_of(result), expected);
}

TEST_F(RotaryTest, KeysHaveTheSecondHalfOfTheTables) {
    const Tensor q = constant({1, 2, 4, 32}, 1, users(2, 32));
    const Tensor k = constant({1, 2, 1, 32}, 1, users(2, 32, 1));
    const MemoryConfig both(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                            ShardSpec{CoreRangeSet(CoreRange({0, 0}, {1, 1})), {32, 32}});
    std::vector<float> angles(4 * 32);
    for (size_t i = 0; i < angles.size(); ++i) {
        angles[i] = static_cast<float>(1 + i / 32);
    }
    const auto [turned_q, turned_k] = experimental::rotary_embedding_llama_fused_qk(
        q, k, tiles({1, 4, 1, 32}, angles, both), constant({1, 4, 1, 32}, 0, both), pairs(4, both));
    EXPECT_EQ(turned_q.spec(), q.spec());
    EXPECT_EQ(turned_k.spec(), k.spec());
    EXPECT_EQ(values_of(turned_q)[0], 1);
    EXPECT_EQ(values_of(turned_q)[128], 2);
    EXPECT_EQ(values_of(turned_k)[0], 3);
    EXPECT_EQ(values_of(turned_k)[32], 4);
    EXPECT_THAT(error_of([&] {
                    experimental::rotary_embedding_llama_fused_qk(q, q, tiles({1, 4, 1, 32}, angles, both),
                                                                  constant({1, 4, 1, 32}, 0, both), pairs(4, both));
                }),
                HasSubstr("different cores"));
}

TEST_F(RotaryTest, LlamaRefuses) {
    const Tensor table = constant({1, 1, 32, 64}, 1);
    const auto error = [&](const Tensor& x, const Tensor& cosines, const Tensor& sines) {
        return error_of([&] { experimental::rotary_embedding_llama(x, cosines, sines, pairs(1)); });
    };
    EXPECT_THAT(error(constant({1, 1, 64, 64}, 1), table, table), HasSubstr("'cos_cache' must be"));
    EXPECT_THAT(error(constant({1, 1, 32, 64}, 1), table, constant({1, 1, 64, 64}, 1)), HasSubstr("the same shape"));
    EXPECT_THAT(error(constant({1, 1, 32, 288}, 1), table, table), HasSubstr("up to 256 columns"));
    EXPECT_THAT(error(counting(device, {1, 1, 32, 64}, DataType::FLOAT32), table, table), HasSubstr("must have dtype"));
}

TEST_F(RotaryTest, HalvesAreTurnedAgainstEachOther) {
    const Tensor x = counting(device, {1, 1, 2, 64}, DataType::BFLOAT16, {}, 64);
    const Tensor one = constant({1, 1, 32, 64}, 1);
    const Tensor none = constant({1, 1, 32, 64}, 0);
    const Tensor result = experimental::rotary_embedding(x, none, one);
    EXPECT_EQ(result.logical_shape(), Shape({1, 1, 32, 64})) << "whole tiles of rows";
    const std::vector<float> values = values_of(result);
    EXPECT_EQ(values[0], -32);
    EXPECT_EQ(values[31], -63);
    EXPECT_EQ(values[32], 0);
    EXPECT_EQ(values[63], 31);
    const std::vector<float> half = values_of(experimental::rotate_half(x));
    EXPECT_EQ(half.size(), 128U);
    EXPECT_TRUE(std::equal(half.begin(), half.end(), values.begin()));
    EXPECT_THAT(error_of([&] {
                    experimental::rotate_half(counting(device, {1, 1, 32, 96}));
                }),
                HasSubstr("a multiple of 64 columns"));
}

TEST_F(RotaryTest, ATokenIndexPicksTheRowForAll) {
    const Tensor x = constant({1, 2, 32, 64}, 1);
    std::vector<float> angles(96 * 64);
    for (size_t i = 0; i < angles.size(); ++i) {
        angles[i] = static_cast<float>(i / 64);
    }
    const Tensor cosines = tiles({1, 1, 96, 64}, angles);
    const Tensor none = constant({1, 1, 96, 64}, 0);
    EXPECT_THAT(values_of(experimental::rotary_embedding(x, cosines, none, {.token_index = 70})), ::testing::Each(70));
    EXPECT_EQ(values_of(experimental::rotary_embedding(x, cosines, none))[64 * 9], 9);
    EXPECT_THAT(error_of([&] { experimental::rotary_embedding(x, cosines, none, {.token_index = 96}); }),
                HasSubstr("'token_index' must be a row of the tables (0 to 95), got 96"));
    const Tensor spread = experimental::rotary_embedding(
        x, cosines, none, {.memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)});
    EXPECT_EQ(spread.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 64}));
}

TEST_F(RotaryTest, CircularBuffersOfLlama) {
    const Tensor x = constant({1, 2, 64, 64}, 1);
    const Tensor table = constant({1, 1, 64, 64}, 1);
    const Tensor matrix = pairs(1);
    const test::Recording recording;
    experimental::rotary_embedding_llama(x, table, table, matrix);
    const uint64_t row = 2 * 2048;  // two tiles
    EXPECT_THAT(recording->sizes, ElementsAre(2 * row, 2 * row, 2 * row, 2048, row, row, row, 2 * row));
    EXPECT_THAT(recording->names,
                ElementsAre("ttnn::experimental::rotary_embedding_llama", "ttnn::prim::rotary_embedding_llama",
                            "Device Operation", "create_device_tensor"));
}

}  // namespace
}  // namespace ttnn
