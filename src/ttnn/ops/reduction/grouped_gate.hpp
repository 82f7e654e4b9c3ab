// deepseek_grouped_gate: which experts of a mixture work on a token, chosen in groups.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

struct GroupedGate {
    static constexpr std::string_view name = "ttnn.experimental.deepseek_grouped_gate";
    static constexpr std::string_view doc =
        "Weights and indices of the best experts in the best groups of experts; a bias takes part in the choice only.";
    struct Params {
        Tensor scores{};
        Tensor bias{};
        int64_t n_groups = 8;
        int64_t summed_experts_per_group = 2;
        int64_t topk_groups = 4;
        int64_t n_activated_experts = 8;
        double route_scale = 1.0;
        double epsilon = 1e-20;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = std::tuple<Tensor, Tensor>;
    static constexpr FieldList fields{
        arg<&Params::scores>("BFLOAT16 tile tensor [N, B, S, 256]; experts are judged by its sigmoid"),
        arg<&Params::bias>("of the same shape, added for the choice"),
        kw<&Params::n_groups>("8"),
        kw<&Params::summed_experts_per_group>("2: a group is judged by its two best experts"),
        kw<&Params::topk_groups>("4 groups are kept"),
        kw<&Params::n_activated_experts>("8 experts are chosen"),
        kw<&Params::route_scale>("factor of the weights, which sum up to it"),
        kw<&Params::epsilon>("added to the sum of the chosen scores"),
        kw<&Params::memory_config>("default: of the scores")};

    static void validate(const Params& params);
    static Domain domain(const Params&, std::string_view field) {
        return field == "scores" ? Domain::real(-3.0, 3.0) : Domain::real(-0.5, 0.5);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<GroupedGate> deepseek_grouped_gate{};
}
TTNN_DECLARATION(GroupedGate);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

namespace ttnn {
namespace grouped_gate {

// How many of `numbers` come before number `i` when the greatest is first and equal ones stay in order.
inline int64_t rank_of(const std::vector<double>& numbers, size_t i) {
    int64_t before = 0;
    for (size_t j = 0; j < numbers.size(); ++j) {
        before += (numbers[j] > numbers[i] || (numbers[j] == numbers[i] && j < i)) ? 1 : 0;
    }
    return before;
}

// The biased scores, with all groups but the best taken out.
inline std::vector<double> kept(const GroupedGate::Params& params, const std::vector<double>& biased) {
    const size_t size = biased.size() / static_cast<size_t>(params.n_groups);
    std::vector<double> sums;
    for (size_t first = 0; first < biased.size(); first += size) {
        const std::vector<double> group(biased.begin() + static_cast<std::ptrdiff_t>(first),
                                        biased.begin() + static_cast<std::ptrdiff_t>(first + size));
        sums.push_back(0);
        for (size_t i = 0; i < size; ++i) {
            sums.back() += rank_of(group, i) < params.summed_experts_per_group ? group[i] : 0.0;
        }
    }
    std::vector<double> result = biased;
    for (size_t i = 0; i < result.size(); ++i) {
        result[i] = rank_of(sums, i / size) < params.topk_groups ? result[i] : -INFINITY;
    }
    return result;
}

}  // namespace grouped_gate

inline std::vector<reference::Array> GroupedGate::reference(const Params& params) {
    const reference::Array scores = reference::values(params.scores);
    const reference::Array bias = reference::values(params.bias);
    const size_t experts = scores.shape.from_end(0);
    const auto chosen = static_cast<size_t>(params.n_activated_experts);
    Shape shape = scores.shape;
    shape[-1] = static_cast<uint32_t>(chosen);
    reference::Array weights(shape);
    reference::Array indices(shape);
    for (size_t token = 0; token * experts < scores.values.size(); ++token) {
        std::vector<double> sigmoids;
        std::vector<double> biased;
        for (size_t i = token * experts; i < (token + 1) * experts; ++i) {
            sigmoids.push_back(0.5 + 0.5 * std::tanh(scores.values[i] / 2));
            biased.push_back(sigmoids.back() + bias.values[i]);
        }
        biased = grouped_gate::kept(params, biased);
        double sum = params.epsilon;
        for (size_t i = 0; i < experts; ++i) {
            const auto place = static_cast<size_t>(grouped_gate::rank_of(biased, i));
            if (place < chosen) {
                weights.values[token * chosen + place] = sigmoids[i];
                indices.values[token * chosen + place] = static_cast<double>(i);
                sum += sigmoids[i];
            }
        }
        for (size_t i = 0; i < chosen; ++i) {
            weights.values[token * chosen + i] *= params.route_scale / sum;
        }
    }
    return {std::move(weights), std::move(indices)};
}

}  // namespace ttnn

#else

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {
namespace grouped_gate {

// Numbers by which experts or groups are put in order: the greatest first, equal ones as they were. NaN comes last.
inline std::vector<uint32_t> order(std::vector<double> keys, size_t wanted) {
    std::ranges::replace_if(
        keys, [](double key) { return std::isnan(key); }, -INFINITY);
    std::vector<uint32_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0U);
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(wanted), places.end(),
                      [&](uint32_t a, uint32_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
    places.resize(wanted);
    return places;
}

// The best experts of the best groups, from the biased scores of all.
inline std::vector<uint32_t> choose(const GroupedGate::Params& params, const std::vector<double>& biased) {
    const size_t groups = static_cast<size_t>(params.n_groups);
    const size_t size = biased.size() / groups;
    std::vector<double> group_scores(groups, 0.0);
    for (size_t g = 0; g < groups; ++g) {
        const auto first = biased.begin() + static_cast<std::ptrdiff_t>(g * size);
        const std::vector<double> members(first, first + static_cast<std::ptrdiff_t>(size));
        for (const uint32_t best : order(members, static_cast<size_t>(params.summed_experts_per_group))) {
            group_scores[g] += members[best];
        }
    }
    std::vector<uint32_t> best = order(group_scores, static_cast<size_t>(params.topk_groups));
    std::ranges::sort(best);  // equal experts go by their number
    std::vector<uint32_t> experts;
    std::vector<double> keys;
    for (const uint32_t g : best) {
        for (size_t i = g * size; i < (g + 1) * size; ++i) {
            experts.push_back(static_cast<uint32_t>(i));
            keys.push_back(biased[i]);
        }
    }
    std::vector<uint32_t> chosen = order(keys, static_cast<size_t>(params.n_activated_experts));
    std::ranges::transform(chosen, chosen.begin(), [&](uint32_t place) { return experts[place]; });
    return chosen;
}

inline void compute_gate(const GroupedGate::Params& params, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Dense<float> scores = read<float>(inputs[0]);
    const Dense<float> bias = read<float>(inputs[1]);
    const size_t experts = inputs[0].logical_shape().from_end(0);
    const auto count = static_cast<size_t>(params.n_activated_experts);
    Dense<float> weights(outputs[0].logical_volume());
    Dense<uint32_t> indices(outputs[1].logical_volume());
    std::vector<double> sigmoids(experts);
    std::vector<double> biased(experts);
    for (size_t token = 0; token * count < weights.size(); ++token) {
        checkpoint();
        for (size_t i = 0; i < experts; ++i) {
            sigmoids[i] = 1.0 / (1.0 + std::exp(-static_cast<double>(scores[token * experts + i])));
            biased[i] = sigmoids[i] + bias[token * experts + i];
        }
        const std::vector<uint32_t> chosen = choose(params, biased);
        double sum = params.epsilon;
        for (const uint32_t expert : chosen) {
            sum += sigmoids[expert];
        }
        for (size_t i = 0; i < count; ++i) {
            weights[token * count + i] = static_cast<float>(sigmoids[chosen[i]] / sum * params.route_scale);
            indices[token * count + i] = chosen[i];
        }
    }
    write<float>(outputs[0], weights.span());
    write<uint32_t>(outputs[1], indices.span());
}

}  // namespace grouped_gate

inline void GroupedGate::validate(const Params& params) {
    const auto fixed = [](std::string_view argument, int64_t value, int64_t only) {
        require(value == only, "{}: argument '{}' must be {} at the moment, got {}", name, argument, only, value);
    };
    const Shape& shape = params.scores.logical_shape();
    require(shape.rank() > 0 && shape == params.bias.logical_shape(),
            "{}: argument 'bias' must have the scores' shape {}, got {}", name, shape, params.bias.logical_shape());
    fixed("summed_experts_per_group", params.summed_experts_per_group, 2);
    fixed("n_groups", params.n_groups, 8);
    fixed("topk_groups", params.topk_groups, 4);
    fixed("n_activated_experts", params.n_activated_experts, 8);
    require(shape[-1] == 256, "{}: argument 'scores' must have 256 experts in its last dimension, got {}", name, shape);
    check_at_launch([&] {
        for (const auto& [argument, tensor] : {std::pair("scores", params.scores), std::pair("bias", params.bias)}) {
            check_layout(name, argument, tensor, Layout::TILE);
            check_dtype(name, argument, tensor, {DataType::BFLOAT16});
        }
    });
}

inline GroupedGate::Result GroupedGate::run(const Params& params) {
    const Tensor tensors[] = {params.scores, params.bias};
    Shape shape = params.scores.logical_shape();
    shape[-1] = static_cast<uint32_t>(params.n_activated_experts);
    const MemoryConfig config = params.memory_config.value_or(params.scores.memory_config());
    const OutputSlot slots[] = {{.spec = TensorSpec(shape, params.scores.dtype(), Layout::TILE, config)},
                                {.spec = TensorSpec(shape, DataType::UINT16, Layout::TILE, config)}};
    // A row of tiles of the scores, the bias, the sigmoids, their sums with the bias, and the places of all; the best
    // of each group, the kept groups and what comes out.
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(params.scores), 1));
        const uint64_t tile = Tile().bytes(DataType::BFLOAT16);
        for (const uint64_t tiles : {8, 8, 8, 8, 8, 2, 2, 1, 1, 2, 2}) {
            p.circular_buffer(cores, tiles * tile);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        grouped_gate::compute_gate(params, inputs, outputs);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.scores).add(params.bias).add(params.n_groups).add(params.summed_experts_per_group);
        list.add(params.topk_groups).add(params.n_activated_experts).add(params.route_scale).add(params.epsilon);
        list.add(params.memory_config);
    };
    const auto made = launch({"ttnn::prim::deepseek_grouped_gate", tensors, program, kernel, arguments}, slots);
    return {made[0], made[1]};
}

inline void GroupedGate::cases(CaseMaker& make) {
    make.add(Params{.scores = make.tensor({1, 1, 32, 256}), .bias = make.tensor({1, 1, 32, 256})});
    make.add(Params{.scores = make.tensor({1, 2, 40, 256}),
                    .bias = make.tensor({1, 2, 40, 256}),
                    .route_scale = 2.5,
                    .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
