// Calls that work on hardware: where shards, padding and shapes of results come from. Expectations are worked out by
// hand from the shapes, element by element.
#include <gtest/gtest.h>

#include "movement_support.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/ternary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/reduction/reduction.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"

namespace ttnn::testing {
namespace {

using enum DataType;

class LegalCalls : public ::testing::Test {
protected:
    Tensor tiles(const Shape& shape, const MemoryConfig& config = {}, DataType dtype = BFLOAT16) const {
        return counted(device_, shape, dtype, Layout::TILE, config);
    }
    Tensor rows(const Shape& shape, const MemoryConfig& config = {}, DataType dtype = BFLOAT16) const {
        return counted(device_, shape, dtype, Layout::ROW_MAJOR, config);
    }
    // Shards dealt to the first `cores` cores, row by row.
    static MemoryConfig nd(const Shape& shard, uint32_t cores, BufferType buffer = BufferType::L1) {
        return MemoryConfig(buffer, NdShardSpec{shard, num_cores_to_corerangeset(cores, {8, 8}, true)});
    }
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

// --- matmul ----------------------------------------------------------------------------------------------------------

// a [batches, m, k] times b, both with elements 0 .. 127 over and over.
std::vector<float> product(uint32_t batches, uint32_t m, uint32_t k, uint32_t n) {
    const auto a = counting(uint64_t{batches} * m * k);
    const auto b = counting(uint64_t{batches} * k * n);
    std::vector<float> result(size_t{batches} * m * n);
    for (size_t i = 0; i < result.size(); ++i) {
        const size_t batch = i / n / m;
        double sum = 0;
        for (size_t j = 0; j < k; ++j) {
            sum += double{a[(i / n) * k + j]} * b[(batch * k + j) * n + i % n];
        }
        result[i] = static_cast<float>(sum);
    }
    return result;
}

TEST_F(LegalCalls, LinearWithoutFusedBatchDoesNotCountItInTheBlocks) {
    MatmulMultiCoreReuseMultiCastProgramConfig config;
    config.compute_with_storage_grid_size = {4, 1};
    config.per_core_M = 1;
    config.per_core_N = 1;
    config.fuse_batch = false;
    const Tensor a = tiles({1, 2, 32, 64}, {}, FLOAT32);
    const Tensor b = tiles({1, 2, 64, 128}, {}, FLOAT32);
    const Tensor result = linear(a, b, {.program_config = config});
    EXPECT_EQ(elements(result), product(2, 32, 64, 128));
    config.fuse_batch = true;  // two rows of blocks, one row of cores
    EXPECT_NE(error_of([&] { linear(a, b, {.program_config = config}); }).find("4 x 2 blocks"), std::string::npos);
}

TEST_F(LegalCalls, LinearBiasMayFillItsTileAndOnlyItsFirstRowIsAdded) {
    const Tensor a = tiles({64, 64}, {}, FLOAT32);
    const Tensor b = tiles({64, 96}, {}, FLOAT32);
    auto expected = product(1, 64, 64, 96);
    for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] += static_cast<float>(i % 96);
    }
    for (const Shape& shape : {Shape{1, 96}, Shape{32, 96}, Shape{1, 1, 7, 96}}) {
        for (const MemoryConfig& config : {MemoryConfig(), l1_memory_config()}) {
            const Tensor bias = tiles(shape, {}, FLOAT32);
            EXPECT_EQ(elements(linear(a, b, {.bias = bias, .memory_config = config})), expected) << shape.to_string();
        }
    }
    // As many rows as the result, in two rows of tiles.
    const Tensor high = tiles({64, 96}, {}, FLOAT32);
    EXPECT_NE(error_of([&] { linear(a, b, {.bias = high}); }).find("one tile"), std::string::npos);
}

// --- transpose -------------------------------------------------------------------------------------------------------

TEST_F(LegalCalls, TransposeDerivesTheShardsOfAGivenConfig) {
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {7, 7})), {224, 224}});
    const Tensor input = rows({1, 224, 16, 224}, config);
    const Tensor result = transpose(input, -2, -1, {.memory_config = config});
    EXPECT_EQ(result.logical_shape(), (Shape{1, 224, 224, 16}));
    // 224 rows of a shard are 14 matrices; turned they have 14 * 224 rows of 16.
    EXPECT_EQ(result.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{3136, 16}));
    EXPECT_EQ(result.memory_config().shard_spec()->grid, config.shard_spec()->grid);
    const auto before = elements(input);
    const auto after = elements(result);
    size_t wrong = 0;
    for (size_t matrix = 0; matrix < 224; ++matrix) {
        for (size_t h = 0; h < 16; ++h) {
            for (size_t w = 0; w < 224; ++w) {
                wrong += before[(matrix * 16 + h) * 224 + w] == after[(matrix * 224 + w) * 16 + h] ? 0 : 1;
            }
        }
    }
    EXPECT_EQ(wrong, 0U);
}

TEST_F(LegalCalls, TransposeOverOtherCoresCutsTheResultOverThem) {
    const Tensor input = tiles({1, 4, 32, 64}, height_sharded(4, {32, 64}));
    const Tensor result = transpose(input, 2, 3, {.memory_config = height_sharded(2, {32, 64})});
    EXPECT_EQ(result.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{128, 32}));  // 4 * 64 rows over 2
    EXPECT_EQ(elements(result)[1], 64.0F);                                                      // row 1, column 0
}

// --- tilize and untilize ---------------------------------------------------------------------------------------------

TEST_F(LegalCalls, TilizeWithValPaddingPadsTheShardsWithTheResult) {
    const MemoryConfig config(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {7, 4})), {49, 32}});
    const Tensor input = rows({1, 1, 49, 1280}, config);
    for (const auto& given : {std::optional<MemoryConfig>(), std::optional(config)}) {
        const Tensor result = tilize_with_val_padding(input, {1, 1, 64, 1280}, Scalar(2.0), {.memory_config = given});
        EXPECT_EQ(result.memory_config().shard_spec()->shape, (std::array<uint32_t, 2>{64, 32}));
        EXPECT_EQ(result.padded_shape(), (Shape{1, 1, 64, 1280}));
        EXPECT_EQ(elements(result), elements(input));
        EXPECT_EQ(read_padded<float>(result)[49 * 1280], 2.0F);
    }
}

TEST_F(LegalCalls, TilizeWithValPaddingIntoNdShardsPadsOuterDimensionsToo) {
    const Tensor input = rows({3, 5, 30, 50});
    const Tensor result = tilize_with_val_padding(input, {4, 6, 64, 64}, Scalar(9.0),
                                                  {.memory_config = nd({2, 3, 32, 64}, 8, BufferType::DRAM)});
    EXPECT_EQ(result.logical_shape(), (Shape{3, 5, 30, 50}));
    EXPECT_EQ(result.padded_shape(), (Shape{4, 6, 64, 64}));
    EXPECT_EQ(elements(result), elements(input));
    const auto padded = read_padded<float>(result);
    const auto at = [&](size_t n, size_t c, size_t h, size_t w) { return padded[((n * 6 + c) * 64 + h) * 64 + w]; };
    EXPECT_EQ(at(0, 0, 0, 50), 9.0F);
    EXPECT_EQ(at(0, 0, 30, 0), 9.0F);
    EXPECT_EQ(at(2, 4, 29, 49), elements(input).back());
}

TEST_F(LegalCalls, UntilizeWithUnpaddingOfNdShardsGoesToAnyShards) {
    // Shards of half a matrix in a batch of three: no 2-D spec describes them.
    const Tensor input = tiles({3, 64, 64}, nd({2, 32, 64}, 4));
    ASSERT_FALSE(input.memory_config().shard_spec());
    const std::vector<MemoryConfig> targets{MemoryConfig(), height_sharded(6, {25, 48}), width_sharded(3, {150, 16}),
                                            nd({1, 10, 48}, 8), nd({3, 50, 16}, 3)};
    for (const MemoryConfig& target : targets) {
        const Tensor result = untilize_with_unpadding(input, {2, 49, 47}, {.memory_config = target});
        EXPECT_EQ(result.logical_shape(), (Shape{3, 50, 48}));
        EXPECT_EQ(result.memory_config(), target);
        const auto before = elements(input);
        const auto after = elements(result);
        size_t wrong = 0;
        for (size_t i = 0; i < after.size(); ++i) {
            wrong += after[i] == before[i / (50 * 48) * 64 * 64 + i / 48 % 50 * 64 + i % 48] ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0U) << target.to_string();
    }
    // 4 elements of 2 bytes; L1 pages are aligned to 16.
    EXPECT_NE(error_of([&] {
                  untilize_with_unpadding(input, {2, 49, 47}, {.memory_config = nd({1, 10, 4}, 8)});
              }).find("multiple of 16 bytes"),
              std::string::npos);
    // Shards that a 2-D spec describes keep their rules.
    const Tensor plain = tiles({1, 64, 64}, nd({1, 32, 64}, 2));
    ASSERT_TRUE(plain.memory_config().shard_spec());
    EXPECT_NE(error_of([&] {
                  untilize_with_unpadding(plain, {0, 49, 47}, {.memory_config = width_sharded(3, {50, 16})});
              }).find("must match"),
              std::string::npos);
}

// --- shapes ----------------------------------------------------------------------------------------------------------

TEST_F(LegalCalls, ReshapeToThePaddedShapeMakesThePaddingVisible) {
    const Tensor input = tilize_with_val_padding(rows({1, 1, 1, 144}), {1, 1, 32, 160}, Scalar(5.0));
    const Tensor result = reshape(input, {1, 1, 32, 160});
    ASSERT_EQ(result.logical_shape(), (Shape{1, 1, 32, 160}));
    const auto values = elements(result);
    for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], i < 144 ? static_cast<float>(i % 128) : 5.0F) << i;
    }
    EXPECT_NE(error_of([&] { reshape(input, {1, 1, 32, 192}); }).find("different volumes"), std::string::npos);
}

TEST_F(LegalCalls, SliceReadsBoundsFromTensors) {
    const auto numbers = [](std::vector<float> values, const std::shared_ptr<Device>& device) {
        const TensorSpec spec({static_cast<uint32_t>(values.size())}, INT32, Layout::ROW_MAJOR);
        Tensor tensor = device ? Tensor::allocate_on_device(spec, device) : Tensor::allocate_on_host(spec);
        write<float>(tensor, values);
        return tensor;
    };
    std::vector<float> expected;  // [1:3, 2:9:3, 4:20:5] of [3, 10, 20]
    const auto all = counting(600);
    for (const size_t n : {1, 2}) {
        for (const size_t h : {2, 5, 8}) {
            for (const size_t w : {4, 9, 14, 19}) {
                expected.push_back(all[(n * 10 + h) * 20 + w]);
            }
        }
    }
    for (const auto& bounds : {device_, std::shared_ptr<Device>()}) {
        for (const auto& place : {device_, std::shared_ptr<Device>()}) {
            for (const Layout layout : {Layout::ROW_MAJOR, Layout::TILE}) {
                const Tensor input = counted(place, {3, 10, 20}, BFLOAT16, layout);
                const Tensor result = slice(input, numbers({1, 2, 4}, bounds), numbers({3, 9, 20}, bounds),
                                            {.slice_step = std::vector<int64_t>{1, 3, 5}});
                EXPECT_EQ(result.logical_shape(), (Shape{2, 3, 4}));
                EXPECT_EQ(elements(result), expected);
            }
        }
    }
}

// --- shards ----------------------------------------------------------------------------------------------------------

TEST_F(LegalCalls, NdShardsThatAreNoWholeTilesTakeWholeTilesAndAreReportedAsGiven) {
    const MemoryConfig config = nd({1, 40, 50}, 8);
    EXPECT_NE(error_of([&] {
                  TensorSpec({2, 96, 128}, BFLOAT16, Layout::TILE, config);
              }).find("tile"),
              std::string::npos);
    const Tensor host = counted(nullptr, {2, 96, 128}, BFLOAT16, Layout::TILE);
    const Tensor moved = copy_to_device(host, device_, config);
    EXPECT_EQ(moved.memory_config(), config);
    EXPECT_EQ(moved.memory_config().nd_shard_spec()->shard_shape, (Shape{1, 40, 50}));
    EXPECT_EQ(elements(moved), elements(host));
    // A shard takes 2 x 2 tiles: 2 x 2 x 2 of them cover 2 matrices of 3 x 4 tiles, one per core.
    EXPECT_EQ(moved.buffer()->pages().num_banks_used(), 8U);
    EXPECT_EQ(moved.buffer()->pages().slots_per_bank(), 4U);
    // Of lower rank than the tensor: 6 rows of tiles, 2 at a time.
    const Tensor low = copy_to_device(host, device_, nd({40, 128}, 8));
    EXPECT_EQ(elements(low), elements(host));
    EXPECT_EQ(low.buffer()->pages().num_banks_used(), 3U);
    EXPECT_EQ(low.memory_config().nd_shard_spec()->shard_shape, (Shape{40, 128}));
    // An operation puts its result into such shards as well.
    const Tensor result = relu(moved);
    EXPECT_EQ(result.memory_config(), config);
    EXPECT_EQ(result.buffer()->pages().slots_per_bank(), 4U);
    EXPECT_EQ(elements(result), elements(host));
    EXPECT_EQ(elements(copy_to_device(copy_to_host(moved), device_)), elements(host));
}

// Shards as wide as the tensor are runs of elements: 10 rows of 24 over three cores, 4 rows each, are 20 rows of 12, 5
// rows of 48 or 80 rows of 3. Where a core's elements are no whole rows the view does not exist.
TEST_F(LegalCalls, ViewOfRowMajorShardsCutsTheirRowsAnew) {
    const CoreRangeSet cores(CoreRange({0, 0}, {2, 0}));
    const auto sharded = [&](std::array<uint32_t, 2> shard) {
        return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, ShardSpec{cores, shard});
    };
    const Tensor input = rows({1, 1, 10, 24}, sharded({4, 24}));
    for (const auto& [shape, shard] : {std::pair{Shape{1, 2, 10, 12}, std::array<uint32_t, 2>{8, 12}},
                                       std::pair{Shape{5, 48}, std::array<uint32_t, 2>{2, 48}},
                                       std::pair{Shape{80, 3}, std::array<uint32_t, 2>{32, 3}},
                                       std::pair{Shape{10, 24}, std::array<uint32_t, 2>{4, 24}}}) {
        const Tensor view = experimental::view(input, std::vector<int64_t>(shape.begin(), shape.end()));
        EXPECT_EQ(view.logical_shape(), shape);
        EXPECT_EQ(view.memory_config(), sharded(shard));
        EXPECT_EQ(view.storage_key(), input.storage_key());
        EXPECT_EQ(elements(view), elements(input));
        EXPECT_EQ(elements(sharded_to_interleaved(view)), elements(input));
        EXPECT_EQ(experimental::view(view, {1, 1, 10, 24}).memory_config(), input.memory_config());
    }
    Tensor view = experimental::view(input, {80, 3});
    write<float>(view, std::vector<float>(240, 7));
    EXPECT_EQ(elements(input), std::vector<float>(240, 7));
    EXPECT_NE(error_of([&] { experimental::view(input, {24, 10}); }), "");
}

TEST_F(LegalCalls, PadOfBfloat8FillsTheLastPartialTile) {
    for (const auto& [shape, padding, padded] :
         {std::tuple{Shape{40, 50}, Padding{{0, 3}, {0, 5}}, Shape{64, 64}},
          std::tuple{Shape{2, 40, 64}, Padding{{0, 20}, {0, 40}}, Shape{2, 64, 128}},
          std::tuple{Shape{64, 64}, Padding{{0, 8}, {0, 8}}, Shape{96, 96}}}) {
        const Tensor input = tiles(shape, {}, BFLOAT8_B);
        const Tensor result = pad(input, padding, 16.0);
        EXPECT_EQ(result.dtype(), BFLOAT8_B);
        ASSERT_EQ(result.padded_shape(), padded);
        const auto values = read_padded<float>(result);
        const size_t height = padded.from_end(1);
        const size_t width = padded.from_end(0);
        size_t wrong = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            const size_t h = i / width % height;
            const size_t w = i % width;
            const bool inside = h < shape.from_end(1) && w < shape.from_end(0);
            wrong += inside || values[i] == 16.0F ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0U) << shape.to_string();
    }
}

TEST_F(LegalCalls, PadRefusesChosenCoresForShardsAndForOneCore) {
    const CoreRangeSet cores(CoreRange({0, 0}, {1, 1}));
    const Padding padding{{0, 0}, {0, 32}};
    const Tensor plain = rows({64, 64});
    EXPECT_EQ(pad(plain, padding, 0.0, {.sub_core_grids = cores}).logical_shape(), (Shape{64, 96}));
    EXPECT_NE(error_of([&] {
                  pad(plain, padding, 0.0, {.use_multicore = false, .sub_core_grids = cores});
              }).find("sub_core_grids"),
              std::string::npos);
    const Tensor sharded = rows({64, 64}, height_sharded(2, {32, 64}));
    EXPECT_NE(error_of([&] { pad(sharded, padding, 0.0, {.sub_core_grids = cores}); }).find("sub_core_grids"),
              std::string::npos);
}

TEST_F(LegalCalls, TernaryResultsTakeTheConfigOfTheInputWithMostCores) {
    const Shape shape{1, 1, 128, 64};
    const Tensor interleaved = tiles(shape);
    const Tensor two = tiles(shape, height_sharded(2, {64, 64}));
    const Tensor four = tiles(shape, height_sharded(4, {32, 64}));
    EXPECT_EQ(addcmul(two, interleaved, four).memory_config(), four.memory_config());
    EXPECT_EQ(addcmul(interleaved, two, interleaved).memory_config(), two.memory_config());
    EXPECT_EQ(addcmul(four, two, interleaved).memory_config(), four.memory_config());
    EXPECT_EQ(addcmul(interleaved, interleaved, interleaved).memory_config(), MemoryConfig());
    EXPECT_EQ(addcmul(two, four, four, {.memory_config = l1_memory_config()}).memory_config(), l1_memory_config());
}

TEST_F(LegalCalls, RowMajorWidthShardsCannotBeAdded) {
    const Tensor wide = rows({32, 128}, width_sharded(4, {32, 32}));
    EXPECT_NE(error_of([&] { add(wide, wide); }).find("WIDTH_SHARDED"), std::string::npos);
    const Tensor high = rows({128, 128}, height_sharded(4, {32, 128}));
    EXPECT_EQ(elements(add(high, high))[5], 10.0F);
    const Tensor tiled = tiles({32, 128}, width_sharded(4, {32, 32}));
    EXPECT_EQ(elements(add(tiled, tiled))[5], 10.0F);
}

TEST_F(LegalCalls, SumOverTheHeightOfNdShardsDividesTheirHeight) {
    const Tensor input = tiles({2, 3, 64, 96}, nd({1, 3, 64, 32}, 6));
    const Tensor result = sum(input, {.dim = IntOrList(int64_t{-2}), .keepdim = true});
    EXPECT_EQ(result.logical_shape(), (Shape{2, 3, 1, 96}));
    // One row of each 64: 1 row, in a whole tile.
    EXPECT_EQ(result.memory_config().nd_shard_spec()->shard_shape, (Shape{1, 3, 32, 32}));
    EXPECT_EQ(result.memory_config().nd_shard_spec()->grid, input.memory_config().nd_shard_spec()->grid);
    double first = 0;
    for (size_t h = 0; h < 64; ++h) {
        first += static_cast<double>(h * 96 % 128);
    }
    EXPECT_EQ(elements(result)[0], static_cast<float>(first));
}

}  // namespace
}  // namespace ttnn::testing
