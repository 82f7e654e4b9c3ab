// Attention heads: which columns become which head, where results lie, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/heads/create_qkv_heads.hpp"
#include "ttnn/ops/heads/nlp_concat_heads.hpp"
#include "ttnn/ops/heads/nlp_concat_heads_decode.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads_decode.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads_fixed.hpp"
#include "ttnn/ops/heads/transformer_heads.hpp"

namespace ttnn {
namespace {

using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HeadsTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    // Element (row, column) of every matrix is row + column / 1024; exact in fp32.
    Tensor marked(const Shape& shape, const MemoryConfig& config = {}, DataType dtype = DataType::FLOAT32) const {
        std::vector<float> values(shape.volume());
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i / shape[-1]) + static_cast<float>(i % shape[-1]) / 1024.0F;
        }
        return tensor(device, TensorSpec(shape, dtype, Layout::TILE, config), values);
    }
    static float at(const Tensor& tensor, std::array<uint32_t, 4> index) {
        const Shape& shape = tensor.logical_shape();
        const size_t place = ((size_t{index[0]} * shape[1] + index[1]) * shape[2] + index[2]) * shape[3] + index[3];
        return values_of(tensor)[place];
    }
    static float mark(float row, float column) { return row + column / 1024.0F; }
};

TEST_F(HeadsTest, QueriesKeysAndValuesStandSideBySide) {
    const Tensor rows = marked({2, 1, 40, 256});  // 4 q heads, 2 k, 2 v of 32 columns
    const auto [q, k, v] =
        experimental::nlp_create_qkv_heads(rows, {.num_heads = 4, .num_kv_heads = 2, .transpose_k_heads = false});
    EXPECT_EQ(q.logical_shape(), Shape({2, 4, 40, 32}));
    EXPECT_EQ(k.logical_shape(), Shape({2, 2, 40, 32}));
    EXPECT_EQ(v.logical_shape(), Shape({2, 2, 40, 32}));
    EXPECT_EQ(at(q, {1, 3, 7, 5}), mark(47, 3 * 32 + 5));
    EXPECT_EQ(at(k, {0, 1, 39, 31}), mark(39, 128 + 32 + 31));
    EXPECT_EQ(at(v, {1, 0, 0, 0}), mark(40, 192));
    const auto turned = experimental::nlp_create_qkv_heads(rows, {.num_heads = 4, .num_kv_heads = 2});
    EXPECT_EQ(std::get<1>(turned).logical_shape(), Shape({2, 2, 32, 40}));
    EXPECT_EQ(at(std::get<1>(turned), {0, 1, 31, 39}), mark(39, 128 + 32 + 31));
}

TEST_F(HeadsTest, KeysAndValuesMayComeApart) {
    const auto [q, k, v] = experimental::nlp_create_qkv_heads(
        marked({1, 1, 32, 128}),
        {.input_kv = marked({1, 1, 32, 64}), .num_heads = 4, .num_kv_heads = 1, .transpose_k_heads = false});
    EXPECT_EQ(at(q, {0, 2, 3, 1}), mark(3, 65));
    EXPECT_EQ(at(k, {0, 0, 3, 1}), mark(3, 1));
    EXPECT_EQ(at(v, {0, 0, 3, 1}), mark(3, 33));
}

// Heads of fewer columns than a tile get one of their own.
TEST_F(HeadsTest, NarrowHeadsArePaddedWithZeros) {
    const auto [q, k, v] =
        experimental::nlp_create_qkv_heads(marked({1, 1, 32, 96}), {.num_heads = 2, .transpose_k_heads = false});
    EXPECT_EQ(q.logical_shape(), Shape({1, 2, 32, 32}));
    EXPECT_EQ(at(q, {0, 1, 2, 15}), mark(2, 31));
    EXPECT_EQ(at(q, {0, 1, 2, 16}), 0);
    EXPECT_EQ(at(v, {0, 1, 2, 0}), mark(2, 80));
}

TEST_F(HeadsTest, ShardedRowsHaveTheHeadsOfACoreTogether) {
    const MemoryConfig cut = sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 128});
    const auto [q, k, v] = experimental::nlp_create_qkv_heads(
        marked({1, 1, 32, 256}, cut),
        {.num_heads = 4,
         .num_kv_heads = 2,
         .transpose_k_heads = false,
         .memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)});
    EXPECT_EQ(q.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {32, 32}));
    EXPECT_EQ(k.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 32}));
    EXPECT_EQ(at(q, {0, 2, 1, 0}), mark(1, 128));  // the second core begins with its first query
    EXPECT_EQ(at(k, {0, 1, 1, 0}), mark(1, 128 + 64));
    EXPECT_EQ(at(v, {0, 0, 1, 0}), mark(1, 96));
}

// What fills the last tiles of the input belongs to the results of the forms with heads in front.
TEST_F(HeadsTest, BoltzHeadsHaveThePaddedShape) {
    const auto [q, k, v] = experimental::nlp_create_qkv_heads_boltz(marked({1, 33, 33, 192}), {.num_heads = 2});
    EXPECT_EQ(q.logical_shape(), Shape({2, 33, 64, 32}));
    EXPECT_EQ(k.logical_shape(), Shape({2, 32, 33, 64}));
    EXPECT_EQ(v.logical_shape(), Shape({2, 33, 64, 32}));
    EXPECT_EQ(at(q, {1, 2, 32, 5}), mark(2 * 33 + 32, 32 + 5));
    EXPECT_EQ(at(k, {1, 5, 2, 32}), mark(2 * 33 + 32, 96 + 5));
    EXPECT_EQ(at(q, {1, 2, 33, 5}), 0);

    const Tensor joined = experimental::nlp_concat_heads_boltz(marked({2, 33, 33, 16}));
    EXPECT_EQ(joined.logical_shape(), Shape({1, 33, 64, 64}));
    EXPECT_EQ(at(joined, {0, 2, 32, 32 + 15}), mark((33 + 2) * 33 + 32, 15));
    EXPECT_EQ(at(joined, {0, 2, 33, 32}), 0);
    EXPECT_EQ(at(joined, {0, 2, 32, 16}), 0);
}

TEST_F(HeadsTest, CreatingRefuses) {
    const Tensor rows = marked({1, 1, 32, 96});
    EXPECT_THAT(error_of([&] { experimental::nlp_create_qkv_heads(rows, {.num_heads = 5}); }),
                HasSubstr("which 15 heads cannot share evenly"));
    EXPECT_THAT(error_of([&] { experimental::nlp_create_qkv_heads(rows, {.num_heads = 0}); }),
                HasSubstr("'num_heads'"));
    EXPECT_THAT(error_of([&] {
                    experimental::nlp_create_qkv_heads(marked({1, 2, 32, 96}), {.num_heads = 1});
                }),
                HasSubstr("[batch, 1, rows, width]"));
    EXPECT_THAT(error_of([&] {
                    experimental::nlp_create_qkv_heads(
                        rows, {.num_heads = 1, .memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED)});
                }),
                HasSubstr("must be interleaved"));
}

TEST_F(HeadsTest, CircularBuffersOfCreatingAndJoining) {
    const Tensor rows = marked({1, 1, 64, 192}, {}, DataType::BFLOAT16);
    test::Recording recording;
    experimental::nlp_create_qkv_heads(rows, {.num_heads = 2, .num_kv_heads = 2, .transpose_k_heads = false});
    EXPECT_THAT(recording->sizes, ElementsAre(4 * 2048));
    experimental::nlp_create_qkv_heads(rows, {.num_heads = 2});
    EXPECT_THAT(recording->sizes, ElementsAre(4 * 2048, 4 * 2048, 4 * 2048));
    experimental::nlp_concat_heads(marked({1, 3, 64, 64}, {}, DataType::BFLOAT16));
    EXPECT_THAT(recording->sizes, ElementsAre(2 * 3 * 2 * 2048));  // the tiles of a row, twice
}

TEST_F(HeadsTest, DecodingPutsAUserOnEachCore) {
    const Tensor rows = marked({1, 1, 32, 1536}, l1_memory_config());
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    const auto [q, k, v] =
        experimental::nlp_create_qkv_heads_decode(rows, {.num_heads = 16, .num_kv_heads = 4, .memory_config = config});
    EXPECT_EQ(q.logical_shape(), Shape({1, 32, 16, 64}));
    EXPECT_EQ(v.logical_shape(), Shape({1, 32, 4, 64}));
    EXPECT_EQ(q.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {8, 4}, {32, 64}));
    EXPECT_EQ(k.memory_config(), q.memory_config());
    EXPECT_EQ(at(q, {0, 9, 15, 3}), mark(9, 15 * 64 + 3));
    EXPECT_EQ(at(k, {0, 31, 0, 0}), mark(31, 1024));
    EXPECT_EQ(at(v, {0, 31, 3, 63}), mark(31, 1535));
    const Tensor few = marked({1, 1, 4, 256});
    const auto apart = experimental::nlp_create_qkv_heads_decode(
        few, {.num_heads = 2, .num_kv_heads = 1, .overlap_qk_coregrid = false, .memory_config = config});
    EXPECT_EQ(std::get<1>(apart).memory_config().shard_spec()->grid, CoreRangeSet(CoreRange({4, 0}, {7, 0})));
    EXPECT_EQ(std::get<2>(apart).memory_config().shard_spec()->grid, CoreRangeSet(CoreRange({0, 0}, {3, 0})));
}

TEST_F(HeadsTest, DecodingTakesSomeUsers) {
    const Tensor first = tensor(device, TensorSpec({1}, DataType::UINT32, Layout::ROW_MAJOR), {5});
    const Tensor rows = marked({1, 1, 16, 192});
    const auto [q, k, v] =
        experimental::nlp_create_qkv_heads_decode(rows, {.num_heads = 1, .batch_offset = first, .slice_size = 3});
    EXPECT_EQ(q.logical_shape(), Shape({1, 3, 1, 64}));
    EXPECT_EQ(at(v, {0, 2, 0, 1}), mark(7, 129));
    EXPECT_THAT(error_of([&] { experimental::nlp_create_qkv_heads_decode(rows, {.num_heads = 1, .slice_size = 3}); }),
                HasSubstr("must be given together"));
}

TEST_F(HeadsTest, JoinedHeadsStandSideBySide) {
    const Tensor joined = experimental::nlp_concat_heads(marked({2, 3, 40, 32}));
    EXPECT_EQ(joined.logical_shape(), Shape({2, 1, 40, 96}));
    EXPECT_EQ(at(joined, {1, 0, 7, 64 + 5}), mark((3 + 2) * 40 + 7, 5));
    const Tensor narrow = experimental::nlp_concat_heads(marked({1, 2, 32, 20}));
    EXPECT_EQ(narrow.logical_shape(), Shape({1, 1, 32, 40}));
    EXPECT_EQ(at(narrow, {0, 0, 3, 25}), mark(35, 5));
    // Two heads of a core become one shard of its rows.
    const Tensor cores = marked({1, 4, 32, 32}, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {64, 32}));
    const Tensor wide = experimental::nlp_concat_heads(
        cores, {.memory_config = MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1)});
    EXPECT_EQ(wide.memory_config(), sharded(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {32, 64}));
    EXPECT_THAT(error_of([&] { experimental::nlp_concat_heads(cores); }), HasSubstr("must not be height sharded"));
    const Tensor room = marked({2, 1, 40, 96});
    EXPECT_EQ(experimental::nlp_concat_heads(marked({2, 3, 40, 32}), {.output_tensor = room}), room);
    EXPECT_EQ(values_of(room), values_of(joined));
}

TEST_F(HeadsTest, JoiningWhileDecodingGives32Rows) {
    const Tensor heads = marked({1, 2, 4, 64}, sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {32, 64}));
    const Tensor joined = experimental::nlp_concat_heads_decode(heads, {.num_heads = 4});
    EXPECT_EQ(joined.logical_shape(), Shape({1, 1, 32, 256}));
    EXPECT_EQ(joined.memory_config(), sharded(TensorMemoryLayout::WIDTH_SHARDED, {4, 1}, {32, 64}));
    EXPECT_EQ(at(joined, {0, 0, 1, 3 * 64 + 9}), mark(7, 9));
    EXPECT_EQ(at(joined, {0, 0, 2, 0}), 0);
    const MemoryConfig elsewhere(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                                 ShardSpec{CoreRangeSet(CoreRange({1, 1}, {2, 1})), {32, 64}});
    const Tensor moved = marked({1, 2, 4, 64}, elsewhere);
    EXPECT_THAT(error_of([&] { experimental::nlp_concat_heads_decode(moved, {.num_heads = 4}); }),
                HasSubstr("'sub_core_grids' is needed"));
    const Tensor there = experimental::nlp_concat_heads_decode(
        moved, {.num_heads = 4, .sub_core_grids = CoreRangeSet(CoreRange({1, 0}, {3, 2}))});
    EXPECT_EQ(there.memory_config().shard_spec()->grid.num_cores(), 4U);
    EXPECT_TRUE(there.memory_config().shard_spec()->grid.contains(CoreCoord{1, 1}));
    EXPECT_EQ(values_of(there), values_of(joined));
}

TEST_F(HeadsTest, BlocksHaveQueriesBeforeTheKeyTheyShare) {
    // 2 x 2 cores; each row of cores has a batch, each core a key and its value behind two queries.
    const MemoryConfig blocks = sharded(TensorMemoryLayout::BLOCK_SHARDED, {2, 2}, {32, 128});
    const MemoryConfig high(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    const auto [q, k, v] = experimental::create_qkv_heads(
        marked({2, 1, 32, 256}, blocks),
        {.num_heads = 4, .num_kv_heads = 2, .transpose_k_heads = true, .memory_config = high});
    EXPECT_EQ(q.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 2}, {64, 32}));
    EXPECT_EQ(k.logical_shape(), Shape({2, 2, 32, 32}));
    EXPECT_EQ(at(q, {1, 3, 5, 1}), mark(37, 128 + 32 + 1));
    EXPECT_EQ(at(k, {1, 1, 1, 5}), mark(37, 128 + 64 + 1));
    EXPECT_EQ(at(v, {0, 0, 5, 1}), mark(5, 96 + 1));
    const MemoryConfig pairs = sharded(TensorMemoryLayout::BLOCK_SHARDED, {2, 2}, {32, 64});
    const auto apart = experimental::create_qkv_heads_from_separate_tensors(
        marked({2, 1, 32, 128}, pairs), marked({2, 1, 32, 128}, pairs),
        {.num_heads = 4, .num_kv_heads = 2, .transpose_k_heads = false, .memory_config = high});
    EXPECT_EQ(at(std::get<0>(apart), {0, 3, 1, 0}), mark(1, 96));
    EXPECT_EQ(at(std::get<1>(apart), {0, 1, 1, 0}), mark(1, 64));
    EXPECT_EQ(at(std::get<2>(apart), {0, 1, 1, 0}), mark(1, 96));
}

TEST_F(HeadsTest, FixedFormsKnowTheirNumbers) {
    const auto [q, k, v] = experimental::nlp_create_qkv_heads_falcon7b(marked({1, 1, 20, 4672}));
    EXPECT_EQ(q.logical_shape(), Shape({1, 71, 32, 64})) << "rows that fill the last tile are part of it";
    EXPECT_EQ(at(k, {0, 0, 3, 2}), mark(3, 71 * 64 + 2));
    EXPECT_EQ(at(v, {0, 0, 3, 2}), mark(3, 72 * 64 + 2));
    const auto first = experimental::nlp_create_qkv_heads_segformer(marked({1, 1, 32, 64}));
    EXPECT_EQ(at(std::get<0>(first), {0, 1, 3, 2}), mark(3, 34));
    EXPECT_THAT(values_of(std::get<1>(first)), Each(0));
    EXPECT_THAT(error_of([&] { experimental::nlp_create_qkv_heads_vit(marked({1, 1, 32, 64})); }), HasSubstr("2304"));
}

// Rows that fill the last tiles of a core are no rows of the result.
TEST_F(HeadsTest, ThreeDimensionsInBlocksKeepTheirRows) {
    const MemoryConfig blocks = sharded(TensorMemoryLayout::BLOCK_SHARDED, {2, 2}, {64, 192});
    const auto [q, k, v] = transformer::split_query_key_value_and_split_heads(
        marked({2, 40, 384}, blocks),
        {.num_heads = 2, .memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)});
    EXPECT_EQ(q.logical_shape(), Shape({2, 2, 40, 64}));
    EXPECT_EQ(k.logical_shape(), Shape({2, 2, 64, 40}));
    EXPECT_EQ(v.logical_shape(), Shape({2, 2, 40, 64}));
    EXPECT_EQ(q.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 2}, {64, 64}));
    EXPECT_EQ(at(q, {1, 1, 39, 3}), mark(79, 192 + 3));
    EXPECT_EQ(at(k, {1, 0, 5, 39}), mark(79, 64 + 5));
    EXPECT_EQ(at(v, {0, 1, 1, 0}), mark(1, 192 + 128));
}

TEST_F(HeadsTest, ThreeDimensionsInFourOut) {
    const Tensor rows = marked({2, 32, 192});
    const test::Recording recording;
    const auto [q, k, v] = transformer::split_query_key_value_and_split_heads(rows, {.num_heads = 2});
    EXPECT_THAT(recording->names, ::testing::IsSupersetOf({"ttnn::transformer::split_query_key_value_and_split_heads",
                                                           "ttnn::experimental::nlp_create_qkv_heads",
                                                           "ttnn::prim::nlp_create_qkv_heads"}));
    EXPECT_EQ(q.logical_shape(), Shape({2, 2, 32, 32}));
    EXPECT_EQ(at(k, {1, 1, 4, 3}), mark(35, 64 + 32 + 4)) << "transposed";
    EXPECT_THAT(error_of([&] {
                    transformer::split_query_key_value_and_split_heads(rows, {.num_heads = 4, .num_kv_heads = 1});
                }),
                HasSubstr("'transpose_key' must be false"));
    const Tensor joined = transformer::concatenate_heads(q);
    EXPECT_EQ(joined.logical_shape(), Shape({2, 32, 64}));
    EXPECT_EQ(values_of(joined)[64 + 33], mark(1, 33));
}

}  // namespace
}  // namespace ttnn
