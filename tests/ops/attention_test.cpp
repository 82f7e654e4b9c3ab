#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/attention_support.hpp"
#include "ttnn/ops/transformer/attention_softmax.hpp"
#include "ttnn/ops/transformer/chunked_attention.hpp"
#include "ttnn/ops/transformer/flash_mla_prefill.hpp"
#include "ttnn/ops/transformer/joint_attention.hpp"
#include "ttnn/ops/transformer/scaled_dot_product_attention.hpp"

namespace ttnn {
namespace {

using namespace transformer;  // NOLINT(google-build-using-namespace): the operations under test
using test::attention_by_definition;
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

class AttentionTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tensor(const Shape& shape, const Numbers& values, DataType dtype = DataType::BFLOAT16,
                  Layout layout = Layout::TILE) const {
        return test::tensor(device, TensorSpec(shape, dtype, layout), values);
    }
    Tensor zeros(const Shape& shape, DataType dtype = DataType::BFLOAT16) const {
        return tensor(shape, Numbers(shape.volume(), 0.0F), dtype);
    }
    Tensor integers(const Shape& shape, const std::vector<uint32_t>& values) const {
        Tensor result = Tensor::allocate_on_device(TensorSpec(shape, DataType::INT32, Layout::ROW_MAJOR), device);
        write<uint32_t>(result, values);
        return result;
    }
    // [1, 1, rows, 32] whose rows hold 0, 1, 2, ...
    Tensor numbered(uint32_t rows) const {
        Numbers numbers;
        for (uint32_t i = 0; i < rows; ++i) {
            numbers.push_back(static_cast<float>(i));
        }
        return tensor({1, 1, rows, 32}, rows_of(numbers, 32));
    }
};

// With equal scores the result is the mean of the values that a query sees.
TEST_F(AttentionTest, EqualScoresGiveTheMeanOfWhatAQuerySees) {
    const Tensor q = zeros({1, 1, 8, 32});
    const Tensor v = numbered(8);
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v)), ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5));
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v, {.is_causal = false})), Each(3.5));
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v, {.sliding_window_size = 3})),
                ElementsAre(0, 0.5, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v, {.is_causal = false, .sliding_window_size = 4})),
                ElementsAre(1, 1.5, 2, 3, 4, 5, 5.5, 6));
}

TEST_F(AttentionTest, ScoresAreScaledProducts) {
    Numbers q(32, 0.0F);
    q[0] = 2.0F;
    Numbers k(64, 0.0F);
    k[32] = 1.0F;  // scores 0 and 2 * scale
    const Tensor v = tensor({1, 1, 2, 32}, rows_of({0, 1}, 32));
    const auto share = [&](std::optional<double> scale) {
        return first_column(scaled_dot_product_attention(tensor({1, 1, 1, 32}, q), tensor({1, 1, 2, 32}, k), v,
                                                         {.is_causal = false, .scale = scale}))[0];
    };
    EXPECT_FLOAT_EQ(share(std::log(3.0) / 2), 0.75F);
    const double natural = 1 / (1 + std::exp(-2 / std::sqrt(32.0)));
    EXPECT_NEAR(share(std::nullopt), natural, natural / 256);
}

TEST_F(AttentionTest, HeadsOfKeysServeNeighbours) {
    const Tensor q = zeros({1, 6, 1, 32});
    const Tensor k = zeros({1, 2, 1, 32});
    const Tensor v = tensor({1, 2, 1, 32}, rows_of({5, 9}, 32));
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, k, v)), ElementsAre(5, 5, 5, 9, 9, 9));
}

TEST_F(AttentionTest, AMaskIsAddedAndSpreadOverBatchesAndHeads) {
    const float gone = -std::numeric_limits<float>::infinity();
    const Tensor q = zeros({2, 2, 2, 32});
    const Tensor v = tensor({2, 2, 2, 32}, rows_of({1, 2, 3, 4, 5, 6, 7, 8}, 32));
    const Tensor one = tensor({1, 1, 2, 2}, {0, gone, gone, 0});
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v, {.attn_mask = one, .is_causal = false})),
                ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    const Tensor per_head = tensor({1, 2, 2, 2}, {0, gone, 0, gone, gone, 0, gone, gone});
    EXPECT_THAT(first_column(scaled_dot_product_attention(q, q, v, {.attn_mask = per_head, .is_causal = false})),
                ElementsAre(1, 1, 4, 0, 5, 5, 8, 0));  // who sees nothing gets nothing
}

TEST_F(AttentionTest, ASinkTakesItsShare) {
    const Tensor q = zeros({1, 2, 1, 32});
    const Tensor v = tensor({1, 2, 1, 32}, rows_of({4, 4}, 32));
    const Tensor sink = tensor({1, 2, 1, 1}, {0, 4});
    const auto shares =
        first_column(scaled_dot_product_attention(q, q, v, {.scale = std::log(3.0) / 4, .attention_sink = sink}));
    EXPECT_THAT(shares, ElementsAre(2, 1));  // against e^0 and against e^(4 * scale) = 3
}

// Longer than a block of keys, with scores that grow, so that what was summed before is brought down again and again.
TEST_F(AttentionTest, LongSequencesAreComputedInBlocks) {
    constexpr uint32_t rows = 1500;
    Numbers q = scattered(rows * 32, 1);
    Numbers k = scattered(rows * 32, 2);
    for (uint32_t i = 0; i < rows; ++i) {
        q[i * 32] = 8;
        k[i * 32] = static_cast<float>(i / 100);
    }
    const Numbers v = scattered(rows * 32, 3);
    const auto compare = [&](int64_t window, const std::function<bool(size_t, size_t)>& sees) {
        const Tensor result = scaled_dot_product_attention(
            tensor({1, 1, rows, 32}, q), tensor({1, 1, rows, 32}, k), tensor({1, 1, rows, 32}, v),
            {.scale = 0.25, .sliding_window_size = window == 0 ? std::nullopt : std::optional(window)});
        EXPECT_THAT(values_of(result), Pointwise(FloatNear(0.005F), attention_by_definition(q, k, v, 32, 0.25, sees)));
    };
    compare(0, [](size_t i, size_t j) { return j <= i; });
    compare(200, [](size_t i, size_t j) { return j <= i && i < j + 200; });
}

TEST_F(AttentionTest, OutputsAreTilesOfTheQueriesDtypeInDram) {
    const Tensor q = zeros({1, 2, 40, 64}, DataType::BFLOAT8_B);
    EXPECT_EQ(scaled_dot_product_attention(q, q, q).spec(), TensorSpec({1, 2, 40, 64}, q.dtype(), Layout::TILE));
    const Tensor in_l1 = copy_to_device(q, device, l1_memory_config());
    EXPECT_EQ(scaled_dot_product_attention(in_l1, in_l1, in_l1).memory_config(), MemoryConfig());
    EXPECT_EQ(scaled_dot_product_attention(q, q, q, {.memory_config = l1_memory_config()}).memory_config(),
              l1_memory_config());
}

TEST_F(AttentionTest, RefusesWhatHardwareRefuses) {
    const Tensor q = zeros({1, 4, 64, 64});
    const Tensor k = zeros({1, 2, 64, 64});
    const auto refusal = [](const auto&... arguments) {
        return error_of([&] { scaled_dot_product_attention(arguments...); });
    };
    using Options = ScaledDotProductAttention::Params;
    EXPECT_THAT(refusal(q, k, k, Options{.attn_mask = zeros({1, 1, 64, 64})}), HasSubstr("exclude each other"));
    EXPECT_THAT(refusal(q, zeros({1, 2, 32, 64}), zeros({1, 2, 32, 64})), HasSubstr("as many keys as queries"));
    EXPECT_THAT(refusal(q, zeros({1, 3, 64, 64}), zeros({1, 3, 64, 64})), HasSubstr("cannot share evenly"));
    EXPECT_THAT(refusal(q, zeros({1, 2, 64, 32}), k), HasSubstr("as wide as the queries"));
    EXPECT_THAT(refusal(zeros({1, 1, 32, 40}), zeros({1, 1, 32, 40}), zeros({1, 1, 32, 40})),
                HasSubstr("multiple of 32 wide"));
    EXPECT_THAT(refusal(zeros({1, 4, 64, 64}, DataType::FLOAT32), k, k), HasSubstr("dtype"));
    EXPECT_THAT(refusal(q, k, k, Options{.program_config = attention::chunks(48, 32)}), HasSubstr("'program_config'"));
    EXPECT_THAT(refusal(q, k, k, Options{.attention_sink = zeros({1, 2, 1, 1})}), HasSubstr("'attention_sink'"));
    EXPECT_THAT(refusal(q, k, k, Options{.attn_mask = zeros({1, 1, 64, 32}), .is_causal = false}),
                HasSubstr("'attn_mask' must be [1 or 1, 1 or 4, 64, 64]"));
}

// By hand for chunks of 64 queries and 32 keys, 64 wide: 2 x 2 tiles of queries, 1 x 2 of keys and values.
TEST_F(AttentionTest, CircularBuffersFollowTheChunks) {
    const Tensor q = zeros({1, 1, 128, 64}, DataType::BFLOAT8_B);
    const test::Recording recording;
    scaled_dot_product_attention(q, q, q, {.program_config = attention::chunks(64, 32)});
    EXPECT_THAT(recording->names, ElementsAre("ttnn::transformer::scaled_dot_product_attention", "ttnn::prim::sdpa",
                                              "Device Operation", "create_device_tensor"));
    EXPECT_THAT(recording->sizes, ElementsAre(4 * 1088, 4 * 1088, 4 * 1088, 4 * 576, 2048, 2048, 2 * 2048, 4 * 2048,
                                              4 * 2048, 2 * 2048, 2 * 2048, 2 * 2048, 2 * 2048, 2 * 2048, 4 * 1088));
}

TEST_F(AttentionTest, QueriesStayInTheirWindows) {
    const Tensor q = zeros({1, 1, 6, 32});
    EXPECT_THAT(first_column(windowed_scaled_dot_product_attention(q, q, numbered(6), integers({4}, {0, 2, 5, 6}))),
                ElementsAre(0.5, 0.5, 3, 3, 3, 5));
}

TEST_F(AttentionTest, AChunkSeesWhatCameBeforeThroughThePageTable) {
    // Blocks of 32 rows that hold 0, 1 and 2; the sequence is block 2, then block 0.
    Numbers numbers;
    for (const float number : {0.0F, 1.0F, 2.0F}) {
        numbers.insert(numbers.end(), size_t{32} * 32, number);
    }
    const Tensor q = zeros({1, 1, 2, 32});
    const Tensor k = zeros({3, 1, 32, 32});
    const Tensor v = tensor({3, 1, 32, 32}, numbers);
    const Tensor pages = integers({1, 2}, {2, 0});
    const Numbers expected{64.0F / 33, 64.0F / 34};
    EXPECT_THAT(first_column(chunked_scaled_dot_product_attention(q, k, v, pages, {.chunk_start_idx = 32})),
                Pointwise(FloatNear(0.008F), expected));
    EXPECT_THAT(first_column(chunked_scaled_dot_product_attention(q, k, v, pages,
                                                                  {.chunk_start_idx_tensor = integers({1}, {32})})),
                Pointwise(FloatNear(0.008F), expected));
    EXPECT_THAT(error_of([&] { chunked_scaled_dot_product_attention(q, k, v, pages); }), HasSubstr("is needed"));
    EXPECT_THAT(error_of([&] { chunked_scaled_dot_product_attention(q, k, v, pages, {.chunk_start_idx = 63}); }),
                HasSubstr("the pages hold 64"));
    EXPECT_THAT(error_of([&] {
                    chunked_scaled_dot_product_attention(q, k, v, integers({1, 2}, {2, 3}), {.chunk_start_idx = 32});
                }),
                HasSubstr("is block 3, but the cache has 3 blocks"));
}

TEST_F(AttentionTest, LatentValuesAreTheFirstColumnsOfTheKeys) {
    const Numbers k = scattered(size_t{40} * 96, 4);
    const Numbers q = scattered(size_t{40} * 96, 5);
    Numbers v;
    for (size_t row = 0; row < 40; ++row) {
        v.insert(v.end(), k.begin() + static_cast<std::ptrdiff_t>(row * 96),
                 k.begin() + static_cast<std::ptrdiff_t>(row * 96 + 64));
    }
    const Tensor result = flash_mla_prefill(tensor({1, 1, 40, 96}, q), tensor({1, 1, 40, 96}, k), 64, {.scale = 0.25});
    EXPECT_EQ(result.logical_shape(), Shape({1, 1, 40, 64}));
    EXPECT_THAT(values_of(result),
                Pointwise(FloatNear(0.005F),
                          attention_by_definition(q, k, v, 96, 0.25, [](size_t i, size_t j) { return j <= i; })));
    const Tensor same = flash_mla_prefill(tensor({1, 1, 40, 96}, q), tensor({1, 1, 40, 96}, k),
                                          tensor({1, 1, 40, 64}, v), {.scale = 0.25});
    EXPECT_EQ(values_of(same), values_of(result));
}

TEST_F(AttentionTest, JointSequencesSeeBoth) {
    const Tensor three = zeros({1, 1, 3, 32});
    const Tensor one = zeros({1, 1, 1, 32});
    const auto results = joint_scaled_dot_product_attention(three, three, numbered(3), one, one,
                                                            tensor({1, 1, 1, 32}, rows_of({9}, 32)));
    EXPECT_THAT(first_column(std::get<0>(results)), ElementsAre(3, 3, 3));  // (0 + 1 + 2 + 9) / 4
    EXPECT_THAT(first_column(std::get<1>(results)), ElementsAre(3));
    EXPECT_THAT(error_of([&] {
                    joint_scaled_dot_product_attention(three, three, three, one, one, one, {.joint_strategy = "front"});
                }),
                HasSubstr("must be \"rear\""));
}

TEST_F(AttentionTest, SoftmaxOfScoresDividesByTheRootOfTheHead) {
    const auto third = static_cast<float>(std::log(3.0));
    const Tensor x = tensor({1, 1, 1, 2}, {0, 8 * third}, DataType::FLOAT32);
    EXPECT_THAT(values_of(attention_softmax(x, {.head_size = 64})),
                ElementsAre(FloatNear(0.25, 1e-6), FloatNear(0.75, 1e-6)));
    const Tensor mask = tensor({1, 1, 1, 2}, {0, -10000});
    EXPECT_THAT(values_of(attention_softmax(x, {.head_size = 64, .attention_mask = mask})), ElementsAre(1, 0));
    EXPECT_THAT(error_of([&] { attention_softmax_(x); }), HasSubstr("'attention_mask' is needed"));
    EXPECT_EQ(attention_softmax_(x, {.head_size = 64, .attention_mask = mask}), x);
    EXPECT_THAT(values_of(x), ElementsAre(1, 0));
}

}  // namespace
}  // namespace ttnn
