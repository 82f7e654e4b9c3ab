// Where convolutions put their shards on a grid of 8 x 8 cores; figures as real models show them.
#include "ttnn/ops/conv/conv_shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"

namespace ttnn::conv_rules {
namespace {

using enum TensorMemoryLayout;
using Size = std::array<uint32_t, 2>;

constexpr CoreCoord grid{8, 8};

// A square image with a square window that keeps its size.
Window window(uint32_t side, uint32_t taps, uint32_t in, uint32_t out, uint32_t stride = 1) {
    const uint32_t border = taps / 2;
    return {.height = {side, taps, stride, border, border},
            .width = {side, taps, stride, border, border},
            .in_channels = in,
            .out_channels = out};
}

ShardPlan plan(const Window& window, TensorMemoryLayout layout, Layout input = Layout::TILE) {
    Conv2dConfig config;
    config.shard_layout = layout;
    const InputFacts facts{MemoryConfig(), input, DataType::BFLOAT16, window.in_channels};
    return plan_shards(window, facts, config, grid, window.is_pointwise());
}

struct Shards {
    std::string grid;
    Size shape;
    bool operator==(const Shards&) const = default;
};
Shards of(const MemoryConfig& config) { return {config.shard_spec()->grid.to_string(), config.shard_spec()->shape}; }

TEST(ConvShards, CoresAreBusyAndAtMostOneIsPartlyFilled) {
    EXPECT_EQ(busy_cores(392, 64, 1), 56U);
    EXPECT_EQ(busy_cores(98, 64, 1), 49U);
    EXPECT_EQ(busy_cores(7, 64, 1), 7U);
    EXPECT_EQ(busy_cores(25, 8, 1), 7U);     // 28 tiles: three idle of four
    EXPECT_EQ(busy_cores(15, 8, 1), 8U);     // 16 tiles: one idle of two
    EXPECT_EQ(busy_cores(392, 64, 2), 49U);  // blocks of two tiles
    EXPECT_EQ(busy_cores(1, 64, 1), 1U);
}

TEST(ConvShards, HeightShardsGoRowByRow) {
    const ShardPlan large = plan(window(112, 3, 32, 32), HEIGHT_SHARDED);
    EXPECT_EQ(of(large.output_memory), (Shards{"{[(x=0,y=0) - (x=7,y=6)]}", {224, 32}}));
    const ShardPlan odd = plan(window(56, 3, 144, 144), HEIGHT_SHARDED);
    EXPECT_EQ(of(odd.output_memory), (Shards{"{[(x=0,y=0) - (x=7,y=5)], [(x=0,y=6) - (x=0,y=6)]}", {64, 160}}));
    EXPECT_EQ(of(odd.input_memory), of(odd.output_memory));
}

TEST(ConvShards, BlockShardsAreARectangle) {
    // 28 x 28 positions are 25 tiles on 7 rows; 144 channels are 5 tiles on 5 columns.
    EXPECT_EQ(of(plan(window(56, 5, 144, 144, 2), BLOCK_SHARDED).output_memory),
              (Shards{"{[(x=0,y=0) - (x=4,y=6)]}", {128, 32}}));
    EXPECT_EQ(of(plan(window(14, 3, 480, 480), BLOCK_SHARDED).output_memory),
              (Shards{"{[(x=0,y=0) - (x=7,y=6)]}", {32, 64}}));
}

TEST(ConvShards, WidthShardsHaveAllPositions) {
    const ShardPlan wide = plan(window(14, 5, 480, 480), WIDTH_SHARDED);
    EXPECT_EQ(of(wide.output_memory), (Shards{"{[(x=0,y=0) - (x=7,y=0)], [(x=0,y=1) - (x=6,y=1)]}", {224, 32}}));
    const ShardPlan narrow = plan(window(14, 1, 480, 80), WIDTH_SHARDED);
    EXPECT_FALSE(narrow.product);
    EXPECT_EQ(of(narrow.input_memory), of(wide.output_memory));
    EXPECT_EQ(of(narrow.output_memory), (Shards{"{[(x=0,y=0) - (x=2,y=0)]}", {224, 32}}));
}

TEST(ConvShards, AProductKeepsTheCoresOfItsInput) {
    const ShardPlan block = plan(window(1, 1, 48, 1152), BLOCK_SHARDED);
    EXPECT_TRUE(block.product);
    EXPECT_EQ(of(block.input_memory), (Shards{"{[(x=0,y=0) - (x=1,y=0)]}", {32, 32}}));
    EXPECT_EQ(of(block.output_memory), (Shards{"{[(x=0,y=0) - (x=1,y=0)]}", {32, 576}}));
    const ShardPlan height = plan(window(28, 1, 144, 40), HEIGHT_SHARDED);
    EXPECT_EQ(of(height.input_memory), (Shards{"{[(x=0,y=0) - (x=7,y=2)], [(x=0,y=3) - (x=0,y=3)]}", {32, 160}}));
    EXPECT_EQ(of(height.output_memory).shape, (Size{32, 64}));
}

TEST(ConvShards, RowsNeedLessAlignmentThanTiles) {
    EXPECT_EQ(of(plan(window(8, 3, 12, 32), HEIGHT_SHARDED, Layout::ROW_MAJOR).input_memory).shape, (Size{32, 16}));
    EXPECT_EQ(of(plan(window(8, 3, 12, 32), HEIGHT_SHARDED).input_memory).shape, (Size{32, 32}));
    EXPECT_EQ(of(plan(window(8, 3, 12, 32), WIDTH_SHARDED, Layout::ROW_MAJOR).input_memory).shape, (Size{64, 32}));
}

TEST(ConvShards, TransposedShardsGoDownTheColumns) {
    Conv2dConfig config;
    config.shard_layout = BLOCK_SHARDED;
    config.transpose_shards = true;
    const Window wanted = window(8, 3, 96, 64);  // two tiles of rows, three of channels, two of results
    const ShardPlan result =
        plan_shards(wanted, {MemoryConfig(), Layout::TILE, DataType::BFLOAT16, 96}, config, grid, false);
    EXPECT_EQ(of(result.input_memory), (Shards{"{[(x=0,y=0) - (x=1,y=2)]}", {32, 32}}));
    EXPECT_EQ(of(result.output_memory), (Shards{"{[(x=0,y=0) - (x=1,y=1)]}", {32, 32}}));
    EXPECT_EQ(result.output_memory.shard_spec()->orientation, ShardOrientation::COL_MAJOR);
}

// The input lies in height shards on five cores.
class ShardedInput : public ::testing::Test {
protected:
    ShardPlan plan(const Conv2dConfig& config, Size shard = {32, 64}) const {
        const MemoryConfig memory(HEIGHT_SHARDED, BufferType::L1, ShardSpec{cores, shard});
        return plan_shards(window(8, 3, 64, 64), {memory, layout, DataType::BFLOAT16, 64}, config, grid, false);
    }
    const CoreRangeSet cores{CoreRange({0, 0}, {4, 0})};
    Layout layout = Layout::TILE;
};

TEST_F(ShardedInput, StaysWhereItIs) {
    Conv2dConfig config;
    config.shard_layout = BLOCK_SHARDED;  // would be taken for an interleaved input
    const ShardPlan kept = plan(config);
    EXPECT_TRUE(kept.keeps_input);
    EXPECT_EQ(of(kept.output_memory), (Shards{cores.to_string(), {32, 64}}));
}

TEST_F(ShardedInput, MovesWhereItIsAskedTo) {
    Conv2dConfig config;
    config.reshard_if_not_optimal = true;
    EXPECT_EQ(of(plan(config).input_memory), (Shards{"{[(x=0,y=0) - (x=1,y=0)]}", {32, 64}}));
    config.reshard_if_not_optimal = false;
    config.override_sharding_config = true;
    config.core_grid = CoreRangeSet(CoreRange({0, 0}, {0, 0}));
    EXPECT_EQ(of(plan(config).input_memory), (Shards{"{[(x=0,y=0) - (x=0,y=0)]}", {64, 64}}));
    config.core_grid = cores;
    EXPECT_TRUE(plan(config).keeps_input);
}

TEST_F(ShardedInput, MovesWhereItsShardsAreNotAligned) {
    EXPECT_FALSE(plan({}, {32, 72}).keeps_input);
    layout = Layout::ROW_MAJOR;
    EXPECT_TRUE(plan({}, {32, 72}).keeps_input);  // rows: eight channels
}

TEST(ConvShards, WithoutALayoutTheLeastMemoryDecides) {
    const auto chosen = [](const Window& wanted) {
        const InputFacts facts{MemoryConfig(), Layout::TILE, DataType::BFLOAT16, wanted.in_channels};
        return plan_shards(wanted, facts, {}, grid, wanted.is_pointwise()).output.layout;
    };
    EXPECT_EQ(chosen(window(112, 3, 32, 32)), HEIGHT_SHARDED);  // many positions, few channels
    EXPECT_EQ(chosen(window(14, 3, 512, 512)), BLOCK_SHARDED);
    EXPECT_EQ(chosen(window(2, 3, 2048, 64)), WIDTH_SHARDED);
    EXPECT_NE(chosen(window(2, 1, 2048, 64)), WIDTH_SHARDED);  // a product never is
}

TEST(ConvShards, PreparedWeightsCoverWholeTilesOfEveryCore) {
    EXPECT_EQ(padded_weight_matrix(window(56, 1, 24, 144), 1, 1, 32), Shape({1, 1, 32, 160}));
    // Eight columns of cores: 480 channels become 512 on both sides.
    EXPECT_EQ(padded_weight_matrix(window(14, 3, 480, 480), 8, 8, 32), Shape({1, 1, 9 * 512, 512}));
    // Rows with 16 channels: 9 x 16 rows, rounded to tiles.
    EXPECT_EQ(padded_weight_matrix(window(224, 3, 3, 32), 1, 1, 16), Shape({1, 1, 160, 32}));
}

}  // namespace
}  // namespace ttnn::conv_rules
