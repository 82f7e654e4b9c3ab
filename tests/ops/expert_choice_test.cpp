// What mixtures of experts need: the choice of experts, and sums of what they say.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/math_support.hpp"
#include "ttnn/ops/reduction/fast_reduce_nc.hpp"
#include "ttnn/ops/reduction/grouped_gate.hpp"

namespace ttnn {
namespace {

using test::counting;
using test::error_of;
using test::tensor;
using test::values_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExpertsTest : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = Device::open({.board = "n150"});

    Tensor experts(const std::vector<float>& values) const {
        return tensor(device, TensorSpec({1, 1, 1, 256}, DataType::BFLOAT16, Layout::TILE), values);
    }
};

TEST_F(ExpertsTest, SumsOfLeadingDimensionsShowThePadding) {
    const Tensor x = counting(device, {2, 3, 2, 4}, DataType::BFLOAT16, {}, 8);  // 0 to 7 in each matrix
    const Tensor sums = experimental::fast_reduce_nc(x, {.dims = {1, 0}});
    EXPECT_EQ(sums.spec(), TensorSpec({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE));
    const std::vector<float> values = values_of(sums);
    EXPECT_THAT(std::vector(values.begin(), values.begin() + 5), ElementsAre(0, 6, 12, 18, 0));
    EXPECT_EQ(values[32], 24);
    EXPECT_EQ(experimental::fast_reduce_nc(x, {.dims = {0}}).logical_shape(), Shape({1, 3, 32, 32}));

    const Tensor place = counting(device, {2, 1, 2, 4}, DataType::BFLOAT16, l1_memory_config());
    EXPECT_EQ(experimental::fast_reduce_nc(x, {.dims = {1}, .output = place}), place);
    EXPECT_THAT(values_of(place), ElementsAre(0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21));
}

TEST_F(ExpertsTest, SumsAreRefusedAlongRowsAndColumns) {
    const Tensor x = counting(device, {2, 3, 32, 32});
    EXPECT_THAT(error_of([&] { experimental::fast_reduce_nc(x); }), HasSubstr("dims should not be empty"));
    for (const int64_t dim : {int64_t{2}, int64_t{-4}}) {
        EXPECT_THAT(error_of([&] { experimental::fast_reduce_nc(x, {.dims = {dim}}); }), HasSubstr("argument 'dims'"));
    }
}

// Groups 1, 3, 5 and 7 have two good experts each; group 0 has the single best one.
TEST_F(ExpertsTest, GroupsAreJudgedByTheirTwoBest) {
    std::vector<float> scores(256, -8.0F);
    scores[0] = 1.0F;
    std::vector<float> chosen;
    for (const size_t group : {7, 5, 3, 1}) {
        const float score = static_cast<float>(group) / 8;  // all sigmoids of pairs are above that of one alone
        scores[group * 32 + 3] = score;
        scores[group * 32 + 9] = score - 0.0625F;
        chosen.insert(chosen.end(), {static_cast<float>(group * 32 + 3), static_cast<float>(group * 32 + 9)});
    }
    const auto [weights, indices] = experimental::deepseek_grouped_gate(
        experts(scores), experts(std::vector<float>(256, 0.0F)), {.route_scale = 2});
    EXPECT_EQ(indices.spec(), TensorSpec({1, 1, 1, 8}, DataType::UINT16, Layout::TILE));
    EXPECT_EQ(weights.spec(), TensorSpec({1, 1, 1, 8}, DataType::BFLOAT16, Layout::TILE));
    EXPECT_EQ(values_of(indices), chosen);
    float sum = 0;
    for (const float weight : values_of(weights)) {
        sum += weight;
    }
    EXPECT_NEAR(sum, 2.0F, 0.02F);
}

TEST_F(ExpertsTest, TheBiasChoosesButDoesNotWeigh) {
    std::vector<float> bias(256, 0.0F);
    std::vector<float> chosen;
    for (size_t i = 0; i < 8; ++i) {
        bias[i * 20] = 4.0F - static_cast<float>(i) / 4;  // in groups 0 to 4
        chosen.push_back(static_cast<float>(i * 20));
    }
    const Tensor zeros = experts(std::vector<float>(256, 0.0F));
    const auto [weights, indices] = experimental::deepseek_grouped_gate(zeros, experts(bias));
    EXPECT_THAT(values_of(weights), Each(0.125F));
    // Group 4 has one of them (140): its sum is smaller than that of the four others.
    chosen.back() = 1;  // the first of the experts without a bias
    EXPECT_EQ(values_of(indices), chosen);
    EXPECT_THAT(error_of([&] { experimental::deepseek_grouped_gate(zeros, zeros, {.n_groups = 4}); }),
                HasSubstr("argument 'n_groups' must be 8 at the moment, got 4"));
}

}  // namespace
}  // namespace ttnn
