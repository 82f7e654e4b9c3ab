#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/attention_support.hpp"
#include "ttnn/check/opcheck.hpp"
#include "ttnn/ops/transformer/ring_attention.hpp"

namespace ttnn {
namespace {

using namespace transformer;  // NOLINT(google-build-using-namespace): the operations under test
using test::attention_by_definition;
using test::error_of;
using test::Numbers;
using test::scattered;
using test::values_of;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr uint32_t width = 32;

class RingAttentionTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150", .mesh = {{2, 4}}});

    // Chip i holds `rows` rows of the numbers from row first(i) on.
    Tensor spread(const Numbers& numbers, uint32_t rows, const std::function<uint32_t(uint32_t)>& first) const {
        const Shape shape{1, 1, rows, width};
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE), device);
        for (uint32_t chip = 0; chip < device->num_chips(); ++chip) {
            const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first(chip) * width);
            Tensor part = tensor.part(chip);
            write<float>(part, Numbers(begin, begin + static_cast<std::ptrdiff_t>(rows * width)));
        }
        return tensor;
    }
    Tensor replicated(const Numbers& numbers) const {
        return spread(numbers, static_cast<uint32_t>(numbers.size() / width), [](uint32_t) { return 0U; });
    }
};

Numbers rows(const Numbers& numbers, size_t first, size_t count) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(count * width)};
}

Numbers together(Numbers first, const Numbers& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

TEST_F(RingAttentionTest, ChipsOfARowShareASequence) {
    constexpr uint32_t own = 32;
    constexpr uint32_t logical = 117;  // of 4 * 32
    const Numbers q = scattered(128 * width, 1);
    const Numbers k = scattered(128 * width, 2);
    const Numbers v = scattered(128 * width, 3);
    const Numbers joint_q = scattered(10 * width, 4);
    const Numbers joint_k = scattered(10 * width, 5);
    const Numbers joint_v = scattered(10 * width, 6);
    const auto part = [&](const Numbers& numbers) {
        return spread(numbers, own, [own](uint32_t chip) { return chip % 4 * own; });
    };
    const auto [out, joint, logs] =
        ring_joint_scaled_dot_product_attention.with({.input_tensor_q = part(q),
                                                      .input_tensor_k = part(k),
                                                      .input_tensor_v = part(v),
                                                      .joint_tensor_q = replicated(joint_q),
                                                      .joint_tensor_k = replicated(joint_k),
                                                      .joint_tensor_v = replicated(joint_v),
                                                      .persistent_output_buffer_k = replicated(k),
                                                      .persistent_output_buffer_v = replicated(v),
                                                      .logical_n = logical,
                                                      .cluster_axis = 1,
                                                      .scale = 0.25});
    const Numbers keys = together(rows(k, 0, logical), joint_k);
    const Numbers values = together(rows(v, 0, logical), joint_v);
    const auto all = [](size_t, size_t) { return true; };
    EXPECT_EQ(logs.logical_shape(), Shape({1, 1, own + 10, 1}));
    for (const uint32_t chip : {0U, 3U, 6U}) {
        const Numbers queries = rows(q, chip % 4 * own, own);
        EXPECT_THAT(values_of(out.part(chip)),
                    Pointwise(FloatNear(0.005F), attention_by_definition(queries, keys, values, width, 0.25, all)));
        EXPECT_THAT(values_of(joint.part(chip)),
                    Pointwise(FloatNear(0.005F), attention_by_definition(joint_q, keys, values, width, 0.25, all)));
        double sum = 0;  // of the first joint query
        for (size_t key = 0; key < logical + 10; ++key) {
            double score = 0;
            for (size_t c = 0; c < width; ++c) {
                score += 0.25 * joint_q[c] * keys[key * width + c];
            }
            sum += std::exp(score);
        }
        EXPECT_NEAR(values_of(logs.part(chip))[own], std::log(sum), 0.02);
    }
}

TEST_F(RingAttentionTest, ChipsTakeAChunkFromTheFrontAndOneFromTheEnd) {
    const Numbers q = scattered(256 * width, 1);
    const Numbers k = scattered(256 * width, 2);
    const Numbers v = scattered(256 * width, 3);
    const Numbers expected = attention_by_definition(q, k, v, width, 0.25, [](size_t i, size_t j) { return j <= i; });
    const Tensor out =
        ring_distributed_scaled_dot_product_attention(replicated(q), replicated(k), replicated(v), 4, {.scale = 0.25});
    EXPECT_EQ(out.logical_shape(), Shape({1, 1, 64, width}));
    for (uint32_t chip = 0; chip < 8; ++chip) {
        const uint32_t place = chip % 4;
        EXPECT_THAT(values_of(out.part(chip)),
                    Pointwise(FloatNear(0.005F),
                              together(rows(expected, place * 32, 32), rows(expected, (7 - place) * 32, 32))));
    }
    const Tensor third = ring_distributed_scaled_dot_product_attention(replicated(q), replicated(k), replicated(v), 4,
                                                                       {.ring_id = 2, .scale = 0.25});
    EXPECT_EQ(values_of(third.part(0)), values_of(out.part(2)));
    EXPECT_EQ(values_of(third.part(7)), values_of(out.part(2)));
    EXPECT_THAT(error_of([&] {
                    ring_distributed_scaled_dot_product_attention(replicated(q), replicated(k), replicated(v), 3);
                }),
                HasSubstr("an even number"));
}

TEST_F(RingAttentionTest, CasesAgreeWithTheirReferencesOnAMesh) {
    for (const auto* name : {"ttnn.transformer.ring_joint_scaled_dot_product_attention",
                             "ttnn.transformer.ring_distributed_scaled_dot_product_attention"}) {
        const OpInfo* op = find_operation(name);
        ASSERT_NE(op, nullptr) << name;
        const OpCheck check = check_operation(*op, device);
        EXPECT_TRUE(check.pass()) << name << ": "
                                  << (check.failures.empty() ? "no cases" : check.failures[0].scorecard.reason);
    }
}

}  // namespace
}  // namespace ttnn
