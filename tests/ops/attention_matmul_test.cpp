// The matrix products beside matmul: those of decoding attention, minimal_matmul and sparse_matmul.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/matmul/attn_matmul.hpp"
#include "ttnn/ops/matmul/minimal_matmul.hpp"
#include "ttnn/ops/matmul/sparse_matmul.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::sharded;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AttentionMatmulTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor tiles(const Shape& shape, const std::vector<float>& values) const {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, Layout::TILE), values);
    }
    Tensor constant(const Shape& shape, float value) const {
        return tiles(shape, std::vector<float>(shape.volume(), value));
    }
    // Square matrices with a factor of their own on the diagonal.
    Tensor diagonals(const Shape& shape) const {
        const size_t side = shape[-1];
        std::vector<float> values(shape.volume());
        for (size_t matrix = 0; matrix < values.size() / (side * side); ++matrix) {
            for (size_t i = 0; i < side; ++i) {
                values[(matrix * side + i) * side + i] = static_cast<float>(1 + matrix % 32);
            }
        }
        return tiles(shape, values);
    }
};

TEST_F(AttentionMatmulTest, EveryUserHasAMatrix) {
    const Tensor a = counting(device, {1, 2, 32, 32});
    const Tensor result =
        experimental::attn_matmul(a, diagonals({32, 1, 32, 32}), {.compute_with_storage_grid_size = {8, 7}});
    EXPECT_EQ(result.logical_shape(), Shape({1, 2, 32, 32}));
    const std::vector<float> from = values_of(a);
    const std::vector<float> to = values_of(result);
    for (size_t i = 0; i < to.size(); ++i) {
        ASSERT_EQ(to[i], from[i] * static_cast<float>(1 + i / 32 % 32));
    }
    EXPECT_THAT(error_of([&] {
                    experimental::attn_matmul(a, a, {.compute_with_storage_grid_size = {8, 7}});
                }),
                HasSubstr("argument 'input_tensor_a' must be [1, heads, 1, k]"));
}

TEST_F(AttentionMatmulTest, GroupsOfHeadsShareAMatrix) {
    const Tensor a = counting(device, {1, 4, 32, 32});
    const Tensor result = experimental::group_attn_matmul(
        a, diagonals({32, 2, 32, 32}),
        {.compute_with_storage_grid_size = {8, 4},
         .memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)});
    EXPECT_EQ(result.memory_config(), sharded(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {32, 32}));
    const std::vector<float> from = values_of(a);
    const std::vector<float> to = values_of(result);
    for (size_t i = 0; i < to.size(); ++i) {
        const size_t head = i / 1024;
        const size_t user = i / 32 % 32;
        ASSERT_EQ(to[i], from[i] * static_cast<float>(1 + (user * 2 + head / 2) % 32));
    }
    EXPECT_THAT(
        error_of([&] {
            experimental::group_attn_matmul(a, diagonals({32, 3, 32, 32}), {.compute_with_storage_grid_size = {8, 4}});
        }),
        HasSubstr("groups of equal size"));
    EXPECT_THAT(
        error_of([&] {
            experimental::group_attn_matmul(a, diagonals({32, 2, 32, 32}), {.compute_with_storage_grid_size = {4, 4}});
        }),
        HasSubstr("has 16 cores"));
}

TEST_F(AttentionMatmulTest, OnlyTheFirstRowsOfACacheCount) {
    std::vector<float> rows(32 * 96 * 32);
    for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = i / 32 % 96 < 64 ? 1.0F : 100.0F;
    }
    const Tensor cache = tiles({32, 1, 96, 32}, rows);
    const Tensor keys = experimental::attn_matmul_from_cache(
        constant({1, 1, 32, 32}, 1), cache,
        {.num_tokens = 64, .transpose_hw = true, .compute_with_storage_grid_size = {8, 7}});
    EXPECT_EQ(keys.logical_shape(), Shape({1, 1, 32, 64}));
    EXPECT_THAT(values_of(keys), Each(32));
    const Tensor values = experimental::attn_matmul_from_cache(
        constant({1, 1, 32, 64}, 1), cache,
        {.num_tokens = 64, .transpose_hw = false, .compute_with_storage_grid_size = {8, 7}});
    EXPECT_EQ(values.logical_shape(), Shape({1, 1, 32, 32}));
    EXPECT_THAT(values_of(values), Each(64));
    EXPECT_THAT(error_of([&] {
                    experimental::attn_matmul_from_cache(
                        constant({1, 1, 32, 32}, 1), cache,
                        {.num_tokens = 40, .transpose_hw = true, .compute_with_storage_grid_size = {8, 7}});
                }),
                HasSubstr("'num_tokens' must be a multiple of 32"));
}

TEST_F(AttentionMatmulTest, MinimalMatmulIsLinear) {
    const Tensor a = constant({2, 33, 64}, 0.5F);
    const Tensor weight = constant({64, 64}, -1);
    const Tensor bias = constant({1, 64}, 2);
    EXPECT_THAT(values_of(experimental::minimal_matmul(a, weight)), Each(-32));
    EXPECT_THAT(values_of(experimental::minimal_matmul(a, weight, {.bias_tensor = bias})), Each(-30));
    EXPECT_THAT(values_of(experimental::minimal_matmul(
                    a, weight, {.bias_tensor = bias, .fused_activation = UnaryWithParam(UnaryOpType::RELU)})),
                Each(0));
    const std::vector<Tensor> parts = experimental::minimal_matmul_split(a, weight, {.chunks = 2});
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[1].logical_shape(), Shape({2, 33, 32}));
    EXPECT_THAT(error_of([&] { experimental::minimal_matmul_split(a, weight); }), HasSubstr("'chunks' must cut 64"));
}

TEST_F(AttentionMatmulTest, MinimalMatmulChecksItsConfig) {
    const Tensor a = constant({64, 64}, 1);
    const auto error = [&](const MinimalMatmulConfig& config) {
        return error_of([&] { experimental::minimal_matmul(a, a, {.config = config}); });
    };
    EXPECT_EQ(error({2, 2, 2, 2, 2, {2, 2}}), "");
    EXPECT_THAT(error({3, 2, 2, 2, 2, {2, 2}}), HasSubstr("cannot be cut into subblocks"));
    EXPECT_THAT(error({2, 2, 2, 1, 1, {1, 1}}), HasSubstr("the grid must be between 2 x 2"));
    EXPECT_THAT(error({4, 2, 4, 4, 2, {2, 2}}), HasSubstr("a subblock has 8 tiles, but 4 fit"));
    const test::Recording recording;
    experimental::minimal_matmul(a, a, {.config = MinimalMatmulConfig{2, 1, 3, 1, 1, {2, 2}}});
    EXPECT_THAT(recording->sizes, ElementsAre(2 * 2 * 2048, 2 * 3 * 2048, 6 * 2048, 6 * 4096));
}

TEST_F(AttentionMatmulTest, SparseProductsAreLeftOut) {
    const Tensor a = constant({1, 2, 32, 32}, 1);
    const Tensor b = constant({1, 2, 32, 64}, 2);
    const auto mask = [&](const Shape& shape, const std::vector<float>& values) {
        return tensor(device, TensorSpec(shape, DataType::BFLOAT16, Layout::ROW_MAJOR), values);
    };
    const auto first_numbers = [](const Tensor& tensor) {
        const std::vector<float> all = values_of(tensor);
        std::vector<float> first;
        for (size_t i = 0; i < all.size(); i += 32 * 64) {
            first.push_back(all[i]);
        }
        return first;
    };
    const Tensor pairs = sparse_matmul(a, b, {.sparsity = mask({1, 1, 1, 2}, {0, 3}), .is_input_a_sparse = true});
    EXPECT_EQ(pairs.logical_shape(), Shape({1, 2, 32, 64}));
    EXPECT_THAT(first_numbers(pairs), ElementsAre(0, 64));
    const Tensor all = sparse_matmul(a, b, {.sparsity = mask({1, 2, 1, 2}, {1, 0, 0, 1})});
    EXPECT_EQ(all.logical_shape(), Shape({1, 2, 1, 2, 32, 64}));
    EXPECT_THAT(first_numbers(all), ElementsAre(64, 0, 0, 64));
    const Tensor rows = sparse_matmul(
        constant({2, 2, 32, 32}, 1), b,
        {.sparsity = mask({1, 1, 2, 2}, {0, 1, 1, 0}), .is_input_a_sparse = true, .is_input_b_sparse = false});
    EXPECT_EQ(rows.logical_shape(), Shape({2, 2, 32, 64}));
    EXPECT_THAT(first_numbers(rows), ElementsAre(0, 64, 64, 0));
    EXPECT_THAT(error_of([&] {
                    sparse_matmul(a, b, {.sparsity = mask({1, 1, 1, 2}, {0, 3}), .is_input_b_sparse = false});
                }),
                HasSubstr("must be true"));
    EXPECT_THAT(error_of([&] {
                    sparse_matmul(a, b, {.sparsity = mask({1, 1, 1, 2}, {0, 3})});
                }),
                HasSubstr("'sparsity' must hold 4 numbers, got 2"));
}

}  // namespace
}  // namespace ttnn
