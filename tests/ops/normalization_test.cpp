#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;

class NormalizationTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor f32(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
    }
};

TEST_F(NormalizationTest, SoftmaxByHand) {
    const float third = std::log(3.0F);
    const Tensor x = f32({2, 2}, {0, third, 1000, 1000});
    EXPECT_THAT(values_of(softmax(x)), ElementsAre(FloatEq(0.25), FloatEq(0.75), 0.5, 0.5));
    EXPECT_THAT(values_of(softmax(f32({2, 1}, {0, third}), {.dim = 0})), ElementsAre(FloatEq(0.25), FloatEq(0.75)));
    EXPECT_TRUE(std::isnan(values_of(softmax(x, {.numeric_stable = false}))[2]));
}

TEST_F(NormalizationTest, SoftmaxKeepsSpecAndRejectsWhatHardwareCannot) {
    const Tensor x = counting(device, {1, 33, 64}, DataType::BFLOAT8_B, l1_memory_config());
    EXPECT_EQ(softmax(x).spec(), x.spec());
    EXPECT_THAT(error_of([&] { softmax(counting(device, {32, 32}, DataType::BFLOAT4_B)); }), HasSubstr("dtype"));
    EXPECT_THAT(error_of([&] {
                    softmax(counting(device, {32, 32}, DataType::BFLOAT16, {}, 8, Layout::ROW_MAJOR));
                }),
                HasSubstr("must have Layout::TILE"));
    EXPECT_THAT(error_of([&] { softmax(x, {.dim = 3}); }), HasSubstr("dim"));
}

// TT-NN publishes this figure for a query of softmax on an n300.
TEST_F(NormalizationTest, SoftmaxOfSevenTileColumnsNeeds28672Bytes) {
    const Tensor x = counting(device, {4, 2, 160, 224});
    const test::Recording recording;
    softmax(x, {.dim = -1, .numeric_stable = false});
    EXPECT_THAT(recording->circular_buffer_bytes, ElementsAre(28672));
}

TEST_F(NormalizationTest, InPlaceFormsReturnTheirInput) {
    const Tensor x = f32({1, 1, 2, 2}, {0, 0, 1, 1});
    EXPECT_EQ(softmax_in_place(x).buffer_address(), x.buffer_address());
    EXPECT_THAT(values_of(x), Each(0.5));
    EXPECT_THAT(error_of([&] { softmax_in_place(x, {.dim = 2}); }), HasSubstr("must be the last"));
    const Tensor mask = f32({1, 1, 1, 2}, {0, -10000});
    EXPECT_EQ(scale_mask_softmax_in_place(x, {.scale = 2.0, .mask = mask}), x);
    EXPECT_THAT(values_of(x), ElementsAre(1, 0, 1, 0));
}

TEST_F(NormalizationTest, MasksAreRowsOrMatrices) {
    const Tensor x = f32({1, 2, 2, 2}, std::vector<float>(8, 0.0F));
    const Tensor matrix = f32({1, 1, 2, 2}, {0, -10000, -10000, 0});
    EXPECT_THAT(values_of(scale_mask_softmax(x, {.mask = matrix, .is_causal_mask = true})),
                ElementsAre(1, 0, 0, 1, 1, 0, 0, 1));
    EXPECT_THAT(values_of(scale_mask_softmax(x, {.mask = matrix})), ElementsAre(1, 0, 1, 0, 1, 0, 1, 0));
    EXPECT_THAT(error_of([&] { scale_mask_softmax(x, {.scale = 0.5}); }),
                HasSubstr("Scale value must not be set when mask is not present"));
    EXPECT_THAT(error_of([&] {
                    scale_mask_softmax(x, {.mask = f32({1, 2, 1, 2}, {0, 0, 0, 0})});
                }),
                HasSubstr("argument 'mask' must be"));
}

TEST_F(NormalizationTest, ShardedSoftmaxConfigMustMatchTheShards) {
    const Tensor x = counting(device, {1, 4, 32, 64}, DataType::BFLOAT16,
                              sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {32, 64}));
    const auto config = [](int64_t block_h, int64_t block_w) {
        return SoftmaxShardedMultiCoreProgramConfig{{4, 1}, 1, block_h, block_w};
    };
    EXPECT_EQ(softmax_in_place(x, {.program_config = config(1, 2)}), x);
    EXPECT_THAT(error_of([&] { softmax_in_place(x, {.program_config = config(1, 1)}); }), HasSubstr("block_w"));
    EXPECT_THAT(error_of([&] { softmax_in_place(x, {.program_config = config(2, 2)}); }), HasSubstr("block_h"));
    EXPECT_THAT(error_of([&] {
                    softmax_in_place(counting(device, {32, 64}), {.program_config = config(1, 2)});
                }),
                HasSubstr("needs a sharded input"));
    const Tensor mask = counting(device, {1, 1, 32, 64}, DataType::BFLOAT16, {}, 1);
    EXPECT_THAT(error_of([&] { scale_causal_mask_hw_dims_softmax_in_place(x, {.mask = mask}); }),
                HasSubstr("'scale' and 'mask' are both needed"));
}

TEST_F(NormalizationTest, NormsByHand) {
    const Tensor x = f32({1, 4}, {1, 1, 3, 3});
    EXPECT_THAT(values_of(layer_norm(x)), ElementsAre(FloatEq(-1), FloatEq(-1), FloatEq(1), FloatEq(1)));
    const float root = std::sqrt(5.0F);
    EXPECT_THAT(values_of(rms_norm(x)),
                ElementsAre(FloatEq(1 / root), FloatEq(1 / root), FloatEq(3 / root), FloatEq(3 / root)));
    const Tensor weight = f32({1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(values_of(layer_norm(x, {.weight = weight, .bias = weight})),
                ElementsAre(FloatNear(0, 1e-6F), FloatNear(0, 1e-6F), FloatEq(6), FloatEq(8)));
    EXPECT_THAT(values_of(rms_norm(x, {.epsilon = 4.0})), Each(::testing::AnyOf(FloatEq(1 / 3.0F), FloatEq(1))));
    EXPECT_THAT(values_of(layer_norm(x, {.residual_input_tensor = x})),
                ElementsAre(FloatEq(-1), FloatEq(-1), FloatEq(1), FloatEq(1)));
}

// The form that every traced model uses.
TEST_F(NormalizationTest, RowMajorWeightIsFlattened) {
    const Tensor x = counting(device, {32, 64}, DataType::FLOAT32);
    std::vector<float> numbers(64);
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(i);
    }
    const Tensor rows = tensor(device, TensorSpec({1, 1, 2, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR), numbers);
    const Tensor tiles = f32({1, 1, 1, 64}, numbers);
    EXPECT_EQ(values_of(rms_norm(x, {.weight = rows})), values_of(rms_norm(x, {.weight = tiles})));
    EXPECT_THAT(error_of([&] { rms_norm(x, {.weight = rows, .bias = tiles}); }), HasSubstr("same layout"));
    EXPECT_THAT(error_of([&] {
                    rms_norm(counting(device, {32, 96}), {.weight = rows});
                }),
                HasSubstr("must be 32 wide and hold 96 numbers"));
}

TEST_F(NormalizationTest, LayoutsAndShardsAreChecked) {
    const Tensor rows = counting(device, {32, 64}, DataType::BFLOAT16, {}, 8, Layout::ROW_MAJOR);
    EXPECT_EQ(layer_norm(rows).layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] { rms_norm(rows); }), HasSubstr("must have Layout::TILE"));
    const Tensor height =
        counting(device, {64, 64}, DataType::BFLOAT16, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 64}));
    EXPECT_THAT(error_of([&] { layer_norm(height); }), HasSubstr("must not be height sharded"));
}

TEST_F(NormalizationTest, InplaceConfigOverwritesTheInput) {
    const Tensor x =
        counting(device, {32, 128}, DataType::BFLOAT16, sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {32, 32}));
    const std::vector<float> expected = values_of(rms_norm(x));
    LayerNormShardedMultiCoreProgramConfig config{.compute_with_storage_grid_size = {4, 1}};
    EXPECT_NE(rms_norm(x, {.program_config = config}).buffer_address(), x.buffer_address());
    config.inplace = true;
    const Tensor result = rms_norm(x, {.program_config = config});
    EXPECT_EQ(result.buffer_address(), x.buffer_address());
    EXPECT_EQ(values_of(x), expected);
    config.block_w = 2;
    EXPECT_THAT(error_of([&] { rms_norm(x, {.program_config = config}); }), HasSubstr("block_h and block_w"));
}

// The layer norm program states its output by padded shape.
TEST_F(NormalizationTest, OutputCarriesItsPaddedShapeAsAlignment) {
    EXPECT_EQ(layer_norm(counting(device, {1, 1, 1, 96})).spec().alignment(), Shape({32, 96}));
    EXPECT_EQ(layer_norm(counting(device, {1, 1, 32, 96})).spec().alignment(), Shape({32, 32}));
}

}  // namespace
}  // namespace ttnn
