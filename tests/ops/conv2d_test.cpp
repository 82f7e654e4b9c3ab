// conv2d where opcheck cannot know: small numbers by hand, what is returned, the steps, memory, and error texts.
#include "ttnn/ops/conv/conv2d.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/graph/graph_processor.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::Recording;
using test::tensor;
using test::values_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Conv2dTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor rows(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::ROW_MAJOR), values);
    }
    static Tensor host(const Shape& shape, const std::vector<float>& values) {
        Tensor result = Tensor::allocate_on_host(TensorSpec(shape, DataType::FLOAT32, Layout::ROW_MAJOR));
        write<float>(result, values);
        return result;
    }
    // One channel of 3 x 3: 1 to 9. The sum of every 2 x 2 window.
    Conv2d::Params sums_of_four() const {
        return {.input_tensor = rows({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                .weight_tensor = host({1, 1, 2, 2}, {1, 1, 1, 1}),
                .device = device,
                .in_channels = 1,
                .out_channels = 1,
                .batch_size = 1,
                .input_height = 3,
                .input_width = 3,
                .kernel_size = {2, 2}};
    }
    // Tiles in L1 for a window of 3 x 3.
    Conv2d::Params in_l1(const Tensor& input, uint32_t side, uint32_t channels, uint32_t outputs) const {
        return {
            .input_tensor = input,
            .weight_tensor = host({outputs, channels, 3, 3}, std::vector<float>(size_t{9} * outputs * channels, 0.5F)),
            .device = device,
            .in_channels = channels,
            .out_channels = outputs,
            .batch_size = 1,
            .input_height = side,
            .input_width = side,
            .kernel_size = {3, 3},
            .padding = std::array<uint32_t, 2>{1, 1}};
    }
    // Operations and primitives that a call runs.
    static std::vector<std::string> steps(const Conv2d::Params& params) {
        const Recording recording;
        conv2d(params);
        std::vector<std::string> names;
        std::ranges::copy_if(recording->names, std::back_inserter(names),
                             [](const std::string& name) { return name.starts_with("ttnn::"); });
        return names;
    }
    static Tensor only(const Conv2dResult& result) { return std::get<Tensor>(result); }
};

TEST_F(Conv2dTest, SlidesTheWindowWithoutTurningIt) {
    Conv2d::Params params = sums_of_four();
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(12, 16, 24, 28));
    params.weight_tensor = host({1, 1, 2, 2}, {1, 2, 0, 0});
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(5, 8, 14, 17));
    params.bias_tensor = host({1, 1, 1, 1}, {0.5F});
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(5.5F, 8.5F, 14.5F, 17.5F));
}

TEST_F(Conv2dTest, PadsEachSideByItself) {
    Conv2d::Params params = sums_of_four();
    params.padding = std::array<uint32_t, 4>{1, 0, 0, 1};  // top, bottom, left, right
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(3, 5, 3, 12, 16, 9, 24, 28, 15));
    params.padding = std::array<uint32_t, 2>{0, 1};
    params.stride = {1, 2};
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(5, 16, 11, 28));
}

TEST_F(Conv2dTest, DilationSpreadsTheTaps) {
    Conv2d::Params params = sums_of_four();
    params.dilation = {2, 2};
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(1 + 3 + 7 + 9));
}

TEST_F(Conv2dTest, GroupsDoNotSeeEachOther) {
    Conv2d::Params params{.input_tensor = rows({1, 1, 2, 2}, {1, 10, 2, 20}),
                          .weight_tensor = host({2, 1, 1, 2}, {1, 1, 1, -1}),
                          .device = device,
                          .in_channels = 2,
                          .out_channels = 2,
                          .batch_size = 1,
                          .input_height = 1,
                          .input_width = 2,
                          .kernel_size = {1, 2},
                          .groups = 2};
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(3, -10));
}

TEST_F(Conv2dTest, TheFlagsSayWhatIsReturned) {
    Conv2d::Params params = sums_of_four();
    params.return_output_dim = true;
    const auto [output, size] = std::get<1>(conv2d(params));
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 4, 1}));
    EXPECT_THAT(size, ElementsAre(2, 2));
    params.return_weights_and_bias = true;
    const auto all = std::get<3>(conv2d(params));
    EXPECT_FALSE(std::get<1>(std::get<2>(all)).has_value());
    params.return_output_dim = false;
    params.bias_tensor = host({1, 1, 1, 1}, {3});
    const auto [again, prepared] = std::get<2>(conv2d(params));
    EXPECT_EQ(std::get<0>(prepared).logical_shape(), Shape({1, 1, 4, 1}));
    EXPECT_THAT(values_of(std::get<0>(prepared)), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(values_of(*std::get<1>(prepared)), ElementsAre(3));
}

TEST_F(Conv2dTest, PreparedWeightsAreUsedAgain) {
    Conv2d::Params params = sums_of_four();
    params.weight_tensor = host({1, 1, 2, 2}, {1, 2, 3, 4});
    params.bias_tensor = host({1, 1, 1, 1}, {100});
    params.return_weights_and_bias = true;
    const auto first = std::get<2>(conv2d(params));
    const auto& [weight, bias] = std::get<1>(first);
    EXPECT_TRUE(weight.is_on_device() && bias->is_on_device());
    EXPECT_EQ(weight.layout(), Layout::TILE);
    params.weight_tensor = weight;
    params.bias_tensor = bias;
    const auto second = std::get<2>(conv2d(params));
    EXPECT_EQ(values_of(std::get<0>(second)), values_of(std::get<0>(first)));
    EXPECT_EQ(std::get<0>(std::get<1>(second)), weight);  // the same tensor
    params.weight_tensor = copy_to_host(weight);
    EXPECT_EQ(values_of(std::get<0>(std::get<2>(conv2d(params)))), values_of(std::get<0>(first)));
}

TEST_F(Conv2dTest, GroupsBecomeAMatrixWithZerosBetweenThem) {
    Conv2d::Params params{.input_tensor = rows({1, 1, 2, 2}, {1, 10, 2, 20}),
                          .weight_tensor = host({2, 1, 1, 2}, {1, 2, 3, 4}),
                          .device = device,
                          .in_channels = 2,
                          .out_channels = 2,
                          .batch_size = 1,
                          .input_height = 1,
                          .input_width = 2,
                          .kernel_size = {1, 2},
                          .groups = 2,
                          .return_weights_and_bias = true};
    const Tensor weight = std::get<0>(std::get<1>(std::get<2>(conv2d(params))));
    // Rows: (tap 0, channel 0), (tap 0, channel 1), ...
    EXPECT_THAT(values_of(weight), ElementsAre(1, 0, 0, 3, 2, 0, 0, 4));
}

TEST_F(Conv2dTest, OnlyTheFirstChannelsOfAPaddedInputCount) {
    Conv2d::Params params = sums_of_four();
    params.input_tensor = rows({1, 1, 9, 2}, {1, 50, 2, 50, 3, 50, 4, 50, 5, 50, 6, 50, 7, 50, 8, 50, 9, 50});
    EXPECT_THAT(values_of(only(conv2d(params))), ElementsAre(12, 16, 24, 28));
}

TEST_F(Conv2dTest, TakesAnInputFromTheHost) {
    Conv2d::Params params = sums_of_four();
    params.input_tensor = host({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const Tensor output = only(conv2d(params));
    EXPECT_THAT(values_of(output), ElementsAre(12, 16, 24, 28));
    EXPECT_EQ(output.memory_config(), MemoryConfig());
    params.device.reset();
    EXPECT_THAT(error_of([&] { conv2d(params); }), HasSubstr("argument 'device' is needed"));
}

TEST_F(Conv2dTest, InDramTheResultIsInterleavedThereWhateverTheMemoryConfig) {
    Conv2d::Params params = sums_of_four();
    params.memory_config = l1_memory_config();
    params.dtype = DataType::BFLOAT16;
    const Tensor output = only(conv2d(params));
    EXPECT_EQ(output.memory_config(), MemoryConfig());
    EXPECT_EQ(output.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(output.layout(), Layout::TILE);
    // A product of matrices honours it.
    params.kernel_size = {1, 1};
    params.weight_tensor = host({1, 1, 1, 1}, {2});
    EXPECT_EQ(only(conv2d(params)).memory_config(), l1_memory_config());
}

TEST_F(Conv2dTest, ImagesInDramAreCutIntoSlices) {
    const Tensor input = counting(device, {1, 1, 2 * 13 * 13, 32}, DataType::BFLOAT16);
    Conv2d::Params params = in_l1(input, 13, 32, 48);
    params.batch_size = 2;
    params.stride = {2, 1};
    params.slice_config = Op2DSliceConfig{Op2DSliceType::L1Full, 0};
    const Tensor whole = only(conv2d(params));
    EXPECT_TRUE(whole.is_sharded());
    for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth}) {
        for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
            params.conv_config = Conv2dConfig{.output_layout = layout};
            params.slice_config = Op2DSliceConfig{type, 3};
            const std::vector<std::string> names = steps(params);
            ASSERT_EQ(names.size(), 1U + 3 * 7);
            for (size_t slice = 0; slice < 3; ++slice) {
                EXPECT_THAT(std::span(names).subspan(1 + slice * 7, 7),
                            ElementsAre("ttnn::prim::padded_slice", "ttnn::halo", "ttnn::prim::halo", "ttnn::move",
                                        "ttnn::prim::move", "ttnn::prim::conv2d", "ttnn::prim::slice_write"));
            }
            const Tensor cut = only(conv2d(params));
            EXPECT_EQ(cut.memory_config(), MemoryConfig());
            EXPECT_EQ(cut.layout(), layout);
            EXPECT_EQ(values_of(cut), values_of(whole));
        }
    }
}

TEST_F(Conv2dTest, WhatDoesNotFitIsCutByItself) {
    const auto slices = [&](uint32_t side) {
        const Tensor input = tensor(device, TensorSpec({1, 1, side * side, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR),
                                    std::vector<float>(size_t{64} * side * side, 0.0F));
        const std::vector<std::string> names = steps(in_l1(input, side, 64, 32));
        return std::ranges::count(names, "ttnn::prim::padded_slice");
    };
    EXPECT_EQ(slices(32), 1);
    // 512 x 512 positions of 64 channels take 512 KiB of each of 64 cores, and so do their halos.
    EXPECT_EQ(slices(512), 2);
}

TEST_F(Conv2dTest, OutputsThatSeeOnlyPaddingGoAlongWithTheirNeighbours) {
    Conv2d::Params params = sums_of_four();
    params.padding = std::array<uint32_t, 4>{4, 4, 0, 0};
    params.slice_config = Op2DSliceConfig{Op2DSliceType::DRAMSliceHeight, 10};
    params.bias_tensor = host({1, 1, 1, 1}, {1});
    // Of ten rows of outputs the fourth to the seventh see the image.
    EXPECT_EQ(std::ranges::count(steps(params), "ttnn::prim::padded_slice"), 4);
    EXPECT_THAT(values_of(only(conv2d(params))),
                ElementsAre(1, 1, 1, 1, 1, 1, 4, 6, 13, 17, 25, 29, 16, 18, 1, 1, 1, 1, 1, 1));
}

TEST_F(Conv2dTest, ShardsInL1GoThroughAHalo) {
    const Tensor input = counting(device, {1, 1, 256, 64}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 16, 64, 32);
    params.conv_config = Conv2dConfig{.shard_layout = TensorMemoryLayout::HEIGHT_SHARDED};
    EXPECT_THAT(steps(params), ElementsAre("ttnn::conv2d", "ttnn::prim::interleaved_to_sharded", "ttnn::halo",
                                           "ttnn::prim::halo", "ttnn::move", "ttnn::prim::move", "ttnn::prim::conv2d"));
    const Tensor output = only(conv2d(params));
    // 256 positions are 8 tiles: one for each of 8 cores.
    const ShardSpec& shards = *output.memory_config().shard_spec();
    EXPECT_EQ(shards.shape, (std::array<uint32_t, 2>{32, 32}));
    EXPECT_EQ(shards.grid.to_string(), "{[(x=0,y=0) - (x=7,y=0)]}");
    EXPECT_EQ(output.spec().alignment(), Shape({32, 32}));
}

TEST_F(Conv2dTest, AHaloStaysWhereItIsOnDemand) {
    const Tensor input = counting(device, {1, 1, 256, 64}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 16, 64, 32);
    params.conv_config =
        Conv2dConfig{.reallocate_halo_output = false, .shard_layout = TensorMemoryLayout::HEIGHT_SHARDED};
    EXPECT_THAT(steps(params), ElementsAre("ttnn::conv2d", "ttnn::prim::interleaved_to_sharded", "ttnn::halo",
                                           "ttnn::prim::halo", "ttnn::prim::conv2d"));
    const std::vector<float> values = values_of(only(conv2d(params)));
    params.conv_config->reallocate_halo_output = true;
    EXPECT_EQ(values_of(only(conv2d(params))), values);
}

TEST_F(Conv2dTest, AHaloHasTheBordersOfEveryCore) {
    // 16 x 16 positions with a border of one: 18 x 18. A core computes two rows of 16 and sees four rows of 18, from
    // the left edge of the first to the right edge of the last.
    const Tensor input = counting(device, {1, 1, 256, 32}, DataType::BFLOAT8_B, l1_memory_config());
    Conv2d::Params params = in_l1(input, 16, 32, 32);
    params.conv_config = Conv2dConfig{.shard_layout = TensorMemoryLayout::HEIGHT_SHARDED};
    class Halos : public Observer {
    public:
        bool watches_steps() const override { return true; }
        void function_end(std::string_view name, std::span<const Tensor> outputs) override {
            if (name == "ttnn::halo") {
                spec = outputs[0].spec();
            }
        }
        TensorSpec spec;
    };
    const auto halos = std::make_shared<Halos>();
    attach(halos);
    conv2d(params);
    detach(halos);
    EXPECT_EQ(halos->spec.logical_shape(), Shape({1, 1, 8 * 72, 32}));
    EXPECT_EQ(halos->spec.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(halos->spec.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(halos->spec.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{72, 32}));
}

TEST_F(Conv2dTest, APointwiseConvolutionOnShardsIsALinear) {
    const Tensor input = counting(device, {1, 1, 64, 64}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 8, 64, 96);
    params.weight_tensor = host({96, 64, 1, 1}, std::vector<float>(size_t{96} * 64, 0.25F));
    params.kernel_size = {1, 1};
    params.padding = std::array<uint32_t, 2>{0, 0};
    params.conv_config = Conv2dConfig{.shard_layout = TensorMemoryLayout::BLOCK_SHARDED};
    EXPECT_THAT(steps(params), ElementsAre("ttnn::conv2d", "ttnn::prim::interleaved_to_sharded", "ttnn::linear",
                                           "ttnn::prim::matmul"));
    const Tensor output = only(conv2d(params));
    // Two tiles of rows on two rows of cores. Three tiles of columns and two of channels have no common divisor.
    const ShardSpec& shards = *output.memory_config().shard_spec();
    EXPECT_EQ(shards.shape, (std::array<uint32_t, 2>{32, 96}));
    EXPECT_EQ(shards.grid.to_string(), "{[(x=0,y=0) - (x=0,y=1)]}");
    EXPECT_EQ(read<float>(output)[0], 64 / 8 * 28 * 0.25F);  // 0 to 7, eight times
}

TEST_F(Conv2dTest, DeallocateActivationFreesTheInput) {
    for (const bool frees : {false, true}) {
        const Tensor input = counting(device, {1, 1, 64, 32}, DataType::BFLOAT16, l1_memory_config());
        Conv2d::Params params = in_l1(input, 8, 32, 32);
        params.conv_config = Conv2dConfig{.deallocate_activation = frees};
        conv2d(params);
        EXPECT_EQ(input.is_allocated(), !frees);
    }
    const Tensor in_dram = counting(device, {1, 1, 64, 32});
    Conv2d::Params params = in_l1(in_dram, 8, 32, 32);
    params.conv_config = Conv2dConfig{.deallocate_activation = true};
    conv2d(params);
    EXPECT_TRUE(in_dram.is_allocated());
}

TEST_F(Conv2dTest, RowsAsTheResultKeepTilesOfAlignment) {
    const Tensor input = counting(device, {1, 1, 64, 32}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 8, 32, 40);
    params.conv_config =
        Conv2dConfig{.shard_layout = TensorMemoryLayout::HEIGHT_SHARDED, .output_layout = Layout::ROW_MAJOR};
    const Tensor output = only(conv2d(params));
    EXPECT_EQ(output.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(output.spec().alignment(), Shape({32, 32}));
    EXPECT_EQ(output.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{32, 64}));
    params.dtype = DataType::BFLOAT8_B;
    EXPECT_THAT(error_of([&] { conv2d(params); }), HasSubstr("a result in ROW_MAJOR cannot have DataType::BFLOAT8_B"));
}

TEST_F(Conv2dTest, AMemoryConfigMovesTheResultOfShards) {
    const Tensor input = counting(device, {1, 1, 64, 32}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 8, 32, 32);
    const std::vector<float> sharded = values_of(only(conv2d(params)));
    params.memory_config = MemoryConfig();
    const Tensor moved = only(conv2d(params));
    EXPECT_EQ(moved.memory_config(), MemoryConfig());
    EXPECT_EQ(values_of(moved), sharded);
}

TEST_F(Conv2dTest, CircularBuffersFollowTheBlocks) {
    const Tensor input = counting(device, {1, 1, 256, 64}, DataType::BFLOAT16, l1_memory_config());
    Conv2d::Params params = in_l1(input, 16, 64, 64);
    params.conv_config =
        Conv2dConfig{.weights_dtype = DataType::BFLOAT8_B, .shard_layout = TensorMemoryLayout::HEIGHT_SHARDED};
    params.dtype = DataType::BFLOAT16;
    const Recording recording;
    conv2d(params);
    // One tile of rows for a core; a row of the window is 3 taps of 2 tiles of channels. Weights: 3 rows of the window
    // x 6 x 2 tiles of 1088 B. Partial sums lie in the output. The gathered rows as rows and as tiles: 6 tiles each.
    EXPECT_THAT(recording->sizes, ElementsAre(3 * 6 * 2 * 1088, 6 * 2048, 6 * 2048, 4096, 64));
}

TEST_F(Conv2dTest, NothingIsComputedWithoutDispatch) {
    const Tensor input = counting(device, {1, 1, 256, 64}, DataType::BFLOAT16, l1_memory_config());
    const Conv2d::Params params = in_l1(input, 16, 64, 64);
    Tensor output;
    graph::query_trace([&] { output = only(conv2d(params)); });
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 256, 64}));
    EXPECT_TRUE(output.is_sharded());
}

TEST_F(Conv2dTest, ErrorsNameTheArgument) {
    const auto error = [&](auto change) {
        Conv2d::Params params = sums_of_four();
        change(params);
        return error_of([&] { conv2d(params); });
    };
    EXPECT_THAT(error([](auto& p) { p.in_channels = 0; }), HasSubstr("argument 'in_channels' must be positive, got 0"));
    EXPECT_THAT(error([](auto& p) { p.groups = 2; }), HasSubstr("argument 'groups' (2) must divide"));
    EXPECT_THAT(error([](auto& p) { p.input_width = 4; }), HasSubstr("'input_tensor' must be [1, 3, 4, C]"));
    EXPECT_THAT(error([](auto& p) {
                    p.kernel_size = {4, 2};
                    p.weight_tensor = host({1, 1, 4, 2}, std::vector<float>(8));
                }),
                HasSubstr("a window of 4 (dilation 1) does not fit an input height of 3"));
    EXPECT_THAT(error([](auto& p) {
                    p.weight_tensor = host({1, 2, 2, 2}, std::vector<float>(8));
                }),
                HasSubstr("'weight_tensor' must have Shape([1, 1, 2, 2])"));
    EXPECT_THAT(error([](auto& p) {
                    p.bias_tensor = host({1, 1, 1, 2}, {1, 2});
                }),
                HasSubstr("'bias_tensor' must have Shape([1, 1, 1, 1])"));
    EXPECT_THAT(error([](auto& p) { p.dtype = DataType::INT32; }), HasSubstr("'dtype' must be a floating dtype"));
    EXPECT_THAT(error([](auto& p) { p.conv_config = Conv2dConfig{.override_sharding_config = true}; }),
                HasSubstr("override_sharding_config needs a core_grid"));
}

}  // namespace
}  // namespace ttnn
