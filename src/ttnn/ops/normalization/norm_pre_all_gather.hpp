// layer_norm_pre_all_gather and rms_norm_pre_all_gather: what the rows of one chip add up to.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/normalization/distributed_norm_rules.hpp"

namespace ttnn {

namespace distributed_norm {

template <class Params>
inline constexpr FieldList pre_fields{
    arg<&Params::input_tensor>("tile tensor of rank 4: FLOAT32, BFLOAT16 or BFLOAT8_B").mutates(),
    kw<&Params::dtype>("of the statistics of an interleaved input; those of a sharded one are BFLOAT16"),
    kw<&Params::residual_input_tensor>("added first; a sharded input holds the sum afterwards"),
    kw<&Params::compute_kernel_config>("precision, no effect on results here"),
    kw<&Params::program_config>("how a sharded input is cut"),
    kw<&Params::memory_config>("of the statistics of a sharded input, on its first core")};

template <class Params>
PreArguments pre_arguments(std::string_view op, bool center, const Params& p) {
    return {.op = op,
            .center = center,
            .input = p.input_tensor,
            .dtype = p.dtype,
            .residual = p.residual_input_tensor,
            .compute_kernel_config = p.compute_kernel_config,
            .program_config = p.program_config,
            .memory_config = p.memory_config};
}

}  // namespace distributed_norm

struct LayerNormPreAllGather {
    static constexpr std::string_view name = "ttnn.layer_norm_pre_all_gather";
    static constexpr std::string_view doc = "Statistics of the rows of one chip, for layer_norm_post_all_gather.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::BFLOAT16;
        std::optional<Tensor> residual_input_tensor{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> recip_tensor{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        distributed_norm::pre_fields<Params> +
        FieldList{kw<&Params::recip_tensor>("reciprocals; Welford's method asks for them, no effect here")};
    // Sums run in fp64 and are rounded once.
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PreArguments arguments(const Params& p) {
        auto args = distributed_norm::pre_arguments(name, true, p);
        args.reciprocals = p.recip_tensor;
        return args;
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct RmsNormPreAllGather {
    static constexpr std::string_view name = "ttnn.rms_norm_pre_all_gather";
    static constexpr std::string_view doc = "Squares of the rows of one chip, for rms_norm_post_all_gather.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::BFLOAT16;
        std::optional<Tensor> residual_input_tensor{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<bool> use_2d_core_grid{};
    };
    using Result = Tensor;
    static constexpr auto fields = distributed_norm::pre_fields<Params> +
                                   FieldList{kw<&Params::use_2d_core_grid>("cores to use, no effect on results")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static distributed_norm::PreArguments arguments(const Params& p) {
        return distributed_norm::pre_arguments(name, false, p);
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(layer_norm_pre_all_gather, LayerNormPreAllGather);
TTNN_OPERATION(rms_norm_pre_all_gather, RmsNormPreAllGather);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {
namespace distributed_norm {

// What is normalised. Both norms take the sum as it was stored, where it was.
inline reference::Array summands(const PreArguments& args) {
    reference::Array input = reference::values(args.input);
    if (!args.residual) {
        return input;
    }
    input = reference::zip(input, reference::values(*args.residual), [](double x, double r) { return x + r; });
    return args.stores_sum() ? reference::rounded(input, args.input.dtype()) : input;
}

inline double power_sum(std::span<const double> row, int power) {
    double sum = 0;
    for (const double x : row) {
        sum += power == 2 ? x * x : x;
    }
    return sum;
}

// The numbers of one row, in the order of their tiles.
inline std::vector<double> statistics(const PreArguments& args, std::span<const double> row) {
    const auto count = static_cast<double>(row.size());
    const double squares = power_sum(row, 2);
    if (!args.center) {
        return {args.input.is_sharded() ? squares / count : squares};
    }
    const double mean = power_sum(row, 1) / count;
    if (args.input.is_sharded()) {
        return {mean, squares / count};
    }
    if (uses_welford(args.program_config)) {
        return {mean, squares / count - mean * mean};
    }
    return args.sum_first ? std::vector{power_sum(row, 1), squares} : std::vector{squares, power_sum(row, 1)};
}

inline reference::Array statistics(const PreArguments& args) {
    const reference::Array input = summands(args);
    const size_t width = input.shape.from_end(0);
    Shape shape = input.shape;
    shape[-1] = 0;
    std::vector<double> numbers;
    for (size_t first = 0; first < input.values.size(); first += width) {
        const std::vector<double> row = statistics(args, {input.values.data() + first, width});
        shape[-1] = static_cast<uint32_t>(row.size()) * tile_size;
        for (const double number : row) {
            numbers.push_back(number);
            numbers.resize(numbers.size() + tile_size - 1, 0.0);
        }
    }
    return {shape, std::move(numbers)};
}

}  // namespace distributed_norm

inline std::vector<reference::Array> LayerNormPreAllGather::reference(const Params& params) {
    return {distributed_norm::statistics(arguments(params))};
}
inline std::vector<reference::Array> RmsNormPreAllGather::reference(const Params& params) {
    return {distributed_norm::statistics(arguments(params))};
}

// The input, which is the only argument that may be written into.
inline reference::Array LayerNormPreAllGather::mutated_reference(const Params& params, std::string_view) {
    const auto args = arguments(params);
    return args.stores_sum() ? distributed_norm::summands(args) : reference::values(args.input);
}
inline reference::Array RmsNormPreAllGather::mutated_reference(const Params& params, std::string_view) {
    const auto args = arguments(params);
    return args.stores_sum() ? distributed_norm::summands(args) : reference::values(args.input);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"

namespace ttnn {

inline void LayerNormPreAllGather::validate(const Params& params) { distributed_norm::validate(arguments(params)); }
inline void RmsNormPreAllGather::validate(const Params& params) { distributed_norm::validate(arguments(params)); }
inline Tensor LayerNormPreAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }
inline Tensor RmsNormPreAllGather::run(const Params& params) { return distributed_norm::run(arguments(params)); }

namespace distributed_norm {

// The same cases for both operations.
template <class Params>
void add_pre_cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 128})});
    make.add(Params{.input_tensor = make.tensor({2, 3, 40, 50})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 8, 96}), .dtype = DataType::FLOAT32});
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 64}), .dtype = DataType::BFLOAT8_B});
    make.add(Params{.input_tensor = make.tensor({1, 1, 20, 128}),
                    .dtype = DataType::FLOAT32,
                    .residual_input_tensor = make.tensor({1, 1, 20, 128})});
    if (make.memory() == MemoryKind::WIDTH_SHARDED) {
        const LayerNormShardedMultiCoreProgramConfig config{
            .compute_with_storage_grid_size = {4, 1}, .subblock_w = 1, .block_h = 1, .block_w = 2};
        make.add(Params{.input_tensor = make.tensor({1, 1, 32, 256}), .program_config = config});
    }
}

}  // namespace distributed_norm

inline void LayerNormPreAllGather::cases(CaseMaker& make) {
    distributed_norm::add_pre_cases<Params>(make);
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}),
                    .dtype = DataType::FLOAT32,
                    .program_config = LayerNormDefaultProgramConfig{.use_welford = true},
                    .recip_tensor = make.interleaved({1, 96}, DataType::FLOAT32, Layout::ROW_MAJOR)});
}
inline void RmsNormPreAllGather::cases(CaseMaker& make) {
    distributed_norm::add_pre_cases<Params>(make);
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .use_2d_core_grid = true});
}

}  // namespace ttnn

#endif
