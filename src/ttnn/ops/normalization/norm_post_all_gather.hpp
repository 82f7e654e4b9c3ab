// layer_norm_post_all_gather and rms_norm_post_all_gather: rows of one chip, normalised with the statistics of all.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/normalization/distributed_norm_rules.hpp"

namespace ttnn {

namespace distributed_norm {

template <class Params>
inline constexpr FieldList post_fields{
    arg<&Params::input_tensor>("tile tensor of rank 4: BFLOAT16 or BFLOAT8_B; sharded also FLOAT32"),
    arg<&Params::stats>(statistics_doc),
    kw<&Params::epsilon>("added to the variance"),
    kw<&Params::weight>("W factors: TILE [1, 1, 1, W] or ROW_MAJOR [1, 1, W/32, 32]; BFLOAT16 if not sharded"),
    kw<&Params::bias>("W addends, in the weight's layout; if not sharded, layer_norm has both and rms_norm no bias"),
    kw<&Params::memory_config>("default: of the input"),
    kw<&Params::compute_kernel_config>("precision, no effect on results here"),
    kw<&Params::program_config>("how a sharded input is cut; may ask for an in-place result"),
    kw<&Params::dtype>("default: of the input")};

template <class Params>
PostArguments post_arguments(std::string_view op, bool center, const Params& p) {
    return {.op = op,
            .center = center,
            .input = p.input_tensor,
            .stats = p.stats,
            .epsilon = p.epsilon,
            .weight = p.weight,
            .bias = p.bias,
            .memory_config = p.memory_config,
            .compute_kernel_config = p.compute_kernel_config,
            .program_config = p.program_config,
            .dtype = p.dtype,
            .strict = true};
}

// Statistics that rows can have: a variance below zero has no root.
inline Domain post_domain(const Tensor& input, std::string_view field) {
    if (field != "stats") {
        return Domain::real(-1.0, 1.0);
    }
    return input.is_sharded() ? Domain::real(0.3, 0.5) : Domain::real(1.0, 2.0);
}

}  // namespace distributed_norm

struct LayerNormPostAllGather {
    static constexpr std::string_view name = "ttnn.layer_norm_post_all_gather";
    static constexpr std::string_view doc = "layer_norm of rows of which each chip has a part.";
    struct Params {
        Tensor input_tensor{};
        Tensor stats{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr auto fields = distributed_norm::post_fields<Params>;
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PostArguments arguments(const Params& p) {
        return distributed_norm::post_arguments(name, true, p);
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return distributed_norm::post_domain(params.input_tensor, field);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct RmsNormPostAllGather {
    static constexpr std::string_view name = "ttnn.rms_norm_post_all_gather";
    static constexpr std::string_view doc = "rms_norm of rows of which each chip has a part.";
    struct Params {
        Tensor input_tensor{};
        Tensor stats{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<DataType> dtype{};
        std::optional<bool> use_2d_core_grid{};
    };
    using Result = Tensor;
    static constexpr auto fields = distributed_norm::post_fields<Params> +
                                   FieldList{kw<&Params::use_2d_core_grid>("cores to use, no effect on results")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PostArguments arguments(const Params& p) {
        return distributed_norm::post_arguments(name, false, p);
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return distributed_norm::post_domain(params.input_tensor, field);
    }
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(layer_norm_post_all_gather, LayerNormPostAllGather);
TTNN_OPERATION(rms_norm_post_all_gather, RmsNormPostAllGather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/normalize.hpp"

namespace ttnn {
namespace distributed_norm {

// Average over chips of one of their statistics to a power, of the row at `first` in the array of statistics.
inline double average(const reference::Array& stats, size_t first, size_t which, size_t each, int power = 1) {
    const size_t stride = each * tile_size;
    double sum = 0;
    size_t chips = 0;
    for (size_t column = which * tile_size; column < stats.shape.from_end(0); column += stride) {
        sum += std::pow(stats.values[first + column], power);
        ++chips;
    }
    return sum / static_cast<double>(chips);
}

// Chips with as many columns each: sums divided by the columns of one chip average to the mean of the row.
inline std::pair<double, double> moments(const PostArguments& args, const reference::Array& stats, size_t first,
                                         double columns) {
    const bool means = args.input.is_sharded();
    if (!args.center) {
        return {0.0, average(stats, first, 0, 1) / (means ? 1.0 : columns)};
    }
    if (!means && uses_welford(args.program_config)) {
        const double mean = average(stats, first, 0, 2);
        return {mean, average(stats, first, 1, 2) + average(stats, first, 0, 2, 2) - mean * mean};
    }
    if (means || args.sum_first) {
        const double mean = average(stats, first, 0, 2) / (means ? 1.0 : columns);
        return {mean, average(stats, first, 1, 2) / (means ? 1.0 : columns) - mean * mean};
    }
    const double mean = average(stats, first, 1, 2) / columns;
    return {mean, average(stats, first, 0, 2) / columns - mean * mean};
}

inline reference::Array normalized(const PostArguments& args) {
    const reference::Array input = reference::values(args.input);
    const reference::Array stats = reference::values(args.stats);
    const uint32_t width = input.shape.from_end(0);
    const auto vector = [&](const std::optional<Tensor>& tensor, double otherwise) {
        return tensor ? reference::norm_vector(*tensor, width) : std::vector<double>(width, otherwise);
    };
    const std::vector<double> weight = vector(args.weight, 1.0);
    const std::vector<double> bias = vector(args.bias, 0.0);
    reference::Array result(input.shape);
    Shape rows = input.shape;
    rows[-1] = 1;
    size_t first = 0;
    reference::for_each_index(rows, [&](std::span<const uint32_t> row) {
        const auto [mean, spread] = moments(args, stats, stats.offset(row), width);
        for (uint32_t i = 0; i < width; ++i) {
            const double distance = input.values[first + i] - mean;
            result.values[first + i] = weight[i] * distance / std::sqrt(spread + args.epsilon) + bias[i];
        }
        first += width;
    });
    return result;
}

}  // namespace distributed_norm

inline std::vector<reference::Array> LayerNormPostAllGather::reference(const Params& params) {
    return {distributed_norm::normalized(arguments(params))};
}
inline std::vector<reference::Array> RmsNormPostAllGather::reference(const Params& params) {
    return {distributed_norm::normalized(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"

namespace ttnn {

inline void LayerNormPostAllGather::validate(const Params& params) { distributed_norm::validate(arguments(params)); }
inline void RmsNormPostAllGather::validate(const Params& params) { distributed_norm::validate(arguments(params)); }
inline Tensor LayerNormPostAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }
inline Tensor RmsNormPostAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }

namespace distributed_norm {

// The same cases for both operations; statistics of two to four chips.
template <class Params>
void add_post_cases(CaseMaker& make, uint32_t each) {
    const auto stats = [&](const Shape& rows, uint32_t chips, DataType dtype = DataType::BFLOAT16) {
        Shape shape = rows;
        shape[-1] = each * chips * tile_size;
        return make.interleaved(shape, dtype, Layout::TILE);
    };
    const auto rows = [&](uint32_t width) {
        return make.interleaved({1, 1, width / tile_size, tile_size}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    };
    const auto tiles = [&](uint32_t width) {
        return make.interleaved({1, 1, 1, width}, DataType::BFLOAT16, Layout::TILE);
    };
    const bool center = each == 2;
    const auto bias = [&](const Tensor& vector) { return center ? std::optional(vector) : std::nullopt; };
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}),
                        .stats = stats({1, 1, 64, 0}, 4),
                        .weight = center ? std::optional(tiles(96)) : std::nullopt,
                        .bias = bias(tiles(96))});
        make.add(Params{.input_tensor = make.tensor({2, 3, 40, 128}),
                        .stats = stats({2, 3, 40, 0}, 2, DataType::FLOAT32),
                        .epsilon = 1e-5,
                        .weight = rows(128),
                        .bias = bias(rows(128)),
                        .dtype = DataType::FLOAT32});
        make.add(Params{.input_tensor = make.tensor({1, 1, 8, 64}),
                        .stats = stats({1, 1, 32, 0}, 1),
                        .epsilon = 1e-3,
                        .weight = rows(64),
                        .bias = bias(rows(64)),
                        .memory_config = l1_memory_config()});
        make.add(Params{.input_tensor = make.tensor({1, 1, 33, 50}),
                        .stats = stats({1, 1, 33, 0}, 2),
                        .weight = tiles(50),
                        .bias = bias(tiles(50)),
                        .dtype = DataType::BFLOAT8_B});
    }
    if (make.memory() != MemoryKind::WIDTH_SHARDED) {
        return;
    }
    const Shape gathered{1, 1, 32, each * 4 * tile_size};
    const ShardSpec one_core{CoreRangeSet(CoreRange(CoreCoord{0, 0})), {gathered[2], gathered[3]}};
    const Tensor on_one_core = Tensor::allocate_on_device(
        TensorSpec(gathered, DataType::BFLOAT16, Layout::TILE,
                   MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1, one_core)),
        make.device());
    LayerNormShardedMultiCoreProgramConfig config{
        .compute_with_storage_grid_size = {4, 1}, .subblock_w = 1, .block_h = 1, .block_w = 2};
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 256}),
                    .stats = on_one_core,
                    .epsilon = 1e-5,
                    .weight = rows(256),
                    .program_config = config,
                    .dtype = DataType::BFLOAT16});
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 256}),
                    .stats = on_one_core,
                    .weight = rows(256),
                    .bias = rows(256),
                    .program_config = config});
    config.inplace = true;
    make.add(Params{.input_tensor = make.tensor({1, 1, 8, 256}), .stats = on_one_core, .program_config = config});
}

}  // namespace distributed_norm

inline void LayerNormPostAllGather::cases(CaseMaker& make) {
    distributed_norm::add_post_cases<Params>(make, 2);
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}),
                        .stats = make.interleaved({1, 1, 64, 128}, DataType::BFLOAT16, Layout::TILE),
                        .weight = make.interleaved({1, 1, 1, 96}, DataType::BFLOAT16, Layout::TILE),
                        .bias = make.interleaved({1, 1, 1, 96}, DataType::BFLOAT16, Layout::TILE),
                        .program_config = LayerNormDefaultProgramConfig{.use_welford = true}});
    }
}
inline void RmsNormPostAllGather::cases(CaseMaker& make) {
    distributed_norm::add_post_cases<Params>(make, 1);
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}),
                        .stats = make.interleaved({1, 1, 64, 64}, DataType::BFLOAT16, Layout::TILE),
                        .use_2d_core_grid = true});
    }
}

}  // namespace ttnn

#endif
