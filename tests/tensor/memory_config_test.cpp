#include "ttnn/tensor/memory_config.hpp"

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

using enum TensorMemoryLayout;

CoreRangeSet grid_7x1() { return CoreRangeSet(CoreRange({0, 0}, {7, 0})); }

MemoryConfig sharded() {
    return MemoryConfig(HEIGHT_SHARDED, BufferType::L1, ShardSpec{grid_7x1(), {32, 64}, ShardOrientation::ROW_MAJOR});
}

MemoryConfig nd_sharded() {
    return MemoryConfig(BufferType::L1, NdShardSpec{{1, 32, 64}, CoreRangeSet(CoreRange({0, 0}, {7, 6}))});
}

std::array<uint32_t, 2> shard_of(const MemoryConfig& config) { return config.shard_spec()->shape; }

std::string error_of(auto call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(MemoryConfig, TextOfInterleavedConfigs) {
    EXPECT_EQ(MemoryConfig().to_string(),
              "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::"
              "nullopt,nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)");
}

TEST(MemoryConfig, TextOfShardSpecsKeepsTheUnbalancedBraces) {
    EXPECT_EQ(sharded().shard_spec()->to_string(),
              R"(ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":0}], shape=[32, 64], )"
              R"(orientation=ShardOrientation::ROW_MAJOR})");
    const NdShardSpec nd{{224, 32}, CoreRangeSet(CoreRange({0, 0}, {7, 6}))};
    EXPECT_EQ(nd.to_string(), R"({"shard_shape":[224, 32],"grid":[{"start":{"x":0,"y":0},"end":{"x":7,"y":6}}],)"
                              R"("orientation":"ShardOrientation::ROW_MAJOR",)"
                              R"("shard_distribution_strategy":"ShardDistributionStrategy::ROUND_ROBIN_1D"})");
}

TEST(MemoryConfig, JsonHoldsNumbersAndTheGivenSpec) {
    EXPECT_EQ(MemoryConfig(INTERLEAVED, BufferType::L1).to_json(),
              R"({"buffer_type":1,"created_with_nd_shard_spec":false,"memory_layout":0})");
    EXPECT_EQ(sharded().to_json(),
              R"({"buffer_type":1,"created_with_nd_shard_spec":false,"memory_layout":2,"shard_spec":{"grid":)"
              R"([{"end":{"x":7,"y":0},"start":{"x":0,"y":0}}],"orientation":0,"shape":[32,64]}})");
}

TEST(MemoryConfig, JsonRoundTrip) {
    for (const MemoryConfig& config :
         {MemoryConfig(), MemoryConfig(WIDTH_SHARDED, BufferType::L1), sharded(), nd_sharded(),
          sharded().with_equivalent_specs({1, 1, 256, 64}), nd_sharded().with_equivalent_specs({56, 32, 64})}) {
        const MemoryConfig back = MemoryConfig::from_json(config.to_json());
        EXPECT_EQ(back, config);
        EXPECT_EQ(back.hash(), config.hash());
        EXPECT_EQ(back.created_with_nd_shard_spec(), config.created_with_nd_shard_spec());
    }
}

TEST(MemoryConfig, JsonMayNameEnums) {
    EXPECT_EQ(MemoryConfig::from_json(R"({"buffer_type": "L1", "created_with_nd_shard_spec": false,
        "memory_layout": "HEIGHT_SHARDED", "shard_spec": {
        "grid": [{"end": {"x": 7, "y": 0}, "start": {"x": 0, "y": 0}}], "orientation": 0, "shape": [32, 64]}})"),
              sharded());
}

TEST(MemoryConfig, BadJsonNamesTheField) {
    const auto from = [](std::string_view text) { return error_of([&] { MemoryConfig::from_json(text); }); };
    EXPECT_NE(from("{").find("not JSON"), std::string::npos);
    EXPECT_NE(from("[]").find("'buffer_type'"), std::string::npos);
    EXPECT_NE(from(R"({"buffer_type":7,"memory_layout":0})").find("'buffer_type' must be one of 0 (DRAM)"),
              std::string::npos);
    EXPECT_NE(from(R"({"buffer_type":1,"memory_layout":1})").find("'memory_layout'"), std::string::npos);
    EXPECT_NE(from(R"({"buffer_type":1,"memory_layout":2,"shard_spec":{"shape":[1],"grid":[],"orientation":0}})")
                  .find("two numbers"),
              std::string::npos);
    EXPECT_NE(from(R"({"buffer_type":1,"memory_layout":2,"shard_spec":{"shape":[1,-2],"grid":[],"orientation":0}})")
                  .find("'shape'"),
              std::string::npos);
}

TEST(MemoryConfig, EqualityIgnoresDerivedSpecs) {
    EXPECT_EQ(sharded(), sharded().with_equivalent_specs({1, 1, 256, 64}));
    EXPECT_EQ(nd_sharded(), nd_sharded().with_equivalent_specs({56, 32, 64}));
    EXPECT_EQ(sharded().hash(), sharded().with_equivalent_specs({1, 1, 256, 64}).hash());
    EXPECT_NE(sharded(), MemoryConfig(HEIGHT_SHARDED, BufferType::L1));
    EXPECT_NE(dram_memory_config(), l1_memory_config());
    EXPECT_NE(dram_memory_config().hash(), l1_memory_config().hash());
    EXPECT_NE(sharded(), nd_sharded());
}

TEST(MemoryConfig, A2dSpecGetsItsNdEquivalent) {
    const MemoryConfig config = sharded().with_equivalent_specs({1, 1, 256, 64});
    ASSERT_TRUE(config.nd_shard_spec());
    EXPECT_EQ(config.nd_shard_spec()->shard_shape, (Shape{32, 64}));
    EXPECT_EQ(config.nd_shard_spec()->shard_distribution_strategy, ShardDistributionStrategy::ROUND_ROBIN_1D);
    EXPECT_FALSE(config.created_with_nd_shard_spec());
    const MemoryConfig block(BLOCK_SHARDED, BufferType::L1, ShardSpec{grid_7x1(), {32, 64}});
    EXPECT_EQ(block.with_equivalent_specs({1, 1, 32, 512}).nd_shard_spec()->shard_distribution_strategy,
              ShardDistributionStrategy::GRID_2D);
}

TEST(MemoryConfig, AnNdSpecGetsA2dOneWhereItCanBeExpressed) {
    const auto derive = [](Shape shard, Shape tensor, ShardDistributionStrategy strategy) {
        return MemoryConfig(BufferType::L1, NdShardSpec{shard, CoreRangeSet(CoreRange({0, 0}, {3, 1})),
                                                        ShardOrientation::ROW_MAJOR, strategy})
            .with_equivalent_specs(tensor);
    };
    constexpr auto dealt = ShardDistributionStrategy::ROUND_ROBIN_1D;
    const auto height = derive({1, 1, 32, 64}, {1, 1, 256, 64}, dealt);
    EXPECT_EQ(height.memory_layout(), HEIGHT_SHARDED);
    EXPECT_EQ(shard_of(height), (std::array<uint32_t, 2>{32, 64}));
    EXPECT_TRUE(height.created_with_nd_shard_spec());
    const auto matrices = derive({2, 64, 64}, {6, 64, 64}, dealt);
    EXPECT_EQ(matrices.memory_layout(), HEIGHT_SHARDED);
    EXPECT_EQ(shard_of(matrices), (std::array<uint32_t, 2>{128, 64}));
    EXPECT_EQ(derive({2, 64, 32}, {2, 64, 64}, dealt).memory_layout(), WIDTH_SHARDED);
    EXPECT_EQ(derive({32, 64}, {64, 128}, ShardDistributionStrategy::GRID_2D).shard_spec()->shape,
              (std::array<uint32_t, 2>{32, 64}));
    // Rows that do not follow each other, ragged shards in the middle, more shards than cores, blocks dealt in line.
    EXPECT_FALSE(derive({2, 32, 64}, {2, 64, 64}, dealt).shard_spec());
    EXPECT_FALSE(derive({1, 64, 64}, {2, 96, 64}, dealt).shard_spec());
    EXPECT_FALSE(derive({1, 32, 64}, {9, 32, 64}, dealt).shard_spec());
    EXPECT_FALSE(derive({32, 64}, {64, 128}, dealt).shard_spec());
    EXPECT_EQ(derive({32, 64}, {64, 128}, dealt).memory_layout(), BLOCK_SHARDED);
}

TEST(MemoryConfig, WithShardSpecDropsWhatWasDerived) {
    const MemoryConfig config = sharded().with_equivalent_specs({256, 64}).with_shard_spec(std::nullopt);
    EXPECT_EQ(config, MemoryConfig(HEIGHT_SHARDED, BufferType::L1));
    EXPECT_FALSE(config.nd_shard_spec());
}

TEST(CreateShardedMemoryConfig, CutsTheShapeEvenly) {
    const Shape shape{2, 2, 128, 256};  // 512 x 256
    const CoreGrid grid{8, 4};
    const auto height = create_sharded_memory_config(shape, grid, ShardStrategy::HEIGHT);
    EXPECT_EQ(height.buffer_type(), BufferType::L1);
    EXPECT_EQ(height.memory_layout(), HEIGHT_SHARDED);
    EXPECT_EQ(shard_of(height), (std::array<uint32_t, 2>{16, 256}));
    EXPECT_EQ(height.shard_spec()->grid.to_string(), "{[(x=0,y=0) - (x=7,y=3)]}");
    EXPECT_EQ(shard_of(create_sharded_memory_config(shape, grid, ShardStrategy::WIDTH)),
              (std::array<uint32_t, 2>{512, 8}));
    EXPECT_EQ(shard_of(create_sharded_memory_config(shape, grid, ShardStrategy::BLOCK)),
              (std::array<uint32_t, 2>{128, 32}));
    EXPECT_EQ(shard_of(create_sharded_memory_config(shape, grid, ShardStrategy::BLOCK, ShardOrientation::COL_MAJOR)),
              (std::array<uint32_t, 2>{64, 64}));
}

TEST(CreateShardedMemoryConfig, UnevenShapesAreRejected) {
    EXPECT_NE(error_of([] {
                  create_sharded_memory_config({100, 32}, CoreGrid{8, 1}, ShardStrategy::HEIGHT);
              }).find("Invalid sharding core_grid"),
              std::string::npos);
    EXPECT_NE(error_of([] {
                  create_sharded_memory_config({64, 100}, CoreGrid{8, 1}, ShardStrategy::BLOCK);
              }).find("Invalid sharding core_grid"),
              std::string::npos);
}

TEST(CreateShardedMemoryConfig, TheShapeMayBeTheShard) {
    const CoreRangeSet cores({CoreRange({0, 0}, {7, 0}), CoreRange({0, 1}, {2, 1})});
    const Shape shape{1, 1, 64, 96};
    const auto config =
        create_sharded_memory_config(shape, cores, ShardStrategy::WIDTH, ShardOrientation::ROW_MAJOR, true);
    EXPECT_EQ(shard_of(config), (std::array<uint32_t, 2>{64, 96}));
    EXPECT_EQ(config.shard_spec()->num_cores(), 11u);
    EXPECT_EQ(
        shard_of(create_sharded_memory_config(shape, cores, ShardStrategy::WIDTH, ShardOrientation::COL_MAJOR, true)),
        (std::array<uint32_t, 2>{96, 64}));
    EXPECT_EQ(error_of([&] { create_sharded_memory_config(shape, cores, ShardStrategy::WIDTH); }),
              "height and width must be shard shape with CoreRangeSet");
}

TEST(CreateShardedMemoryConfig, TheRoundingFormRoundsUp) {
    const CoreRangeSet cores(CoreRange({0, 0}, {7, 3}));
    const auto shard = [&](Shape shape, TensorMemoryLayout layout, ShardOrientation orientation, bool tile_layout) {
        return shard_of(create_sharded_memory_config_(shape, cores, layout, orientation, false, tile_layout));
    };
    constexpr auto row = ShardOrientation::ROW_MAJOR;
    EXPECT_EQ(shard({100, 64}, HEIGHT_SHARDED, row, false), (std::array<uint32_t, 2>{4, 64}));
    EXPECT_EQ(shard({100, 100}, WIDTH_SHARDED, row, false), (std::array<uint32_t, 2>{100, 4}));
    EXPECT_EQ(shard({100, 100}, BLOCK_SHARDED, row, false), (std::array<uint32_t, 2>{25, 13}));
    EXPECT_EQ(shard({100, 100}, BLOCK_SHARDED, row, true), (std::array<uint32_t, 2>{32, 13}));
    EXPECT_EQ(shard({100, 100}, BLOCK_SHARDED, ShardOrientation::COL_MAJOR, false), (std::array<uint32_t, 2>{13, 25}));
    EXPECT_THROW(shard({100, 100}, INTERLEAVED, row, false), Error);
}

}  // namespace
}  // namespace ttnn
