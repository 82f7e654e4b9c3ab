// group_norm: groups of channels of [N, 1, H * W, C] brought to unit spread.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct GroupNorm {
    static constexpr std::string_view name = "ttnn.group_norm";
    static constexpr std::string_view doc =
        "(x - mean) / sqrt(var + epsilon) * weight + bias, with mean and variance of each group of channels.";
    struct Params {
        Tensor input_tensor{};
        int64_t num_groups = 1;
        double epsilon = 1e-12;
        std::optional<Tensor> input_mask{};
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<Tensor> reciprocals{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<CoreGrid> core_grid{};
        std::optional<bool> inplace = true;
        std::optional<Layout> output_layout{};
        std::optional<int64_t> num_out_blocks{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> negative_mask{};
        bool use_welford = false;
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("BFLOAT16 [N, 1, H * W, C], interleaved or height or block sharded").mutates(),
        kwreq<&Params::num_groups>("how many groups the C channels form, one after the other"),
        kw<&Params::epsilon>("added to the variance"),
        kw<&Params::input_mask>("which columns of its tiles a group has; no effect on results"),
        kw<&Params::weight>("C factors: TILE [1, 1, 1, C], or ROW_MAJOR of create_group_norm_weight_bias_rm"),
        kw<&Params::bias>("C addends, in the weight's layout"),
        kw<&Params::reciprocals>("for use_welford; no effect on results"),
        kw<&Params::memory_config>("default: interleaved in DRAM"),
        kw<&Params::dtype>("default: of the input"),
        kw<&Params::core_grid>("cores to use; must be given"),
        kw<&Params::inplace>("write into a sharded row-major input and return it"),
        kw<&Params::output_layout>("default: of the input"),
        kw<&Params::num_out_blocks>("interleaved: parts that a core's rows are worked through in"),
        kw<&Params::compute_kernel_config>("precision, no effect on results here"),
        kw<&Params::negative_mask>("the input mask inverted, for sharded row-major tensors; no effect on results"),
        kw<&Params::use_welford>("how the variance is computed, no effect on results here")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(group_norm, GroupNorm);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

namespace ttnn {
namespace group_norm_rules {

// Cores among which the channels are dealt out, by the way the input lies: the pieces that row-major weights come in.
inline size_t cores_across_channels(const GroupNorm::Params& params) {
    const size_t channels = params.input_tensor.logical_shape()[3];
    if (const auto& shards = params.input_tensor.memory_config().shard_spec()) {
        return std::max<size_t>(channels / shards->shape[1], 1);
    }
    size_t most = std::min<size_t>(params.core_grid->x, static_cast<size_t>(params.num_groups));
    while (most > 1 && (channels % (most * tile_size) != 0 || params.num_groups % static_cast<int64_t>(most) != 0)) {
        --most;
    }
    return most;
}

// The C numbers of a weight or bias; in row-major form each piece is followed by zeros up to a multiple of 32.
inline std::vector<double> channel_numbers(const GroupNorm::Params& params, const std::optional<Tensor>& tensor,
                                           double otherwise) {
    const size_t channels = params.input_tensor.logical_shape()[3];
    std::vector<double> numbers(channels, otherwise);
    if (!tensor) {
        return numbers;
    }
    const reference::Array values = reference::values(*tensor);
    size_t piece = channels;
    if (tensor->layout() == Layout::ROW_MAJOR) {
        const auto size_with = [&](size_t length) { return channels / length * ((length + 31) / 32 * 32); };
        piece = channels / cores_across_channels(params);
        for (size_t pieces = 1; channels % piece != 0 || size_with(piece) != values.values.size(); ++pieces) {
            piece = channels % pieces == 0 ? channels / pieces : piece;
        }
    }
    const size_t stride = (piece + 31) / 32 * 32;
    for (size_t i = 0; i < channels; ++i) {
        numbers[i] = values.values[i / piece * stride + i % piece];
    }
    return numbers;
}

// The standard score of every element in its group.
inline void score_group(const reference::Array& input, uint32_t batch, uint32_t first, uint32_t count, double epsilon,
                        reference::Array& result) {
    std::vector<size_t> places;
    for (uint32_t row = 0; row < input.shape[2]; ++row) {
        for (uint32_t channel = first; channel < first + count; ++channel) {
            places.push_back(input.offset(std::vector<uint32_t>{batch, 0, row, channel}));
        }
    }
    double mean = 0;
    double squares = 0;
    for (const size_t place : places) {
        mean += input.values[place] / static_cast<double>(places.size());
        squares += input.values[place] * input.values[place] / static_cast<double>(places.size());
    }
    for (const size_t place : places) {
        result.values[place] = (input.values[place] - mean) / std::sqrt(squares - mean * mean + epsilon);
    }
}

}  // namespace group_norm_rules

inline std::vector<reference::Array> GroupNorm::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    reference::Array result(input.shape);
    if (input.values.empty()) {
        return {result};
    }
    const uint32_t channels = input.shape[3];
    const uint32_t group = channels / static_cast<uint32_t>(params.num_groups);
    for (uint32_t batch = 0; batch < input.shape[0]; ++batch) {
        for (uint32_t first = 0; first < channels; first += group) {
            group_norm_rules::score_group(input, batch, first, group, params.epsilon, result);
        }
    }
    const std::vector<double> weight = group_norm_rules::channel_numbers(params, params.weight, 1.0);
    const std::vector<double> bias = group_norm_rules::channel_numbers(params, params.bias, 0.0);
    for (size_t i = 0; i < result.values.size(); ++i) {
        result.values[i] = result.values[i] * weight[i % channels] + bias[i % channels];
    }
    return {result};
}

// Of an input that is not the result.
inline reference::Array GroupNorm::mutated_reference(const Params& params, std::string_view) {
    return reference::values(params.input_tensor);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"

namespace ttnn {

inline void GroupNorm::cases(CaseMaker& make) {
    const auto rows = [&](uint32_t count) {
        return make.interleaved({1, 1, count, tile_size}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    };
    const auto tile = [&](const Shape& shape) { return make.interleaved(shape, DataType::BFLOAT16, Layout::TILE); };
    const CoreGrid grid{2, 2};
    make.add(Params{.input_tensor = make.tensor({2, 1, 64, 96}),
                    .num_groups = 3,
                    .epsilon = 1e-5,
                    .core_grid = grid,
                    .inplace = false});
    make.add(Params{.input_tensor = make.tensor({1, 1, 128, 64}),
                    .num_groups = 4,
                    .epsilon = 1e-5,
                    .input_mask = tile({1, 4, 32, 32}),
                    .weight = rows(2),
                    .bias = rows(2),
                    .memory_config = make.memory_config({1, 1, 128, 64}),
                    .dtype = DataType::BFLOAT16,
                    .core_grid = grid,
                    .inplace = false,
                    .num_out_blocks = 2});
    make.add(Params{.input_tensor = make.tensor({3, 1, 64, 64}),
                    .num_groups = 2,
                    .epsilon = 1e-3,
                    .weight = tile({1, 1, 1, 64}),
                    .core_grid = grid,
                    .inplace = false,
                    .output_layout = Layout::TILE});
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 80}),
                    .num_groups = 8,
                    .epsilon = 1e-5,
                    .core_grid = grid,
                    .inplace = false,
                    .use_welford = true});
    if (!make.sharded() || make.layout() == Layout::TILE) {
        return;
    }
    make.add(Params{.input_tensor = make.tensor({1, 1, 128, 64}),
                    .num_groups = 8,
                    .epsilon = 1e-5,
                    .weight = rows(2),
                    .bias = rows(2),
                    .core_grid = grid,
                    .negative_mask = tile({1, 8, 32, 32})});
    if (make.memory() == MemoryKind::BLOCK_SHARDED) {  // shards 48 wide: weights in two pieces of 64
        make.add(Params{.input_tensor = make.tensor({1, 1, 128, 96}),
                        .num_groups = 2,
                        .epsilon = 1e-5,
                        .weight = rows(4),
                        .bias = rows(4),
                        .core_grid = grid});
    }
}

}  // namespace ttnn

#endif
