// Circular buffers where shards and large tensors set their sizes, worked out by hand. A bfloat16 tile has 2048 bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math_support.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"

namespace ttnn::test {
namespace {

using ::testing::ElementsAre;

class LegalCallsBuffers : public ::testing::Test {
protected:
    Tensor tiles(const Shape& shape, const MemoryConfig& config = {}) const {
        return Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, config), device_);
    }
    template <class Call>
    static std::vector<uint64_t> sizes(Call call) {
        const Recording recording;
        call();
        return recording->sizes;
    }
    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});  // 1395424 bytes for circular buffers
};

TEST_F(LegalCallsBuffers, UntilizeOfShardsHasOneRowOfTheShardInTiles) {
    const auto out = [&](const MemoryConfig& config, const Shape& shape) {
        const Tensor input = tiles(shape, config);
        return sizes([&] { untilize(input, {.memory_config = MemoryConfig()}); });
    };
    // One row of 4 tiles; three rows above each other: twice that.
    EXPECT_THAT(out(sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {32, 128}), {128, 128}), ElementsAre(4 * 2048));
    EXPECT_THAT(out(sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {96, 128}), {384, 128}), ElementsAre(8 * 2048));
    // 2 of the 8 tiles of a row are in the shard.
    EXPECT_THAT(out(sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {32, 64}), {32, 256}), ElementsAre(2 * 2048));
    EXPECT_THAT(out(sharded(TensorMemoryLayout::BLOCK_SHARDED, {4, 2}, {64, 64}), {128, 256}), ElementsAre(4 * 2048));
}

TEST_F(LegalCallsBuffers, LayerNormCutsRowBuffersOnlyWhereTheyExceedL1) {
    // 200 tiles: three rows of them and 32 small ones are 1294336 bytes.
    const Tensor fits = tiles({1, 1, 32, 6400});
    EXPECT_THAT(sizes([&] { layer_norm(fits); }),
                ElementsAre(409600, 32768, 4096, 4096, 4096, 4096, 409600, 409600, 16384));
    // 256 tiles do not fit: 112 of them.
    const Tensor wide = tiles({1, 1, 32, 8192});
    EXPECT_THAT(sizes([&] { layer_norm(wide); }),
                ElementsAre(112 * 2048, 32768, 4096, 4096, 4096, 4096, 112 * 2048, 112 * 2048, 16384));
    // 56 with weights, which have a row of their own.
    const Tensor weight = tiles({1, 1, 1, 8192});
    EXPECT_THAT(sizes([&] { rms_norm(wide, {.weight = weight}); }),
                ElementsAre(56 * 2048, 32768, 4096, 4096, 4096, 56 * 2048, 16384, 32768, 56 * 2048));
    // Half of that where intermediate tiles are FLOAT32: 4096 bytes.
    ComputeKernelConfig fp32;
    fp32.fp32_dest_acc_en = true;
    EXPECT_THAT(sizes([&] { layer_norm(wide, {.compute_kernel_config = fp32}); }),
                ElementsAre(56 * 2048, 16384, 8192, 4096, 4096, 8192, 56 * 4096, 56 * 4096, 32768));
}

TEST_F(LegalCallsBuffers, MatmulOnACoreGridTakesTheLargestBlocksThatFit) {
    // 16 x 16 tiles per core, 4 along the inner dimension: 2 * 16 * 4 for each input and 2 * 256 for the output and its
    // partial sums are 768 tiles = 1572864 bytes. Half as high: 2 * 8 * 4 + 2 * 16 * 4 + 2 * 128 = 448 tiles.
    const Tensor a = tiles({1024, 512});
    const Tensor b = tiles({512, 1024});
    EXPECT_THAT(sizes([&] {
                    matmul(a, b, {.core_grid = CoreGrid{2, 2}});
                }),
                ElementsAre(2 * 8 * 4 * 2048, 2 * 16 * 4 * 2048, 128 * 2048));
    // What is in L1 already counts: 640000 bytes are left, so 64 tiles, as a square: 64 + 64 + 128 tiles.
    const uint64_t taken = 1395424 - 640000;
    const Tensor other = tiles({1, 1, 32, 32 * 64 * static_cast<uint32_t>(taken / 2048)}, l1_memory_config());
    EXPECT_THAT(sizes([&] {
                    matmul(a, b, {.core_grid = CoreGrid{2, 2}});
                }),
                ElementsAre(2 * 8 * 4 * 2048, 2 * 8 * 4 * 2048, 64 * 2048));
    // Small products stay whole.
    const Tensor c = tiles({256, 512});
    const Tensor d = tiles({512, 256});
    EXPECT_THAT(sizes([&] {
                    matmul(c, d, {.core_grid = CoreGrid{4, 4}});
                }),
                ElementsAre(2 * 2 * 4 * 2048, 2 * 2 * 4 * 2048, 4 * 2048));
}

}  // namespace
}  // namespace ttnn::test
