#include "ttnn/ops/matmul/matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/matmul/addmm.hpp"
#include "ttnn/ops/matmul/linear.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class MatmulTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor f32(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::FLOAT32, Layout::TILE), values);
    }
};

TEST_F(MatmulTest, MultipliesByHand) {
    const Tensor a = f32({2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor b = f32({3, 2}, {1, 0, 0, 1, 2, 2});
    EXPECT_THAT(values_of(matmul(a, b)), ElementsAre(7, 8, 16, 17));
    EXPECT_THAT(values_of(matmul(b, a, {.transpose_a = true, .transpose_b = true})), ElementsAre(7, 16, 8, 17));
}

TEST_F(MatmulTest, BatchesUseTheirOwnMatrixOrASharedOne) {
    const Tensor a = f32({2, 1, 2}, {1, 2, 3, 4});
    const Tensor own = f32({2, 2, 1}, {1, 1, 2, 2});
    const Tensor shared = f32({1, 1, 2, 1}, {10, 1});
    EXPECT_THAT(values_of(matmul(a, own)), ElementsAre(3, 14));
    EXPECT_THAT(values_of(matmul(a, shared)), ElementsAre(12, 34));
    EXPECT_EQ(matmul(a, shared).logical_shape(), Shape({2, 1, 1}));
}

TEST_F(MatmulTest, VectorsLoseTheirDimension) {
    const Tensor v = f32({3}, {1, 2, 3});
    const Tensor m = f32({3, 2}, {1, 0, 0, 1, 1, 1});
    EXPECT_EQ(matmul(v, m).logical_shape(), Shape({2}));
    EXPECT_THAT(values_of(matmul(v, m)), ElementsAre(4, 5));
    EXPECT_EQ(matmul(f32({2, 3}, {1, 1, 1, 2, 2, 2}), v).logical_shape(), Shape({2}));
    EXPECT_EQ(matmul(v, v).logical_shape(), Shape({}));
    EXPECT_THAT(values_of(matmul(v, v)), ElementsAre(14));
}

TEST_F(MatmulTest, EmptyInnerDimensionGivesTheBias) {
    const Tensor a = f32({2, 0}, {});
    const Tensor b = f32({0, 2}, {});
    EXPECT_THAT(values_of(matmul(a, b)), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(values_of(linear(a, b, {.bias = f32({1, 2}, {3, 4})})), ElementsAre(3, 4, 3, 4));
}

TEST_F(MatmulTest, OutputIsDramInterleavedTilesOfTheFirstDtype) {
    const Tensor a = counting(device, {1, 1, 64, 64}, DataType::BFLOAT16, l1_memory_config());
    const Tensor b = counting(device, {64, 96}, DataType::BFLOAT8_B);
    const Tensor result = matmul(a, b);
    EXPECT_EQ(result.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(result.layout(), Layout::TILE);
    EXPECT_EQ(result.memory_config(), MemoryConfig());
    EXPECT_EQ(result.logical_shape(), Shape({1, 1, 64, 96}));
    EXPECT_EQ(matmul(a, b, {.dtype = DataType::FLOAT32}).dtype(), DataType::FLOAT32);
}

TEST_F(MatmulTest, ShapesThatDoNotFitAreNamed) {
    const Tensor a = counting(device, {2, 32, 64});
    EXPECT_THAT(
        error_of([&] {
            matmul(a, counting(device, {32, 64}));
        }),
        HasSubstr("The width of the first tensor must be equal to the height of the second tensor, got 64 and 32"));
    EXPECT_THAT(error_of([&] { matmul(a, counting(device, {3, 64, 32})); }), HasSubstr("batch dimensions"));
    EXPECT_THAT(error_of([&] { matmul(a, counting(device, {1, 2, 64, 32})); }), HasSubstr("batch dimensions"));
    EXPECT_THAT(error_of([&] {
                    matmul(counting(device, {32, 64}, DataType::BFLOAT16, {}, 8, Layout::ROW_MAJOR),
                           counting(device, {64, 32}));
                }),
                HasSubstr("argument 'input_tensor_a' must have Layout::TILE"));
    EXPECT_THAT(error_of([&] {
                    matmul(counting(device, {32, 64}, DataType::INT32), counting(device, {64, 32}));
                }),
                HasSubstr("floating dtype"));
}

TEST_F(MatmulTest, CoreGridAndProgramConfigExcludeEachOther) {
    EXPECT_THAT(error_of([&] {
                    matmul(
                        counting(device, {32, 32}), counting(device, {32, 32}),
                        {.program_config = MatmulMultiCoreReuseProgramConfig{.compute_with_storage_grid_size = {1, 1}},
                         .core_grid = CoreGrid{1, 1}});
                }),
                HasSubstr("'core_grid' and 'program_config' cannot be given together"));
}

TEST_F(MatmulTest, ShardsComeFromTheOneDimensionalConfig) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {8, 4};
    config.per_core_M = 1;
    config.per_core_N = 2;
    const Tensor result = matmul(
        counting(device, {1, 1, 32, 64}), counting(device, {64, 640}),
        {.memory_config = MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1), .program_config = config});
    const ShardSpec& shards = *result.memory_config().shard_spec();
    EXPECT_EQ(shards.shape, (std::array<uint32_t, 2>{32, 64}));
    EXPECT_EQ(shards.num_cores(), 10U);
    EXPECT_EQ(shards.grid.to_string(), "{[(x=0,y=0) - (x=7,y=0)], [(x=0,y=1) - (x=1,y=1)]}");
    EXPECT_EQ(shards.orientation, ShardOrientation::ROW_MAJOR);
}

TEST_F(MatmulTest, ShardsOfTheTwoDimensionalConfigFollowItsOrientation) {
    MatmulMultiCoreReuseMultiCastProgramConfig config;
    config.compute_with_storage_grid_size = {4, 4};
    config.per_core_M = 1;
    config.per_core_N = 2;
    const Tensor a = counting(device, {2, 64, 32});
    const Tensor b = counting(device, {32, 128});
    const MemoryConfig block(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1);
    const Tensor rows = matmul(a, b, {.memory_config = block, .program_config = config});
    EXPECT_EQ(rows.memory_config().shard_spec()->grid.to_string(), "{[(x=0,y=0) - (x=1,y=3)]}");
    config.transpose_mcast = true;
    const Tensor columns = matmul(a, b, {.memory_config = block, .program_config = config});
    EXPECT_EQ(columns.memory_config().shard_spec()->grid.to_string(), "{[(x=0,y=0) - (x=3,y=1)]}");
    EXPECT_EQ(columns.memory_config().shard_spec()->orientation, ShardOrientation::COL_MAJOR);
    EXPECT_EQ(values_of(rows), values_of(columns));
}

TEST_F(MatmulTest, ReuseConfigFillsColumnsWithoutShardedInputs) {
    MatmulMultiCoreReuseProgramConfig config;
    config.compute_with_storage_grid_size = {8, 8};
    const Tensor result = matmul(
        counting(device, {3, 32, 32}), counting(device, {3, 32, 32}),
        {.memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1), .program_config = config});
    EXPECT_EQ(result.memory_config().shard_spec()->grid.to_string(), "{[(x=0,y=0) - (x=0,y=2)]}");
    EXPECT_EQ(result.memory_config().shard_spec()->orientation, ShardOrientation::COL_MAJOR);
}

TEST_F(MatmulTest, DramShardedConfigChecksWhereTensorsLive) {
    const MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig config{
        .in0_block_w = 1, .per_core_M = 1, .per_core_N = 2};
    const Tensor a = counting(device, {1, 1, 32, 128}, DataType::BFLOAT16,
                              sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {32, 32}));
    const Tensor b = counting(device, {128, 256}, DataType::BFLOAT8_B,
                              sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {128, 64}, BufferType::DRAM));
    const MemoryConfig width(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1);
    const Tensor result = matmul(a, b, {.memory_config = width, .program_config = config});
    EXPECT_EQ(result.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{32, 64}));
    EXPECT_EQ(result.memory_config().shard_spec()->num_cores(), 4U);
    EXPECT_THAT(error_of([&] {
                    matmul(a, counting(device, {128, 256}), {.memory_config = width, .program_config = config});
                }),
                HasSubstr("input_tensor_b must be width sharded in BufferType::DRAM"));
    EXPECT_THAT(error_of([&] { matmul(a, b, {.program_config = config}); }),
                HasSubstr("the output must be width sharded"));
}

TEST_F(MatmulTest, UntilizedOutputIsRowMajor) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {2, 1};
    config.untilize_out = true;
    const Tensor a = counting(device, {32, 32});
    EXPECT_EQ(matmul(a, a, {.program_config = config}).layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] { matmul(a, a, {.dtype = DataType::BFLOAT8_B, .program_config = config}); }),
                HasSubstr("untilize_out needs a BFLOAT16 or FLOAT32 output"));
}

TEST_F(MatmulTest, WritesIntoAPreallocatedOutput) {
    const Tensor a = counting(device, {32, 32});
    const Tensor output = counting(device, {32, 32}, DataType::FLOAT32, l1_memory_config());
    const Tensor result = matmul(a, a, {.optional_output_tensor = output});
    EXPECT_EQ(result.buffer_address(), output.buffer_address());
    EXPECT_EQ(values_of(result), values_of(matmul(a, a, {.dtype = DataType::FLOAT32})));
    EXPECT_THAT(error_of([&] { matmul(a, a, {.dtype = DataType::BFLOAT16, .optional_output_tensor = output}); }),
                HasSubstr("they must agree"));
    EXPECT_THAT(error_of([&] {
                    matmul(a, counting(device, {32, 64}), {.optional_output_tensor = output});
                }),
                HasSubstr("argument 'optional_output_tensor' has"));
}

TEST_F(MatmulTest, ConfigActivationGoesBeforeTheArgument) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {1, 1};
    config.fused_activation = UnaryWithParam(UnaryOpType::NEG);
    const Tensor a = f32({1, 1}, {2});
    EXPECT_THAT(values_of(matmul(a, a, {.program_config = config, .activation = Activation("square")})),
                ElementsAre(-4));
    EXPECT_THAT(values_of(matmul(a, a, {.activation = Activation("square")})), ElementsAre(16));
    EXPECT_THAT(error_of([&] { matmul(a, a, {.activation = Activation("nonsense")}); }), HasSubstr("nonsense"));
}

TEST_F(MatmulTest, ShardedInputsRejectTheActivationArgument) {
    const Tensor a =
        counting(device, {64, 32}, DataType::BFLOAT16, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 32}));
    EXPECT_THAT(error_of([&] {
                    matmul(a, counting(device, {32, 32}), {.activation = Activation("relu")});
                }),
                HasSubstr("cannot be used with sharded inputs"));
}

TEST_F(MatmulTest, BiasIsAddedToEveryRow) {
    const Tensor a = f32({2, 2}, {1, 0, 0, 1});
    EXPECT_THAT(values_of(linear(a, a, {.bias = f32({1, 2}, {10, 20})})), ElementsAre(11, 20, 10, 21));
    EXPECT_THAT(values_of(linear(a, a, {.bias = f32({1, 2}, {-10, 20}), .activation = Activation("relu")})),
                ElementsAre(0, 20, 0, 21));
    EXPECT_THAT(error_of([&] { linear(a, a, {.bias = f32({1, 1}, {1})}); }), HasSubstr("argument 'bias'"));
    const Tensor batched = f32({2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
    EXPECT_THAT(error_of([&] {
                    linear(batched, batched, {.bias = f32({2}, {1, 2})});
                }),
                HasSubstr("cannot be used with a batched 'input_tensor_b'"));
}

// TT-NN publishes this figure for a query of matmul on an n300.
TEST_F(MatmulTest, HeightShardedOperandNeeds24576BytesPerCore) {
    const Tensor a = counting(device, {1, 1, 1024, 64}, DataType::BFLOAT16,
                              sharded(TensorMemoryLayout::HEIGHT_SHARDED, {8, 4}, {32, 64}));
    const Tensor b = counting(device, {1, 1, 64, 128});
    const test::Recording recording;
    const Tensor result = matmul(a, b, {.memory_config = l1_memory_config()});
    EXPECT_THAT(recording->circular_buffer_bytes, ElementsAre(24576));
    EXPECT_THAT(recording->names,
                ElementsAre("ttnn::matmul", "ttnn::prim::matmul", "Device Operation", "create_device_tensor"));
}

TEST_F(MatmulTest, SimpleProgramDoubleBuffersThreeTiles) {
    const Tensor a = counting(device, {64, 64});
    const test::Recording recording;
    const Tensor result = matmul(a, a);
    EXPECT_THAT(recording->sizes, ElementsAre(4096, 4096, 4096));
}

// Which activations and biases the program takes along, from published traces.
TEST_F(MatmulTest, WhatTheProgramDoesNotFuseNestsAsAnOperation) {
    const Tensor a = counting(device, {32, 32});
    const Tensor bias = counting(device, {1, 32});
    const auto names = [&](const Linear::Params& params) {
        const test::Recording recording;
        linear(a, a, params);
        return recording->names;
    };
    EXPECT_THAT(names({.bias = bias}), Not(Contains("ttnn::add")));
    EXPECT_THAT(names({.bias = bias, .memory_config = l1_memory_config()}), Contains("ttnn::add"));
    EXPECT_THAT(names({.bias = bias, .memory_config = l1_memory_config(), .core_grid = CoreGrid{1, 1}}),
                Not(Contains("ttnn::add")));
    EXPECT_THAT(names({.activation = Activation("relu")}), Contains("ttnn::relu"));
    EXPECT_THAT(names({.activation = Activation("relu"), .core_grid = CoreGrid{1, 1}}), Not(Contains("ttnn::relu")));
}

TEST_F(MatmulTest, AddmmWeighsInputAndProduct) {
    const Tensor identity = f32({2, 2}, {1, 0, 0, 1});
    const Tensor input = f32({2, 2}, {1, 2, 3, 4});
    EXPECT_THAT(values_of(addmm(input, identity, identity)), ElementsAre(2, 2, 3, 5));
    EXPECT_THAT(values_of(addmm(input, identity, identity, {.alpha = 10, .beta = 2})), ElementsAre(12, 4, 6, 18));
    EXPECT_THAT(values_of(addmm(input, identity, identity, {.beta = 0})), ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(error_of([&] { addmm(f32({3}, {1, 2, 3}), identity, identity); }), HasSubstr("broadcast"));
    // Without the input its shape does not matter; without the product there is nothing to do.
    EXPECT_THAT(values_of(addmm(f32({3}, {1, 2, 3}), identity, identity, {.beta = 0})), ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(error_of([&] { addmm(input, identity, identity, {.alpha = 0}); }),
                HasSubstr("alpha parameter cannot be 0"));
}

TEST_F(MatmulTest, FailingCallLeavesNoMemoryBehind) {
    const Tensor a = counting(device, {32, 64});
    const uint64_t before = device->statistics(BufferType::DRAM).total_allocated;
    EXPECT_NE(error_of([&] { matmul(a, a); }), "");
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, before);
}

}  // namespace
}  // namespace ttnn
