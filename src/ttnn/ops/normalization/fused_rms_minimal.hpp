// fused_rms_minimal: rms_norm of one row of tiles that is spread over the chips along a dimension of the mesh.
#pragma once

#include "ttnn/ops/ccl/fields.hpp"
#include "ttnn/ops/normalization/distributed_norm_rules.hpp"

namespace ttnn {

struct FusedRmsMinimal {
    static constexpr std::string_view name = "ttnn.fused_rms_minimal";
    static constexpr std::string_view doc = "rms_norm of rows that are spread over chips, after adding a residual.";
    struct Params {
        Tensor input_tensor{};
        std::optional<LayerNormProgramConfig> program_config{};
        int64_t cluster_axis = 0;
        DeviceHandle mesh_device{};
        GlobalSemaphore global_semaphore{};
        std::optional<Tensor> persistent_output_tensor{};
        std::optional<int64_t> num_links{};
        CclTopology topology = CclTopology::Linear;
        std::optional<int64_t> subdevice_id{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> residual_input_tensor{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> stats{};
        bool use_noc1_only = false;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("sharded tile tensor [1, 1, up to 32, W] on a mesh"),
                  arg<&Params::program_config>("a LayerNormShardedMultiCoreProgramConfig"),
                  arg<&Params::cluster_axis>(ccl::axis_doc),
                  arg<&Params::mesh_device>("the device of the tensor"),
                  opt<&Params::global_semaphore>(ccl::semaphore_doc).is_volatile(),
                  kw<&Params::persistent_output_tensor>("written into and returned").mutates()} +
        ccl::link_fields<Params> +
        FieldList{kw<&Params::dtype>("default: of the input"),
                  kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                  kw<&Params::memory_config>("sharded, default: of the input"),
                  kw<&Params::residual_input_tensor>("added first; holds the sum afterwards").mutates(),
                  kw<&Params::epsilon>("added to the mean of squares"),
                  kw<&Params::weight>("the chip's W factors, ROW_MAJOR [1, 1, W/32, 32]; must be given"),
                  kw<&Params::stats>("room for what chips tell each other, must be given; stays as it is here"),
                  kw<&Params::use_noc1_only>("no effect")};
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> mesh_reference(const Params& params, uint32_t chip);
    static reference::Array mutated_reference(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fused_rms_minimal, FusedRmsMinimal);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/collectives.hpp"
#include "ttnn/reference/normalize.hpp"

namespace ttnn {

namespace reference {
// What a chip normalises: the sum as the residual's dtype holds it.
inline Array with_residual(const Tensor& input, const std::optional<Tensor>& residual) {
    const auto add = [](double x, double r) { return x + r; };
    return residual ? rounded(zip(values(input), values(*residual), add), residual->dtype()) : values(input);
}
}  // namespace reference

inline std::vector<reference::Array> FusedRmsMinimal::mesh_reference(const Params& params, uint32_t chip) {
    const auto of_chip = [&](uint32_t member) {
        const auto& residual = params.residual_input_tensor;
        return reference::with_residual(params.input_tensor.part(member),
                                        residual ? std::optional(residual->part(member)) : std::nullopt);
    };
    const auto chips = reference::members(reference::mesh_of(params.input_tensor), params.cluster_axis, chip);
    // The whole rows, normalised; then the columns of this chip.
    reference::Array own = of_chip(chip);
    const uint32_t width = own.shape.from_end(0);
    Shape shape = own.shape;
    shape[-1] = width * static_cast<uint32_t>(chips.size());
    std::vector<reference::Array> parts;
    std::ranges::transform(chips, std::back_inserter(parts), of_chip);
    const reference::Array rows = reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        source.back() %= width;
        return parts[index.back() / width].at(source);
    });
    const reference::Array normal = reference::normalize(rows, params.epsilon, false, std::nullopt, std::nullopt);
    const reference::Array slice =
        reference::slice_of(normal, -1, static_cast<uint32_t>(chips.size()), reference::place_among(chips, chip));
    const std::vector<double> weight = reference::norm_vector(params.weight->part(chip), width);
    return {reference::generated(
        own.shape, [&](std::span<const uint32_t> index) { return slice.at(index) * weight[index.back()]; })};
}

// The residual; a persistent output is the result.
inline reference::Array FusedRmsMinimal::mutated_reference(const Params& params, std::string_view) {
    return reference::with_residual(params.input_tensor, params.residual_input_tensor);
}

}  // namespace ttnn

#else

#include <cmath>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/normalize.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/ccl/cases.hpp"
#include "ttnn/ops/ccl/rules.hpp"
#include "ttnn/ops/normalization/blocks.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"

namespace ttnn {
namespace fused_rms_rules {

inline constexpr std::string_view primitive_name = "ttnn::prim::rms_allgather";

inline void check_layouts(const FusedRmsMinimal::Params& params) {
    constexpr std::string_view op = FusedRmsMinimal::name;
    const Tensor& input = params.input_tensor;
    check_layout(op, "input_tensor", input, Layout::TILE);
    require(input.memory_config().shard_spec().has_value() && input.padded_shape()[2] == tile_size,
            "{}: argument 'input_tensor' must be sharded and one tile high, got {} {}", op, input.padded_shape(),
            input.memory_config());
    require(params.weight.has_value(), "{}: argument 'weight' is missing", op);
    check_layout(op, "weight", *params.weight, Layout::ROW_MAJOR);
    require(params.stats.has_value(), "{}: argument 'stats' is missing", op);
    if (const auto& residual = params.residual_input_tensor) {
        check_layout(op, "residual_input_tensor", *residual, Layout::TILE);
        require(residual->memory_config() == input.memory_config(),
                "{}: argument 'residual_input_tensor' must be sharded as the input is, {}, got {}", op,
                input.memory_config(), residual->memory_config());
    }
    if (params.persistent_output_tensor) {
        check_preallocated(op, "persistent_output_tensor", *params.persistent_output_tensor, input.logical_shape());
    }
}

inline void check(const FusedRmsMinimal::Params& params) {
    check_layouts(params);
    norm_rules::check({.op = FusedRmsMinimal::name,
                       .center = false,
                       .input = params.input_tensor,
                       .weight = params.weight,
                       .residual = params.residual_input_tensor,
                       .memory_config = params.memory_config,
                       .program_config = params.program_config});
}

inline bool is_in_place(const FusedRmsMinimal::Params& params) {
    const auto* config = distributed_norm::sharded_config(params.program_config);
    return config != nullptr && config->inplace;
}

inline TensorSpec output_spec(const FusedRmsMinimal::Params& params) {
    if (params.persistent_output_tensor) {
        return params.persistent_output_tensor->spec();
    }
    return distributed_norm::output_spec(distributed_norm::PostArguments{.op = FusedRmsMinimal::name,
                                                                         .center = false,
                                                                         .input = params.input_tensor,
                                                                         .stats = params.input_tensor,
                                                                         .memory_config = params.memory_config,
                                                                         .program_config = params.program_config,
                                                                         .dtype = params.dtype});
}

inline std::vector<Tensor> inputs_of(const FusedRmsMinimal::Params& params) {
    const Tensor none;
    return {params.input_tensor, params.residual_input_tensor.value_or(none), *params.weight, *params.stats};
}

// Scaler, epsilon, squares, statistics of the core, of all cores and of all chips, and the weights.
inline void declare(Program& program, const FusedRmsMinimal::Params& params, const Tensor& output) {
    const Tensor& input = params.input_tensor;
    const ShardSpec& shards = *input.memory_config().shard_spec();
    const uint64_t small = normalization::tile_bytes(DataType::BFLOAT16);
    const bool fp32 = normalization::fp32_accumulation(params.compute_kernel_config, input.dtype());
    const uint64_t inner = normalization::tile_bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16);
    const uint64_t columns = div_up<uint64_t>(shards.shape[1], tile_size);
    movement::shard_buffer(program, input);
    if (params.residual_input_tensor) {
        movement::shard_buffer(program, *params.residual_input_tensor);
    }
    movement::shard_buffer(program, *params.stats);
    for (const uint64_t size : {small, small, columns * inner, inner, shards.num_cores() * inner, inner,
                                columns * normalization::tile_bytes(params.weight->dtype())}) {
        program.circular_buffer(shards.grid, size);
    }
    ccl::link_buffers(program, input, params.num_links);
    if (output != input) {
        movement::shard_buffer(program, output);
    }
}

// One chip's rows, with the residual added where there is one; the sum replaces the residual.
inline Dense<float> summands(std::span<const Tensor> inputs, uint32_t chip) {
    Dense<float> values = read<float>(inputs[0].part(chip));
    if (!inputs[1]) {
        return values;
    }
    Tensor residual = inputs[1].part(chip);
    const Dense<float> more = read<float>(residual);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] += more[i];
    }
    write<float>(residual, values.span());
    return read<float>(residual);
}

inline void normalize_group(std::span<const Tensor> inputs, const std::vector<uint32_t>& group, double epsilon,
                            Tensor& output) {
    const size_t width = inputs[0].logical_shape()[3];
    const size_t rows = inputs[0].logical_shape()[2];
    std::vector<Dense<float>> parts;
    std::vector<double> squares(rows, 0.0);
    for (const uint32_t chip : group) {
        checkpoint();
        parts.push_back(summands(inputs, chip));
        for (size_t row = 0; row < rows; ++row) {
            squares[row] += compute::row_sums(parts.back().data() + row * width, nullptr, width, 0.0).squares;
        }
    }
    const auto columns = static_cast<double>(width * group.size());
    for (size_t i = 0; i < group.size(); ++i) {
        const Dense<float> weight = norm_rules::vector_of(inputs[2].part(group[i]), width);
        for (size_t row = 0; row < rows; ++row) {
            float* x = parts[i].data() + row * width;
            const double factor = 1.0 / std::sqrt(squares[row] / columns + epsilon);
            compute::scale_row(x, width, 0.0, factor, {.weight = weight.data()}, x);
        }
        Tensor part = output.part(group[i]);
        write<float>(part, parts[i].span());
    }
}

}  // namespace fused_rms_rules

inline void FusedRmsMinimal::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    ccl::check_whole(name, "input_tensor", input);
    ccl::mesh_axis(name, input, params.cluster_axis);
    require(distributed_norm::sharded_config(params.program_config) != nullptr,
            "{}: argument 'program_config' must be a LayerNormShardedMultiCoreProgramConfig", name);
    require(shape.rank() == 4 && shape[0] == 1 && shape[1] == 1 && shape[2] <= tile_size && shape[3] % tile_size == 0,
            "{}: argument 'input_tensor' must be [1, 1, up to 32, a multiple of 32], got {}", name, shape);
    check_primitive(
        fused_rms_rules::primitive_name, [&] { fused_rms_rules::check(params); }, [&] { return std::vector{input}; },
        [&] { return fused_rms_rules::output_spec(params); });
}

inline Tensor FusedRmsMinimal::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const std::vector<Tensor> tensors = fused_rms_rules::inputs_of(params);
    const ccl::Groups groups = ccl::groups_of(input, ccl::mesh_axis(name, input, params.cluster_axis));
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        fused_rms_rules::declare(p, params, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        for (const auto& group : groups) {
            fused_rms_rules::normalize_group(inputs, group, params.epsilon, outputs[0]);
        }
    };
    const TensorSpec spec = fused_rms_rules::output_spec(params);
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.program_config).add(params.cluster_axis).add_at_run(params.global_semaphore);
        list.add(params.persistent_output_tensor).add(params.num_links).add(params.topology).add(params.subdevice_id);
        list.add(params.dtype).add(params.compute_kernel_config).add(spec.memory_config());
        list.add(params.residual_input_tensor).add(params.epsilon).add(params.weight).add(params.stats);
        list.add(params.use_noc1_only);
    };
    const Primitive primitive{.name = fused_rms_rules::primitive_name,
                              .inputs = tensors,
                              .program = program,
                              .kernel = kernel,
                              .arguments = arguments,
                              .whole_mesh = true};
    const std::optional<Tensor> place = fused_rms_rules::is_in_place(params) ? std::optional(input) : std::nullopt;
    Tensor result = launch(primitive, spec, params.persistent_output_tensor ? params.persistent_output_tensor : place);
    result.set_topology(input.topology());
    return result;
}

inline void FusedRmsMinimal::cases(CaseMaker& make) {
    make.only_if(make.memory() == MemoryKind::WIDTH_SHARDED && make.layout() == Layout::TILE);
    const Tensor stats = make.interleaved({1, 1, 32, 32}, DataType::BFLOAT16, Layout::TILE);
    const auto weight = [&] { return make.interleaved({1, 1, 8, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR); };
    const LayerNormShardedMultiCoreProgramConfig config{
        .compute_with_storage_grid_size = {4, 1}, .subblock_w = 1, .block_h = 1, .block_w = 2};
    for (const auto& axis : ccl::axes(make)) {
        if (!axis) {
            continue;
        }
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 32, 256}),
                        .program_config = config,
                        .cluster_axis = *axis,
                        .mesh_device = make.device(),
                        .epsilon = 1e-5,
                        .weight = weight(),
                        .stats = stats});
        make.add(Params{.input_tensor = ccl::spread(make, {1, 1, 8, 256}),
                        .program_config = config,
                        .cluster_axis = *axis,
                        .mesh_device = make.device(),
                        .dtype = DataType::BFLOAT16,
                        .residual_input_tensor = ccl::spread(make, {1, 1, 8, 256}),
                        .epsilon = 1e-5,
                        .weight = weight(),
                        .stats = stats});
    }
}

}  // namespace ttnn

#endif
