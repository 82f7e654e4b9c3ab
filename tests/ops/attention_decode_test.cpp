#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/attention_support.hpp"
#include "ttnn/ops/transformer/decode_attention.hpp"
#include "ttnn/ops/transformer/flash_mla_decode.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn {
namespace {

using namespace transformer;  // NOLINT(google-build-using-namespace): the operations under test
using test::error_of;
using test::first_column;
using test::Numbers;
using test::rows_of;
using test::scattered;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

class DecodeAttentionTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tensor(const Shape& shape, const Numbers& values, Layout layout = Layout::TILE,
                  const MemoryConfig& memory = {}) const {
        return test::tensor(device, TensorSpec(shape, DataType::BFLOAT16, layout, memory), values);
    }
    Tensor zeros(const Shape& shape) const { return tensor(shape, Numbers(shape.volume(), 0.0F)); }
    Tensor integers(const Shape& shape, const std::vector<uint32_t>& values) const {
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, DataType::INT32, Layout::ROW_MAJOR), device);
        write<uint32_t>(result, values);
        return result;
    }
    // A cache [first, second, rows, 32] whose rows hold 0, 1, 2, ... throughout.
    Tensor numbered(uint32_t first, uint32_t second, uint32_t rows) const {
        Numbers numbers;
        for (uint32_t i = 0; i < first * second * rows; ++i) {
            numbers.push_back(static_cast<float>(i));
        }
        return tensor({first, second, rows, 32}, rows_of(numbers, 32));
    }
};

TEST_F(DecodeAttentionTest, SeesTheCacheUpToItsPosition) {
    const Tensor q = zeros({1, 3, 2, 32});
    const Tensor k = zeros({3, 1, 32, 32});
    const Tensor v = numbered(3, 1, 32);  // batches begin at 0, 32 and 64
    const Numbers expected{2, 2, 0, 0, 64, 64};
    EXPECT_EQ(first_column(scaled_dot_product_attention_decode(q, k, v, {.cur_pos = {4, -1, 0}})), expected);
    const Tensor positions = integers({3}, {4, UINT32_MAX, 0});
    EXPECT_EQ(first_column(scaled_dot_product_attention_decode(q, k, v, {.cur_pos_tensor = positions})), expected);
    EXPECT_THAT(
        first_column(scaled_dot_product_attention_decode(q, k, v, {.cur_pos = {4, 1, 7}, .sliding_window_size = 3})),
        ElementsAre(3, 3, 32.5, 32.5, 70, 70));
}

TEST_F(DecodeAttentionTest, HeadsOfKeysServeNeighbours) {
    const Tensor q = zeros({1, 1, 4, 32});
    const Tensor v = numbered(1, 2, 32);  // heads begin at 0 and 32
    EXPECT_THAT(first_column(scaled_dot_product_attention_decode(q, zeros({1, 2, 32, 32}), v, {.cur_pos = {2}})),
                ElementsAre(1, 1, 33, 33));
}

TEST_F(DecodeAttentionTest, ASinkPerHeadTakesItsShare) {
    const Tensor q = zeros({1, 1, 2, 32});
    const Tensor v = tensor({1, 1, 32, 32}, Numbers(size_t{32} * 32, 4.0F));
    Numbers sinks(size_t{32} * 32, 77.0F);  // only the first column counts
    sinks[0] = 0;
    sinks[32] = 4;
    EXPECT_THAT(first_column(scaled_dot_product_attention_decode(
                    q, zeros({1, 1, 32, 32}), v,
                    {.cur_pos = {0}, .attention_sink = tensor({32, 32}, sinks), .scale = std::log(3.0) / 4})),
                ElementsAre(2, 1));
}

TEST_F(DecodeAttentionTest, AMaskReplacesThePosition) {
    Numbers mask(size_t{2} * 32, -10000.0F);
    mask[3] = 0;
    mask[32 + 5] = 0;
    mask[32 + 7] = 0;
    EXPECT_THAT(first_column(scaled_dot_product_attention_decode(
                    zeros({1, 1, 2, 32}), zeros({1, 1, 32, 32}), numbered(1, 1, 32),
                    {.is_causal = false, .attn_mask = tensor({1, 1, 2, 32}, mask)})),
                ElementsAre(3, 6));
}

TEST_F(DecodeAttentionTest, PagesComeInTheOrderOfTheTable) {
    const Tensor q = zeros({1, 2, 1, 32});
    const Tensor k = zeros({4, 1, 32, 32});
    Numbers numbers;
    for (const float number : {1.0F, 2.0F, 3.0F, 4.0F}) {
        numbers.insert(numbers.end(), size_t{32} * 32, number);
    }
    const Tensor v = tensor({4, 1, 32, 32}, numbers);
    const Tensor pages = integers({2, 2}, {3, 1, 0, 99});  // the last page is not needed
    const auto result = [&](uint32_t first, uint32_t second) {
        return first_column(paged_scaled_dot_product_attention_decode(
            q, k, v, pages, {.cur_pos_tensor = integers({2}, {first, second})}));
    };
    EXPECT_THAT(result(31, 31), ElementsAre(4, 1));
    EXPECT_THAT(result(63, 5), ElementsAre(3, 1));
    EXPECT_THAT(error_of([&] { result(64, 5); }), HasSubstr("the cache has 64 positions"));
    EXPECT_THAT(error_of([&] { result(5, 32); }), HasSubstr("is block 99"));
}

// The reference may not follow entries of the table behind the position either.
TEST_F(DecodeAttentionTest, TheReferenceLooksUpWhatIsSeenOnly) {
    const auto judged = [&](const std::vector<uint32_t>& pages, const std::vector<uint32_t>& positions) {
        const PagedScaledDotProductAttentionDecode::Params params{.input_tensor_q = zeros({1, 2, 1, 32}),
                                                                  .input_tensor_k = zeros({4, 1, 32, 32}),
                                                                  .input_tensor_v = numbered(4, 1, 32),
                                                                  .page_table_tensor = integers({2, 3}, pages),
                                                                  .cur_pos_tensor = integers({2}, positions)};
        const auto expected = find_operation(PagedScaledDotProductAttentionDecode::name)->reference(&params);
        return Numbers{static_cast<float>(expected[0].values[0]), static_cast<float>(expected[0].values[32])};
    };
    constexpr uint32_t none = UINT32_MAX;
    EXPECT_THAT(judged({3, none, 99, 1, 0, none}, {0, 32}), Pointwise(FloatNear(1e-4F), Numbers{96, 1520.0F / 33}));
    EXPECT_THAT(judged({none, none, none, 1, 99, none}, {none, 0}), ElementsAre(0, 32));
    EXPECT_THAT(error_of([&] { judged({3, none, 99, 1, 0, none}, {32, 0}); }), HasSubstr("is block -1"));
    EXPECT_THAT(error_of([&] { judged({3, 0, 99, 1, 0, none}, {64, 0}); }), HasSubstr("is block 99"));
}

TEST_F(DecodeAttentionTest, TheReferenceOfNoKeysIsZero) {
    const ScaledDotProductAttentionDecode::Params params{.input_tensor_q = zeros({1, 1, 1, 32}),
                                                         .input_tensor_k = zeros({1, 1, 0, 32}),
                                                         .input_tensor_v = zeros({1, 1, 0, 32}),
                                                         .is_causal = false};
    EXPECT_EQ(find_operation(ScaledDotProductAttentionDecode::name)->reference(&params)[0].values[31], 0);
}

// Each core has its own copy of a sharded table.
TEST_F(DecodeAttentionTest, TakesAShardedTableAndShardedQueries) {
    const MemoryConfig copies = test::sharded(TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}, {1, 16});
    Tensor pages = Tensor::allocate_on_device(TensorSpec({2, 16}, DataType::UINT16, Layout::ROW_MAJOR, copies), device);
    std::vector<uint32_t> blocks(32, 0);
    blocks[0] = 1;
    blocks[16] = 1;
    write<uint32_t>(pages, blocks);
    const Tensor q = tensor({1, 1, 2, 32}, Numbers(64, 0.0F), Layout::TILE,
                            test::sharded(TensorMemoryLayout::HEIGHT_SHARDED, {1, 1}, {32, 32}));
    const Tensor result = paged_scaled_dot_product_attention_decode(q, zeros({2, 1, 32, 32}), numbered(2, 1, 32), pages,
                                                                    {.cur_pos_tensor = integers({1}, {0})});
    EXPECT_THAT(first_column(result), ElementsAre(32, 32));
    EXPECT_EQ(result.spec(), TensorSpec({1, 1, 2, 32}, DataType::BFLOAT16, Layout::TILE));
}

TEST_F(DecodeAttentionTest, BlocksOfTheCacheMayLieInShards) {
    const MemoryConfig banks(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::DRAM,
                             ShardSpec{CoreRangeSet(CoreRange({0, 0}, {1, 0})), {32, 32}});
    Tensor v = Tensor::allocate_on_device(TensorSpec({2, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE, banks), device);
    write<float>(v, values_of(numbered(2, 1, 32)));
    EXPECT_THAT(first_column(paged_scaled_dot_product_attention_decode(
                    zeros({1, 1, 2, 32}), v, v, integers({1, 2}, {1, 0}), {.cur_pos_tensor = integers({1}, {0})})),
                ElementsAre(32, 32));
}

TEST_F(DecodeAttentionTest, RowMajorQueriesGiveWholeTilesOfHeads) {
    const Tensor q = tensor({1, 2, 3, 32}, Numbers(size_t{6} * 32, 0.0F), Layout::ROW_MAJOR);
    const Tensor result =
        scaled_dot_product_attention_decode(q, zeros({2, 1, 32, 32}), numbered(2, 1, 32), {.cur_pos = {2, 0}});
    EXPECT_EQ(result.spec(), TensorSpec({1, 2, 32, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR));
    const Numbers numbers = first_column(result);
    EXPECT_THAT(Numbers(numbers.begin(), numbers.begin() + 4), ElementsAre(1, 1, 1, 0));
    EXPECT_THAT(Numbers(numbers.begin() + 32, numbers.begin() + 36), ElementsAre(32, 32, 32, 0));
}

TEST_F(DecodeAttentionTest, LatentValuesAreTheFirstColumnsOfTheKeys) {
    const Numbers k = scattered(size_t{64} * 96, 1);
    const Numbers q = scattered(size_t{5} * 96, 2);
    Numbers v;
    for (size_t row = 0; row < 64; ++row) {
        v.insert(v.end(), k.begin() + static_cast<std::ptrdiff_t>(row * 96),
                 k.begin() + static_cast<std::ptrdiff_t>(row * 96 + 32));
    }
    const Numbers expected = test::attention_by_definition(q, k, v, 96, 0.25, [](size_t, size_t j) { return j <= 40; });
    const Tensor result = flash_multi_latent_attention_decode.with({.input_tensor_q = tensor({1, 1, 5, 96}, q),
                                                                    .input_tensor_k = tensor({1, 1, 64, 96}, k),
                                                                    .head_dim_v = 32,
                                                                    .cur_pos = {40},
                                                                    .scale = 0.25});
    EXPECT_EQ(result.logical_shape(), Shape({1, 1, 5, 32}));
    EXPECT_THAT(values_of(result), Pointwise(FloatNear(0.005F), expected));
    // The same rows as pages: the second half of the sequence is block 0.
    Numbers swapped(k.begin() + 32 * 96, k.end());
    swapped.insert(swapped.end(), k.begin(), k.begin() + 32 * 96);
    const Tensor paged =
        paged_flash_multi_latent_attention_decode.with({.input_tensor_q = tensor({1, 1, 5, 96}, q),
                                                        .input_tensor_k = tensor({2, 1, 32, 96}, swapped),
                                                        .head_dim_v = 32,
                                                        .page_table_tensor = integers({1, 2}, {1, 0}),
                                                        .cur_pos_tensor = integers({1}, {40}),
                                                        .scale = 0.25});
    EXPECT_EQ(values_of(paged), values_of(result));
}

// Arguments that must be given stand behind one that need not be.
TEST_F(DecodeAttentionTest, LatentAttentionNamesWhatIsMissing) {
    const Tensor q = zeros({1, 1, 4, 32});
    const Tensor k = zeros({1, 1, 32, 32});
    EXPECT_THAT(error_of([&] { flash_multi_latent_attention_decode(q, k, {.cur_pos = {1}}); }),
                HasSubstr("argument 'head_dim_v' is missing"));
    EXPECT_THAT(error_of([&] { paged_flash_multi_latent_attention_decode(q, k); }),
                HasSubstr("argument 'head_dim_v' is missing"));
    EXPECT_THAT(error_of([&] { paged_flash_multi_latent_attention_decode(q, k, {.head_dim_v = 32}); }),
                HasSubstr("argument 'page_table_tensor' is missing"));
}

TEST_F(DecodeAttentionTest, RefusesWhatHardwareRefuses) {
    const Tensor q = zeros({1, 2, 4, 32});
    const Tensor k = zeros({2, 2, 64, 32});
    using Options = ScaledDotProductAttentionDecode::Params;
    const auto refusal = [&](const Tensor& queries, const Tensor& keys, const Options& options) {
        return error_of([&] { scaled_dot_product_attention_decode(queries, keys, keys, options); });
    };
    EXPECT_THAT(refusal(q, k, {}), HasSubstr("must hold one position for each of 2 batches, got 0"));
    EXPECT_THAT(refusal(q, k, {.cur_pos = {1, 64}}), HasSubstr("positions below 64"));
    EXPECT_THAT(refusal(q, k, {.attn_mask = zeros({2, 1, 4, 64}), .cur_pos = {1, 1}}), HasSubstr("exclude each other"));
    EXPECT_THAT(refusal(q, k, {.cur_pos = {1, 1}, .program_config = attention::chunks(32, 96)}),
                HasSubstr("power of two"));
    EXPECT_THAT(refusal(q, k, {.cur_pos = {1, 1}, .program_config = attention::chunks(32, 128)}),
                HasSubstr("not a multiple of the k_chunk_size of 128"));
    EXPECT_THAT(refusal(q, zeros({2, 1, 36, 32}), {.cur_pos = {1, 1}}), HasSubstr("a multiple of 32"));
    EXPECT_THAT(refusal(zeros({2, 2, 4, 32}), k, {.cur_pos = {1, 1}}), HasSubstr("[1, batch, heads, width]"));
    EXPECT_THAT(refusal(copy_to_device(q, device, l1_memory_config()), k, {.cur_pos = {1, 1}}),
                HasSubstr("height sharded or in DRAM"));
    EXPECT_THAT(error_of([&] {
                    paged_scaled_dot_product_attention_decode(q, k, k, integers({2, 1}, {0, 1}));
                }),
                HasSubstr("'cur_pos_tensor' is needed"));
}

// By hand for 4 heads (half tiles) 32 wide and chunks of 64 keys, on 16 cores for one batch.
TEST_F(DecodeAttentionTest, CircularBuffersFollowTheHeadsAndChunks) {
    const Tensor q = zeros({1, 1, 4, 32});
    const Tensor k = zeros({1, 1, 128, 32});
    const test::Recording recording;
    scaled_dot_product_attention_decode(q, k, k, {.cur_pos = {3}, .program_config = attention::chunks(32, 64)});
    EXPECT_THAT(recording->names, ElementsAre("ttnn::transformer::scaled_dot_product_attention_decode",
                                              "ttnn::prim::sdpa_decode", "Device Operation", "create_device_tensor"));
    const Numbers sizes(recording->sizes.begin(), recording->sizes.end());
    EXPECT_THAT(sizes, ElementsAre(1024, 4 * 2048, 4 * 2048, 2 * 1024,        // q, k, v, mask
                                   1024, 1024, 1024,                          // scale and what other cores found
                                   1024, 2048, 1024,                          // queries again, ones
                                   2 * 1024, 1024, 1024,                      // scores and results
                                   1024, 1024, 1024, 1024, 1024, 1024, 1024,  // greatest scores and sums
                                   1024, 1024, 1024, 1024,                    // results between cores
                                   3 * 15 * 1024, 2048));                     // of 15 other cores; output
}

}  // namespace
}  // namespace ttnn
