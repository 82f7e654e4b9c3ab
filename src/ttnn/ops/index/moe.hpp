// moe: the weight that expert 0 gets among the experts of every token.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Moe {
    static constexpr std::string_view name = "ttnn.moe";
    static constexpr std::string_view doc =
        "The softmax over the 32 largest masked scores of every row, summed over those that are expert 0.";
    struct Params {
        Tensor input_tensor{};
        Tensor expert_mask_tensor{};
        Tensor topk_mask_tensor{};
        int64_t k = 32;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 [N, C, H, W] in TILE, W a power of two from 64 on"),
        arg<&Params::expert_mask_tensor>("BFLOAT16 [.., up to 32, W] in TILE; its first row is added to all scores"),
        arg<&Params::topk_mask_tensor>("BFLOAT16 [.., up to 32, 32] in TILE; its first row is added to the largest"),
        opt<&Params::k>("must be 32"),
        kw<&Params::memory_config>("interleaved, default: the input's"),
        kw<&Params::output_tensor>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 4, .ulp_bfloat16 = 1, .ulp_block_float = 1, .absolute = 1e-9};

    static constexpr uint32_t experts = 32;
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(moe, Moe);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/lines.hpp"

// Only the rank of expert 0 in its row counts: how many scores stand before it.
inline std::vector<ttnn::reference::Array> ttnn::Moe::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    const reference::Array experts_mask = reference::values(params.expert_mask_tensor);
    const reference::Array best_mask = reference::values(params.topk_mask_tensor);
    const size_t width = input.shape[-1];
    Shape shape = input.shape;
    shape[-1] = 1;
    reference::Array result(shape);
    for (size_t row = 0; row < result.values.size(); ++row) {
        reference::Array scores({static_cast<uint32_t>(width)});
        for (size_t i = 0; i < width; ++i) {
            scores.values[i] = input.values[row * width + i] + experts_mask.values[i];
        }
        const auto order = reference::ordered(scores, reference::Lines(scores.shape, 0), 0, true);
        double total = 0;
        double own = 0;
        for (size_t i = 0; i < experts; ++i) {
            const double share = std::exp(scores.values[order[i]] + best_mask.values[i]);
            total += share;
            own = order[i] == 0 ? share : own;
        }
        result.values[row] = own / total;
    }
    return {result};
}

#else

#include <bit>
#include <cmath>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/index/last_dim.hpp"

namespace ttnn {

namespace indexing {

// Scores are added exactly, so that equal ones stay equal.
inline float weight_of_first(const float* scores, const float* mask, const float* best_mask, size_t width) {
    std::vector<std::pair<double, size_t>> sums(width);
    for (size_t i = 0; i < width; ++i) {
        sums[i] = {static_cast<double>(scores[i]) + static_cast<double>(mask[i]), i};
    }
    const auto before = [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
    };
    std::partial_sort(sums.begin(), sums.begin() + Moe::experts, sums.end(), before);
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < Moe::experts; ++i) {
        sums[i].first += static_cast<double>(best_mask[i]);
        largest = std::max(largest, sums[i].first);
    }
    double total = 0;
    double own = 0;
    for (size_t i = 0; i < Moe::experts; ++i) {
        const double share = std::exp(sums[i].first - largest);
        total += share;
        own += sums[i].second == 0 ? share : 0;
    }
    return static_cast<float>(own / total);
}

inline void weigh_first_expert(std::span<const Tensor> inputs, Tensor& output) {
    const Dense<float> scores = read<float>(inputs[0]);
    const Dense<float> mask = read<float>(inputs[1]);
    const Dense<float> best_mask = read<float>(inputs[2]);
    const size_t width = inputs[0].logical_shape()[-1];
    std::vector<float> weights(scores.size() / width);
    for (size_t row = 0; row < weights.size(); ++row) {
        checkpoint();
        weights[row] = weight_of_first(scores.data() + row * width, mask.data(), best_mask.data(), width);
    }
    write<float>(output, weights);
}

// Scores and their places by tiles, both masks, and what the softmax of one tile needs.
inline void moe_program(Program& program, const Tensor& input) {
    const CoreRangeSet cores = program.split(1);
    const uint64_t tile = page_bytes(input);
    const uint64_t index_tile = Tile().bytes(DataType::UINT16);
    const uint64_t row = tile_columns(input);
    for (const uint64_t bytes : {4 * tile, 2 * index_tile, tile, 4 * tile, 2 * row * tile, row * tile, row * index_tile,
                                 2 * tile, 2 * index_tile, tile, tile, 2 * tile}) {
        program.circular_buffer(cores, bytes);
    }
}

inline void check_moe(const Moe::Params& params) {
    const std::string_view name = Moe::name;
    check_layout(name, "input_tensor", params.input_tensor, Layout::TILE);
    check_dtype(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16});
    const auto check_mask = [&](std::string_view argument, const Tensor& mask) {
        check_layout(name, argument, mask, Layout::TILE);
        check_dtype(name, argument, mask, {DataType::BFLOAT16});
    };
    check_mask("expert_mask_tensor", params.expert_mask_tensor);
    check_mask("topk_mask_tensor", params.topk_mask_tensor);
    require(!params.memory_config.value_or(params.input_tensor.memory_config()).is_sharded(),
            "{}: the result must be interleaved; argument 'memory_config' or the input says otherwise", name);
    if (params.output_tensor) {
        check_dtype(name, "output_tensor", *params.output_tensor, {DataType::BFLOAT16});
        check_layout(name, "output_tensor", *params.output_tensor, Layout::TILE);
    }
}

}  // namespace indexing

inline void Moe::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    const auto check_mask = [&](std::string_view argument, const Tensor& mask, uint32_t width) {
        const Shape& own = mask.logical_shape();
        require(own.from_end(0) == width && own.volume() > 0 && own.from_end(1) <= tile_size,
                "{}: argument '{}' must be [.., up to {}, {}], got {}", name, argument, tile_size, width, own);
    };
    require(params.k == experts, "{}: argument 'k' must be {}, got {}", name, experts, params.k);
    require(shape.rank() == 4 && shape[3] >= 2 * tile_size && std::has_single_bit(shape[3]),
            "{}: argument 'input_tensor' must be [N, C, H, W] with W a power of two from {} on, got {}", name,
            2 * tile_size, shape);
    check_mask("expert_mask_tensor", params.expert_mask_tensor, shape[3]);
    check_mask("topk_mask_tensor", params.topk_mask_tensor, experts);
    if (params.output_tensor) {
        check_preallocated(name, "output_tensor", *params.output_tensor, {shape[0], shape[1], shape[2], 1});
    }
    check_at_launch([&] { indexing::check_moe(params); });
}

inline Tensor Moe::run(const Params& params) {
    const Tensor tensors[] = {params.input_tensor, params.expert_mask_tensor, params.topk_mask_tensor};
    const Shape& shape = params.input_tensor.logical_shape();
    const MemoryConfig config = params.memory_config.value_or(params.input_tensor.memory_config());
    const auto program = [&](Program& p, std::span<const Tensor>) { indexing::moe_program(p, params.input_tensor); };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        indexing::weigh_first_expert(inputs, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(tensors[0]).add(tensors[1]).add(tensors[2]).add(params.k).add(config).add(params.output_tensor);
    };
    return launch({"ttnn::prim::moe", tensors, program, kernel, arguments},
                  TensorSpec({shape[0], shape[1], shape[2], 1}, DataType::BFLOAT16, Layout::TILE, config),
                  params.output_tensor);
}

inline void Moe::cases(CaseMaker& make) {
    const auto mask = [&](uint32_t width, uint32_t rows = 1) {
        return make.interleaved({1, 1, rows, width}, DataType::BFLOAT16, Layout::TILE);
    };
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64}),
                    .expert_mask_tensor = mask(64, experts),
                    .topk_mask_tensor = mask(32, experts)});
    make.add(Params{.input_tensor = make.tensor({2, 1, 96, 128}),
                    .expert_mask_tensor = mask(128),
                    .topk_mask_tensor = mask(32),
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 1, 40, 64}),
                    .expert_mask_tensor = mask(64),
                    .topk_mask_tensor = mask(32),
                    .output_tensor = make.interleaved({1, 1, 40, 1}, DataType::BFLOAT16, Layout::TILE)});
}

}  // namespace ttnn

#endif
