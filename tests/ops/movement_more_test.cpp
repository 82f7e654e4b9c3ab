// The smaller operations of data movement. Expectations are worked out by hand from the shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "movement_support.hpp"
#include "ttnn/ops/creation/dropout.hpp"
#include "ttnn/ops/creation/fill_rm.hpp"
#include "ttnn/ops/data_movement/broadcast_to.hpp"
#include "ttnn/ops/data_movement/isin.hpp"
#include "ttnn/ops/data_movement/padded_slice.hpp"
#include "ttnn/ops/data_movement/repeat_interleave.hpp"
#include "ttnn/ops/data_movement/reshape_on_device.hpp"
#include "ttnn/ops/data_movement/roll.hpp"
#include "ttnn/ops/data_movement/slice_write.hpp"
#include "ttnn/ops/data_movement/tosa.hpp"
#include "ttnn/ops/sharding/partial.hpp"

namespace ttnn::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using enum DataType;

class MovementMore : public ::testing::Test {
protected:
    Tensor rows(const Shape& shape, const std::vector<float>& values, DataType dtype = BFLOAT16) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::ROW_MAJOR), device);
        write<float>(tensor, values);
        return tensor;
    }
    Tensor tiles(const Shape& shape, const MemoryConfig& config = {}, DataType dtype = BFLOAT16) const {
        return counted(device, shape, dtype, Layout::TILE, config);
    }
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

IntOrList one(int64_t value) { return value; }
IntOrList many(std::vector<int64_t> values) { return values; }

TEST_F(MovementMore, RollMovesElementsAroundTheEnd) {
    const Tensor input = rows({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_THAT(elements(roll(input, one(1), {.dim = one(-1)})), ElementsAre(3, 0, 1, 2, 7, 4, 5, 6));
    EXPECT_THAT(elements(roll(input, one(-1), {.dim = one(1)})), ElementsAre(1, 2, 3, 0, 5, 6, 7, 4));
    EXPECT_THAT(elements(roll(input, many({1, 2}), {.dim = many({0, 1})})), ElementsAre(6, 7, 4, 5, 2, 3, 0, 1));
    EXPECT_THAT(elements(roll(input, one(3))), ElementsAre(5, 6, 7, 0, 1, 2, 3, 4));
    EXPECT_EQ(roll(input, one(8), {.dim = one(1)}), input);
    EXPECT_EQ(roll(tiles({40, 50}, {}, BFLOAT8_B), one(3), {.dim = one(0)}).dtype(), BFLOAT8_B);
    const MemoryConfig shards = height_sharded(2, {32, 64});
    const Tensor rolled = roll(tiles({64, 64}, shards), one(32), {.dim = one(0)});
    EXPECT_EQ(rolled.memory_config(), shards);
    EXPECT_EQ(elements(rolled)[0], static_cast<float>(32 * 64 % 128));
    EXPECT_THAT(error_of([&] { roll(input, many({1, 2}), {.dim = one(0)}); }), HasSubstr("same number of entries"));
    EXPECT_THAT(error_of([&] { roll(input, many({1, 2})); }), HasSubstr("'shifts' must be one number"));
    EXPECT_THAT(error_of([&] { roll(input, one(1), {.dim = one(2)}); }), HasSubstr("'dim'"));
}

TEST_F(MovementMore, RollOfTilesCutsThemInRowMajorMemoryOnly) {
    const Tensor input = tiles({2, 2, 32, 32});
    EXPECT_THAT(steps_of([&] { roll(input, one(1), {.dim = one(0)}); })->names, Not(Contains("ttnn::to_layout")));
    EXPECT_THAT(steps_of([&] { roll(input, one(1), {.dim = one(3)}); })->names, Contains("ttnn::to_layout"));
}

TEST_F(MovementMore, BroadcastToComparesFromTheRight) {
    const Tensor input = tiles({2, 1});
    const Tensor result = experimental::broadcast_to(input, Shape{3, 2, 2});
    EXPECT_THAT(elements(result), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1));
    const Tensor output = tiles({3, 2, 2});
    EXPECT_EQ(experimental::broadcast_to(input, Shape{3, 2, 2}, {.output = output}), output);
    EXPECT_EQ(elements(output), elements(result));
    EXPECT_THAT(error_of([&] { experimental::broadcast_to(input, Shape{3, 2}); }), HasSubstr("size 1 only"));
    EXPECT_THAT(error_of([&] { experimental::broadcast_to(input, Shape{1, 1, 1, 2, 2}); }), HasSubstr("rank of 4"));
    EXPECT_THAT(error_of([&] {
                    experimental::broadcast_to(rows({1, 2}, {0, 1}), Shape{2, 2});
                }),
                HasSubstr("must have Layout::TILE"));
}

TEST_F(MovementMore, SliceWriteLeavesTheRestAlone) {
    const Tensor output = rows({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const Tensor input = rows({2, 2}, {50, 51, 52, 53});
    EXPECT_EQ(experimental::slice_write(input, output, {1, 1}, {3, -1}, {1, 1}), output);
    EXPECT_THAT(elements(output), ElementsAre(0, 1, 2, 3, 4, 50, 51, 7, 8, 52, 53, 11));
    experimental::slice_write(input, output, {0, 0}, {3, 4}, {2, 3});
    EXPECT_THAT(elements(output), ElementsAre(50, 1, 2, 51, 4, 50, 51, 7, 52, 52, 53, 53));
    EXPECT_THAT(error_of([&] {
                    experimental::slice_write(input, output, {0, 0}, {3, 3}, {1, 1});
                }),
                HasSubstr("as many elements as the box"));
    EXPECT_THAT(error_of([&] {
                    experimental::slice_write(input, output, {0, 0}, {4, 1}, {1, 1});
                }),
                HasSubstr("outside dimension 0"));
}

TEST_F(MovementMore, PaddedSliceWidensTheRowsToTheShards) {
    const Tensor input = rows({1, 2, 4, 3}, counting(24));
    const MemoryConfig shards = height_sharded(2, {2, 8});
    const Tensor result = experimental::padded_slice(input, {0, 0, 1, 0}, {1, 2, 3, 3},
                                                     {.memory_config = shards, .pad_value = Scalar(9.0)});
    EXPECT_EQ(result.logical_shape(), (Shape{1, 2, 2, 3}));
    EXPECT_EQ(result.padded_shape(), (Shape{1, 2, 2, 8}));
    EXPECT_EQ(result.memory_config(), shards);
    EXPECT_THAT(elements(result), ElementsAre(3, 4, 5, 6, 7, 8, 15, 16, 17, 18, 19, 20));
    const Dense<float> padded = read_padded<float>(result);
    EXPECT_THAT(std::vector<float>(padded.begin(), padded.begin() + 8), ElementsAre(3, 4, 5, 9, 9, 9, 9, 9));
    const Tensor blocks = experimental::padded_slice(tiles({1, 1, 64, 32}, {}, BFLOAT8_B), {0, 0, 0, 0}, {1, 1, 4, 32},
                                                     {.memory_config = height_sharded(2, {2, 32})});
    EXPECT_EQ(blocks.dtype(), BFLOAT16);
    EXPECT_EQ(blocks.layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] {
                    experimental::padded_slice(input, {0, 0, 1, 0}, {1, 2, 3, 3}, {.memory_config = MemoryConfig()});
                }),
                HasSubstr("must be sharded"));
}

TEST_F(MovementMore, RangesOfRowsGoIntoShardsAndBack) {
    const Tensor input = tiles({1, 2, 64, 32});
    const Tensor part =
        interleaved_to_sharded_partial(input, GridOrSet(CoreCoord{2, 1}), std::array<uint32_t, 2>{32, 32}, 2, 1,
                                       TensorMemoryLayout::HEIGHT_SHARDED, ShardOrientation::ROW_MAJOR);
    EXPECT_EQ(part.logical_shape(), (Shape{1, 1, 64, 32}));
    EXPECT_EQ(part.memory_config(), height_sharded(2, {32, 32}));
    const auto all = elements(input);
    EXPECT_EQ(elements(part), std::vector<float>(all.begin() + 2048, all.end()));
    const Tensor cache = Tensor::allocate_on_device(input.spec(), device);
    EXPECT_EQ(sharded_to_interleaved_partial(part, cache, 2, 0), cache);
    auto expected = std::vector<float>(4096, 0.0F);
    std::copy(all.begin() + 2048, all.end(), expected.begin());
    EXPECT_EQ(elements(cache), expected);
    EXPECT_THAT(error_of([&] { sharded_to_interleaved_partial(part, cache, 4, 0); }), HasSubstr("has 32 of 32"));
    EXPECT_THAT(error_of([&] { sharded_to_interleaved_partial(part, cache, 2, 2); }), HasSubstr("'slice_index'"));
    EXPECT_THAT(error_of([&] { sharded_to_interleaved_partial(part, cache, 3, 0); }),
                HasSubstr("equal ranges of whole tiles"));
}

// The shards are the only circular buffer on the way in, and there is none on the way out.
TEST_F(MovementMore, RangesOfRowsNeedNoOtherBuffers) {
    const Tensor input = tiles({1, 2, 64, 32});
    Tensor part;
    const auto in = steps_of([&] {
        part = interleaved_to_sharded_partial(input, GridOrSet(CoreCoord{2, 1}), std::array<uint32_t, 2>{32, 32}, 2, 1,
                                              TensorMemoryLayout::HEIGHT_SHARDED, ShardOrientation::ROW_MAJOR);
    });
    EXPECT_THAT(in->names,
                ElementsAre("ttnn::interleaved_to_sharded_partial", "ttnn::prim::interleaved_to_sharded_partial"));
    EXPECT_THAT(in->buffers, ElementsAre(std::pair(2048UL, 2U)));
    const auto out = steps_of([&] { sharded_to_interleaved_partial(part, input, 2, 0); });
    EXPECT_THAT(out->buffers, ElementsAre(std::pair(2048UL, 2U)));
}

TEST_F(MovementMore, ReshapeOnDeviceIsAViewWhereRowsStay) {
    const Tensor input = tiles({1, 1, 64, 64});
    EXPECT_EQ(reshape_on_device(input, 2, 1, 32, 64).storage_key(), input.storage_key());
    const Tensor moved = reshape_on_device(input, 1, 1, -1, 32);
    EXPECT_EQ(moved.logical_shape(), (Shape{1, 1, 128, 32}));
    EXPECT_EQ(elements(moved), elements(input));
    EXPECT_THAT(error_of([&] { reshape_on_device(input, 1, 1, 64, 63); }), HasSubstr("ttnn.reshape_on_device"));
}

TEST_F(MovementMore, FillRmPutsTheHighValueIntoTheUpperLeft) {
    const Tensor any = tiles({32, 32});
    const Tensor result = fill_rm(1, 2, 2, 3, 1, 2, any, 5.0, -1.0);
    EXPECT_EQ(result.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(result.logical_shape(), (Shape{1, 2, 2, 3}));
    EXPECT_THAT(elements(result), ElementsAre(5, 5, -1, -1, -1, -1, 5, 5, -1, -1, -1, -1));
    EXPECT_THAT(elements(fill_ones_rm(1, 1, 2, 2, 2, 1, any)), ElementsAre(1, 0, 1, 0));
    EXPECT_THAT(error_of([&] { fill_ones_rm(1, 1, 2, 2, 3, 1, any); }), HasSubstr("'hOnes'"));
    EXPECT_THAT(error_of([&] { fill_ones_rm(1, 1, 2, 2, 1, 1, tiles({32, 32}, {}, FLOAT32)); }), HasSubstr("'any'"));
}

TEST_F(MovementMore, DropoutDropsAShareAndScalesTheRest) {
    Tensor input = tiles({64, 128});
    write<float>(input, std::vector<float>(64 * 128, 3.0F));
    const auto values = elements(experimental::dropout(input, 0.25, 2.0, 7));
    const auto dropped = std::ranges::count(values, 0.0F);
    EXPECT_NEAR(static_cast<double>(dropped), 2048, 160);  // four standard deviations
    EXPECT_EQ(std::ranges::count(values, 6.0F), 8192 - dropped);
    EXPECT_EQ(elements(experimental::dropout(input, 0.25, 2.0, 7)), values);
    EXPECT_NE(elements(experimental::dropout(input, 0.25, 2.0, 8)), values);
    EXPECT_EQ(elements(experimental::dropout(input, 0.25, 2.0, 0)),
              elements(experimental::dropout(input, 0.25, 2.0, 0)));
    EXPECT_THAT(elements(experimental::dropout(input, 1.0, 2.0, 7)), Each(0.0F));
    const Tensor output = tiles({64, 128});
    EXPECT_EQ(experimental::dropout(input, 0.0, 1.0, 7, {.output_tensor = output}), output);
    EXPECT_THAT(elements(output), Each(3.0F));
    EXPECT_THAT(error_of([&] { experimental::dropout(input, 1.5, 1.0, 7); }), HasSubstr("'probability'"));
}

TEST_F(MovementMore, TosaGatherAndScatterMoveRowsOfTheirBatch) {
    const Tensor input = rows({2, 3, 2}, counting(12), FLOAT32);
    const Tensor index = rows({2, 2}, {2, 0, 1, 1}, UINT32);
    const Tensor taken = tosa_gather(input, index);
    EXPECT_EQ(taken.logical_shape(), (Shape{2, 2, 2}));
    EXPECT_THAT(elements(taken), ElementsAre(4, 5, 0, 1, 8, 9, 8, 9));
    const Tensor src = rows({2, 2, 2}, {50, 51, 52, 53, 54, 55, 56, 57}, FLOAT32);
    EXPECT_THAT(elements(tosa_scatter(input, index, src)), ElementsAre(52, 53, 2, 3, 50, 51, 6, 7, 56, 57, 10, 11));
    EXPECT_THAT(elements(input), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    EXPECT_THAT(error_of([&] { tosa_gather(input, rows({2, 2}, {2, 0, 3, 1}, UINT32)); }), HasSubstr("only 3 rows"));
    EXPECT_THAT(error_of([&] { tosa_gather(input, rows({1, 2}, {2, 0}, UINT32)); }), HasSubstr("[2, W]"));
    EXPECT_THAT(error_of([&] { tosa_scatter(input, index, input); }), HasSubstr("'src'"));
}

TEST_F(MovementMore, RepeatInterleavePutsCopiesNextToEachOther) {
    const Tensor input = rows({2, 2}, {1, 2, 3, 4});
    EXPECT_THAT(elements(repeat_interleave(input, 2, 1)), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
    EXPECT_THAT(elements(repeat_interleave(input, 2, -2)), ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
    EXPECT_EQ(repeat_interleave(input, 1, 0), input);
    // 2^8 + 1 has no BFLOAT16.
    const Tensor precise = rows({1, 2}, {257, 3}, INT32);
    EXPECT_THAT(elements(repeat_interleave(precise, 2, 0)), ElementsAre(256, 3, 256, 3));
    EXPECT_EQ(repeat_interleave(precise, 2, 0).dtype(), INT32);
    EXPECT_EQ(repeat_interleave(precise, 2, 0).layout(), Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] { repeat_interleave(input, 0, 0); }), HasSubstr("'repeats'"));
}

TEST_F(MovementMore, IsinSetsAllBits) {
    const Tensor numbers = rows({2, 2}, {1, 2, 3, 4}, INT32);
    const Tensor known = rows({2}, {4, 1}, INT32);
    const auto bits = [](const Tensor& tensor) {
        const Dense<uint32_t> values = read<uint32_t>(tensor);
        return std::vector<uint32_t>(values.begin(), values.end());
    };
    EXPECT_THAT(bits(experimental::isin(numbers, known)), ElementsAre(UINT32_MAX, 0, 0, UINT32_MAX));
    EXPECT_THAT(bits(experimental::isin(numbers, known, {.invert = true})), ElementsAre(0, UINT32_MAX, UINT32_MAX, 0));
}

}  // namespace
}  // namespace ttnn::testing
