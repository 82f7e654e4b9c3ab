// conv1d, conv_transpose2d, conv3d and the preparation of weights, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/conv/conv1d.hpp"
#include "ttnn/ops/conv/conv3d.hpp"
#include "ttnn/ops/conv/conv_transpose2d.hpp"
#include "ttnn/ops/conv/prepare.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {
namespace {

using test::error_of;
using test::Recording;
using test::tensor;
using test::values_of;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConvVariantsTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor rows(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::ROW_MAJOR), values);
    }
    Tensor tiles(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
    }
    static Tensor host(const Shape& shape, const std::vector<float>& values) {
        Tensor result = Tensor::allocate_on_host(TensorSpec(shape, DataType::FLOAT32, Layout::ROW_MAJOR));
        write<float>(result, values);
        return result;
    }
    ConvTranspose2d::Params spread() const {
        return {.input_tensor = rows({1, 1, 2, 1}, {1, 10}),
                .weight_tensor = host({1, 1, 1, 2}, {1, 2}),
                .device = device,
                .in_channels = 1,
                .out_channels = 1,
                .batch_size = 1,
                .input_height = 1,
                .input_width = 2,
                .kernel_size = {1, 2}};
    }
    Conv3d::Params volume() const {
        return {.input_tensor = rows({1, 2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}),
                .weight_tensor = tiles({4, 1}, {1, 1, 1, 1}),
                .dtype = DataType::FLOAT32,
                .output_channels = 1,
                .kernel_size = {2, 1, 2}};
    }
};

TEST_F(ConvVariantsTest, Conv1dSlidesOverALine) {
    Conv1d::Params params{.input_tensor = rows({1, 4, 1}, {1, 2, 3, 4}),
                          .weight_tensor = host({1, 1, 2}, {1, 10}),
                          .device = device,
                          .in_channels = 1,
                          .out_channels = 1,
                          .batch_size = 1,
                          .input_length = 4,
                          .kernel_size = 2,
                          .return_output_dim = true};
    const auto [output, length] = std::get<1>(conv1d(params));
    EXPECT_THAT(values_of(output), ElementsAre(21, 32, 43));
    EXPECT_EQ(length, 3);
    EXPECT_TRUE(output.is_sharded());  // it always runs on shards in L1
    params.padding = std::array<uint32_t, 2>{1, 0};
    params.stride = 2;
    EXPECT_THAT(values_of(std::get<0>(std::get<1>(conv1d(params)))), ElementsAre(10, 32));
    params.padding = int64_t{-1};
    EXPECT_THAT(error_of([&] { conv1d(params); }), HasSubstr("argument 'padding' must not be negative"));
}

TEST_F(ConvVariantsTest, TransposedConvolutionsSpreadTheirInput) {
    ConvTranspose2d::Params params = spread();
    const auto values = [&] { return values_of(std::get<Tensor>(conv_transpose2d(params))); };
    EXPECT_THAT(values(), ElementsAre(1, 2 + 10, 20));
    params.stride = {1, 3};
    EXPECT_THAT(values(), ElementsAre(1, 2, 0, 10, 20));
    params.output_padding = {0, 1};
    EXPECT_THAT(values(), ElementsAre(1, 2, 0, 10, 20, 0));
    params.padding = std::array<uint32_t, 4>{0, 0, 1, 2};
    EXPECT_THAT(values(), ElementsAre(2, 0, 10));
    params.mirror_kernel = false;  // turned round by the caller
    EXPECT_THAT(values(), ElementsAre(1, 0, 20));
}

TEST_F(ConvVariantsTest, TransposedWeightsAreInputByOutput) {
    ConvTranspose2d::Params params = spread();
    params.input_tensor = rows({1, 1, 1, 2}, {1, 10});
    params.weight_tensor = host({2, 2, 1, 1}, {1, 2, 3, 4});
    params.in_channels = 2;
    params.out_channels = 2;
    params.input_width = 1;
    params.kernel_size = {1, 1};
    EXPECT_THAT(values_of(std::get<Tensor>(conv_transpose2d(params))), ElementsAre(31, 42));
}

TEST_F(ConvVariantsTest, Conv3dSlidesOverAVolume) {
    Conv3d::Params params = volume();
    const Recording recording;
    const Tensor output = experimental::conv3d(params);
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 1, 2, 1}));
    EXPECT_EQ(output.layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(values_of(output), ElementsAre(1 + 2 + 4 + 5, 2 + 3 + 5 + 6));
    EXPECT_THAT(recording->names, Contains("ttnn::prim::conv3d"));
    params.bias_tensor = tiles({1, 1}, {0.5F});
    EXPECT_THAT(values_of(experimental::conv3d(params)), ElementsAre(12.5F, 16.5F));
    params.input_tensor = to_memory_config(params.input_tensor, l1_memory_config());
    EXPECT_EQ(experimental::conv3d(params).memory_config(), MemoryConfig());  // whatever the input's is
    params.memory_config = l1_memory_config();
    EXPECT_EQ(experimental::conv3d(params).memory_config(), l1_memory_config());
    params.input_tensor = to_layout(params.input_tensor, Layout::TILE);
    EXPECT_THAT(error_of([&] { experimental::conv3d(params); }), HasSubstr("must have Layout::ROW_MAJOR"));
}

TEST_F(ConvVariantsTest, Conv3dPadsWithZerosOrTheBorder) {
    Conv3d::Params params = volume();
    params.padding = {0, 0, 1};
    EXPECT_THAT(values_of(experimental::conv3d(params)), ElementsAre(5, 12, 16, 9));
    params.padding_mode = "replicate";
    EXPECT_THAT(values_of(experimental::conv3d(params)), ElementsAre(10, 12, 16, 18));
    params.padding_mode = "reflect";
    EXPECT_THAT(error_of([&] { experimental::conv3d(params); }), HasSubstr("must be zeros or replicate, got reflect"));
}

TEST_F(ConvVariantsTest, Conv3dReadsWeightsInBlocksOfChannels) {
    Conv3d::Params params{.input_tensor = rows({1, 1, 1, 2, 2}, {1, 10, 100, 1000}),
                          .weight_tensor = tiles({4, 1}, {1, 2, 3, 4}),
                          .dtype = DataType::FLOAT32,
                          .output_channels = 1,
                          .kernel_size = {1, 1, 2}};
    EXPECT_THAT(values_of(experimental::conv3d(params)), ElementsAre(1 + 20 + 300 + 4000));
    params.config = Conv3dConfig{.C_in_block = 1};  // rows: all taps of the first channel, then of the second
    EXPECT_THAT(values_of(experimental::conv3d(params)), ElementsAre(1 + 200 + 30 + 4000));
}

TEST_F(ConvVariantsTest, PreparedWeightsAreWhatConv2dPreparesItself) {
    const Tensor weight = host({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    PrepareConvWeights::Params params{.weight_tensor = weight,
                                      .in_channels = 2,
                                      .out_channels = 2,
                                      .batch_size = 1,
                                      .input_height = 4,
                                      .input_width = 4,
                                      .kernel_size = {1, 2},
                                      .device = device};
    const Tensor prepared = prepare_conv_weights(params);
    // (tap, input channel) x output channel.
    EXPECT_THAT(values_of(prepared), ElementsAre(1, 5, 3, 7, 2, 6, 4, 8));
    EXPECT_EQ(prepared.logical_shape(), Shape({1, 1, 4, 2}));
    EXPECT_EQ(prepared.padded_shape(), Shape({1, 1, 64, 32}));  // 32 channels for each tap
    EXPECT_EQ(prepared.spec().alignment(), Shape({64, 32}));
    EXPECT_EQ(prepared.memory_config(), MemoryConfig());
    params.conv_config = Conv2dConfig{.weights_dtype = DataType::BFLOAT8_B};
    EXPECT_EQ(prepare_conv_weights(params).dtype(), DataType::BFLOAT8_B);
    params.weights_format = "IOHW";
    EXPECT_THAT(error_of([&] { prepare_conv_weights(params); }), HasSubstr("'weights_format' must be OIHW, got IOHW"));
}

TEST_F(ConvVariantsTest, PreparedBiasesAreARowOfTiles) {
    PrepareConvBias::Params params{.bias_tensor = host({1, 1, 1, 40}, std::vector<float>(40, 3)),
                                   .in_channels = 8,
                                   .out_channels = 40,
                                   .batch_size = 1,
                                   .input_height = 4,
                                   .input_width = 4,
                                   .kernel_size = {1, 1},
                                   .device = device};
    const Tensor prepared = prepare_conv_bias(params);
    EXPECT_EQ(prepared.logical_shape(), Shape({1, 1, 1, 40}));
    EXPECT_EQ(prepared.spec().alignment(), Shape({32, 64}));
    EXPECT_THAT(values_of(prepared), Each(3));
}

TEST_F(ConvVariantsTest, TransposedWeightsAreTurnedRoundWhenTheyArePrepared) {
    PrepareConvTranspose2dWeights::Params params{.weight_tensor = host({1, 2, 1, 2}, {1, 2, 3, 4}),
                                                 .in_channels = 1,
                                                 .out_channels = 2,
                                                 .batch_size = 1,
                                                 .input_height = 1,
                                                 .input_width = 2,
                                                 .kernel_size = {1, 2},
                                                 .device = device};
    EXPECT_THAT(values_of(prepare_conv_transpose2d_weights(params)), ElementsAre(2, 4, 1, 3));
    params.mirror_kernel = false;
    EXPECT_THAT(values_of(prepare_conv_transpose2d_weights(params)), ElementsAre(1, 3, 2, 4));
    params.mirror_kernel = true;
    ConvTranspose2d::Params call = spread();
    call.out_channels = 2;
    call.weight_tensor = params.weight_tensor;
    const std::vector<float> plain = values_of(std::get<Tensor>(conv_transpose2d(call)));
    EXPECT_THAT(plain, ElementsAre(1, 3, 2 + 10, 4 + 30, 20, 40));
    call.weight_tensor = prepare_conv_transpose2d_weights(params);
    EXPECT_EQ(values_of(std::get<Tensor>(conv_transpose2d(call))), plain);
}

}  // namespace
}  // namespace ttnn
