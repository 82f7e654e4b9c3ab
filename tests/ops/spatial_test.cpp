#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/movement_support.hpp"
#include "ttnn/ops/pool/convert_layout.hpp"
#include "ttnn/ops/pool/fold.hpp"
#include "ttnn/ops/pool/grid_sample.hpp"
#include "ttnn/ops/pool/intimg.hpp"
#include "ttnn/ops/pool/moreh_fold.hpp"
#include "ttnn/ops/pool/prepare_grid.hpp"
#include "ttnn/ops/pool/rotate.hpp"
#include "ttnn/ops/pool/upsample.hpp"

namespace ttnn {
namespace {

using ::testing::Contains;
using testing::counted;
using ::testing::Each;
using testing::elements;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::height_sharded;
using testing::steps_of;
using testing::width_sharded;

class SpatialTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor rows(const Shape& shape, const MemoryConfig& config = {}, DataType dtype = DataType::BFLOAT16) const {
        return counted(device, shape, dtype, Layout::ROW_MAJOR, config);
    }
    Tensor filled(const Shape& shape, const std::vector<float>& values, DataType dtype = DataType::BFLOAT16) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::ROW_MAJOR), device);
        write<float>(tensor, values);
        return tensor;
    }
    static Tensor host_grid(const Shape& shape, const std::vector<float>& values) {
        Tensor tensor = Tensor::allocate_on_host(TensorSpec(shape, DataType::FLOAT32, Layout::ROW_MAJOR));
        write<float>(tensor, values);
        return tensor;
    }
};

// --- upsample --------------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, NearestPixelsByHand) {
    const Tensor x = rows({1, 2, 2, 1});
    EXPECT_THAT(elements(upsample(x, 2.0)), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3));
    const Tensor wide = upsample(x, std::vector<double>{1, 3});
    EXPECT_EQ(wide.logical_shape(), Shape({1, 2, 6, 1}));
    EXPECT_THAT(elements(wide), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3));
    // 1.5 of two pixels are three: 0, 0.67 and 1.33 rounded down.
    EXPECT_THAT(elements(upsample(x, 1.5)), ElementsAre(0, 0, 1, 0, 0, 1, 2, 2, 3));
}

TEST_F(SpatialTest, UpsampledTilesAreRowMajor) {
    const Tensor x = counted(device, {1, 1, 32, 32}, DataType::BFLOAT8_B, Layout::TILE, l1_memory_config());
    EXPECT_EQ(upsample(x, 2.0).spec(),
              TensorSpec({1, 2, 64, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()));
    EXPECT_THAT(error_of([&] {
                    upsample(counted(device, {1, 4, 4, 32}, DataType::BFLOAT16, Layout::TILE), 2.0);
                }),
                HasSubstr("must have no padding"));
}

TEST_F(SpatialTest, UpsampledShardsGrow) {
    const Tensor x = rows({1, 4, 4, 8}, height_sharded(2, {8, 8}));
    EXPECT_EQ(upsample(x, std::vector<double>{2, 3}).memory_config(), height_sharded(2, {48, 8}));
    EXPECT_THAT(error_of([&] { upsample(x, 1.5); }), HasSubstr("must be whole for a sharded input"));
    EXPECT_THAT(error_of([&] {
                    upsample(rows({1, 2, 2, 32}, width_sharded(2, {4, 16})), 2.0);
                }),
                HasSubstr("got WIDTH_SHARDED"));
}

TEST_F(SpatialTest, BilinearPixelsByHand) {
    const Tensor x = filled({1, 1, 2, 1}, {0, 4});
    Tensor result;
    const auto steps = steps_of([&] { result = upsample(x, 2.0, {.mode = "bilinear"}); });
    EXPECT_THAT(elements(result), ElementsAre(0, 1, 3, 4, 0, 1, 3, 4));
    EXPECT_THAT(steps->names, Contains("ttnn::halo"));
    // Two pixels, two cores, four outputs each; rows of a shard fill 16 bytes.
    EXPECT_EQ(result.memory_config().memory_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
    EXPECT_EQ(result.memory_config().shard_spec()->num_cores(), 2U);
    EXPECT_THAT(result.memory_config().shard_spec()->shape, ElementsAre(4, 8));
    const Tensor moved = upsample(x, 2.0, {.mode = "bilinear", .memory_config = MemoryConfig()});
    EXPECT_EQ(moved.memory_config(), MemoryConfig());
    EXPECT_THAT(error_of([&] { upsample(x, 1.5, {.mode = "bilinear"}); }), HasSubstr("must be whole"));
    EXPECT_THAT(error_of([&] { upsample(x, 2.0, {.mode = "cubic"}); }), HasSubstr("got \"cubic\""));
}

// --- fold ------------------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, PatchesBecomePixels) {
    const Tensor x = rows({1, 2, 4, 2});
    const Tensor folded = fold(x, 2, 2);
    EXPECT_EQ(folded.logical_shape(), Shape({1, 1, 2, 8}));
    EXPECT_THAT(elements(folded), ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15));
    // One row of zeros above and one below, as the padding (1, 0) says.
    EXPECT_THAT(elements(fold(filled({1, 2, 1, 1}, {5, 6}), 2, 1, {.padding = {1, 0}})), ElementsAre(0, 5, 6, 0));
    EXPECT_THAT(error_of([&] { fold(x, 3, 2); }), HasSubstr("must be multiples of the strides"));
}

TEST_F(SpatialTest, FoldsInL1AreFlat) {
    EXPECT_EQ(fold(rows({2, 4, 4, 8}, l1_memory_config()), 2, 2).spec(),
              TensorSpec({1, 1, 8, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()));
    EXPECT_EQ(fold(rows({2, 4, 4, 8}, height_sharded(2, {16, 8})), 2, 2).memory_config(), height_sharded(2, {4, 32}));
    // A shard of 12 pixels ends inside of a row of patches, which takes 8.
    const Tensor uneven = rows({2, 4, 4, 8}, height_sharded(3, {12, 8}));
    Tensor folded;
    const auto steps = steps_of([&] { folded = fold(uneven, 2, 2); });
    EXPECT_THAT(steps->names, Contains("ttnn::reshard"));
    EXPECT_EQ(folded.memory_config(), height_sharded(3, {4, 32}));
    EXPECT_EQ(elements(folded), elements(fold(rows({2, 4, 4, 8}), 2, 2)));
    EXPECT_EQ(fold(rows({1, 2, 2, 8}, {}, DataType::FLOAT32), 2, 2).dtype(), DataType::FLOAT32);
    // Of the integers UINT16 stays, the others do not.
    EXPECT_EQ(fold(rows({1, 2, 2, 8}, {}, DataType::UINT16), 2, 2).dtype(), DataType::UINT16);
    for (const DataType dtype : {DataType::INT32, DataType::UINT32}) {
        for (const uint32_t channels : {8U, 32U}) {
            const Shape shape{1, 4, 4, channels};
            const Tensor whole = fold(counted(device, shape, dtype, Layout::ROW_MAJOR), 2, 2);
            EXPECT_EQ(whole.dtype(), DataType::BFLOAT16);
            EXPECT_EQ(elements(whole),
                      elements(fold(counted(device, shape, DataType::BFLOAT16, Layout::ROW_MAJOR), 2, 2)));
        }
    }
    EXPECT_EQ(fold(rows({1, 2, 2, 32}, {}, DataType::UINT8), 2, 2).dtype(), DataType::BFLOAT16);
    const MemoryConfig blocks(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1,
                              ShardSpec{CoreRangeSet(CoreRange({0, 0}, {0, 1})), {16, 8}});
    EXPECT_THAT(error_of([&] {
                    fold(rows({2, 4, 4, 8}, blocks), 2, 2);
                }),
                HasSubstr("must be HEIGHT_SHARDED or interleaved, got TensorMemoryLayout::BLOCK_SHARDED"));
}

TEST_F(SpatialTest, FoldOfChannelsFirst) {
    const Tensor x = rows({1, 2, 2, 2});  // 0 1 2 3 in one channel, 4 5 6 7 in the other
    EXPECT_THAT(elements(fold(x, 2, 2, {.use_transpose_as_fold = true})), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
    const Tensor cropped =
        fold(rows({1, 1, 4, 4}), 2, 2, {.use_transpose_as_fold = true, .output_shape = Shape{1, 1, 2, 4}});
    EXPECT_EQ(cropped.logical_shape(), Shape({1, 1, 2, 4}));
    EXPECT_THAT(elements(cropped), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
    // Interleaved: zeros at the end. Sharded: on all sides, and the result over four cores.
    EXPECT_THAT(elements(fold(rows({1, 1, 3, 1}), 2, 1, {.use_transpose_as_fold = true, .padding = {1, 0}})),
                ElementsAre(0, 1, 2, 0));
    const Tensor sharded = rows({1, 1, 6, 8}, height_sharded(2, {3, 8}));
    const Tensor folded = fold(sharded, 2, 2, {.use_transpose_as_fold = true, .padding = {1, 0}});
    EXPECT_EQ(folded.logical_shape(), Shape({1, 4, 4, 4}));
    EXPECT_EQ(folded.memory_config().shard_spec()->num_cores(), 4U);
    EXPECT_THAT(folded.memory_config().shard_spec()->shape, ElementsAre(4, 8));
    EXPECT_EQ(elements(folded)[2], 0);  // row 0 of the image is the second of its patch
    EXPECT_EQ(elements(folded)[3], 1);
}

// --- grid_sample -----------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, SamplesByHand) {
    const Tensor x = filled({1, 2, 2, 1}, {1, 2, 3, 4});
    const Tensor grid = filled({1, 1, 4, 2}, {0, 0, -0.5, -0.5, 0.5, -0.5, -1, -1}, DataType::FLOAT32);
    // The middle, two pixels, and the corner of the image, of which a quarter is a pixel.
    EXPECT_THAT(elements(grid_sample(x, grid)), ElementsAre(2.5, 1, 2, 0.25));
    EXPECT_THAT(elements(grid_sample(x, grid, {.align_corners = true})), ElementsAre(2.5, 1.75, 2.25, 1));
    EXPECT_THAT(elements(grid_sample(x, filled({1, 1, 2, 2}, {-0.4F, 0.4F, 3, 0}), {.mode = "nearest"})),
                ElementsAre(3, 0));
}

TEST_F(SpatialTest, SeveralPointsOfAGridElement) {
    const Tensor x = rows({1, 4, 4, 8});
    const Tensor grid = filled({1, 2, 3, 4}, std::vector<float>(24, 0.25F));
    EXPECT_EQ(grid_sample(x, grid).logical_shape(), Shape({1, 2, 6, 8}));
    const Tensor side_by_side = grid_sample(x, grid, {.batch_output_channels = true});
    EXPECT_EQ(side_by_side.logical_shape(), Shape({1, 2, 3, 16}));
    EXPECT_EQ(elements(side_by_side), elements(grid_sample(x, grid)));
}

TEST_F(SpatialTest, ResultsLieWhereAShardedGridDoes) {
    Tensor grid = Tensor::allocate_on_device(
        TensorSpec({1, 2, 4, 16}, DataType::BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {4, 16})), device);
    EXPECT_EQ(grid_sample(rows({1, 4, 4, 32}), grid).memory_config(), height_sharded(2, {32, 32}));
}

TEST_F(SpatialTest, PreparedGridsGiveTheSame) {
    const Tensor x = rows({1, 3, 300, 8});
    std::vector<float> points;
    for (int i = 0; i < 64; ++i) {  // weights of whole quarters, coordinates beyond all borders
        const auto place = [](float pixel, float size) { return (2 * pixel + 1) / size - 1; };
        points.insert(points.end(), {place(-2.0F + 4.75F * static_cast<float>(i), 300),
                                     place(-1.5F + 0.25F * static_cast<float>(i % 20), 3)});
    }
    const Tensor grid = filled({1, 8, 8, 2}, points, DataType::FLOAT32);
    for (const char* mode : {"bilinear", "nearest"}) {
        const Tensor prepared =
            prepare_grid_sample_grid(host_grid({1, 8, 8, 2}, points), {1, 3, 300, 8}, {.mode = mode});
        EXPECT_EQ(prepared.spec(), TensorSpec({1, 8, 8, 6}, DataType::BFLOAT16, Layout::ROW_MAJOR));
        const Tensor result =
            grid_sample(x, copy_to_device(prepared, device), {.mode = mode, .use_precomputed_grid = true});
        const std::vector<float> expected = elements(grid_sample(x, grid, {.mode = mode}));
        const std::vector<float> got = elements(result);
        for (size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], expected[i], 0.5) << mode << " " << i;
        }
    }
}

TEST_F(SpatialTest, GridsAreChecked) {
    const Tensor x = rows({1, 4, 4, 8});
    EXPECT_THAT(error_of([&] { grid_sample(x, rows({1, 2, 2, 3})); }), HasSubstr("'grid' must be [1, Hg, Wg, 2 * K]"));
    EXPECT_THAT(error_of([&] {
                    grid_sample(x, rows({1, 2, 2, 2}), {.padding_mode = "border"});
                }),
                HasSubstr("'padding_mode' must be \"zeros\""));
    EXPECT_THAT(error_of([&] {
                    prepare_grid_sample_grid(rows({1, 2, 2, 2}), {1, 4, 4, 8});
                }),
                HasSubstr("must be on the host"));
}

// --- rotate ----------------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, TurnsCounterClockwise) {
    const Tensor x = filled({1, 2, 2, 1}, {1, 2, 3, 4});
    for (const char* mode : {"nearest", "bilinear"}) {
        EXPECT_THAT(elements(rotate(x, 90, {.interpolation_mode = mode})), ElementsAre(2, 4, 1, 3));
        EXPECT_THAT(elements(rotate(x, -90, {.interpolation_mode = mode})), ElementsAre(3, 1, 4, 2));
        EXPECT_THAT(elements(rotate(x, 360, {.interpolation_mode = mode})), ElementsAre(1, 2, 3, 4));
    }
    // About the middle of the first pixel: the others come from outside of the image.
    EXPECT_THAT(elements(rotate(x, 180, {.center = std::vector<double>{0.5, 0.5}, .fill = 7})),
                ElementsAre(1, 7, 7, 7));
    EXPECT_EQ(rotate(x, 10).spec(), x.spec());
}

TEST_F(SpatialTest, RotateIsChecked) {
    const Tensor x = rows({1, 2, 2, 8});
    EXPECT_THAT(error_of([&] { rotate(x, 90, {.expand = true}); }), HasSubstr("'expand' must be False"));
    EXPECT_THAT(error_of([&] { rotate(x, 90, {.interpolation_mode = "cubic"}); }), HasSubstr("'interpolation_mode'"));
    EXPECT_THAT(error_of([&] { rotate(x, 90, {.center = std::vector<double>{1}}); }), HasSubstr("'center'"));
}

// --- channels --------------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, ChannelsFirstAndLast) {
    const Tensor x = counted(device, {1, 1, 64, 2}, DataType::BFLOAT16, Layout::TILE, height_sharded(2, {32, 32}));
    const Tensor first = experimental::convert_to_chw(x);
    EXPECT_EQ(first.spec(),
              TensorSpec({1, 1, 2, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR, width_sharded(2, {2, 32})));
    EXPECT_EQ(elements(first)[1], 2);   // pixel 1 of channel 0
    EXPECT_EQ(elements(first)[64], 1);  // pixel 0 of channel 1
    const Tensor last = experimental::convert_to_hwc(first);
    EXPECT_EQ(last.spec(),
              TensorSpec({1, 1, 64, 8}, DataType::BFLOAT16, Layout::ROW_MAJOR, height_sharded(2, {32, 8})));
    const std::vector<float> values = elements(last);
    EXPECT_THAT(std::vector<float>(values.begin() + 8, values.begin() + 16), ElementsAre(2, 3, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(error_of([&] { experimental::convert_to_chw(rows({1, 1, 64, 2})); }), HasSubstr("HEIGHT_SHARDED"));
    EXPECT_THAT(error_of([&] { experimental::convert_to_hwc(rows({1, 1, 64, 2})); }), HasSubstr("WIDTH_SHARDED"));
}

// --- sums of pixels --------------------------------------------------------------------------------------------------

TEST_F(SpatialTest, OverlappingPatchesAreSummedUp) {
    const Tensor ones = filled({1, 4, 9}, std::vector<float>(36, 1));
    const MorehFold::Params sizes{.output_size = {4, 4}, .kernel_size = {2, 2}};
    const Tensor counts = moreh_fold(ones, sizes);
    EXPECT_EQ(counts.logical_shape(), Shape({1, 1, 4, 4}));
    EXPECT_THAT(elements(counts), ElementsAre(1, 2, 2, 1, 2, 4, 4, 2, 2, 4, 4, 2, 1, 2, 2, 1));
    // Patches side by side: row 2 of the input is the lower left pixel of each.
    const Tensor patches = rows({4, 2});
    EXPECT_THAT(elements(moreh_fold(patches, {.output_size = {2, 4}, .kernel_size = {2, 2}, .stride = {2, 2}})),
                ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
    const Tensor output = rows({1, 1, 4, 4});
    EXPECT_EQ(moreh_fold(ones, {.output = output, .output_size = {4, 4}, .kernel_size = {2, 2}}), output);
    EXPECT_EQ(elements(output), elements(counts));
    EXPECT_THAT(error_of([&] {
                    moreh_fold(ones, {.output_size = {5, 4}, .kernel_size = {2, 2}});
                }),
                HasSubstr("a column for each of the 12 patches"));
    EXPECT_THAT(error_of([&] { moreh_fold(ones); }), HasSubstr("'output_size'"));
}

TEST_F(SpatialTest, IntegralsByHand) {
    const Tensor x = counted(device, {1, 2, 2, 2}, DataType::BFLOAT16, Layout::TILE);
    EXPECT_THAT(elements(experimental::intimg(x)), ElementsAre(0, 1, 2, 4, 4, 6, 12, 16));
    EXPECT_THAT(error_of([&] { experimental::intimg(rows({1, 2, 2, 2})); }), HasSubstr("Layout::TILE"));
}

}  // namespace
}  // namespace ttnn
