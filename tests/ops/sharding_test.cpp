#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/movement_support.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/reshard.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn {
namespace {

using testing::counted;
using testing::elements;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::height_sharded;
using testing::steps_of;
using testing::width_sharded;
using enum DataType;

class Sharding : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});
};

TEST_F(Sharding, ToMemoryConfigGivesBackWhatIsThere) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::TILE);
    EXPECT_EQ(to_memory_config(input, MemoryConfig()), input);
}

TEST_F(Sharding, ToMemoryConfigTakesTheDocumentedWays) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::TILE);
    EXPECT_THAT(steps_of([&] { to_memory_config(input, l1_memory_config()); })->names,
                ElementsAre("ttnn::to_memory_config", "ttnn::prim::copy"));
    EXPECT_THAT(
        steps_of([&] {
            to_memory_config(input, height_sharded(2, {32, 64}));
        })->names,
        ElementsAre("ttnn::to_memory_config", "ttnn::interleaved_to_sharded", "ttnn::prim::interleaved_to_sharded"));
    const Tensor sharded = to_memory_config(input, height_sharded(2, {32, 64}));
    EXPECT_THAT(steps_of([&] { to_memory_config(sharded, MemoryConfig()); })->names,
                ElementsAre("ttnn::to_memory_config", "ttnn::prim::sharded_to_interleaved"));
    EXPECT_THAT(steps_of([&] {
                    to_memory_config(sharded, width_sharded(2, {64, 32}));
                })->names,
                ElementsAre("ttnn::to_memory_config", "ttnn::reshard", "ttnn::prim::reshard"));
}

TEST_F(Sharding, RowMajorChangesItsShardWidthOnADetour) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {32, 64}));
    const MemoryConfig target = width_sharded(2, {64, 32});
    EXPECT_THAT(error_of([&] { reshard(input, target); }), HasSubstr("cannot change its shard width"));
    const auto steps = steps_of([&] { EXPECT_EQ(elements(to_memory_config(input, target)), elements(input)); });
    EXPECT_THAT(steps->names, ElementsAre("ttnn::to_memory_config", "ttnn::sharded_to_interleaved",
                                          "ttnn::prim::sharded_to_interleaved", "ttnn::interleaved_to_sharded",
                                          "ttnn::prim::interleaved_to_sharded"));
}

TEST_F(Sharding, DtypeChangesOnTheWayIntoShardsButNotBetweenThem) {
    const Tensor input = counted(device, {64, 64}, FLOAT32, Layout::TILE);
    const Tensor sharded = to_memory_config(input, height_sharded(2, {32, 64}), {.dtype = BFLOAT16});
    EXPECT_EQ(sharded.dtype(), BFLOAT16);
    EXPECT_THAT(error_of([&] {
                    to_memory_config(sharded, width_sharded(2, {64, 32}), {.dtype = FLOAT32});
                }),
                HasSubstr("dtype cannot be specified when converting sharded tensor to sharded tensor"));
    const Tensor rows = counted(device, {64, 64}, FLOAT32, Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] {
                    interleaved_to_sharded(rows, height_sharded(2, {32, 64}), {.output_dtype = BFLOAT16});
                }),
                HasSubstr("needs an input in TILE"));
}

TEST_F(Sharding, ShardedToInterleavedGoesToDramUnlessTold) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::TILE, height_sharded(2, {32, 64}));
    EXPECT_EQ(sharded_to_interleaved(input).memory_config(), MemoryConfig());
    EXPECT_EQ(sharded_to_interleaved(input, {.memory_config = l1_memory_config()}).memory_config(), l1_memory_config());
    EXPECT_THAT(error_of([&] { sharded_to_interleaved(sharded_to_interleaved(input)); }), HasSubstr("sharded in L1"));
}

TEST_F(Sharding, InterleavedToShardedTakesAGridSize) {
    const Tensor input = counted(device, {1, 1, 64, 128}, BFLOAT16, Layout::TILE);
    const Tensor output = interleaved_to_sharded(input, GridOrSet(CoreCoord{2, 2}), std::array<uint32_t, 2>{32, 64},
                                                 TensorMemoryLayout::BLOCK_SHARDED, ShardOrientation::ROW_MAJOR);
    EXPECT_EQ(output.memory_config().shard_spec()->grid, CoreRangeSet(CoreRange({0, 0}, {1, 1})));
    EXPECT_EQ(elements(output), elements(input));
}

TEST_F(Sharding, InterleavedToShardedChecksItsArguments) {
    const Tensor input = counted(device, {64, 30}, BFLOAT16, Layout::ROW_MAJOR);
    EXPECT_THAT(error_of([&] { interleaved_to_sharded(input, MemoryConfig()); }), HasSubstr("must be sharded"));
    EXPECT_THAT(error_of([&] {
                    interleaved_to_sharded(input, height_sharded(2, {32, 30}));
                }),
                HasSubstr("multiple of 16 bytes, got 30 elements"));
    EXPECT_THAT(error_of([&] {
                    interleaved_to_sharded(input, MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1));
                }),
                HasSubstr("no shard spec"));
}

TEST_F(Sharding, ReshardWritesIntoItsOutput) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::TILE, height_sharded(2, {32, 64}));
    const Tensor output =
        Tensor::allocate_on_device(TensorSpec({64, 64}, BFLOAT16, Layout::TILE, width_sharded(2, {64, 32})), device);
    EXPECT_EQ(reshard(input, output.memory_config(), {.output_tensor = output}), output);
    EXPECT_EQ(elements(output), elements(input));
}

// The output's own shard is the only circular buffer; a change of dtype adds one for the input.
TEST_F(Sharding, ShardsAreTheirOwnCircularBuffers) {
    const Tensor input = counted(device, {64, 64}, BFLOAT16, Layout::TILE);
    const auto plain = steps_of([&] { interleaved_to_sharded(input, height_sharded(2, {32, 64})); });
    EXPECT_THAT(plain->buffers, ElementsAre(std::pair(4096UL, 2U)));
    const auto converted = steps_of([&] {
        interleaved_to_sharded(input, height_sharded(2, {32, 64}), {.output_dtype = FLOAT32});
    });
    EXPECT_THAT(converted->buffers, ElementsAre(std::pair(8192UL, 2U), std::pair(4096UL, 2U)));
}

}  // namespace
}  // namespace ttnn
