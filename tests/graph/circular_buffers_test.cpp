// Circular buffers of common operations, worked out by hand from the rules that published traces follow.
//
// One tile (32 x 32) has 2048 B as bfloat16, 4096 B as float32, 1088 B as bfloat8_b. The device has 8 x 8 cores; work
// on fewer than 64 cores is dealt column by column (row by row in layer_norm). "global": lies in the sharded tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/eltwise/unary_parameters.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/reduction/reduction.hpp"

namespace ttnn::graph {
namespace {

using testing::ElementsAre;
using enum DataType;

const std::string full_grid = "{[(x=0,y=0) - (x=7,y=7)]}";

// The circular buffers of one program: bytes in creation order, which of them are global, and the cores they share.
struct Buffers {
    std::vector<uint64_t> sizes;
    std::vector<uint64_t> global;
    std::string cores;
};

class CircularBuffers : public testing::Test {
protected:
    Tensor tiles(const Shape& shape, DataType dtype, const MemoryConfig& config = {}) const {
        return Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::TILE, config), device_);
    }
    static MemoryConfig shards(TensorMemoryLayout layout, CoreCoord last, uint32_t height, uint32_t width) {
        return MemoryConfig(layout, BufferType::L1, ShardSpec{CoreRangeSet(CoreRange({0, 0}, last)), {height, width}});
    }
    // Of the last program that the call runs.
    static Buffers of(const std::function<void()>& call) {
        Buffers buffers;
        for (const Node& node : query_trace(call)) {
            if (node.type == NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL) {
                buffers = {};
            }
            if (node.type != NodeType::CIRCULAR_BUFFER_ALLOCATE) {
                continue;
            }
            if (node.text("globally_allocated") == "true") {
                buffers.global.push_back(node.number("size"));
                continue;
            }
            buffers.sizes.push_back(node.number("size"));
            EXPECT_TRUE(buffers.cores.empty() || buffers.cores == node.text("core_range_set"));
            buffers.cores = node.text("core_range_set");
        }
        return buffers;
    }

    std::shared_ptr<Device> device_ = Device::open({.board = "n150"});
};

// --- add (2.1): two blocks each for a, b and the output on the full grid
// -----------------------------------------------

TEST_F(CircularBuffers, OfAnAddOfFloat32InDram) {
    const Tensor a = tiles({2, 64, 96}, FLOAT32);
    const Buffers buffers = of([&] { add(a, a); });
    EXPECT_THAT(buffers.sizes, ElementsAre(8192, 8192, 8192));  // 2 x 4096 each, whatever the 12 tiles
    EXPECT_EQ(buffers.cores, full_grid);
}

TEST_F(CircularBuffers, OfAnAddOfMixedDtypesInL1) {
    const Tensor a = tiles({5, 7, 33, 65}, BFLOAT8_B, l1_memory_config());
    const Tensor b = tiles({5, 7, 33, 65}, BFLOAT16, l1_memory_config());
    const Buffers buffers = of([&] { add(a, b); });
    // a 2 x 1088, b 2 x 2048, output in a's dtype 2 x 1088
    EXPECT_THAT(buffers.sizes, ElementsAre(2176, 4096, 2176));
    EXPECT_EQ(buffers.cores, full_grid);
}

TEST_F(CircularBuffers, OfAnAddWithAShardedOperand) {
    const Tensor a = tiles({1, 1, 384, 128}, BFLOAT16, shards(TensorMemoryLayout::HEIGHT_SHARDED, {3, 0}, 96, 128));
    const Tensor b = tiles({1, 1, 384, 128}, BFLOAT16);
    const Buffers buffers = of([&] { add(a, b); });
    // A shard has 3 x 4 = 12 tiles: 24576 B for a and for the output, global. The largest block <= 8 that divides 12 is
    // 6 tiles: b has 2 x 6 x 2048.
    EXPECT_THAT(buffers.global, ElementsAre(24576, 24576));
    EXPECT_THAT(buffers.sizes, ElementsAre(24576));
}

TEST_F(CircularBuffers, OfAnAddOfAScalar) {
    const Tensor a = tiles({3, 96, 32}, BFLOAT16, l1_memory_config());
    EXPECT_THAT(of([&] { add(a, 2.0); }).sizes, ElementsAre(4096, 2048, 4096));  // the scalar has one tile
}

// --- unary (2.3): two pages in, two pages out, on the cores that get a page
// --------------------------------------------

TEST_F(CircularBuffers, OfReluInDram) {
    const Tensor x = tiles({3, 40, 70}, FLOAT32);
    const Buffers buffers = of([&] { relu(x); });
    EXPECT_THAT(buffers.sizes, ElementsAre(8192, 8192));
    // 3 x 2 x 3 = 18 tiles: two columns of 8 cores, and 2 more
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=1,y=7)], [(x=2,y=0) - (x=2,y=1)]}");
}

TEST_F(CircularBuffers, OfHardshrinkWithItsThirdBuffer) {
    const Tensor x = tiles({1, 1, 2048, 64}, BFLOAT8_B, l1_memory_config());
    const Buffers buffers = of([&] { hardshrink(x); });
    EXPECT_THAT(buffers.sizes, ElementsAre(2176, 2176, 2176));
    EXPECT_EQ(buffers.cores, full_grid);  // 64 x 2 = 128 tiles
}

TEST_F(CircularBuffers, OfUnaryOverRowMajorRows) {
    const Tensor x =
        Tensor::allocate_on_device(TensorSpec({2, 5, 100}, BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device_);
    const Buffers buffers = of([&] { exp(x); });
    EXPECT_THAT(buffers.sizes, ElementsAre(400, 400));                               // pages of 100 x 2 B
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=1)]}");  // 10 rows
}

TEST_F(CircularBuffers, OfUnaryOnShards) {
    const Tensor wide = tiles({32, 256}, BFLOAT8_B, shards(TensorMemoryLayout::WIDTH_SHARDED, {3, 0}, 32, 64));
    const Buffers in_tiles = of([&] { sqrt(wide); });
    EXPECT_THAT(in_tiles.global, ElementsAre(2176, 2176));  // 2 x 1088
    EXPECT_TRUE(in_tiles.sizes.empty());
    const Tensor rows = Tensor::allocate_on_device(
        TensorSpec({6, 40}, BFLOAT16, Layout::ROW_MAJOR, shards(TensorMemoryLayout::HEIGHT_SHARDED, {1, 0}, 3, 40)),
        device_);
    EXPECT_THAT(of([&] { sqrt(rows); }).global, ElementsAre(256, 256));  // 3 x 80 = 240, rounded up to 32
}

// --- softmax (5.1): input, output, 1/sum, scaler, exp row, mask; stable: maximum and shifted row
// -----------------------

TEST_F(CircularBuffers, OfSoftmaxNotStable) {
    const Tensor x = tiles({1, 1, 64, 384}, BFLOAT16, l1_memory_config());
    const Buffers buffers = of([&] { softmax(x, {.numeric_stable = false}); });
    // Wt = 12, b = 6: 2b = 12, 12, 1, 1, 12, 1 tiles of 2048
    EXPECT_THAT(buffers.sizes, ElementsAre(24576, 24576, 2048, 2048, 24576, 2048));
    EXPECT_EQ(buffers.cores, full_grid);
}

TEST_F(CircularBuffers, OfSoftmaxInFloat32) {
    const Tensor x = tiles({2, 32, 320}, FLOAT32);
    // Wt = 10; float32 accumulation takes b <= 4, and 10 has the divisor 2: Wt = 10, 2b = 4, 1, scaler 1 (bfloat16),
    // 10, mask 1 (bfloat16), 1, 10 tiles of 4096
    EXPECT_THAT(of([&] { softmax(x); }).sizes, ElementsAre(40960, 16384, 4096, 2048, 40960, 2048, 4096, 40960));
}

TEST_F(CircularBuffers, OfSoftmaxOverSevenTiles) {
    const Tensor x = tiles({3, 2, 40, 224}, BFLOAT8_B, l1_memory_config());
    // Wt = 7, and 7 is skipped: b = 1. Input 7 x 1088, output 2 x 1088, the rest bfloat16: 1, 1, 7, 1, 1, 7
    EXPECT_THAT(of([&] { softmax(x); }).sizes, ElementsAre(7616, 2176, 2048, 2048, 14336, 2048, 2048, 14336));
}

TEST_F(CircularBuffers, OfSoftmaxOverARowThatDoesNotFit) {
    const Tensor x = tiles({32, 32000}, BFLOAT16);
    // Wt = 1000, b = 8: 16 + 16 + 1 + 1 + 1000 + 1 = 1035 tiles = 2119680 B, more than 90 % of 1395424 B. The row is
    // cut to 80 tiles.
    EXPECT_THAT(of([&] { softmax(x, {.numeric_stable = false}); }).sizes,
                ElementsAre(32768, 32768, 2048, 2048, 163840, 2048));
}

TEST_F(CircularBuffers, OfSoftmaxOnShards) {
    const Tensor x = tiles({1, 1, 128, 96}, BFLOAT16, shards(TensorMemoryLayout::HEIGHT_SHARDED, {3, 0}, 32, 96));
    const Buffers buffers = of([&] { softmax(x); });
    EXPECT_THAT(buffers.global, ElementsAre(6144, 6144));  // 3 tiles each
    // scaler 1, exp row 3, 1/sum 1; stable: maximum 1, shifted row 3
    EXPECT_THAT(buffers.sizes, ElementsAre(2048, 6144, 2048, 2048, 6144));
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=3,y=0)]}");
}

// --- matmul (4)
// ---------------------------------------------------------------------------------------------------------

TEST_F(CircularBuffers, OfTheSimpleMatmul) {
    const Tensor a = tiles({96, 64}, BFLOAT16);
    const Tensor b = tiles({64, 160}, BFLOAT8_B);
    const Buffers buffers = of([&] { matmul(a, b, {.dtype = FLOAT32}); });
    EXPECT_THAT(buffers.sizes, ElementsAre(4096, 2176, 8192));  // two tiles each
    // 3 x 5 = 15 output tiles
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=6)]}");
}

TEST_F(CircularBuffers, OfMatmulWithOneDimensionalMulticast) {
    MatmulMultiCoreReuseMultiCast1DProgramConfig config;
    config.compute_with_storage_grid_size = {4, 1};
    config.in0_block_w = 2;
    config.per_core_M = 2;
    config.per_core_N = 2;
    const Tensor a = tiles({64, 128}, BFLOAT16, l1_memory_config());
    const Tensor b = tiles({128, 256}, BFLOAT8_B);
    const Buffers buffers = of([&] { matmul(a, b, {.program_config = config}); });
    // K = 4 tiles in 2 blocks, so doubled: in0 2 x (2 x 2) x 2048, in1 2 x (2 x 2) x 1088; output 2 x 2 x 2048
    EXPECT_THAT(buffers.sizes, ElementsAre(16384, 8704, 8192));
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=3,y=0)]}");  // 8 columns of tiles, 2 per core
}

TEST_F(CircularBuffers, OfLinearWithTwoDimensionalMulticast) {
    MatmulMultiCoreReuseMultiCastProgramConfig config;
    config.compute_with_storage_grid_size = {2, 2};
    config.in0_block_w = 3;
    config.per_core_M = 2;
    config.per_core_N = 2;
    const Tensor a = tiles({128, 96}, BFLOAT16);
    const Tensor b = tiles({96, 128}, BFLOAT16);
    const Tensor bias = tiles({1, 128}, FLOAT32);
    const Buffers buffers = of([&] { linear(a, b, {.bias = bias, .dtype = FLOAT32, .program_config = config}); });
    // K = 3 tiles in one block: in0 2 x 3 x 2048, in1 the same, output 2 x 2 x 4096 together with the partial sums,
    // which are float32 as well; bias 2 x 4096
    EXPECT_THAT(buffers.sizes, ElementsAre(12288, 12288, 16384, 8192));
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=1,y=1)]}");
    const ComputeKernelConfig precise{.fp32_dest_acc_en = true};
    const Buffers apart = of([&] { matmul(a, b, {.program_config = config, .compute_kernel_config = precise}); });
    // bfloat16 output 4 x 2048, float32 partial sums 4 x 4096 apart from it
    EXPECT_THAT(apart.sizes, ElementsAre(12288, 12288, 8192, 16384));
}

TEST_F(CircularBuffers, OfMatmulOnHeightShards) {
    const Tensor a = tiles({1, 1, 512, 96}, BFLOAT16, shards(TensorMemoryLayout::HEIGHT_SHARDED, {7, 0}, 64, 96));
    const Tensor b = tiles({1, 1, 96, 64}, BFLOAT8_B, l1_memory_config());
    const Buffers buffers = of([&] { matmul(a, b, {.memory_config = l1_memory_config()}); });
    // A shard has 2 x 3 tiles, all of K: one block. in1 2 x 3 x 1088, output 2 x 2 x 2048
    EXPECT_THAT(buffers.global, ElementsAre(12288));
    EXPECT_THAT(buffers.sizes, ElementsAre(6528, 8192));
}

TEST_F(CircularBuffers, OfMatmulWithReuseOverBatches) {
    MatmulMultiCoreReuseProgramConfig config;
    config.compute_with_storage_grid_size = {4, 1};
    config.in0_block_w = 2;
    config.per_core_M = 1;
    config.per_core_N = 3;
    const Tensor a = tiles({4, 32, 64}, BFLOAT16);
    const Tensor b = tiles({4, 64, 96}, BFLOAT16);
    // One block of K, but 4 batches, so doubled: in0 2 x (1 x 2), in1 2 x (3 x 2), output 1 x 3 tiles of 2048
    EXPECT_THAT(of([&] { matmul(a, b, {.program_config = config}); }).sizes, ElementsAre(8192, 24576, 6144));
}

// --- reduce (6): input 2, scaler 1, output 2
// ----------------------------------------------------------------------------

TEST_F(CircularBuffers, OfASumOfRows) {
    const Tensor x = tiles({2, 3, 64, 96}, FLOAT32, l1_memory_config());
    const Buffers buffers = of([&] { sum(x, {.dim = IntOrList(-1), .keepdim = true}); });
    EXPECT_THAT(buffers.sizes, ElementsAre(8192, 4096, 8192));
    // 2 x 3 x 2 = 12 rows of tiles
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
}

TEST_F(CircularBuffers, OfAMeanOfColumns) {
    const Tensor x = tiles({4, 64, 160}, BFLOAT16);
    const Buffers buffers = of([&] { mean(x, {.dim = IntOrList(-2), .keepdim = true}); });
    EXPECT_THAT(buffers.sizes, ElementsAre(4096, 2048, 4096));
    // 4 x 5 = 20 columns of tiles
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=1,y=7)], [(x=2,y=0) - (x=2,y=3)]}");
}

TEST_F(CircularBuffers, OfAMaximumAndAMinimumOfMatrices) {
    const Tensor x = tiles({1, 2, 64, 64}, BFLOAT8_B, l1_memory_config());
    const IntOrList both(std::vector<int64_t>{-2, -1});
    const Buffers buffers = of([&] { max(x, {.dim = both, .keepdim = true}); });
    EXPECT_THAT(buffers.sizes, ElementsAre(2176, 2048, 2176));  // the scaler is bfloat16
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=0,y=0)]}");      // one core
    // minimum: two accumulators of a tile
    EXPECT_THAT(of([&] { min(x, {.dim = both, .keepdim = true}); }).sizes, ElementsAre(2176, 2048, 2176, 1088, 1088));
}

TEST_F(CircularBuffers, OfASumOfShardedColumns) {
    const Tensor x = tiles({1, 1, 64, 256}, BFLOAT16, shards(TensorMemoryLayout::WIDTH_SHARDED, {3, 0}, 64, 64));
    const Buffers buffers = of([&] { sum(x, {.dim = IntOrList(-2), .keepdim = true}); });
    EXPECT_THAT(buffers.global, ElementsAre(8192, 4096));  // 2 x 2 tiles, and the 1 x 2 that are left of them
    EXPECT_THAT(buffers.sizes, ElementsAre(4096, 2048));   // two tiles, scaler
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=3,y=0)]}");
}

// --- layer_norm (5.2): c_0 W, c_16 2b, c_18 2, c_2 2, c_3 2, c_19 2, c_24 W, c_20 W, c_21 8
// ----------------------------

TEST_F(CircularBuffers, OfLayerNorm) {
    const Tensor x = tiles({1, 1, 96, 384}, BFLOAT16);
    const Buffers buffers = of([&] { layer_norm(x); });
    // W = 12, b = 6: 12, 12, 2, 2, 2, 2, 12, 12, 8 tiles of 2048
    EXPECT_THAT(buffers.sizes, ElementsAre(24576, 24576, 4096, 4096, 4096, 4096, 24576, 24576, 16384));
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=2,y=0)]}");  // 3 rows of tiles
    // rms_norm has no mean (c_18) and no centred row (c_24)
    EXPECT_THAT(of([&] { rms_norm(x); }).sizes, ElementsAre(24576, 24576, 4096, 4096, 4096, 24576, 16384));
}

TEST_F(CircularBuffers, OfLayerNormWithWeightAndBias) {
    const Tensor x = tiles({2, 5, 40, 128}, FLOAT32, l1_memory_config());
    const Tensor vector = tiles({1, 1, 1, 128}, BFLOAT16);
    const Buffers buffers = of([&] { layer_norm(x, {.weight = vector, .bias = vector}); });
    // W = 4, b = 4: 4, 8, 2 of 4096; scaler and epsilon 2 of 2048; 2, 4, 4, 8 of 4096; c_22 2b = 8 of 4096; c_5 and c_6
    // 4 of 2048
    EXPECT_THAT(buffers.sizes,
                ElementsAre(16384, 32768, 8192, 4096, 4096, 8192, 16384, 16384, 32768, 32768, 8192, 8192));
    // 2 x 5 x 2 = 20 rows of tiles, row by row
    EXPECT_EQ(buffers.cores, "{[(x=0,y=0) - (x=7,y=1)], [(x=0,y=2) - (x=3,y=2)]}");
}

TEST_F(CircularBuffers, OfLayerNormWithResidual) {
    const Tensor x = tiles({2240, 96}, BFLOAT8_B, l1_memory_config());
    const Buffers buffers = of([&] { layer_norm(x, {.residual_input_tensor = x}); });
    // W = 3, b = 3: 3 and 6 of 1088; 2, 2, 2, 2, 3, 3, 8 of 2048; c_23 3 of 2048, c_1 6 of 1088
    EXPECT_THAT(buffers.sizes, ElementsAre(3264, 6528, 4096, 4096, 4096, 4096, 6144, 6144, 16384, 6144, 6528));
    EXPECT_EQ(buffers.cores, full_grid);  // 70 rows of tiles
}

TEST_F(CircularBuffers, OfLayerNormOverRowMajorRows) {
    const Tensor x = Tensor::allocate_on_device(TensorSpec({64, 96}, BFLOAT16, Layout::ROW_MAJOR), device_);
    EXPECT_EQ(of([&] { layer_norm(x); }).cores, "{[(x=0,y=0) - (x=1,y=0)]}");  // 64 rows make 2 rows of tiles
}

}  // namespace
}  // namespace ttnn::graph
