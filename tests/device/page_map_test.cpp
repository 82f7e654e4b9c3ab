#include <set>

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

constexpr auto bf16 = DataType::BFLOAT16;

CoreRangeSet range(uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2) {
    return CoreRangeSet(CoreRange({x1, y1}, {x2, y2}));
}

MemoryConfig l1_sharded(TensorMemoryLayout layout, CoreRangeSet grid, uint32_t height, uint32_t width,
                        ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
    return MemoryConfig(layout, BufferType::L1, ShardSpec{std::move(grid), {height, width}, orientation});
}

PageMap l1_map(const TensorSpec& spec) { return PageMap(spec, 64, 16); }

CoreCoord core_of(const PageMap& map, uint64_t page) {
    return map.shard_cores().at(map.place_of_slot(map.slot_of(page)).shard_index);
}

uint64_t offset_of(const PageMap& map, uint64_t page) { return map.place_of_slot(map.slot_of(page)).offset; }

void expect_slots_are_distinct(const PageMap& map) {
    std::set<uint64_t> slots;
    for (uint64_t page = 0; page < map.num_pages(); ++page) {
        const uint64_t slot = map.slot_of(page);
        EXPECT_LT(slot, map.num_slots());
        EXPECT_TRUE(slots.insert(slot).second) << "slot " << slot << " is taken twice";
        EXPECT_EQ(map.storage_offset(map.place_of_slot(slot)), slot * map.page_size());
    }
}

TEST(PageMap, InterleavedTilesGoRoundTheBanks) {
    const PageMap map(TensorSpec({1, 1, 320, 320}, bf16, Layout::TILE), 12, 32);
    EXPECT_TRUE(map.identity());
    EXPECT_EQ(map.num_pages(), 100u);
    EXPECT_EQ(map.num_banks_used(), 12u);
    EXPECT_EQ(map.slots_per_bank(), 9u);
    EXPECT_EQ(map.bytes_per_bank(), 9u * 2048u);
    EXPECT_EQ(map.place_of_slot(25).shard_index, 1u);
    EXPECT_EQ(map.place_of_slot(25).offset, 2u * 2048u);
    expect_slots_are_distinct(map);
}

TEST(PageMap, RowMajorPagesAreAligned) {
    const TensorSpec spec({3, 5}, bf16, Layout::ROW_MAJOR);
    const PageMap dram(spec, 12, 32);
    EXPECT_EQ(dram.page_size(), 10u);
    EXPECT_EQ(dram.aligned_page_size(), 32u);
    EXPECT_EQ(dram.num_pages(), 3u);
    EXPECT_EQ(dram.storage_bytes(), 30u);
    EXPECT_EQ(l1_map(spec).aligned_page_size(), 16u);
    EXPECT_EQ(dram.storage_offset({2, 9}), 29u);
    EXPECT_EQ(dram.storage_offset({2, 10}), std::nullopt) << "alignment gap";
    EXPECT_EQ(dram.storage_offset({3, 0}), std::nullopt) << "no page in bank 3";
}

// The first convolution of a ResNet-like model.
TEST(PageMap, ConvolutionOutputHeightShardedOn56Cores) {
    const auto config = l1_sharded(TensorMemoryLayout::HEIGHT_SHARDED, range(0, 0, 7, 6), 224, 32);
    const PageMap tiles = l1_map(TensorSpec({1, 1, 12544, 32}, bf16, Layout::TILE, config));
    EXPECT_EQ(tiles.num_pages(), 392u);
    EXPECT_EQ(tiles.num_slots(), 392u);
    EXPECT_EQ(tiles.num_banks_used(), 56u);
    EXPECT_EQ(tiles.bytes_per_bank(), 14336u);
    EXPECT_EQ(core_of(tiles, 10), (CoreCoord{1, 0}));
    EXPECT_EQ(offset_of(tiles, 10), 3u * 2048u);
    EXPECT_EQ(core_of(tiles, 391), (CoreCoord{7, 6}));
    EXPECT_EQ(offset_of(tiles, 391), 6u * 2048u);

    const PageMap rows = l1_map(TensorSpec({1, 1, 12544, 32}, bf16, Layout::ROW_MAJOR, config));
    EXPECT_EQ(rows.page_size(), 64u);
    EXPECT_EQ(rows.num_pages(), 12544u);
    EXPECT_EQ(rows.bytes_per_bank(), 14336u);
    EXPECT_EQ(core_of(rows, 225), (CoreCoord{1, 0}));
    EXPECT_EQ(offset_of(rows, 225), 64u);
}

TEST(PageMap, EveryCoreOfA2dGridCountsEvenWithoutData) {
    const auto config = l1_sharded(TensorMemoryLayout::HEIGHT_SHARDED, range(0, 0, 7, 7), 64, 32);
    const PageMap map = l1_map(TensorSpec({1, 1, 96, 32}, bf16, Layout::TILE, config));
    EXPECT_EQ(map.num_pages(), 3u);
    EXPECT_EQ(map.num_banks_used(), 64u);
    EXPECT_EQ(map.num_slots(), 128u);
    EXPECT_EQ(map.slots_per_bank(), 2u);
    EXPECT_EQ(map.slot_of(2), 2u);
}

TEST(PageMap, HeightShardsFollowTwoRangesOneAfterTheOther) {
    const CoreRangeSet grid({CoreRange({0, 0}, {7, 5}), CoreRange({0, 6}, {0, 6})});
    const auto config = l1_sharded(TensorMemoryLayout::HEIGHT_SHARDED, grid, 64, 160);
    const PageMap map = l1_map(TensorSpec({1, 1, 3136, 160}, bf16, Layout::TILE, config));
    EXPECT_EQ(map.num_banks_used(), 49u);
    EXPECT_EQ(map.bytes_per_bank(), 10u * 2048u);
    EXPECT_EQ(core_of(map, 489), (CoreCoord{0, 6}));
    EXPECT_EQ(core_of(map, 479), (CoreCoord{7, 5}));
}

TEST(PageMap, ColumnMajorOrientationWalksDownTheColumns) {
    const auto config =
        l1_sharded(TensorMemoryLayout::HEIGHT_SHARDED, range(0, 0, 1, 1), 32, 32, ShardOrientation::COL_MAJOR);
    const PageMap map = l1_map(TensorSpec({128, 32}, bf16, Layout::TILE, config));
    EXPECT_EQ(core_of(map, 0), (CoreCoord{0, 0}));
    EXPECT_EQ(core_of(map, 1), (CoreCoord{0, 1}));
    EXPECT_EQ(core_of(map, 2), (CoreCoord{1, 0}));
    EXPECT_EQ(core_of(map, 3), (CoreCoord{1, 1}));
}

// 2 x 5 tiles in shards of 2 x 2: the last shard has an empty column.
TEST(PageMap, WidthShardsOfTilesPadTheEdge) {
    const auto config = l1_sharded(TensorMemoryLayout::WIDTH_SHARDED, range(0, 0, 2, 0), 64, 64);
    const PageMap map = l1_map(TensorSpec({1, 1, 64, 160}, bf16, Layout::TILE, config));
    EXPECT_EQ(map.num_pages(), 10u);
    EXPECT_EQ(map.num_slots(), 12u);
    const std::vector<uint64_t> expected = {0, 1, 4, 5, 8, 2, 3, 6, 7, 10};
    for (uint64_t page = 0; page < 10; ++page) {
        EXPECT_EQ(map.slot_of(page), expected[page]) << page;
    }
}

TEST(PageMap, WidthShardsOfRowsHaveOnePagePerShardRow) {
    const auto config = l1_sharded(TensorMemoryLayout::WIDTH_SHARDED, range(0, 0, 7, 4), 49, 32);
    const PageMap map = l1_map(TensorSpec({1, 1, 49, 1280}, bf16, Layout::ROW_MAJOR, config));
    EXPECT_EQ(map.page_size(), 64u);
    EXPECT_EQ(map.num_pages(), 49u * 40u);
    EXPECT_EQ(map.slot_of(42), 2u * 49u + 1u);  // row 1, shard 2
    EXPECT_EQ(core_of(map, 39), (CoreCoord{7, 4}));
    expect_slots_are_distinct(map);
}

// 3 x 3 tiles in shards of 2 x 2 on a grid that is wider than the shard array.
TEST(PageMap, BlockShardsKeepTheirRowAndColumnInTheGrid) {
    const TensorSpec row_major({96, 96}, bf16, Layout::TILE,
                               l1_sharded(TensorMemoryLayout::BLOCK_SHARDED, range(0, 0, 2, 1), 64, 64));
    const PageMap map = l1_map(row_major);
    EXPECT_EQ(map.num_banks_used(), 6u);
    EXPECT_EQ(core_of(map, 8), (CoreCoord{1, 1}));
    EXPECT_EQ(map.slot_of(8), 16u);
    EXPECT_EQ(core_of(map, 2), (CoreCoord{1, 0}));
    EXPECT_EQ(core_of(map, 6), (CoreCoord{0, 1}));
    EXPECT_EQ(map.slot_of(4), 3u);
    expect_slots_are_distinct(map);
}

TEST(PageMap, ColumnMajorBlockShardsSwapRowsAndColumns) {
    const TensorSpec spec(
        {96, 96}, bf16, Layout::TILE,
        l1_sharded(TensorMemoryLayout::BLOCK_SHARDED, range(0, 0, 1, 2), 64, 64, ShardOrientation::COL_MAJOR));
    const PageMap map = l1_map(spec);
    EXPECT_EQ(core_of(map, 6), (CoreCoord{1, 0})) << "second row of shards: second column of cores";
    EXPECT_EQ(core_of(map, 2), (CoreCoord{0, 1}));
    EXPECT_EQ(map.slot_of(6), 12u);
    EXPECT_EQ(core_of(map, 8), (CoreCoord{1, 1}));
    expect_slots_are_distinct(map);
}

TEST(PageMap, BlockShardsOfRows) {
    const auto config = l1_sharded(TensorMemoryLayout::BLOCK_SHARDED, range(0, 0, 1, 1), 3, 8);
    const PageMap map = l1_map(TensorSpec({5, 16}, DataType::FLOAT32, Layout::ROW_MAJOR, config));
    EXPECT_EQ(map.page_size(), 32u);
    EXPECT_EQ(map.num_pages(), 10u);
    EXPECT_EQ(map.num_slots(), 12u);
    EXPECT_EQ(map.slot_of(1), 3u);            // row 0, right half
    EXPECT_EQ(map.slot_of(6), 6u);            // row 3, left half
    EXPECT_EQ(map.slot_of(9), 3u * 3u + 1u);  // row 4, right half
}

TEST(PageMap, NdShardsAreDealtRoundRobin) {
    const MemoryConfig config(BufferType::L1, NdShardSpec{{1, 32, 64}, range(0, 0, 2, 0)});
    const PageMap map = l1_map(TensorSpec({4, 64, 64}, bf16, Layout::TILE, config));
    EXPECT_EQ(map.num_pages(), 16u);
    EXPECT_EQ(map.num_banks_used(), 3u);
    EXPECT_EQ(map.slots_per_bank(), 6u) << "8 shards on 3 cores, 2 pages each";
    EXPECT_EQ(map.num_slots(), 18u);
    EXPECT_EQ(map.slot_of(11), 15u) << "shard 5: second shard of core 2";
    EXPECT_EQ(core_of(map, 11), (CoreCoord{2, 0}));
    EXPECT_EQ(offset_of(map, 11), 3u * 2048u);
    expect_slots_are_distinct(map);
}

TEST(PageMap, NdShardsUseOnlyCoresWithData) {
    const MemoryConfig config(BufferType::L1, NdShardSpec{{32, 32}, range(0, 0, 7, 7)});
    const PageMap map = l1_map(TensorSpec({1, 3, 32, 32}, bf16, Layout::TILE, config));
    EXPECT_EQ(map.num_banks_used(), 3u);
    EXPECT_EQ(map.num_slots(), 3u);
}

TEST(PageMap, NdShardsMayCutLeadingDimensions) {
    const MemoryConfig config(BufferType::L1, NdShardSpec{{2, 32, 32}, range(0, 0, 1, 0)});
    const PageMap map = l1_map(TensorSpec({3, 32, 64}, bf16, Layout::TILE, config));
    // Pages (batch, column); shards: batches {0,1} and {2,-}, each column by itself.
    EXPECT_EQ(map.slots_per_bank(), 4u);
    const std::vector<uint64_t> expected = {0, 4, 1, 5, 2, 6};
    for (uint64_t page = 0; page < 6; ++page) {
        EXPECT_EQ(map.slot_of(page), expected[page]) << page;
    }
}

TEST(PageMap, NdGridOfShardsMapsToTheGridOfCores) {
    const NdShardSpec spec{
        {32, 64}, range(1, 1, 4, 3), ShardOrientation::ROW_MAJOR, ShardDistributionStrategy::GRID_2D};
    const PageMap map = l1_map(TensorSpec({64, 96}, bf16, Layout::TILE, MemoryConfig(BufferType::L1, spec)));
    EXPECT_EQ(map.num_banks_used(), 4u);
    EXPECT_EQ(map.slot_of(5), 6u);
    EXPECT_EQ(core_of(map, 5), (CoreCoord{2, 2}));
    EXPECT_EQ(core_of(map, 2), (CoreCoord{2, 1}));
    expect_slots_are_distinct(map);
}

TEST(PageMap, NdShardsOfRows) {
    const MemoryConfig config(BufferType::L1, NdShardSpec{{2, 4}, range(0, 0, 1, 0)});
    const PageMap map = l1_map(TensorSpec({4, 8}, bf16, Layout::ROW_MAJOR, config));
    EXPECT_EQ(map.page_size(), 8u);
    EXPECT_EQ(map.num_pages(), 8u);
    EXPECT_EQ(map.slot_of(1), 4u);  // row 0, right: shard 1 on core 1
    EXPECT_EQ(map.slot_of(4), 2u);  // row 2, left: shard 2, core 0 again
    EXPECT_EQ(map.slot_of(7), 7u);
}

TEST(PageMap, ShardedWithoutSpecIsAnError) {
    const TensorSpec spec({64, 64}, bf16, Layout::TILE,
                          MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1));
    EXPECT_THROW(l1_map(spec), Error);
}

}  // namespace
}  // namespace ttnn
