// Tokens on their way to experts on other chips and back, against plain loops over tokens.
#include "ttnn/ops/index/expert_transport.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ccl_support.hpp"
#include "ttnn/check/opcheck.hpp"
#include "ttnn/ops/index/expert_remap.hpp"

namespace ttnn {
namespace {

using testing::Axis;
using testing::elements;
using ::testing::ElementsAre;
using testing::error_of;
using testing::group_of;
using ::testing::HasSubstr;
using testing::mesh_of;
using testing::place_of;
using testing::Values;

constexpr uint32_t experts_per_chip = 2;
constexpr uint32_t choices = 3;
constexpr uint32_t width = 4;

// Different for every chip and place, and exact in BFLOAT16.
float token_value(uint32_t chip, uint64_t token, uint64_t column) {
    return static_cast<float>(1 + chip * 31 + token * 7 % 29 + column);
}
uint32_t choice_of(uint32_t chip, uint64_t token, uint64_t k, uint32_t experts) {
    return static_cast<uint32_t>((chip * 5 + token * 3 + k * (experts / choices + 1)) % experts);
}

// Experts lie on chips in turn: expert e on chip e % chips.
class Experts : public ::testing::TestWithParam<std::array<uint32_t, 2>> {
protected:
    std::shared_ptr<Device> device = mesh_of(GetParam()[0], GetParam()[1]);
    uint32_t chips = device->num_chips();
    uint32_t experts = chips * experts_per_chip;

    uint32_t home(uint32_t expert) const { return expert % chips; }
    uint32_t place_at_home(uint32_t expert) const { return expert / chips; }

    template <class Value>
    Tensor filled(const Shape& shape, DataType dtype, Value value) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::ROW_MAJOR), device);
        for (uint32_t chip = 0; chip < chips; ++chip) {
            std::vector<float> values(shape.volume());
            for (uint64_t i = 0; i < values.size(); ++i) {
                values[i] = value(chip, i / shape[-1], i % shape[-1]);
            }
            Tensor part = tensor.part(chip);
            write<float>(part, values);
        }
        tensor.set_topology({{{0}, {1}}, device->mesh()});
        return tensor;
    }
    Tensor mapping() const {
        Tensor tensor = filled({1, 1, experts, chips}, DataType::UINT16, [&](uint32_t, uint64_t expert, uint64_t chip) {
            return home(static_cast<uint32_t>(expert)) == chip ? 1.0F : 0.0F;
        });
        for (uint32_t chip = 1; chip < chips; ++chip) {
            tensor.share_part(0, chip);
        }
        return tensor;
    }
    Tensor tokens(const Shape& shape) const { return filled(shape, DataType::BFLOAT16, token_value); }
    Tensor choices_of(const Shape& shape) const {
        return filled(shape, DataType::UINT16, [&](uint32_t chip, uint64_t token, uint64_t k) {
            return static_cast<float>(choice_of(chip, token, k, experts));
        });
    }
};

TEST_P(Experts, GetTheTokensThatChoseThem) {
    constexpr uint32_t batch = 2;
    constexpr uint32_t sequence = 3;
    const Tensor input = tokens({batch, 1, sequence, width});
    const Tensor chosen = choices_of({batch, 1, sequence, choices});
    for (const Axis axis : {Axis(0), Axis(1), Axis()}) {
        for (const int64_t dim : {1, 2}) {
            const auto sent =
                all_to_all_dispatch(input, chosen, mapping(), {.output_concat_dim = dim, .cluster_axis = axis});
            ASSERT_EQ(sent.size(), 2U);
            for (uint32_t chip = 0; chip < chips; ++chip) {
                const auto group = group_of(device->mesh(), axis, chip);
                const auto members = static_cast<uint32_t>(group.size());
                const Shape shape = dim == 1 ? Shape({1, batch * members, sequence, width})
                                             : Shape({1, batch, sequence * members, width});
                ASSERT_EQ(sent[0].logical_shape(), shape);
                const auto rows = elements(sent[0].part(chip));
                const auto metadata = elements(sent[1].part(chip));
                for (uint32_t member = 0; member < members; ++member) {
                    for (uint32_t token = 0; token < batch * sequence; ++token) {
                        const uint32_t b = token / sequence;
                        const uint32_t s = token % sequence;
                        const size_t row = dim == 1 ? (member * batch + b) * sequence + s
                                                    : b * sequence * members + member * sequence + s;
                        bool mine = false;
                        for (uint32_t k = 0; k < choices; ++k) {
                            const uint32_t expert = choice_of(group[member], token, k, experts);
                            ASSERT_EQ(metadata[row * choices + k], static_cast<float>(expert));
                            mine = mine || home(expert) == chip;
                        }
                        for (uint32_t column = 0; column < width; ++column) {
                            ASSERT_EQ(rows[row * width + column],
                                      mine ? token_value(group[member], token, column) : 0.0F);
                        }
                    }
                }
            }
        }
    }
}

// What an expert makes of a token, as its chip holds it.
float result_of(uint32_t chip, uint64_t row, uint64_t column) {
    return static_cast<float>(1 + (chip * 17 + row * 5 + column) % 251);
}

TEST_P(Experts, ResultsComeBackInTheOrderOfTheChoice) {
    for (const Axis axis : {Axis(0), Axis(1), Axis()}) {
        const auto members = static_cast<uint32_t>(group_of(device->mesh(), axis, 0).size());
        const uint32_t batch = 2 * members;
        constexpr uint32_t sequence = 3;
        const uint32_t all = batch * sequence;
        const Tensor input = filled({experts_per_chip, batch, sequence, width}, DataType::BFLOAT16, result_of);
        const Tensor reduced = filled({1, batch, sequence, width}, DataType::BFLOAT16, result_of);
        // The same for all chips of a group.
        const Tensor metadata =
            filled({1, batch, sequence, choices}, DataType::UINT16, [&](uint32_t chip, uint64_t token, uint64_t k) {
                return static_cast<float>(choice_of(group_of(device->mesh(), axis, chip)[0], token, k, experts));
            });
        const Tensor output = all_to_all_combine(input, metadata, mapping(), {.cluster_axis = axis});
        const Tensor sums =
            all_to_all_combine(reduced, metadata, mapping(), {.local_reduce = true, .cluster_axis = axis});
        ASSERT_EQ(output.logical_shape(), Shape({choices, 2, sequence, width}));
        for (uint32_t chip = 0; chip < chips; ++chip) {
            const auto group = group_of(device->mesh(), axis, chip);
            const auto rows = elements(output.part(chip));
            const auto sum_rows = elements(sums.part(chip));
            for (uint32_t token = 0; token < 2 * sequence; ++token) {
                const uint64_t global = place_of(group, chip) * 2 * sequence + token;
                for (uint32_t k = 0; k < choices; ++k) {
                    const uint32_t expert = choice_of(group[0], global, k, experts);
                    const uint32_t owner = home(expert);
                    const bool here = std::ranges::find(group, owner) != group.end();
                    bool first = here;  // of the owner's experts among the choice
                    for (uint32_t other = 0; other < choices; ++other) {
                        const uint32_t rival = choice_of(group[0], global, other, experts);
                        first = first && !(home(rival) == owner && rival < expert);
                    }
                    for (uint32_t column = 0; column < width; ++column) {
                        const size_t at = (size_t{k} * 2 * sequence + token) * width + column;
                        const uint64_t row = uint64_t{place_at_home(expert)} * all + global;
                        ASSERT_EQ(rows[at], here ? result_of(owner, row, column) : 0.0F);
                        ASSERT_EQ(sum_rows[at], first ? result_of(owner, global, column) : 0.0F);
                    }
                }
            }
        }
    }
}

TEST_P(Experts, ReferencesAgreeWithRealMappings) {
    const auto reason = [](const auto& op, const auto& params) {
        AnyParams call(op.info(), &params);
        const CallCheck check = check_call(call, 1, {.filled = true});
        return check.outcome == CallOutcome::JUDGED && check.scorecard.pass ? "" : check.scorecard.reason + " (failed)";
    };
    for (const Axis axis : {Axis(0), Axis(1), Axis()}) {
        const auto members = static_cast<uint32_t>(group_of(device->mesh(), axis, 0).size());
        EXPECT_EQ(reason(all_to_all_dispatch,
                         AllToAllDispatch::Params{.input_tensor = tokens({2, 3, 1, width}),
                                                  .expert_indices_tensor = choices_of({2, 3, 1, choices}),
                                                  .expert_mapping_tensor = mapping(),
                                                  .output_concat_dim = 2,
                                                  .cluster_axis = axis}),
                  "");
        AllToAllCombine::Params params{
            .input_tensor = filled({experts_per_chip, 2, 3 * members, width}, DataType::BFLOAT16, result_of),
            .expert_metadata_tensor = choices_of({1, 2, 3 * members, choices}),
            .expert_mapping_tensor = mapping(),
            .output_shard_dim = 2,
            .cluster_axis = axis};
        EXPECT_EQ(reason(all_to_all_combine, params), "");
        params.local_reduce = true;
        params.input_tensor = filled({1, 2, 3 * members, width}, DataType::BFLOAT16, result_of);
        EXPECT_EQ(reason(all_to_all_combine, params), "");
    }
    EXPECT_EQ(reason(moe_expert_token_remap,
                     MoeExpertTokenRemap::Params{.topk_tensor = tokens({1, 2, 5, experts}),
                                                 .expert_indices_tensor = mapping(),
                                                 .expert_mapping_tensor = choices_of({1, 2, 5, choices}),
                                                 .reduction_size = 4}),
              "");
}

INSTANTIATE_TEST_SUITE_P(Meshes, Experts, ::testing::Values(std::array{1U, 2U}, std::array{2U, 4U}),
                         testing::mesh_name);

class ExpertsOnTwoChips : public ::testing::Test {
protected:
    std::shared_ptr<Device> device = mesh_of(1, 2);

    Tensor made(const Shape& shape, const std::vector<float>& values, DataType dtype) const {
        Tensor tensor = Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::ROW_MAJOR), device);
        for (uint32_t chip = 0; chip < 2; ++chip) {
            Tensor part = tensor.part(chip);
            write<float>(part, values);
        }
        return tensor;
    }
};

// Experts 1 and 2 live on chip 0, 0 and 3 on chip 1.
TEST_F(ExpertsOnTwoChips, TokenRemapKeepsTheScoresOfOwnExperts) {
    const Tensor scores = made({1, 1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, DataType::BFLOAT16);
    const Tensor mapping = made({1, 1, 4, 2}, {0, 1, 1, 0, 1, 0, 0, 1}, DataType::UINT16);
    const Tensor metadata = made({1, 1, 3, 2}, {0, 2, 3, 0, 1, 3}, DataType::UINT16);
    const auto remapped = moe_expert_token_remap(scores, mapping, metadata, {.reduction_size = 2});
    EXPECT_THAT(elements(remapped[0].part(0)), ElementsAre(0, 3, 0, 0, 10, 0));
    EXPECT_THAT(elements(remapped[0].part(1)), ElementsAre(1, 0, 5, 8, 0, 12));
    EXPECT_EQ(remapped[1].logical_shape(), Shape({1, 1, 2, 2}));
    EXPECT_EQ(remapped[1].dtype(), DataType::UINT16);
    EXPECT_THAT(elements(remapped[1].part(0)), ElementsAre(0, 1, 1, 0));
    EXPECT_THAT(elements(remapped[1].part(1)), ElementsAre(1, 1, 0, 1));
    const Tensor near = Tensor::allocate_on_device(
        TensorSpec(scores.logical_shape(), DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device);
    for (const Tensor& result : moe_expert_token_remap(near, mapping, metadata, {.reduction_size = 2})) {
        EXPECT_EQ(result.memory_config(), l1_memory_config());
    }
    EXPECT_THAT(error_of([&] { moe_expert_token_remap(scores, metadata, mapping); }),
                HasSubstr("argument 'expert_indices_tensor'"));
}

TEST_F(ExpertsOnTwoChips, RoutingRemapSharesTheWeights) {
    const Tensor weights = made({1, 8}, {0, 1, 0, 2, 3, 0, 0, 4}, DataType::BFLOAT16);
    const Tensor shared = moe_routing_remap(weights, 4, 2, 1);
    EXPECT_THAT(elements(shared.part(0)), ElementsAre(0, 1, 0, 2, 0, 0, 0, 0));
    EXPECT_THAT(elements(shared.part(1)), ElementsAre(0, 0, 0, 0, 3, 0, 0, 4));
    EXPECT_THAT(error_of([&] { moe_routing_remap(weights, 4, 3, 1); }), HasSubstr("argument 'expert_parallel_size'"));
    EXPECT_THAT(error_of([&] { moe_routing_remap(weights, 9, 2, 1); }), HasSubstr("argument 'non_zero_weight_size'"));
    EXPECT_THAT(error_of([&] { moe_routing_remap(weights, 4, 2, 2); }), HasSubstr("argument 'cluster_axis'"));
}

TEST_F(ExpertsOnTwoChips, AllAgreeWithTheirReferences) {
    for (const OpInfo* op : {&all_to_all_dispatch.info(), &all_to_all_combine.info(), &moe_expert_token_remap.info(),
                             &moe_routing_remap.info()}) {
        const OpCheck check = check_operation(*op, device);
        EXPECT_TRUE(check.pass()) << op->name
                                  << (check.failures.empty() ? ": no cases" : check.failures[0].scorecard.reason);
        EXPECT_FALSE(check_operation(*op, device, Mutation::SCALE).pass()) << op->name;
    }
}

// Inputs that are made for a call are a mapping that hardware could have.
TEST_F(ExpertsOnTwoChips, InputsGiveEveryChipAsManyExperts) {
    const MoeExpertTokenRemap::Params params{.topk_tensor = made({1, 1, 3, 4}, Values(12), DataType::BFLOAT16),
                                             .expert_indices_tensor = made({1, 1, 4, 2}, Values(8), DataType::UINT16),
                                             .expert_mapping_tensor = made({1, 1, 3, 2}, Values(6), DataType::UINT16)};
    AnyParams call(moe_expert_token_remap.info(), &params);
    fill_inputs(call, 1);
    for (const uint32_t chip : {0U, 1U}) {
        EXPECT_THAT(elements(params.expert_indices_tensor.part(chip)), ElementsAre(1, 0, 0, 1, 1, 0, 0, 1));
    }
}

TEST_F(ExpertsOnTwoChips, GivenOutputsAreWritten) {
    const Tensor tokens = made({1, 1, 1, 2}, {5, 6}, DataType::BFLOAT16);
    const Tensor chosen = made({1, 1, 1, 1}, {1}, DataType::UINT16);
    const Tensor mapping = made({1, 1, 2, 2}, {1, 0, 0, 1}, DataType::UINT16);
    const std::vector<Tensor> outputs{made({1, 2, 1, 2}, {9, 9, 9, 9}, DataType::BFLOAT16),
                                      made({1, 2, 1, 1}, {9, 9}, DataType::UINT16)};
    const auto sent = all_to_all_dispatch(tokens, chosen, mapping, {.cluster_axis = 1, .output_tensors = outputs});
    EXPECT_EQ(sent[0].buffer_address(), outputs[0].buffer_address());
    EXPECT_THAT(elements(outputs[0].part(0)), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(elements(outputs[0].part(1)), ElementsAre(5, 6, 5, 6));
    EXPECT_THAT(elements(outputs[1].part(0)), ElementsAre(1, 1));
    EXPECT_THAT(error_of([&] { all_to_all_dispatch(tokens, chosen, mapping, {.output_concat_dim = 3}); }),
                HasSubstr("argument 'output_concat_dim'"));
}

}  // namespace
}  // namespace ttnn
