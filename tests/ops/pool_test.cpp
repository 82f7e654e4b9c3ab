#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/movement_support.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/ops/pool/adaptive_pool2d.hpp"
#include "ttnn/ops/pool/avg_pool2d.hpp"
#include "ttnn/ops/pool/global_avg_pool2d.hpp"
#include "ttnn/ops/pool/halo_operation.hpp"
#include "ttnn/ops/pool/max_pool2d.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {
namespace {

using graph::GraphProcessor;
using graph::RunMode;
using ::testing::Contains;
using testing::counted;
using ::testing::Each;
using testing::elements;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::height_sharded;
using ::testing::SizeIs;
using testing::steps_of;

class PoolTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor images(const Shape& shape, const std::vector<float>& values, const MemoryConfig& config = {}) const {
        Tensor tensor =
            Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::ROW_MAJOR, config), device);
        write<float>(tensor, values);
        return tensor;
    }
    Tensor constant(const Shape& shape, float value, Layout layout = Layout::ROW_MAJOR) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, layout), device);
        write<float>(tensor, std::vector<float>(shape.volume(), value));
        return tensor;
    }
};

Tensor only(const MaxPool2d::Result& result) { return std::get<Tensor>(result); }

TEST_F(PoolTest, MaximaByHand) {
    const Tensor x = counted(device, {1, 4, 4, 1}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const Tensor corners = only(max_pool2d(x, 1, 4, 4, 1, {2, 2}, {2, 2}, {0, 0}, {1, 1}));
    EXPECT_EQ(corners.logical_shape(), Shape({1, 1, 4, 1}));
    EXPECT_THAT(elements(corners), ElementsAre(5, 7, 13, 15));
    // Pixels two apart, and only the rows.
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 4, 4, 1, {2, 1}, {1, 1}, {0, 0}, {2, 1}))),
                ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
    // One row of padding on top, one column on the right.
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 4, 4, 1, {3, 3}, {2, 2}, {1, 0, 0, 1}, {1, 1}))),
                ElementsAre(6, 7, 14, 15));
}

TEST_F(PoolTest, PaddingIsNeverTheMaximum) {
    const Tensor x = constant({1, 1, 9, 8}, -1);
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 3, 3, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}))), Each(-1));
}

TEST_F(PoolTest, AWindowOfPaddingAloneHasNoMaximum) {
    constexpr float none = -std::numeric_limits<float>::infinity();
    const Tensor x = images({1, 1, 4, 1}, {1, 2, 3, 4});
    const auto pooled = [&](std::vector<int64_t> padding, std::array<uint32_t, 2> dilation) {
        const Tensor values = only(max_pool2d(x, 1, 2, 2, 1, {2, 2}, {1, 1}, padding, dilation));
        const auto both = std::get<std::vector<Tensor>>(
            max_pool2d(x, 1, 2, 2, 1, {2, 2}, {1, 1}, padding, dilation, {.return_indices = true}));
        EXPECT_EQ(elements(both[0]), elements(values));
        return std::pair(elements(values), elements(both[1]));
    };
    // The taps stand on both sides of the image.
    const auto [around, no_places] = pooled({1, 1}, {3, 3});
    EXPECT_THAT(around, ElementsAre(none));
    EXPECT_THAT(no_places, ElementsAre(0));
    // Two rows on top: the first window ends there.
    const auto [below, places] = pooled({2, 0, 0, 0}, {1, 1});
    EXPECT_THAT(below, ElementsAre(none, 2, 4));
    EXPECT_THAT(places, ElementsAre(0, 1, 3));
}

TEST_F(PoolTest, IndicesArePlacesInTheImage) {
    // Two images; in the second all pixels are alike, and the first one counts.
    const Tensor x = images({2, 3, 2, 1}, {1, 9, 3, 4, 5, 2, 7, 7, 7, 7, 7, 7});
    const auto result = std::get<std::vector<Tensor>>(
        max_pool2d(x, 2, 3, 2, 1, {2, 2}, {1, 1}, {1, 0}, {1, 1}, {.return_indices = true}));
    ASSERT_THAT(result, SizeIs(2));
    EXPECT_THAT(elements(result[0]), ElementsAre(9, 9, 5, 5, 7, 7, 7, 7));
    EXPECT_THAT(elements(result[1]), ElementsAre(1, 1, 4, 4, 0, 0, 2, 4));
    EXPECT_EQ(result[1].dtype(), DataType::UINT16);
    EXPECT_EQ(result[1].memory_config(), result[0].memory_config());
    const Tensor large = constant({1, 1, 257 * 256, 8}, 1);
    const auto places = std::get<std::vector<Tensor>>(
        max_pool2d(large, 1, 257, 256, 8, {1, 1}, {256, 256}, {0, 0}, {1, 1}, {.return_indices = true}));
    EXPECT_EQ(places[1].dtype(), DataType::UINT32);
    EXPECT_EQ(elements(places[1]).back(), 65536);
}

TEST_F(PoolTest, CeilModeAddsWindowsThatBeginInTheImage) {
    const Tensor x = counted(device, {1, 5, 5, 1}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 5, 5, 1, {2, 2}, {2, 2}, {0, 0}, {1, 1}))), ElementsAre(6, 8, 16, 18));
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 5, 5, 1, {2, 2}, {2, 2}, {0, 0}, {1, 1}, {.ceil_mode = true}))),
                ElementsAre(6, 8, 9, 16, 18, 19, 21, 23, 24));
    // The third window would begin in the padding.
    EXPECT_THAT(elements(only(max_pool2d(x, 1, 5, 5, 1, {2, 2}, {3, 3}, {1, 1}, {1, 1}, {.ceil_mode = true}))),
                SizeIs(4));
}

TEST_F(PoolTest, MeansByHand) {
    const Tensor nines = constant({1, 4, 4, 8}, 9);
    const auto corner = [&](const AvgPool2d::Params& params) {
        return elements(avg_pool2d(nines, 1, 4, 4, 8, {3, 3}, {2, 2}, {1, 1}, params)).front();
    };
    EXPECT_EQ(corner({}), 4);  // 4 of 9 pixels exist
    EXPECT_EQ(corner({.count_include_pad = false}), 9);
    EXPECT_EQ(corner({.divisor_override = 2}), 18);
    // The second window covers one pixel beyond the image, which is no padding.
    EXPECT_THAT(elements(avg_pool2d(nines, 1, 4, 4, 8, {3, 3}, {2, 2}, {0, 0}, {.ceil_mode = true})), Each(9));
    const Tensor x = counted(device, {1, 2, 4, 1}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    EXPECT_THAT(elements(avg_pool2d(x, 1, 2, 4, 1, {2, 2}, {1, 1}, {0, 0})), ElementsAre(2.5, 3.5, 4.5));
}

TEST_F(PoolTest, OutputsAreShardedOverTheCoresThatWork) {
    const Tensor x = constant({1, 1, 112 * 112, 64}, 1);
    const auto spec = [&](const MaxPool2d::Params& params) {
        return only(max_pool2d(x, 1, 112, 112, 64, {3, 3}, {2, 2}, {1, 1}, {1, 1}, params)).spec();
    };
    const TensorSpec rows = spec({.applied_shard_scheme = TensorMemoryLayout::HEIGHT_SHARDED});
    EXPECT_EQ(rows.logical_shape(), Shape({1, 1, 3136, 64}));
    EXPECT_EQ(rows.layout(), Layout::ROW_MAJOR);
    EXPECT_EQ(rows.memory_config().memory_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
    EXPECT_EQ(rows.memory_config().shard_spec()->num_cores(), 64U);
    EXPECT_THAT(rows.memory_config().shard_spec()->shape, ElementsAre(49, 64));
    // 98 rows of tiles keep 49 cores busy.
    const TensorSpec tiles = spec({.applied_shard_scheme = TensorMemoryLayout::HEIGHT_SHARDED,
                                   .dtype = DataType::BFLOAT8_B,
                                   .output_layout = Layout::TILE});
    EXPECT_EQ(tiles.dtype(), DataType::BFLOAT8_B);
    EXPECT_EQ(tiles.memory_config().shard_spec()->num_cores(), 49U);
    EXPECT_THAT(tiles.memory_config().shard_spec()->shape, ElementsAre(64, 64));
    const TensorSpec block = spec({.applied_shard_scheme = TensorMemoryLayout::BLOCK_SHARDED});
    EXPECT_THAT(block.memory_config().shard_spec()->shape, ElementsAre(392, 32));
    EXPECT_EQ(spec({.memory_config = MemoryConfig()}).memory_config(), MemoryConfig());
}

TEST_F(PoolTest, ShardsOfTheInputStay) {
    const Tensor x = counted(device, {1, 1, 64, 8}, DataType::BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {32, 8}));
    Tensor result;
    const auto steps = steps_of([&] { result = only(max_pool2d(x, 1, 8, 8, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1})); });
    EXPECT_THAT(steps->names, ElementsAre("ttnn::max_pool2d", "ttnn::halo", "ttnn::prim::halo", "ttnn::move",
                                          "ttnn::prim::move", "ttnn::prim::pool2d"));
    EXPECT_EQ(result.memory_config(), height_sharded(2, {32, 16}));
    // Four rows of outputs need six rows of ten pixels with eight channels.
    EXPECT_THAT(steps->buffers, Contains(std::pair(uint64_t{6 * 10 * 8 * 2}, 2U)));
    EXPECT_TRUE(x.is_allocated());
    max_pool2d(x, 1, 8, 8, 8, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {.deallocate_input = true});
    EXPECT_FALSE(x.is_allocated());
}

TEST_F(PoolTest, AHaloByHand) {
    // 4 x 2 pixels on two cores, with a column of nines to the left.
    const Tensor x = counted(device, {1, 1, 8, 1}, DataType::BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {4, 8}));
    Tensor rows;
    const auto steps = steps_of([&] { rows = halo(x, 1, 4, 2, {2, 2}, {.padding = {0, 0, 1, 0}, .pad_val = 9}); });
    EXPECT_THAT(steps->names, ElementsAre("ttnn::halo", "ttnn::prim::halo"));
    // Three of the six windows for each core: from the first pixel of its first to the last of its last.
    EXPECT_THAT(elements(rows), ElementsAre(9, 0, 1, 9, 2, 3, 9, 4, 2, 3, 9, 4, 5, 9, 6, 7));
    EXPECT_EQ(rows.memory_config(), height_sharded(2, {8, 8}));
    EXPECT_THAT(error_of([&] { halo(constant({1, 1, 8, 8}, 1), 1, 4, 2, {2, 2}); }), HasSubstr("must be sharded"));
}

TEST_F(PoolTest, ImagesInDramAreCutIntoSlices) {
    const Tensor x = counted(device, {1, 1, 2 * 13 * 11, 16}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    const auto pooled = [&](std::optional<Op2DSliceConfig> slices) {
        return only(max_pool2d(x, 2, 13, 11, 16, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {.dram_slice_config = slices}));
    };
    const Tensor whole = pooled(Op2DSliceConfig{Op2DSliceType::L1Full, 0});
    EXPECT_TRUE(whole.is_sharded());
    EXPECT_TRUE(pooled({}).is_sharded());  // small enough for L1
    for (const auto type : {Op2DSliceType::DRAMSliceHeight, Op2DSliceType::DRAMSliceWidth}) {
        Tensor cut;
        const auto steps = steps_of([&] { cut = pooled(Op2DSliceConfig{type, 3}); });
        EXPECT_EQ(std::ranges::count(steps->names, "ttnn::prim::padded_slice"), 3);
        EXPECT_EQ(std::ranges::count(steps->names, "ttnn::prim::slice_write"), 3);
        EXPECT_EQ(cut.memory_config(), MemoryConfig());
        EXPECT_EQ(elements(cut), elements(whole));
    }
}

TEST_F(PoolTest, WhatDoesNotFitIsCutByItself) {
    const Tensor x = constant({1, 1, 256 * 1024, 64}, 2);
    Tensor result;
    const auto steps = steps_of([&] {
        result = only(max_pool2d(x, 1, 256, 1024, 64, {2, 2}, {2, 2}, {0, 0}, {1, 1}));
    });
    EXPECT_GT(std::ranges::count(steps->names, "ttnn::prim::padded_slice"), 1);
    EXPECT_EQ(result.memory_config(), MemoryConfig());
    EXPECT_EQ(result.logical_shape(), Shape({1, 1, 128 * 512, 64}));
    EXPECT_EQ(read_element(result, result.logical_volume() - 1), 2);
}

TEST_F(PoolTest, RefusesWhatHardwareRefuses) {
    const Tensor x = constant({1, 1, 16, 8}, 1);
    const auto refused = [&](const MaxPool2d::Params& params) {
        return error_of([&] { max_pool2d(x, 1, 4, 4, 8, {2, 2}, {2, 2}, {0, 0}, {1, 1}, params); });
    };
    EXPECT_THAT(refused({.dtype = DataType::BFLOAT8_B}), HasSubstr("output_layout TILE"));
    EXPECT_THAT(refused({.return_indices = true, .output_layout = Layout::TILE}), HasSubstr("'return_indices'"));
    EXPECT_THAT(error_of([&] {
                    max_pool2d(x, 1, 4, 5, 8, {2, 2}, {2, 2}, {0, 0}, {1, 1});
                }),
                HasSubstr("must hold 1 images of 4 x 5"));
    EXPECT_THAT(error_of([&] { max_pool2d(x, 1, 4, 4, 8, {2, 2}, {2, 2}, {2, 2}, {1, 1}); }), HasSubstr("'padding'"));
    EXPECT_THAT(error_of([&] {
                    max_pool2d(x, 1, 4, 4, 8, {5, 2}, {2, 2}, {0, 0}, {1, 1});
                }),
                HasSubstr("covers 5 pixels of the height"));
    EXPECT_THAT(
        error_of([&] {
            max_pool2d(counted(device, {1, 1, 16, 8}, DataType::BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {8, 8})),
                       1, 4, 4, 8, {2, 2}, {2, 2}, {0, 0}, {1, 1},
                       {.applied_shard_scheme = TensorMemoryLayout::HEIGHT_SHARDED});
        }),
        HasSubstr("should not be specified for a sharded input"));
    EXPECT_THAT(error_of([&] {
                    avg_pool2d(x, 1, 4, 4, 8, {2, 2}, {2, 2}, {0, 0}, {.divisor_override = 0});
                }),
                HasSubstr("'divisor_override'"));
}

TEST_F(PoolTest, AdaptiveWindowsByHand) {
    std::vector<float> values(88);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i / 8);  // the number of the pixel
    }
    const Tensor row = images({1, 1, 11, 8}, values);
    const auto first_channel = [](const Tensor& tensor) {
        const std::vector<float> all = elements(tensor);
        return std::vector<float>{all[0], all[8], all[16], all[24]};
    };
    // Windows 0-2, 2-5, 5-8, 8-10.
    EXPECT_THAT(first_channel(adaptive_max_pool2d(row, 1, 1, 11, 8, {1, 4})), ElementsAre(2, 5, 8, 10));
    EXPECT_THAT(first_channel(adaptive_avg_pool2d(row, 1, 1, 11, 8, {1, 4})), ElementsAre(1, 3.5, 6.5, 9));
    EXPECT_THAT(error_of([&] { adaptive_avg_pool2d(row, 1, 1, 11, 8, {1, 8}); }), HasSubstr("'output_size'"));
    EXPECT_THAT(error_of([&] { adaptive_max_pool2d(row, 1, 1, 11, 8, {2, 1}); }), HasSubstr("'output_size'"));
}

TEST_F(PoolTest, GlobalMeansByHand) {
    const Tensor x = counted(device, {2, 2, 2, 2}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    Tensor mean;
    const auto steps = steps_of([&] { mean = global_avg_pool2d(x, {.dtype = DataType::FLOAT32}); });
    EXPECT_EQ(mean.spec(), TensorSpec({2, 1, 1, 2}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_THAT(elements(mean), ElementsAre(3, 4, 11, 12));
    EXPECT_THAT(steps->names, Contains("ttnn::prim::tilize_with_val_padding"));
    EXPECT_EQ(steps->names.back(), "ttnn::prim::reduce");
    EXPECT_THAT(elements(global_avg_pool2d(constant({1, 1, 64, 32}, 3, Layout::TILE))), Each(3));
}

// The hidden rows of tiles are no pixels, but they count.
TEST_F(PoolTest, TilePaddingCountsInGlobalMeans) {
    EXPECT_THAT(elements(global_avg_pool2d(constant({1, 2, 8, 32}, 4, Layout::TILE))), Each(1));
    EXPECT_THAT(elements(global_avg_pool2d(constant({1, 2, 8, 32}, 4))), Each(4));
}

// The last pooling of EfficientNet.
TEST_F(PoolTest, GlobalMeanOfWidthShards) {
    const MemoryConfig config(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {7, 4})), {49, 32}});
    const Tensor x = counted(device, {1, 1, 49, 1280}, DataType::BFLOAT16, Layout::ROW_MAJOR, config);
    const Tensor mean = global_avg_pool2d(x);
    EXPECT_EQ(mean.logical_shape(), Shape({1, 1, 1, 1280}));
    EXPECT_EQ(mean.layout(), Layout::TILE);
    EXPECT_THAT(mean.memory_config().shard_spec()->shape, ElementsAre(32, 32));
    EXPECT_EQ(elements(mean)[129], 1);  // every row of channel 129 holds (1280 row + 129) % 128
}

TEST_F(PoolTest, SlicesHaveTheirShapesWithoutDispatch) {
    const Tensor x = constant({1, 1, 2 * 13 * 11, 16}, 1);
    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
    const Tensor cut = only(max_pool2d(x, 2, 13, 11, 16, {3, 3}, {2, 2}, {1, 1}, {1, 1},
                                       {.dram_slice_config = Op2DSliceConfig{Op2DSliceType::DRAMSliceHeight, 3}}));
    const Tensor mean = global_avg_pool2d(x);
    GraphProcessor::end_graph_capture();
    EXPECT_EQ(cut.spec(), TensorSpec({1, 1, 2 * 7 * 6, 16}, DataType::BFLOAT16, Layout::ROW_MAJOR));
    EXPECT_EQ(mean.spec(), TensorSpec({1, 1, 1, 16}, DataType::BFLOAT16, Layout::TILE));
}

}  // namespace
}  // namespace ttnn
