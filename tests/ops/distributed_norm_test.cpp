// Norms of rows that are spread over chips.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/normalization/fused_rms_minimal.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/normalization/norm_post_all_gather.hpp"
#include "ttnn/ops/normalization/norm_pre_all_gather.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

LayerNormShardedMultiCoreProgramConfig sharded_config(uint32_t cores, int64_t block_w) {
    return {.compute_with_storage_grid_size = {cores, 1}, .subblock_w = 1, .block_h = 1, .block_w = block_w};
}

class DistributedNormTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor f32(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
    }
    Tensor bf16(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, Layout::TILE), values);
    }
    // Columns first..first + count of every row of `values`, rows of `width`.
    static std::vector<float> columns(const std::vector<float>& values, size_t width, size_t first, size_t count) {
        std::vector<float> result;
        for (size_t row = 0; row < values.size(); row += width) {
            result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(row + first),
                          values.begin() + static_cast<std::ptrdiff_t>(row + first + count));
        }
        return result;
    }
};

TEST_F(DistributedNormTest, InterleavedStatisticsAreSumsInTheFirstColumnsOfTiles) {
    const Tensor x = f32({1, 1, 2, 4}, {1, 2, 3, 4, -1, 0, 0, 2});
    const Tensor squares = rms_norm_pre_all_gather(x);
    EXPECT_EQ(squares.spec(), TensorSpec({1, 1, 2, 32}, DataType::BFLOAT16, Layout::TILE));
    std::vector<float> expected(64, 0.0F);
    expected[0] = 30;
    expected[32] = 5;
    EXPECT_EQ(values_of(squares), expected);

    const Tensor both = layer_norm_pre_all_gather(x, {.dtype = DataType::FLOAT32});
    EXPECT_EQ(both.spec(), TensorSpec({1, 1, 2, 64}, DataType::FLOAT32, Layout::TILE));
    expected.assign(128, 0.0F);
    expected[0] = 30;
    expected[32] = 10;
    expected[64] = 5;
    expected[96] = 1;
    EXPECT_EQ(values_of(both), expected);
}

TEST_F(DistributedNormTest, WelfordsStatisticsAreMeanAndVariance) {
    const Tensor x = bf16({1, 1, 1, 4}, {1, 1, 3, 3});
    const Tensor twos = bf16({1, 1, 1, 4}, {2, 2, 2, 2});
    const LayerNormDefaultProgramConfig welford{.use_welford = true};
    EXPECT_THAT(error_of([&] { layer_norm_pre_all_gather(x, {.program_config = welford}); }),
                HasSubstr("Welford algorithm requires recip_tensor. Use ttnn.create_layer_norm_reciprocals()"));
    const Tensor stats = layer_norm_pre_all_gather(x, {.program_config = welford, .recip_tensor = x});
    EXPECT_EQ(values_of(stats)[0], 2);
    EXPECT_EQ(values_of(stats)[32], 1);
    EXPECT_THAT(values_of(layer_norm_post_all_gather(
                    x, stats, {.epsilon = 0, .weight = twos, .bias = twos, .program_config = welford})),
                ElementsAre(0, 0, 4, 4));
    EXPECT_THAT(error_of([&] { rms_norm_pre_all_gather(x, {.program_config = welford}); }),
                HasSubstr("is not supported for rms norm"));
}

TEST_F(DistributedNormTest, ShardedStatisticsAreMeansOnTheFirstCore) {
    const MemoryConfig memory = sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 32});
    const Tensor x = counting(device, {1, 1, 32, 64}, DataType::FLOAT32, memory, 4);  // 0 1 2 3 0 1 ...
    const Tensor squares =
        rms_norm_pre_all_gather(x, {.dtype = DataType::FLOAT32, .program_config = sharded_config(2, 1)});
    EXPECT_EQ(squares.spec(), TensorSpec({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE,
                                         sharded(TensorMemoryLayout::WIDTH_SHARDED, {1, 1}, {32, 32})));
    EXPECT_EQ(values_of(squares)[0], 3.5F);
    const Tensor both = layer_norm_pre_all_gather(x, {.program_config = sharded_config(2, 1)});
    EXPECT_EQ(both.memory_config(), sharded(TensorMemoryLayout::WIDTH_SHARDED, {1, 1}, {32, 64}));
    EXPECT_EQ(values_of(both)[0], 1.5F);
    EXPECT_EQ(values_of(both)[32], 3.5F);
}

// Otherwise the second step would need the residual too.
TEST_F(DistributedNormTest, ShardedInputHoldsTheSumWithTheResidual) {
    const MemoryConfig memory = sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 32});
    const Tensor x = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16, memory, 4);
    const Tensor residual = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16, memory, 1);
    const Tensor ones = tensor(device, x.spec(), std::vector<float>(32 * 64, 1.0F));
    const std::vector<float> before = values_of(x);
    rms_norm_pre_all_gather(x, {.residual_input_tensor = residual, .program_config = sharded_config(2, 1)});
    EXPECT_EQ(values_of(x), before);  // zeros were added
    const Tensor stats =
        rms_norm_pre_all_gather(x, {.residual_input_tensor = ones, .program_config = sharded_config(2, 1)});
    EXPECT_THAT(columns(values_of(x), 64, 0, 5), ::testing::Contains(4.0F));
    EXPECT_EQ(values_of(x)[1], 2.0F);
    EXPECT_EQ(values_of(stats)[0], 7.5F);  // of 1, 2, 3, 4

    const Tensor interleaved = f32({1, 1, 1, 2}, {1, 2});
    EXPECT_EQ(values_of(rms_norm_pre_all_gather(interleaved, {.residual_input_tensor = interleaved}))[0], 20);
    EXPECT_THAT(values_of(interleaved), ElementsAre(1, 2));
}

// What two chips do with halves of the rows is what one does with all of them.
TEST_F(DistributedNormTest, HalvesGiveWhatTheWholeGives) {
    const size_t rows = 40;
    std::vector<float> numbers(rows * 64);
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(std::sin(static_cast<double>(i * i)));
    }
    const Tensor whole = bf16({1, 1, 40, 64}, numbers);
    numbers = values_of(whole);
    const Tensor halves[] = {bf16({1, 1, 40, 32}, columns(numbers, 64, 0, 32)),
                             bf16({1, 1, 40, 32}, columns(numbers, 64, 32, 32))};
    std::vector<float> weights(64);
    for (size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<float>(i) / 32;
    }
    const auto gathered = [&](const Tensor& first, const Tensor& second) {
        const size_t width = first.logical_shape()[3];
        std::vector<float> values;
        for (size_t row = 0; row < rows; ++row) {
            for (const Tensor* part : {&first, &second}) {
                const std::vector<float> own = values_of(*part);
                values.insert(values.end(), own.begin() + static_cast<std::ptrdiff_t>(row * width),
                              own.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
            }
        }
        return f32({1, 1, 40, static_cast<uint32_t>(2 * width)}, values);
    };
    const DataType exact = DataType::FLOAT32;
    const Tensor squares = gathered(rms_norm_pre_all_gather(halves[0], {.dtype = exact}),
                                    rms_norm_pre_all_gather(halves[1], {.dtype = exact}));
    const Tensor both = gathered(layer_norm_pre_all_gather(halves[0], {.dtype = exact}),
                                 layer_norm_pre_all_gather(halves[1], {.dtype = exact}));
    const Tensor weight = bf16({1, 1, 1, 64}, weights);
    const Tensor precise = f32({1, 1, 40, 64}, numbers);
    const std::vector<float> rms = values_of(rms_norm(precise, {.epsilon = 1e-5, .weight = weight}));
    const std::vector<float> layer =
        values_of(layer_norm(precise, {.epsilon = 1e-5, .weight = weight, .bias = weight}));
    for (const size_t half : {size_t{0}, size_t{1}}) {
        const Tensor own = bf16({1, 1, 1, 32}, columns(weights, 64, half * 32, 32));
        EXPECT_THAT(values_of(rms_norm_post_all_gather(halves[half], squares,
                                                       {.epsilon = 1e-5, .weight = own, .dtype = exact})),
                    Pointwise(FloatNear(1e-5F), columns(rms, 64, half * 32, 32)));
        EXPECT_THAT(values_of(layer_norm_post_all_gather(
                        halves[half], both, {.epsilon = 1e-5, .weight = own, .bias = own, .dtype = exact})),
                    Pointwise(FloatNear(1e-5F), columns(layer, 64, half * 32, 32)));
    }
}

TEST_F(DistributedNormTest, InterleavedRowsAndTheirVectorsAreBfloat16) {
    const std::vector<float> ones(32, 1.0F);
    const Tensor x = bf16({1, 1, 1, 32}, ones);
    const Tensor precise = f32({1, 1, 1, 32}, ones);
    const Tensor squares = rms_norm_pre_all_gather(x);
    const Tensor both = layer_norm_pre_all_gather(x);
    const auto rms = [&](const Tensor& input, const RmsNormPostAllGather::Params& params) {
        return error_of([&] { rms_norm_post_all_gather(input, squares, params); });
    };
    const auto layer = [&](const Tensor& input, const LayerNormPostAllGather::Params& params) {
        return error_of([&] { layer_norm_post_all_gather(input, both, params); });
    };
    EXPECT_EQ(rms(x, {}), "");
    EXPECT_EQ(rms(x, {.weight = x}), "");
    EXPECT_THAT(rms(precise, {}), HasSubstr("argument 'input_tensor'"));
    EXPECT_THAT(rms(x, {.weight = precise}), HasSubstr("argument 'weight'"));
    EXPECT_THAT(rms(x, {.weight = x, .bias = x}), HasSubstr("argument 'bias' must not be given"));
    EXPECT_EQ(layer(x, {.weight = x, .bias = x}), "");
    EXPECT_THAT(layer(precise, {.weight = x, .bias = x}), HasSubstr("argument 'input_tensor'"));
    EXPECT_THAT(layer(x, {.weight = x, .bias = precise}), HasSubstr("argument 'bias'"));
    EXPECT_THAT(layer(x, {.weight = x}), HasSubstr("'weight' and 'bias' must both be given"));
    EXPECT_THAT(layer(x, {.bias = x}), HasSubstr("'weight' and 'bias' must both be given"));
    EXPECT_THAT(layer(x, {}), HasSubstr("'weight' and 'bias' must both be given"));
}

TEST_F(DistributedNormTest, ShardedResultsMayBeCutOtherwise) {
    const MemoryConfig memory = sharded(TensorMemoryLayout::WIDTH_SHARDED, {3, 1}, {32, 32});
    const Tensor x = counting(device, {1, 1, 32, 96}, DataType::FLOAT32, memory, 3);
    const Tensor stats = tensor(device,
                                TensorSpec({1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE,
                                           sharded(TensorMemoryLayout::WIDTH_SHARDED, {1, 1}, {32, 64})),
                                std::vector<float>(32 * 64, 4.0F));
    const MemoryConfig wide = sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 64});
    const Tensor y = rms_norm_post_all_gather(
        x, stats,
        {.epsilon = 0, .memory_config = wide, .program_config = sharded_config(3, 1), .dtype = DataType::BFLOAT16});
    EXPECT_EQ(y.memory_config(), wide);
    EXPECT_EQ(y.dtype(), DataType::BFLOAT16);
    EXPECT_THAT(columns(values_of(y), 96, 0, 3), ::testing::Each(::testing::AnyOf(0.0F, 0.5F, 1.0F)));
    EXPECT_EQ(values_of(y)[2], 1.0F);

    auto in_place = sharded_config(3, 1);
    in_place.inplace = true;
    const Tensor z = rms_norm_post_all_gather(x, stats, {.program_config = in_place});
    EXPECT_EQ(z.buffer_address(), x.buffer_address());
    EXPECT_EQ(values_of(x)[2], 1.0F);
}

TEST_F(DistributedNormTest, WhatHardwareCannotIsRefused) {
    const Tensor x = f32({1, 1, 2, 4}, std::vector<float>(8, 1.0F));
    const Tensor tile = f32({1, 1, 2, 32}, std::vector<float>(64, 1.0F));
    EXPECT_THAT(error_of([&] { layer_norm_post_all_gather(x, tile); }), HasSubstr("argument 'stats'"));
    EXPECT_THAT(error_of([&] {
                    rms_norm_post_all_gather(x, f32({1, 2, 2, 32}, std::vector<float>(128, 1.0F)));
                }),
                HasSubstr("must have the rows of the input"));
    EXPECT_THAT(error_of([&] {
                    rms_norm_pre_all_gather(f32({2, 4}, std::vector<float>(8, 1.0F)));
                }),
                HasSubstr("must have rank 4"));
    const Tensor high = counting(device, {1, 1, 64, 64}, DataType::BFLOAT16,
                                 sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {64, 32}));
    EXPECT_THAT(error_of([&] { rms_norm_pre_all_gather(high); }), HasSubstr("must be one tile high"));
    const Tensor cut = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16,
                                sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 32}));
    EXPECT_THAT(error_of([&] {
                    rms_norm_post_all_gather(cut, counting(device, {1, 1, 32, 32}));
                }),
                HasSubstr("must be sharded on one core"));
}

// Input and squares are rows of four tiles, scaler and statistics one tile each.
TEST_F(DistributedNormTest, StatisticsNeedTwoRowsOfTiles) {
    const Tensor x = counting(device, {1, 1, 32, 128});
    const test::Recording recording;
    rms_norm_pre_all_gather(x);
    EXPECT_THAT(recording->sizes, ElementsAre(4 * 2048, 2048, 4 * 2048, 2048));
    EXPECT_THAT(recording->names, ::testing::Contains("ttnn::prim::layer_norm_pre_all_gather"));
}

class FusedRmsTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> mesh = Device::open({.board = "n150", .mesh = {{1, 2}}});
    MemoryConfig memory = sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 32});

    Tensor spread(const TensorSpec& spec, const std::array<std::vector<float>, 2>& values) const {
        Tensor result = Tensor::allocate_on_device(spec, mesh);
        for (uint32_t chip = 0; chip < 2; ++chip) {
            Tensor part = result.part(chip);
            write<float>(part, values[chip]);
        }
        return result;
    }
};

TEST_F(FusedRmsTest, ChipsShareTheirSquaresAndTheResidualTakesTheSum) {
    const TensorSpec spec({1, 1, 1, 64}, DataType::FLOAT32, Layout::TILE, memory);
    const std::vector<float> ones(64, 1.0F);
    const std::vector<float> threes(64, 3.0F);
    const Tensor x = spread(spec, {ones, threes});
    const Tensor residual = spread(spec, {std::vector<float>(64, 0.0F), std::vector<float>(64, 4.0F)});
    const TensorSpec rows({1, 1, 2, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor weight = spread(rows, {ones, std::vector<float>(64, 2.0F)});
    const Tensor stats = spread(TensorSpec({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE),
                                {std::vector<float>(1024, 0.0F), std::vector<float>(1024, 0.0F)});
    const FusedRmsMinimal::Params call{.input_tensor = x,
                                       .program_config = sharded_config(2, 1),
                                       .cluster_axis = 1,
                                       .mesh_device = mesh,
                                       .residual_input_tensor = residual,
                                       .epsilon = 0,
                                       .weight = weight,
                                       .stats = stats};
    const Tensor y = fused_rms_minimal.with(call);  // 1 and 7: the mean of squares is 25
    EXPECT_EQ(y.memory_config(), memory);
    EXPECT_EQ(y.dtype(), DataType::FLOAT32);
    EXPECT_THAT(values_of(y.part(0)), ::testing::Each(FloatNear(0.2F, 1e-6F)));
    EXPECT_THAT(values_of(y.part(1)), ::testing::Each(FloatNear(2.8F, 1e-6F)));
    EXPECT_THAT(values_of(residual.part(0)), ::testing::Each(1.0F));
    EXPECT_THAT(values_of(residual.part(1)), ::testing::Each(7.0F));
    EXPECT_THAT(values_of(x.part(1)), ::testing::Each(3.0F));

    FusedRmsMinimal::Params alone = call;
    alone.cluster_axis = 0;  // every chip is a group of its own
    alone.residual_input_tensor = std::nullopt;
    EXPECT_THAT(values_of(fused_rms_minimal.with(alone).part(1)), ::testing::Each(FloatNear(2.0F, 1e-6F)));

    FusedRmsMinimal::Params wrong = call;
    wrong.stats = std::nullopt;
    EXPECT_THAT(error_of([&] { fused_rms_minimal.with(wrong); }), HasSubstr("argument 'stats' is missing"));
    wrong = call;
    wrong.program_config = LayerNormDefaultProgramConfig();
    EXPECT_THAT(error_of([&] { fused_rms_minimal.with(wrong); }),
                HasSubstr("must be a LayerNormShardedMultiCoreProgramConfig"));
}

}  // namespace
}  // namespace ttnn
