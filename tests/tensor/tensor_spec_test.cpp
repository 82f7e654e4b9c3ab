#include "ttnn/tensor/tensor_spec.hpp"

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

using enum TensorMemoryLayout;
constexpr auto bf16 = DataType::BFLOAT16;

CoreRangeSet range(uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2) {
    return CoreRangeSet(CoreRange({x1, y1}, {x2, y2}));
}

MemoryConfig sharded(TensorMemoryLayout layout, CoreRangeSet grid, uint32_t height, uint32_t width,
                     ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
    return MemoryConfig(layout, BufferType::L1, ShardSpec{std::move(grid), {height, width}, orientation});
}

std::string error_of(const Shape& shape, Layout layout, const MemoryConfig& config,
                     std::optional<Alignment> alignment = std::nullopt) {
    try {
        TensorSpec(shape, bf16, layout, config, {}, alignment);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Tile, Sizes) {
    const Tile tile;
    EXPECT_EQ(tile.bytes(bf16), 2048u);
    EXPECT_EQ(tile.bytes(DataType::FLOAT32), 4096u);
    EXPECT_EQ(tile.bytes(DataType::INT32), 4096u);
    EXPECT_EQ(tile.bytes(DataType::UINT16), 2048u);
    EXPECT_EQ(tile.bytes(DataType::UINT8), 1024u);
    EXPECT_EQ(tile.bytes(DataType::BFLOAT8_B), 1088u);
    EXPECT_EQ(tile.bytes(DataType::BFLOAT4_B), 576u);
    EXPECT_EQ(Tile({16, 32}).bytes(DataType::BFLOAT8_B), 512u + 32u);
    EXPECT_EQ(Tile({4, 32}).bytes(DataType::BFLOAT8_B), 128u + 16u);
    EXPECT_EQ(Tile({32, 16}).num_faces(), 2u);
    EXPECT_EQ(tile.to_string(), "Tile with shape: [32, 32]");
    EXPECT_THROW(Tile({24, 32}), Error);
    EXPECT_THROW(Tile({32, 8}), Error);
    EXPECT_THROW(Tile({64, 32}), Error);
    EXPECT_THROW(Tile({0, 32}), Error);
}

TEST(TensorSpec, TilesPadTheLastTwoDimensions) {
    const TensorSpec one({1, 1, 1, 32}, bf16, Layout::TILE);
    EXPECT_EQ(one.padded_shape(), (Shape{1, 1, 32, 32}));
    EXPECT_EQ(one.buffer_size(), 2048u);
    const TensorSpec spec({2, 3, 33, 65}, DataType::BFLOAT8_B, Layout::TILE);
    EXPECT_EQ(spec.padded_shape(), (Shape{2, 3, 64, 96}));
    EXPECT_EQ(spec.physical_shape(), (PhysicalShape{384, 96}));
    EXPECT_EQ(spec.num_pages(), 36u);
    EXPECT_EQ(spec.page_size(), 1088u);
    EXPECT_EQ(spec.alignment(), (Alignment{32, 32}));
}

TEST(TensorSpec, RowsAreNotPadded) {
    const TensorSpec spec({2, 3, 33, 65}, bf16, Layout::ROW_MAJOR);
    EXPECT_EQ(spec.padded_shape(), spec.logical_shape());
    EXPECT_EQ(spec.page_size(), 130u);
    EXPECT_EQ(spec.num_pages(), 198u);
    EXPECT_EQ(spec.alignment(), (Alignment{1}));
}

TEST(TensorSpec, LowRanks) {
    const TensorSpec vector({40}, bf16, Layout::TILE);
    EXPECT_EQ(vector.padded_shape(), (Shape{32, 64}));
    EXPECT_EQ(vector.physical_shape(), (PhysicalShape{32, 64}));
    const TensorSpec scalar({}, bf16, Layout::TILE);
    EXPECT_EQ(scalar.physical_shape(), (PhysicalShape{32, 32}));
    EXPECT_EQ(scalar.num_pages(), 1u);
    const TensorSpec row({40}, bf16, Layout::ROW_MAJOR);
    EXPECT_EQ(row.physical_shape(), (PhysicalShape{1, 40}));
    EXPECT_EQ(row.padded_shape(), (Shape{40}));
    EXPECT_EQ(TensorSpec({}, bf16, Layout::ROW_MAJOR).buffer_size(), 2u);
}

TEST(TensorSpec, EmptyTensors) {
    for (const Shape& shape : {Shape{0, 32}, Shape{4, 0}, Shape{2, 0, 32}, Shape{0}}) {
        const TensorSpec rows(shape, bf16, Layout::ROW_MAJOR);
        EXPECT_EQ(rows.num_pages(), 0u) << shape.to_string();
        EXPECT_EQ(rows.page_size(), 4u);
        const TensorSpec tiles(shape, bf16, Layout::TILE);
        EXPECT_EQ(tiles.num_pages(), 0u) << shape.to_string();
        EXPECT_EQ(tiles.page_size(), 2048u);
    }
}

TEST(TensorSpec, ShardedRowsAlignToTheShardWidth) {
    const auto config = sharded(WIDTH_SHARDED, range(0, 0, 7, 4), 49, 32);
    const TensorSpec spec({1, 1, 49, 1270}, bf16, Layout::ROW_MAJOR, config);
    EXPECT_EQ(spec.alignment(), (Alignment{32}));
    EXPECT_EQ(spec.padded_shape(), (Shape{1, 1, 49, 1280}));
    EXPECT_EQ(spec.page_size(), 64u);
    EXPECT_EQ(spec.page_columns(), 40u);
}

TEST(TensorSpec, FromPaddedEqualShapesHaveTheDefault) {
    const Shape shape{1, 1, 32, 96};
    EXPECT_EQ(TensorSpec::from_padded(shape, shape, bf16, Layout::TILE).alignment(), (Alignment{32, 32}));
    EXPECT_EQ(TensorSpec::from_padded(shape, shape, bf16, Layout::ROW_MAJOR).alignment(), (Alignment{1}));
}

TEST(TensorSpec, FromPaddedInterleavedCarriesItsPaddedShape) {
    const auto spec = TensorSpec::from_padded({1, 1, 1, 96}, {1, 1, 32, 96}, bf16, Layout::TILE);
    EXPECT_EQ(spec.alignment(), (Alignment{32, 96}));
    EXPECT_EQ(spec.padded_shape(), (Shape{1, 1, 32, 96}));
    EXPECT_NE(spec, TensorSpec({1, 1, 1, 96}, bf16, Layout::TILE));
    const auto rounded = TensorSpec::from_padded({1, 1, 10, 90}, {1, 1, 20, 96}, bf16, Layout::TILE);
    EXPECT_EQ(rounded.alignment(), (Alignment{32, 96}));
    const auto rows = TensorSpec::from_padded({1, 1, 10, 90}, {1, 1, 32, 96}, bf16, Layout::ROW_MAJOR);
    EXPECT_EQ(rows.alignment(), (Alignment{32, 96}));
    EXPECT_EQ(rows.page_size(), 192u);
}

TEST(TensorSpec, FromPaddedShardedHasTheDefault) {
    const auto config = sharded(HEIGHT_SHARDED, range(0, 0, 1, 0), 32, 96);
    EXPECT_EQ(TensorSpec::from_padded({1, 1, 50, 90}, {1, 1, 64, 96}, bf16, Layout::TILE, config).alignment(),
              (Alignment{32, 32}));
    EXPECT_EQ(TensorSpec::from_padded({1, 1, 50, 90}, {1, 1, 50, 96}, bf16, Layout::ROW_MAJOR, config).alignment(),
              (Alignment{96}));
}

TEST(TensorSpec, FromPaddedLeadingPaddingHasOneValuePerDimension) {
    const auto spec = TensorSpec::from_padded({3, 1, 32, 40}, {4, 1, 32, 64}, bf16, Layout::TILE);
    EXPECT_EQ(spec.alignment(), (Alignment{4, 1, 32, 64}));
    EXPECT_EQ(spec.padded_shape(), (Shape{4, 1, 32, 64}));
    EXPECT_EQ(spec.num_pages(), 8u);
    EXPECT_THROW(TensorSpec::from_padded({3, 40}, {3, 32}, bf16, Layout::TILE), Error);
}

TEST(TensorSpec, ConvolutionOutputReportsBothSpecs) {
    const auto config = sharded(HEIGHT_SHARDED, range(0, 0, 7, 6), 224, 32);
    const TensorSpec spec({1, 1, 12544, 32}, bf16, Layout::TILE, config);
    EXPECT_EQ(spec.memory_config(), config);
    EXPECT_EQ(spec.memory_config().nd_shard_spec()->shard_shape, (Shape{224, 32}));
    EXPECT_EQ(
        spec.to_string(),
        "TensorSpec(logical_shape=Shape([1, 1, 12544, 32]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,"
        "page_config=PageConfig(config=TilePageConfig(tile=Tile(tile_shape={32, 32},face_shape={16, 16},num_faces"
        "=4))),memory_config=MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType"
        "::L1,shard_spec=ShardSpec{grid=[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":6}], shape=[224, 32], "
        "orientation=ShardOrientation::ROW_MAJOR},nd_shard_spec={\"shard_shape\":[224, 32],\"grid\":[{\"start\":{"
        "\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":6}}],\"orientation\":\"ShardOrientation::ROW_MAJOR\","
        "\"shard_distribution_strategy\":\"ShardDistributionStrategy::ROUND_ROBIN_1D\"},"
        "created_with_nd_shard_spec=0),alignment=Alignment([32, 32])))");
}

TEST(TensorSpec, ExplicitAlignment) {
    const auto config = sharded(HEIGHT_SHARDED, range(0, 0, 7, 6), 224, 32);
    const TensorSpec spec({1, 1, 12544, 30}, bf16, Layout::TILE, config, {}, Alignment{224, 32});
    EXPECT_EQ(spec.padded_shape(), (Shape{1, 1, 12544, 32}));
    // Row-major output of a block-sharded convolution: 96 columns in shards of 64, the last page reaches beyond.
    const auto block = sharded(BLOCK_SHARDED, range(0, 0, 1, 1), 32, 64);
    const TensorSpec rows({1, 1, 64, 96}, bf16, Layout::ROW_MAJOR, block, {}, Alignment{32, 32});
    EXPECT_EQ(rows.page_columns(), 2u);
    EXPECT_EQ(rows.page_size(), 128u);
    EXPECT_NE(error_of({64, 64}, Layout::TILE, {}, Alignment{16, 32}).find("multiple of tile height 32"),
              std::string::npos);
    EXPECT_NE(error_of({64, 64}, Layout::TILE, {}, Alignment{32, 48}).find("multiple of tile width 32"),
              std::string::npos);
    EXPECT_NE(
        error_of({4, 64, 64}, Layout::TILE, sharded(HEIGHT_SHARDED, range(0, 0, 7, 0), 32, 64), Alignment{4, 32, 32})
            .find("cannot be combined with 2-D sharding"),
        std::string::npos);
}

TEST(TensorSpec, ShardsOfTilesMustBeTiles) {
    EXPECT_NE(error_of({64, 64}, Layout::TILE, sharded(HEIGHT_SHARDED, range(0, 0, 7, 0), 30, 64))
                  .find("Physical shard shape (30, 64) must be tile (32, 32) sized"),
              std::string::npos);
    EXPECT_EQ(error_of({64, 64}, Layout::ROW_MAJOR, sharded(HEIGHT_SHARDED, range(0, 0, 7, 0), 30, 64)), "no error");
}

TEST(TensorSpec, HeightShardsHaveTheFullWidth) {
    EXPECT_EQ(error_of({64, 64}, Layout::TILE, sharded(HEIGHT_SHARDED, range(0, 0, 7, 0), 32, 32)),
              "Shard width 32 must match physical width 64 for height sharded");
    EXPECT_EQ(error_of({96, 64}, Layout::TILE, sharded(HEIGHT_SHARDED, range(0, 0, 1, 0), 32, 64)),
              "Number of shards along height 3 must not exceed number of cores 2");
}

TEST(TensorSpec, WidthShardsHaveTheFullHeight) {
    EXPECT_EQ(error_of({64, 64}, Layout::TILE, sharded(WIDTH_SHARDED, range(0, 0, 7, 0), 32, 32)),
              "Shard height 32 must match physical height 64 for width sharded");
    EXPECT_EQ(error_of({64, 96}, Layout::TILE, sharded(WIDTH_SHARDED, range(0, 0, 1, 0), 64, 32)),
              "Number of shards along width 3 must not exceed number of cores 2");
}

TEST(TensorSpec, BlockShardsFitTheGrid) {
    const Shape shape{96, 64};  // 3 x 2 shards of one tile
    EXPECT_EQ(error_of(shape, Layout::TILE, sharded(BLOCK_SHARDED, range(0, 0, 1, 2), 32, 32)), "no error");
    EXPECT_EQ(error_of(shape, Layout::TILE, sharded(BLOCK_SHARDED, range(0, 0, 2, 1), 32, 32)),
              "Number of shards along height 3 must not exceed number of rows 2 for ShardOrientation::ROW_MAJOR "
              "orientation");
    constexpr auto column = ShardOrientation::COL_MAJOR;
    EXPECT_EQ(error_of(shape, Layout::TILE, sharded(BLOCK_SHARDED, range(0, 0, 2, 1), 32, 32, column)), "no error");
    EXPECT_EQ(error_of(shape, Layout::TILE, sharded(BLOCK_SHARDED, range(0, 0, 2, 0), 32, 32, column)),
              "Number of shards along width 2 must not exceed number of rows 1 for ShardOrientation::COL_MAJOR "
              "orientation");
    const CoreRangeSet two({CoreRange({0, 0}, {1, 1}), CoreRange({0, 2}, {1, 2})});
    EXPECT_NE(error_of(shape, Layout::TILE, sharded(BLOCK_SHARDED, two, 32, 32)).find("one full rectangular grid"),
              std::string::npos);
}

TEST(TensorSpec, NdShardsAreValidated) {
    const auto nd = [](Shape shard, ShardDistributionStrategy strategy) {
        return MemoryConfig(BufferType::L1,
                            NdShardSpec{shard, range(0, 0, 1, 0), ShardOrientation::ROW_MAJOR, strategy});
    };
    constexpr auto dealt = ShardDistributionStrategy::ROUND_ROBIN_1D;
    EXPECT_EQ(error_of({2, 64, 64}, Layout::TILE, nd({1, 32, 32}, dealt)), "no error");
    EXPECT_NE(error_of({2, 64, 64}, Layout::TILE, nd({1, 30, 32}, dealt)).find("must be tile"), std::string::npos);
    EXPECT_NE(error_of({2, 64, 64}, Layout::TILE, nd({32}, dealt)).find("must be tile"), std::string::npos);
    EXPECT_NE(error_of({2, 64, 64}, Layout::TILE, nd({0, 32, 32}, dealt)).find("no 0"), std::string::npos);
    EXPECT_NE(error_of({64, 64}, Layout::TILE, nd({32, 32}, ShardDistributionStrategy::GRID_2D)).find("2 x 2 array"),
              std::string::npos);
}

TEST(TensorSpec, OtherMistakes) {
    EXPECT_THROW(TensorSpec({32, 32}, DataType::BFLOAT8_B, Layout::ROW_MAJOR), Error);
    EXPECT_THROW(TensorSpec({32, 32}, DataType::INVALID, Layout::TILE), Error);
    EXPECT_THROW(TensorSpec({32, 32}, bf16, Layout::INVALID), Error);
    EXPECT_NE(error_of({32, 32}, Layout::TILE, sharded(INTERLEAVED, range(0, 0, 0, 0), 32, 32)).find("interleaved"),
              std::string::npos);
    EXPECT_EQ(error_of({32, 32}, Layout::TILE, MemoryConfig(WIDTH_SHARDED, BufferType::L1)), "no error")
        << "an op may still derive the spec";
    EXPECT_NE(error_of({4000000000, 4000000000}, Layout::TILE, {}).find("too large"), std::string::npos);
    EXPECT_NE(error_of({1, 4294967295}, Layout::TILE, {}).find("exceeds 4294967295"), std::string::npos);
}

TEST(TensorSpec, WithMemoryConfigKeepsOnlyExplicitAlignment) {
    const auto config = sharded(WIDTH_SHARDED, range(0, 0, 7, 0), 49, 32);
    const TensorSpec rows({49, 250}, bf16, Layout::ROW_MAJOR, config);
    EXPECT_EQ(rows.with_memory_config(dram_memory_config()), TensorSpec({49, 250}, bf16, Layout::ROW_MAJOR));
    EXPECT_EQ(TensorSpec({49, 250}, bf16, Layout::ROW_MAJOR).with_memory_config(config), rows);
    const TensorSpec padded({1, 90}, bf16, Layout::TILE, {}, {}, Alignment{32, 96});
    EXPECT_EQ(padded.with_memory_config(l1_memory_config()).alignment(), (Alignment{32, 96}));
    EXPECT_EQ(padded.with_dtype(DataType::BFLOAT8_B).alignment(), (Alignment{32, 96}));
    EXPECT_EQ(padded.with_dtype(DataType::BFLOAT8_B).page_size(), 1088u);
}

TEST(TensorSpec, OtherTiles) {
    const TensorSpec spec({5, 20}, bf16, Layout::TILE, {}, Tile({16, 32}));
    EXPECT_EQ(spec.padded_shape(), (Shape{16, 32}));
    EXPECT_EQ(spec.page_size(), 1024u);
    EXPECT_NE(spec, TensorSpec({5, 20}, bf16, Layout::TILE));
}

}  // namespace
}  // namespace ttnn
