#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/movement_support.hpp"
#include "ttnn/ops/creation/arange.hpp"
#include "ttnn/ops/creation/constant.hpp"
#include "ttnn/ops/creation/random.hpp"
#include "ttnn/ops/embedding/embedding.hpp"

namespace ttnn {
namespace {

using testing::counted;
using ::testing::Each;
using testing::elements;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::height_sharded;
using enum DataType;

class Creation : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_F(Creation, DefaultsAreRowMajorBfloat16OnTheHost) {
    const Tensor plain = zeros(Shape{2, 3});
    EXPECT_FALSE(plain.is_on_device());
    EXPECT_EQ(plain.dtype(), BFLOAT16);
    EXPECT_EQ(plain.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(ones(Shape{2, 3}, {.dtype = BFLOAT8_B}).layout(), Layout::TILE);
    const Tensor there = ones(Shape{2, 3}, {.device = device});
    EXPECT_EQ(there.memory_config(), MemoryConfig());
    EXPECT_THAT(elements(there), Each(1.0F));
}

TEST_F(Creation, FullOverwritesTheTensorItIsGiven) {
    const Tensor target = counted(device, {4, 8}, INT32, Layout::TILE);
    EXPECT_EQ(full(Shape{4, 8}, Scalar(-3.0), {.optional_tensor = target}), target);
    EXPECT_THAT(elements(target), Each(-3.0F));
    EXPECT_THAT(error_of([&] {
                    full(Shape{4, 9}, Scalar(0.0), {.optional_tensor = target});
                }),
                HasSubstr("'optional_tensor'"));
}

TEST_F(Creation, LikeCopiesEverythingIncludingShards) {
    const Tensor input = counted(device, {64, 64}, FLOAT32, Layout::TILE, height_sharded(2, {32, 64}));
    EXPECT_EQ(zeros_like(input).spec(), input.spec());
    const Tensor other = full_like(input, Scalar(2.5), {.dtype = BFLOAT16, .memory_config = MemoryConfig()});
    EXPECT_EQ(other.dtype(), BFLOAT16);
    EXPECT_FALSE(other.is_sharded());
    EXPECT_THAT(elements(other), Each(2.5F));
}

TEST_F(Creation, EmptyNeedsADevice) {
    EXPECT_THAT(error_of([&] { empty(Shape{2, 2}); }), HasSubstr("argument 'device'"));
    EXPECT_EQ(empty(Shape{2, 2}, {.device = device}).layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(empty_like(counted(device, {3, 4}, FLOAT32, Layout::TILE)).dtype(), BFLOAT16);
}

TEST_F(Creation, ArangeCountsInBothDirections) {
    EXPECT_THAT(elements(arange(int64_t{3}, int64_t{10}, {.step = 3})), ElementsAre(3, 6, 9));
    EXPECT_THAT(elements(arange(int64_t{2}, int64_t{-3}, {.step = -2, .dtype = INT32})), ElementsAre(2, 0, -2));
    EXPECT_THAT(elements(arange(int64_t{4}, {.dtype = UINT32, .device = device})), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(error_of([&] { arange(int64_t{0}, int64_t{4}, {.step = 0}); }), HasSubstr("must not be 0"));
    EXPECT_THAT(error_of([&] { arange(int64_t{0}, int64_t{4}, {.step = -1}); }), HasSubstr("never get from"));
}

TEST_F(Creation, RandRepeatsForASeedAndDiffersBetweenSeeds) {
    const Shape shape{64, 128};
    const auto draw = [&](int64_t seed) { return elements(rand(shape, device, {.dtype = FLOAT32, .seed = seed})); };
    EXPECT_EQ(draw(7), draw(7));
    EXPECT_NE(draw(7), draw(8));
    EXPECT_NE(draw(0), draw(0));
}

TEST_F(Creation, RandFillsItsRangeEvenly) {
    const auto values =
        elements(rand(Shape{128, 128}, device, {.dtype = FLOAT32, .low = -2.0, .high = 6.0, .seed = 3}));
    double mean = 0;
    size_t lowest_quarter = 0;
    for (const float value : values) {
        ASSERT_GE(value, -2.0F);
        ASSERT_LT(value, 6.0F);
        mean += value / static_cast<double>(values.size());
        lowest_quarter += value < 0.0F ? 1 : 0;
    }
    EXPECT_NEAR(mean, 2.0, 0.1);
    EXPECT_NEAR(static_cast<double>(lowest_quarter) / static_cast<double>(values.size()), 0.25, 0.02);
    EXPECT_EQ(rand(Shape{3, 3}, device).layout(), Layout::TILE);
    EXPECT_THAT(error_of([&] { rand(Shape{3, 3}, device, {.low = 1.0, .high = 1.0}); }), HasSubstr("must be smaller"));
    EXPECT_THAT(error_of([&] { rand(Shape{3, 3}, device, {.dtype = UINT8}); }), HasSubstr("UINT8"));
}

TEST_F(Creation, UniformAndBernoulliWorkInTiles) {
    const Tensor input = counted(device, {64, 64}, FLOAT32, Layout::TILE);
    EXPECT_EQ(uniform(input, {.from = 2.0, .to = 3.0, .seed = 5}), input);
    for (const float value : elements(input)) {
        ASSERT_GE(value, 2.0F);
        ASSERT_LT(value, 3.0F);
    }
    const Tensor half =
        full(Shape{64, 64}, Scalar(0.25), {.dtype = BFLOAT16, .layout = Layout::TILE, .device = device});
    const Tensor coins = bernoulli(half, {.seed = 11});
    EXPECT_EQ(coins.dtype(), FLOAT32);
    const auto values = elements(coins);
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 4096, 0.25, 0.03);
    EXPECT_THAT(error_of([&] { uniform(counted(device, {4, 4}, FLOAT32, Layout::ROW_MAJOR)); }), HasSubstr("'input'"));
}

TEST_F(Creation, EmbeddingShapesFollowTheIds) {
    const Tensor table = counted(device, {10, 4}, BFLOAT16, Layout::ROW_MAJOR);
    const auto ids = [&](const Shape& shape) {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, UINT32, Layout::ROW_MAJOR), device);
        write<uint32_t>(tensor, std::vector<uint32_t>(shape.volume(), 2));
        return tensor;
    };
    const Tensor plain = embedding(ids({2, 3}), table);
    EXPECT_EQ(plain.logical_shape(), Shape({2, 3, 4}));
    EXPECT_EQ(plain.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(elements(plain)[5], 9.0F);
    EXPECT_EQ(embedding(ids({2, 1, 1, 3}), table).logical_shape(), Shape({2, 3, 4}));
    EXPECT_EQ(embedding(ids({3}), table, {.layout = Layout::TILE, .dtype = BFLOAT8_B}).dtype(), BFLOAT8_B);
    EXPECT_THAT(error_of([&] {
                    embedding(ids({2, 3}), table, {.dtype = BFLOAT8_B});
                }),
                HasSubstr("needs a result in TILE"));
    EXPECT_THAT(error_of([&] {
                    embedding(ids({2, 3}), counted(device, {2, 4}, BFLOAT16, Layout::ROW_MAJOR));
                }),
                HasSubstr("holds 2, but the weight has 2 rows"));
}

}  // namespace
}  // namespace ttnn
