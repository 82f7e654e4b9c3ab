#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/movement_support.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/expand.hpp"
#include "ttnn/ops/data_movement/host_transfer.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/repeat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/split.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {
namespace {

using testing::counted;
using testing::elements;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::error_of;
using ::testing::HasSubstr;
using testing::height_sharded;
using testing::steps_of;
using enum DataType;
constexpr Layout tile = Layout::TILE;
constexpr Layout row_major = Layout::ROW_MAJOR;

class DataMovement : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_F(DataMovement, ReshapeIsAViewWhereRowsStay) {
    const Tensor input = counted(device, {2, 64, 96}, BFLOAT16, tile);
    const Tensor joined = reshape(input, {1, 1, 128, 96});
    EXPECT_EQ(joined.buffer_address(), input.buffer_address());
    EXPECT_EQ(joined.logical_shape(), Shape({1, 1, 128, 96}));
    const Tensor rows = counted(device, {3, 5, 48}, UINT16, row_major);
    EXPECT_EQ(reshape(rows, {-1, 48}).buffer_address(), rows.buffer_address());
}

TEST_F(DataMovement, ReshapeToTheSameShapeGivesTheTensorBack) {
    const Tensor input = counted(device, {2, 33, 65}, BFLOAT16, tile);
    EXPECT_EQ(reshape(input, {2, 33, 65}), input);
}

TEST_F(DataMovement, ReshapeCopiesWhereRowsChange) {
    const Tensor input = counted(device, {1, 1, 4, 6}, BFLOAT16, tile);
    const Tensor output = reshape(input, {1, 1, 3, 8});
    EXPECT_NE(output.buffer_address(), input.buffer_address());
    EXPECT_EQ(elements(output), elements(input));
    EXPECT_EQ(elements(reshape(counted(device, {33, 40}, BFLOAT8_B, tile), {40, 33})).size(), 1320U);
    EXPECT_EQ(reshape(counted(device, {33, 40}, BFLOAT8_B, tile), {40, 33}).dtype(), BFLOAT8_B);
}

TEST_F(DataMovement, ReshapeStatesItsOutputByPaddedShape) {
    const Tensor output = reshape(counted(device, {1, 96}, BFLOAT16, tile), {1, 1, 1, 96});
    EXPECT_EQ(output.spec().alignment(), Shape({32, 96}));
}

TEST_F(DataMovement, ReshapeExposesAndHidesPaddedRows) {
    const Tensor input = counted(device, {1, 1, 32, 64}, BFLOAT16, tile);
    const Tensor first = reshape(input, Shape{1, 1, 1, 64}, Shape{1, 1, 32, 64});
    EXPECT_EQ(first.logical_shape(), Shape({1, 1, 1, 64}));
    EXPECT_EQ(first.padded_shape(), Shape({1, 1, 32, 64}));
    EXPECT_EQ(first.buffer_address(), input.buffer_address());
    const Tensor again = reshape(first, Shape{1, 1, 32, 64}, Shape{1, 1, 32, 64});
    EXPECT_EQ(elements(again), elements(input));
}

TEST_F(DataMovement, ReshapeRefitsShards) {
    const Tensor input = counted(device, {1, 1, 128, 64}, BFLOAT16, tile, height_sharded(4, {32, 64}));
    const Tensor output = reshape(input, {1, 1, 256, 32});
    ASSERT_TRUE(output.is_sharded());
    EXPECT_EQ(output.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{64, 32}));
    EXPECT_EQ(elements(output), elements(input));
}

TEST_F(DataMovement, ReshapeErrorsSayWhatIsWrong) {
    const Tensor input = counted(device, {4, 6}, BFLOAT16, tile);
    EXPECT_THAT(error_of([&] { reshape(input, {5, 5}); }), HasSubstr("two shapes with different volumes"));
    EXPECT_THAT(error_of([&] { reshape(input, {-1, -1}); }), HasSubstr("Invalid arguments to reshape"));
    EXPECT_THAT(error_of([&] { reshape(input, {-1, 0}); }), HasSubstr("Invalid arguments to reshape"));
    EXPECT_THAT(error_of([&] { reshape(input, {-1, 5}); }), HasSubstr("Invalid arguments to reshape"));
    EXPECT_THAT(error_of([&] {
                    reshape(counted(device, {4, 6}, UINT16, tile), {6, 4});
                }),
                HasSubstr("only where the result is a view"));
}

TEST_F(DataMovement, ReshapeOfTilesNestsTheDocumentedSteps) {
    const Tensor input = counted(device, {1, 2, 32, 64}, BFLOAT16, tile);
    EXPECT_THAT(steps_of([&] {
                    reshape(input, {2, 32, 64});
                })->names,
                ElementsAre("ttnn::reshape", "ttnn::experimental::view"));
    EXPECT_THAT(steps_of([&] {
                    reshape(input, {2, 64, 32});
                })->names,
                ElementsAre("ttnn::reshape", "ttnn::experimental::view", "ttnn::prim::reshape"));
}

TEST_F(DataMovement, HostReshapeAllocatesNothingOnADevice) {
    const Tensor host = counted(nullptr, {4, 6}, FLOAT32, row_major);
    const Tensor output = reshape(host, {3, 8});
    EXPECT_FALSE(output.is_on_device());
    EXPECT_EQ(output.storage_key(), host.storage_key());
}

TEST_F(DataMovement, ViewRefusesWhatReshapeWouldCopy) {
    const Tensor input = counted(device, {2, 33, 64}, BFLOAT16, tile);
    EXPECT_THAT(error_of([&] { view(input, {66, 64}); }), HasSubstr("use ttnn.reshape instead"));
    EXPECT_EQ(view(input, {1, 2, 33, 64}).buffer_address(), input.buffer_address());
}

TEST_F(DataMovement, TypecastTruncatesAndWritesIntoItsOutput) {
    Tensor input = Tensor::allocate_on_device(TensorSpec({1, 32}, FLOAT32, tile), device);
    std::vector<float> values(32, -2.75F);
    values[1] = 3.99F;
    write<float>(input, values);
    const Tensor output = Tensor::allocate_on_device(TensorSpec({1, 32}, INT32, tile), device);
    const Tensor result = typecast(input, INT32, {.output_tensor = output});
    EXPECT_EQ(result.buffer_address(), output.buffer_address());
    EXPECT_EQ(elements(result)[0], -2.0F);
    EXPECT_EQ(elements(result)[1], 3.0F);
    EXPECT_THAT(error_of([&] { typecast(input, UINT32, {.output_tensor = output}); }), HasSubstr("must agree"));
    EXPECT_THAT(error_of([&] { typecast(input, BFLOAT16, INT32); }), HasSubstr("argument 'input_dtype'"));
}

TEST_F(DataMovement, TypecastHasTwoPagesPerSide) {
    const Tensor input = counted(device, {1, 3, 32, 32}, FLOAT32, tile);
    const auto steps = steps_of([&] { typecast(input, BFLOAT16); });
    EXPECT_THAT(steps->buffers, ElementsAre(std::pair(8192UL, 3U), std::pair(4096UL, 3U)));
}

TEST_F(DataMovement, TypecastOfAHostTensorStaysThere) {
    const Tensor host = counted(nullptr, {33, 5}, FLOAT32, row_major);
    const Tensor output = typecast(host, BFLOAT8_B);
    EXPECT_FALSE(output.is_on_device());
    EXPECT_EQ(output.layout(), tile);
    EXPECT_THAT(error_of([&] {
                    to_dtype(counted(device, {2, 2}, FLOAT32, row_major), BFLOAT16);
                }),
                HasSubstr("must be on the host"));
}

TEST_F(DataMovement, UntilizeKeepsThePaddedShape) {
    const Tensor output = untilize(counted(device, {1, 33, 65}, BFLOAT8_B, tile));
    EXPECT_EQ(output.dtype(), BFLOAT16);
    EXPECT_EQ(output.logical_shape(), Shape({1, 33, 65}));
    EXPECT_EQ(output.padded_shape(), Shape({1, 64, 96}));
    const Tensor cropped = untilize_with_unpadding(counted(device, {1, 33, 65}, BFLOAT16, tile), {0, 32, 64});
    EXPECT_EQ(cropped.padded_shape(), Shape({1, 33, 65}));
}

TEST_F(DataMovement, UntilizeWithUnpaddingRefitsHeightShards) {
    const Tensor input = counted(device, {1, 1, 128, 64}, BFLOAT16, tile, height_sharded(4, {32, 64}));
    const Tensor output = untilize_with_unpadding(input, {0, 0, 99, 63});
    EXPECT_EQ(output.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{32, 64}));
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 100, 64}));
}

TEST_F(DataMovement, TilizeWithValPaddingFillsHiddenPaddingOnly) {
    const Tensor input = counted(device, {2, 3}, FLOAT32, row_major);
    const Tensor output = tilize_with_val_padding(input, {32, 64}, Scalar(9.0));
    EXPECT_EQ(output.logical_shape(), Shape({2, 3}));
    EXPECT_EQ(output.padded_shape(), Shape({32, 64}));
    const Dense<float> padded = read_padded<float>(output);
    EXPECT_EQ(padded[2], 2.0F);
    EXPECT_EQ(padded[3], 9.0F);
    EXPECT_EQ(padded[64 * 31 + 63], 9.0F);
    EXPECT_THAT(error_of([&] { tilize(input); }), HasSubstr("multiples of 32"));
}

TEST_F(DataMovement, ToLayoutGoesThroughTheDocumentedOperations) {
    const Tensor aligned = counted(device, {32, 64}, BFLOAT16, row_major);
    const Tensor ragged = counted(device, {33, 65}, BFLOAT16, row_major);
    EXPECT_THAT(steps_of([&] { to_layout(aligned, tile); })->names,
                ElementsAre("ttnn::to_layout", "ttnn::tilize", "ttnn::prim::tilize"));
    EXPECT_THAT(steps_of([&] { to_layout(ragged, tile); })->names,
                ElementsAre("ttnn::to_layout", "ttnn::tilize_with_val_padding", "ttnn::prim::tilize_with_val_padding",
                            "ttnn::reshape"));
    const Tensor tiles = to_layout(ragged, tile);
    EXPECT_THAT(steps_of([&] { to_layout(tiles, row_major); })->names,
                ElementsAre("ttnn::to_layout", "ttnn::untilize_with_unpadding", "ttnn::prim::untilize_with_unpadding",
                            "ttnn::reshape"));
    EXPECT_EQ(to_layout(tiles, tile), tiles);
}

// Rows of traced models that no circular buffer can hold at once.
TEST_F(DataMovement, VeryWideRowsAreTilizedInParts) {
    const Tensor rows = counted(device, {32, 128256}, INT32, row_major);
    const Tensor tiles = tilize(rows);
    EXPECT_EQ(untilize(tiles).logical_shape(), Shape({32, 128256}));
    EXPECT_EQ(tilize(counted(device, {1, 1, 32, 16384}, BFLOAT16, row_major, l1_memory_config())).layout(), tile);
    EXPECT_EQ(slice(rows, {0, 0}, {1, 128256}).logical_shape(), Shape({1, 128256}));
    EXPECT_EQ(pad(rows, {{0, 1}, {0, 0}}, 0.0).logical_shape(), Shape({33, 128256}));
}

TEST_F(DataMovement, ToLayoutOfHeightShardsPadsThem) {
    const Tensor input = counted(device, {1, 1, 64, 48}, BFLOAT16, row_major, height_sharded(2, {32, 48}));
    const Tensor output = to_layout(input, tile);
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 64, 48}));
    EXPECT_EQ(output.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{32, 64}));
    EXPECT_EQ(elements(output), elements(input));
}

TEST_F(DataMovement, PadOfBlockFloatsFollowsRankAndAlignment) {
    EXPECT_EQ(pad(counted(device, {1, 1, 32, 32}, BFLOAT8_B, tile), {{0, 32}, {0, 0}}, 0.0).dtype(), BFLOAT8_B);
    EXPECT_EQ(pad(counted(device, {1, 1, 30, 32}, BFLOAT8_B, tile), {{0, 2}, {0, 0}}, 0.0).dtype(), BFLOAT16);
    EXPECT_EQ(pad(counted(device, {1, 30, 32}, BFLOAT8_B, tile), {{0, 2}, {0, 0}}, 0.0).dtype(), BFLOAT8_B);
}

TEST_F(DataMovement, PadInsideTheLastTileRunsNoPadPrimitive) {
    const Tensor input = counted(device, {1, 1, 30, 30}, BFLOAT16, tile);
    const auto steps = steps_of([&] { pad(input, {{0, 2}, {0, 1}}, 5.0); });
    EXPECT_THAT(steps->names, ElementsAre("ttnn::pad", "ttnn::fill_implicit_tile_padding", "ttnn::prim::fill_pad",
                                          "ttnn::experimental::view"));
    const Tensor output = pad(input, {{0, 2}, {0, 1}}, 5.0);
    EXPECT_EQ(output.logical_shape(), Shape({1, 1, 32, 31}));
    EXPECT_EQ(elements(output)[30], 5.0F);
    EXPECT_EQ(elements(output)[31], 30.0F);
}

TEST_F(DataMovement, TypecastOfFloatsToUint8TruncatesAndWraps) {
    const std::vector<float> values = {0, 1.9F, 255, 256, 300, -1, -1.5F, -300, 65536, 1000};
    const std::vector<float> expected = {0, 1, 255, 0, 44, 255, 255, 212, 0, 232};
    for (const DataType from : {FLOAT32, BFLOAT16}) {
        Tensor input = Tensor::allocate_on_device(TensorSpec({1, 10}, from, tile), device);
        write<float>(input, values);
        EXPECT_THAT(elements(typecast(input, UINT8)), ElementsAreArray(expected)) << member_name(from);
    }
    Tensor blocks = Tensor::allocate_on_device(TensorSpec({1, 3}, BFLOAT8_B, tile), device);
    write<float>(blocks, std::vector<float>{256, 384, -128});
    EXPECT_THAT(elements(typecast(blocks, UINT8)), ElementsAre(0, 128, 128));
    Tensor wide = Tensor::allocate_on_device(TensorSpec({1, 2}, FLOAT32, tile), device);
    write<float>(wide, std::vector<float>{70000, -1});
    EXPECT_THAT(elements(typecast(wide, UINT16)), ElementsAre(65535, 0)) << "other integers saturate";
}

TEST_F(DataMovement, PadChecksItsArguments) {
    const Tensor tiles = counted(device, {32, 32}, BFLOAT16, tile);
    EXPECT_THAT(error_of([&] { pad(tiles, {{1, 0}, {0, 0}}, 0.0); }), HasSubstr("cannot be padded in front"));
    EXPECT_THAT(error_of([&] { pad(tiles, {{0, 0}, {0, 0}, {0, 1}}, 0.0); }), HasSubstr("has 3 pairs"));
    EXPECT_EQ(pad(tiles, {{0, 0}}, 1.0), tiles);
    EXPECT_THAT(
        error_of([&] {
            pad(counted(device, {2, 1, 1, 4, 8}, BFLOAT16, row_major), {{0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, 0.0);
        }),
        HasSubstr("last 3 dimensions"));
    const Tensor host = counted(nullptr, {1, 1, 2, 2}, FLOAT32, row_major);
    EXPECT_THAT(elements(pad(host, {1, 1, 2, 4}, {0, 0, 0, 1}, 7.0)), ElementsAre(7, 0, 1, 7, 7, 2, 3, 7));
}

// As published: 12 tiles on 12 cores, one circular buffer of two tiles.
TEST_F(DataMovement, RepeatUsesOneDoubleBufferedPage) {
    const Tensor input = counted(device, {1, 3, 32, 32}, BFLOAT16, tile, l1_memory_config());
    const auto steps = steps_of([&] { repeat(input, {4, 1, 1, 1}); });
    EXPECT_THAT(steps->names, ElementsAre("ttnn::repeat", "ttnn::prim::repeat"));
    EXPECT_THAT(steps->buffers, ElementsAre(std::pair(4096UL, 12U)));
    EXPECT_EQ(repeat(input, {1, 1, 1, 1}), input);
    EXPECT_EQ(repeat(input, {0, 1, 1, 1}).logical_volume(), 0U);
}

TEST_F(DataMovement, TransposeTurnsHeightShardsIntoWidthShards) {
    const Tensor input = counted(device, {1, 1, 128, 64}, BFLOAT16, tile, height_sharded(4, {32, 64}));
    const Tensor output = transpose(input, -1, -2);
    EXPECT_EQ(output.memory_config().memory_layout(), TensorMemoryLayout::WIDTH_SHARDED);
    EXPECT_EQ(output.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{64, 32}));
    EXPECT_EQ(elements(output)[1], elements(input)[64]);
}

// As a traced model shows it: channels are padded, then moved to the end.
TEST_F(DataMovement, RowMajorShardsKeepTheirRowsUntilRowsTurn) {
    const MemoryConfig config = height_sharded(8, {24, 32});
    const Tensor input = counted(device, {1, 3, 24, 32}, BFLOAT16, row_major, config);
    const Tensor padded = pad(input, {{0, 0}, {0, 5}, {0, 0}, {0, 0}}, 0.0);
    EXPECT_EQ(padded.memory_config(), config);  // five cores were idle
    const auto shard = [](const Tensor& tensor) { return tensor.memory_config().shard_spec()->shape; };
    const Tensor wider = pad(input, {{0, 0}, {0, 6}, {0, 0}, {0, 8}}, 0.0);
    EXPECT_EQ(shard(wider), (std::array<uint32_t, 2>{27, 40}));  // 216 rows have no room in shards of 24
    const Tensor rows = transpose(padded, 1, 2);
    EXPECT_EQ(rows.memory_config(), config);
    const MemoryConfig other = height_sharded(4, {48, 32});
    EXPECT_EQ(transpose(padded, 1, 2, {.memory_config = other}).memory_config(), other);
    const Tensor turned = permute(padded, {0, 2, 3, 1});
    EXPECT_EQ(shard(turned), (std::array<uint32_t, 2>{24 / 8 * 32, 8}));
    EXPECT_EQ(elements(turned)[1], elements(padded)[24 * 32]);
    EXPECT_THAT(steps_of([&] {
                    permute(padded, {0, 2, 3, 1});
                })->names,
                ElementsAre("ttnn::permute", "ttnn::transpose", "ttnn::prim::transpose", "ttnn::transpose",
                            "ttnn::prim::transpose"));
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{0, 2, 1, 3}, {0, 1, 3, 2}, {0, 3, 1, 2}, {0, 3, 2, 1}, {0, 2, 3, 1}}) {
        EXPECT_EQ(elements(permute(padded, dims)), elements(permute(to_memory_config(padded, MemoryConfig()), dims)));
    }
}

TEST_F(DataMovement, TransposeOfRowMajorRunsThePermutePrimitive) {
    const Tensor input = counted(device, {1, 1, 20, 8}, BFLOAT16, row_major, l1_memory_config());
    EXPECT_THAT(steps_of([&] { transpose(input, 1, 2); })->names,
                ElementsAre("ttnn::transpose", "ttnn::prim::permute"));
    EXPECT_EQ(transpose(input, 1, 1), input);
    EXPECT_EQ(transpose(input, 0, 1), input);
    EXPECT_EQ(transpose(input, 1, 2).logical_shape(), Shape({1, 20, 1, 8}));
}

TEST_F(DataMovement, PermuteOfTilesCallsTransposeWhereItCan) {
    const Tensor input = counted(device, {1, 2, 32, 64}, BFLOAT8_B, tile);
    EXPECT_THAT(steps_of([&] {
                    permute(input, {0, 1, 3, 2});
                })->names,
                ElementsAre("ttnn::permute", "ttnn::transpose", "ttnn::prim::transpose"));
    EXPECT_EQ(permute(input, {3, 2, 1, 0}).dtype(), BFLOAT8_B);
    EXPECT_THAT(error_of([&] { permute(input, {0, 1, 2}); }), HasSubstr("must have 4 entries"));
    EXPECT_THAT(error_of([&] { permute(input, {0, 1, 1, 2}); }), HasSubstr("twice"));
    EXPECT_THAT(error_of([&] {
                    permute(input, {0, 1, 2});
                }),
                HasSubstr("The number of dimensions in the tensor input does not match the length of the desired "
                          "ordering"));
}

TEST_F(DataMovement, PermuteTakesAPadValueForAnyOrder) {
    const Tensor input = counted(device, {1, 2, 3, 4}, BFLOAT16, tile);
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{3, 2, 1, 0}, {0, 3, 1, 2}, {0, 2, 1, 3}, {2, 0, 1, 3}}) {
        const Tensor result = permute(input, dims, {.pad_value = 7.0});
        const Dense<float> padded = read_padded<float>(result);
        EXPECT_EQ(padded[31], 7.0F) << "the end of the first row is padding";
        EXPECT_EQ(read<float>(result).size(), 24U);
    }
}

TEST_F(DataMovement, SqueezeAndUnsqueezeChangeTheRank) {
    const Tensor input = counted(device, {1, 3, 1, 64}, BFLOAT16, row_major);
    EXPECT_EQ(squeeze(input).logical_shape(), Shape({3, 64}));
    EXPECT_EQ(squeeze(input, {.dim = IntOrList(int64_t{1})}), input);
    EXPECT_EQ(unsqueeze(input, -1).logical_shape(), Shape({1, 3, 1, 64, 1}));
    EXPECT_THAT(error_of([&] { unsqueeze(input, 5); }), HasSubstr("must be in [-5, 4]"));
    EXPECT_EQ(unsqueeze_to_4D(input), input);
    EXPECT_EQ(unsqueeze_to_4D(counted(device, {32}, UINT32, row_major)).logical_shape(), Shape({1, 1, 1, 32}));
}

TEST_F(DataMovement, ConcatPutsItsResultIntoDram) {
    const Tensor part = counted(device, {32, 64}, BFLOAT16, tile, l1_memory_config());
    EXPECT_TRUE(concat({part, part}).memory_config().is_dram());
    EXPECT_TRUE(concat({part}).memory_config().is_dram());
    EXPECT_EQ(concat({part, part}, {.dim = 1, .memory_config = l1_memory_config()}).logical_shape(), Shape({32, 128}));
}

TEST_F(DataMovement, ConcatThroughRowMajorTurnsBlockFloatsIntoBfloat16) {
    const Tensor ragged = counted(device, {30, 64}, BFLOAT8_B, tile);
    EXPECT_EQ(concat({ragged, ragged}).dtype(), BFLOAT16);
    EXPECT_EQ(concat({ragged, ragged}, {.dim = 1}).dtype(), BFLOAT8_B);
}

TEST_F(DataMovement, ConcatAlternatesGroups) {
    Tensor a = counted(device, {1, 4}, FLOAT32, row_major);
    Tensor b = counted(device, {1, 4}, FLOAT32, row_major);
    write<float>(b, std::vector<float>{10, 11, 12, 13});
    EXPECT_THAT(elements(concat({a, b}, {.dim = 1, .groups = 2})), ElementsAre(0, 1, 10, 11, 2, 3, 12, 13));
}

TEST_F(DataMovement, ConcatChecksItsArguments) {
    const Tensor a = counted(device, {32, 64}, BFLOAT16, tile);
    EXPECT_THAT(error_of([&] { concat({}); }), HasSubstr("must not be empty"));
    EXPECT_THAT(error_of([&] { concat({a, a}, {.output_tensor = a}); }), HasSubstr("not supported"));
    EXPECT_THAT(error_of([&] { concat({a, counted(device, {32, 64}, FLOAT32, tile)}); }), HasSubstr("mixes"));
    EXPECT_THAT(error_of([&] { concat({a, counted(device, {32, 32}, BFLOAT16, tile)}); }), HasSubstr("must agree"));
}

TEST_F(DataMovement, SliceOffTheTileGridTurnsBlockFloatsIntoBfloat16) {
    const Tensor input = counted(device, {64, 64}, BFLOAT8_B, tile);
    EXPECT_EQ(slice(input, {32, 0}, {64, 64}).dtype(), BFLOAT8_B);
    EXPECT_EQ(slice(input, {1, 0}, {64, 64}).dtype(), BFLOAT16);
    EXPECT_THAT(error_of([&] {
                    slice(input, {0, 0}, {64, 64}, {.slice_step = std::vector<int64_t>{2, 1}});
                }),
                HasSubstr("'slice_step' must be 1"));
    EXPECT_THAT(error_of([&] {
                    slice(counted(device, {64, 64}, UINT16, tile), {1, 0}, {64, 64});
                }),
                HasSubstr("multiples of the tile"));
}

TEST_F(DataMovement, SliceChecksItsBounds) {
    const Tensor input = counted(device, {4, 8}, BFLOAT16, row_major);
    EXPECT_THAT(error_of([&] { slice(input, {0}, {4}); }), HasSubstr("must have 2 entries"));
    EXPECT_THAT(error_of([&] { slice(input, {3, 0}, {2, 8}); }), HasSubstr("must not be smaller"));
    EXPECT_THAT(error_of([&] { slice(input, {0, 0}, {5, 8}); }), HasSubstr("outside dimension 0"));
    EXPECT_EQ(slice(input, {0, 0}, {4, 8}), input);
    EXPECT_EQ(slice(input, {2, 0}, {2, 8}).logical_shape(), Shape({0, 8}));
}

TEST_F(DataMovement, SliceReadsItsStartFromATensor) {
    const Tensor input = counted(device, {32, 128}, INT32, tile);
    Tensor starts = Tensor::allocate_on_device(TensorSpec({2}, INT32, row_major), device);
    write<uint32_t>(starts, std::vector<uint32_t>{0, 64});
    const Tensor output = slice(input, starts, starts, {.slice_dim = 1, .num_devices = 2});
    EXPECT_EQ(output.logical_shape(), Shape({32, 64}));
    EXPECT_EQ(elements(output)[0], 64.0F);
    EXPECT_THAT(error_of([&] { slice(input, starts, starts, {.slice_dim = 1}); }), HasSubstr("given together"));
}

TEST_F(DataMovement, SplitAndChunkCutTheRest) {
    const Tensor input = counted(device, {5, 8}, BFLOAT16, row_major);
    const auto parts = split(input, IntOrList(int64_t{2}));
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[2].logical_shape(), Shape({1, 8}));
    EXPECT_EQ(chunk(input, 4, 0).size(), 3U);
    EXPECT_THAT(error_of([&] { split(input, IntOrList(int64_t{0})); }), HasSubstr("must be positive"));
}

TEST_F(DataMovement, ExpandEnlargesOnlyOnes) {
    const Tensor input = counted(device, {1, 2, 32}, BFLOAT16, row_major);
    EXPECT_EQ(expand(input, {4, -1, 32}).logical_shape(), Shape({4, 2, 32}));
    EXPECT_THAT(error_of([&] { expand(input, {1, 4, 32}); }), HasSubstr("Only size 1 dimensions can be expanded"));
}

TEST_F(DataMovement, CopyWritesIntoTheSecondTensor) {
    const Tensor from = counted(device, {32, 64}, FLOAT32, tile);
    const Tensor to = Tensor::allocate_on_device(TensorSpec({32, 64}, BFLOAT16, tile, l1_memory_config()), device);
    EXPECT_EQ(copy(from, to), to);
    EXPECT_EQ(elements(to), elements(from));
    EXPECT_NE(clone(from).buffer_address(), from.buffer_address());
}

TEST_F(DataMovement, MoveFreesTheInputFirst) {
    const Tensor below = counted(device, {32, 64}, BFLOAT16, tile);
    const Tensor gap = counted(device, {32, 64}, BFLOAT16, tile);
    const Tensor input = counted(device, {32, 64}, BFLOAT16, tile);
    const uint64_t address = gap.buffer_address();
    const auto values = elements(input);
    deallocate(gap);
    const Tensor output = move(input);
    EXPECT_FALSE(input.is_allocated());
    EXPECT_EQ(output.buffer_address(), address);
    EXPECT_EQ(elements(output), values);
}

TEST_F(DataMovement, MoveLeavesASharedBufferAlone) {
    const Tensor input = counted(device, {32, 64}, BFLOAT16, tile);
    const Tensor shared = reshape(input, {1, 32, 64});
    EXPECT_EQ(move(input), input);
    deallocate(input, {.force = false});
    EXPECT_TRUE(shared.is_allocated());
    deallocate(input);
    EXPECT_FALSE(shared.is_allocated());
    EXPECT_THAT(error_of([&] { clone(shared); }), HasSubstr("not allocated"));
}

TEST_F(DataMovement, HostAndDeviceTensorsFillEachOther) {
    const Tensor host = counted(nullptr, {33, 40}, BFLOAT16, tile);
    const Tensor sharded = to_device(host, device, {.memory_config = height_sharded(2, {32, 64})});
    EXPECT_EQ(elements(from_device(sharded)), elements(host));
    const Tensor target = allocate_tensor_on_device({33, 40}, BFLOAT16, tile, device);
    const uint64_t address = target.buffer_address();
    copy_host_to_device_tensor(host, target);
    EXPECT_EQ(target.buffer_address(), address);
    EXPECT_EQ(elements(target), elements(host));
    const Tensor back = allocate_tensor_on_host({33, 40}, BFLOAT16, tile);
    copy_device_to_host_tensor(target, back);
    EXPECT_EQ(elements(back), elements(host));
    EXPECT_THAT(error_of([&] {
                    copy_host_to_device_tensor(counted(nullptr, {33, 41}, BFLOAT16, tile), target);
                }),
                HasSubstr("same spec"));
}

TEST_F(DataMovement, FailedCallsKeepNoMemory) {
    const Tensor input = counted(device, {2, 33, 64}, UINT8, tile);
    const uint64_t before = device->statistics(BufferType::DRAM).total_allocated;
    error_of([&] { repeat(input, {1, 2, 1}); });
    error_of([&] { concat({input, input}, {.dim = 1}); });
    error_of([&] { to_layout(to_layout(input, row_major), tile); });
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, before);
}

}  // namespace
}  // namespace ttnn
