// batch_norm and group_norm.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/normalization/batch_norm.hpp"
#include "ttnn/ops/normalization/group_norm.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

class ChannelNormTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor f32(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
    }
    Tensor bf16(const Shape& shape, Layout layout, const MemoryConfig& memory, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, layout, memory), values);
    }
};

TEST_F(ChannelNormTest, InferenceUsesTheRunningStatistics) {
    const Tensor x = f32({1, 2, 1, 2}, {1, 3, 10, 20});
    const Tensor mean = f32({1, 2, 1, 1}, {2, 10});
    const Tensor var = f32({1, 2, 1, 1}, {1, 25});
    EXPECT_THAT(values_of(batch_norm(x, {.running_mean = mean, .running_var = var, .eps = 0})),
                ElementsAre(-1, 1, 0, 2));
    const Tensor weight = f32({1, 2, 1, 1}, {2, 3});
    const Tensor bias = f32({1, 2, 1, 1}, {1, -1});
    EXPECT_THAT(
        values_of(batch_norm(
            x, {.running_mean = mean, .running_var = var, .eps = 0, .momentum = 0.5, .weight = weight, .bias = bias})),
        ElementsAre(-1, 3, -1, 5));
    EXPECT_THAT(values_of(mean), ElementsAre(2, 10));
    EXPECT_THAT(error_of([&] { batch_norm(x, {.running_mean = mean}); }),
                HasSubstr("running_mean and running_var must be defined in evaluation mode"));
}

// The variance that moves the running one is that of the batch, not n / (n - 1) times it.
TEST_F(ChannelNormTest, TrainingMovesTheRunningStatistics) {
    const Tensor x = f32({2, 1, 1, 2}, {1, 1, 3, 3});
    const Tensor mean = f32({1, 1, 1, 1}, {4});
    const Tensor var = f32({1, 1, 1, 1}, {3});
    const test::Recording recording;
    const Tensor y =
        batch_norm(x, {.running_mean = mean, .running_var = var, .training = true, .eps = 0, .momentum = 0.25});
    EXPECT_THAT(values_of(y), ElementsAre(-1, -1, 1, 1));
    EXPECT_THAT(values_of(mean), ElementsAre(3.5));
    EXPECT_THAT(values_of(var), ElementsAre(2.5));
    EXPECT_EQ(recording->names.front(), "ttnn::batch_norm");
    EXPECT_THAT(recording->names,
                ::testing::IsSupersetOf({"ttnn::mean", "ttnn::square", "ttnn::subtract",
                                         "ttnn::prim::running_statistics", "ttnn::prim::batch_norm"}));
    const Tensor z = batch_norm(x, {.training = true, .eps = 0, .output = y});
    EXPECT_EQ(z.buffer_address(), y.buffer_address());
}

TEST_F(ChannelNormTest, BatchNormRefusesWhatHardwareDoes) {
    const Tensor x = f32({1, 2, 1, 2}, {1, 3, 10, 20});
    const Tensor one = f32({1, 1, 1, 1}, {1});
    EXPECT_THAT(error_of([&] {
                    batch_norm(f32({2, 2}, {1, 2, 3, 4}), {.training = true});
                }),
                HasSubstr("batch_norm not supported for tensors with rank < 4. (rank=2)"));
    EXPECT_THAT(error_of([&] { batch_norm(x, {.training = true, .weight = one}); }),
                HasSubstr("argument 'weight' must be [1, 2, 1, 1]"));
    EXPECT_THAT(error_of([&] { batch_norm(x, {.running_mean = one, .training = true}); }),
                HasSubstr("argument 'running_mean' must be [1, 2, 1, 1]"));
    EXPECT_THAT(error_of([&] {
                    batch_norm(x, {.training = true, .output = counting(device, {1, 2, 1, 2})});
                }),
                HasSubstr("argument 'output' must have the input's dtype"));
}

// Channels 0 and 1 are 1 and 3, channels 2 and 3 are 0 and 4, in every row.
TEST_F(ChannelNormTest, GroupsOfChannelsByHand) {
    std::vector<float> numbers;
    for (size_t row = 0; row < 32; ++row) {
        numbers.insert(numbers.end(), {1, 3, 0, 4});
    }
    const Tensor x = bf16({1, 1, 32, 4}, Layout::TILE, {}, numbers);
    const CoreGrid grid{1, 1};
    const Tensor y =
        group_norm.with({.input_tensor = x, .num_groups = 2, .epsilon = 0, .core_grid = grid, .inplace = false});
    EXPECT_EQ(y.spec(), x.spec());
    const std::vector<float> scores = values_of(y);
    EXPECT_THAT(std::vector(scores.begin(), scores.begin() + 8), ElementsAre(-1, 1, -1, 1, -1, 1, -1, 1));

    const Tensor weight = bf16({1, 1, 1, 4}, Layout::TILE, {}, {1, 2, 3, 4});
    const std::vector<float> scaled = values_of(group_norm.with({.input_tensor = x,
                                                                 .num_groups = 1,
                                                                 .epsilon = 0.5,
                                                                 .weight = weight,
                                                                 .bias = weight,
                                                                 .core_grid = grid,
                                                                 .inplace = false}));
    // One group of mean 2 and variance 2.5.
    const float root = std::sqrt(3.0F);
    EXPECT_THAT(std::vector(scaled.begin(), scaled.begin() + 4),
                ElementsAre(FloatNear(1 - 1 / root, 4e-3F), FloatNear(2 + 2 / root, 2e-2F),
                            FloatNear(3 - 6 / root, 4e-3F), FloatNear(4 + 8 / root, 4e-2F)));
}

// 96 channels on two cores: the 128 numbers are two pieces of 48, not four of 24.
TEST_F(ChannelNormTest, RowMajorWeightsComeInPiecesOfCores) {
    std::vector<float> numbers(size_t{64} * 96);
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = i % 2 == 0 ? -1.0F : 1.0F;
    }
    const Tensor x =
        bf16({1, 1, 64, 96}, Layout::ROW_MAJOR, sharded(TensorMemoryLayout::BLOCK_SHARDED, {2, 2}, {32, 48}), numbers);
    std::vector<float> pieces(128, 0.0F);
    for (size_t i = 0; i < 96; ++i) {
        pieces[i / 48 * 64 + i % 48] = static_cast<float>(i);
    }
    const Tensor weight = bf16({1, 1, 4, 32}, Layout::ROW_MAJOR, {}, pieces);
    const Tensor y = group_norm.with(
        {.input_tensor = x, .num_groups = 2, .epsilon = 0, .weight = weight, .core_grid = CoreGrid{2, 2}});
    EXPECT_EQ(y.buffer_address(), x.buffer_address());
    const std::vector<float> result = values_of(x);
    for (size_t i = 0; i < 96; ++i) {
        EXPECT_EQ(result[i], (i % 2 == 0 ? -1.0F : 1.0F) * static_cast<float>(i)) << i;
    }
    EXPECT_THAT(error_of([&] {
                    group_norm.with({.input_tensor = x,
                                     .num_groups = 2,
                                     .weight = bf16({1, 1, 2, 32}, Layout::ROW_MAJOR, {}, std::vector<float>(64)),
                                     .core_grid = CoreGrid{2, 2}});
                }),
                HasSubstr("hold the 96 channels in equal pieces"));
}

TEST_F(ChannelNormTest, GroupNormGoesToDramUnlessItIsInPlace) {
    const MemoryConfig memory = sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 64});
    const Tensor x = counting(device, {1, 1, 64, 64}, DataType::BFLOAT16, memory, 7, Layout::ROW_MAJOR);
    const GroupNorm::Params call{.input_tensor = x, .num_groups = 4, .epsilon = 1e-5, .core_grid = CoreGrid{2, 1}};
    GroupNorm::Params apart = call;
    apart.inplace = false;
    const std::vector<float> before = values_of(x);
    const Tensor y = group_norm.with(apart);
    EXPECT_EQ(y.memory_config(), MemoryConfig());
    EXPECT_EQ(y.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(values_of(x), before);
    apart.output_layout = Layout::TILE;
    EXPECT_EQ(group_norm.with(apart).layout(), Layout::TILE);
    const std::vector<float> expected = values_of(y);
    EXPECT_EQ(group_norm.with(call), x);
    EXPECT_EQ(values_of(x), expected);
}

TEST_F(ChannelNormTest, GroupNormRefusesWhatHardwareDoes) {
    const Tensor x = counting(device, {1, 1, 64, 64});
    const CoreGrid grid{1, 1};
    const auto refused = [&](GroupNorm::Params call) { return error_of([&] { group_norm.with(call); }); };
    EXPECT_THAT(refused({.input_tensor = x, .num_groups = 2, .core_grid = grid}),
                HasSubstr("In-place operation not supported: Tile layout requires non-inplace tensors."));
    EXPECT_THAT(refused({.input_tensor = x, .num_groups = 2, .inplace = false}),
                HasSubstr("Automatic grid size determination is not supported"));
    EXPECT_THAT(refused({.input_tensor = x, .num_groups = 3, .core_grid = grid, .inplace = false}),
                HasSubstr("must be divisible by the number of groups"));
    const Tensor rows = counting(device, {1, 1, 64, 64}, DataType::BFLOAT16, {}, 8, Layout::ROW_MAJOR);
    EXPECT_THAT(refused({.input_tensor = rows, .num_groups = 2, .core_grid = grid}),
                HasSubstr("inplace groupnorm not supported for unsharded tensors"));
    EXPECT_THAT(refused({.input_tensor = rows, .num_groups = 2, .core_grid = grid, .output_layout = Layout::TILE}),
                HasSubstr("Input and output tensor layouts differ"));
    EXPECT_THAT(refused({.input_tensor = counting(device, {1, 1, 64, 64}, DataType::FLOAT32),
                         .num_groups = 2,
                         .core_grid = grid,
                         .inplace = false}),
                HasSubstr("dtype"));
    EXPECT_THAT(refused({.input_tensor = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16,
                                                  sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 32})),
                         .num_groups = 2,
                         .core_grid = grid,
                         .inplace = false}),
                HasSubstr("cannot be width-sharded"));
    EXPECT_THAT(refused({.input_tensor = x,
                         .num_groups = 2,
                         .core_grid = grid,
                         .inplace = false,
                         .negative_mask = counting(device, {1, 2, 32, 32})}),
                HasSubstr("argument 'negative_mask' is for sharded ROW_MAJOR"));
}

}  // namespace
}  // namespace ttnn
