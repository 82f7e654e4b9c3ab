// layer_norm and rms_norm: rows brought to unit spread.
#pragma once

#include "ttnn/core/stop.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

namespace norm_rules {

// The arguments of a normalisation, whichever operation asks for it.
struct Arguments {
    std::string_view op;
    bool center = true;  // layer norm; false: rms norm
    const Tensor& input;
    double epsilon = 1e-12;
    std::optional<Tensor> weight{};
    std::optional<Tensor> bias{};
    std::optional<Tensor> residual{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<LayerNormProgramConfig> program_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
    std::optional<UnaryWithParam> activation{};  // applied to the result
};

// What both operations declare alike.
template <class Params>
inline constexpr FieldList norm_fields{
    kw<&Params::weight>("W factors: TILE [1, 1, 1, W] or ROW_MAJOR [1, 1, W/32, 32]"),
    kw<&Params::bias>("W addends, in the weight's layout"),
    kw<&Params::residual_input_tensor>("added to the input first"),
    kw<&Params::memory_config>("default: of the input"),
    kw<&Params::program_config>("how a sharded input is cut; may ask for an in-place result"),
    kw<&Params::compute_kernel_config>("precision, no effect on results here")};

template <class Params>
Arguments norm_arguments(std::string_view op, bool center, const Params& p) {
    return {.op = op,
            .center = center,
            .input = p.input_tensor,
            .epsilon = p.epsilon,
            .weight = p.weight,
            .bias = p.bias,
            .residual = p.residual_input_tensor,
            .memory_config = p.memory_config,
            .program_config = p.program_config,
            .compute_kernel_config = p.compute_kernel_config};
}

}  // namespace norm_rules

struct LayerNorm {
    static constexpr std::string_view name = "ttnn.layer_norm";
    static constexpr std::string_view doc = "(x - mean) / sqrt(var + epsilon) * weight + bias over the last dimension.";
    struct Params {
        Tensor input_tensor{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<Tensor> residual_input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> recip_tensor{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{
            arg<&Params::input_tensor>("FLOAT32, BFLOAT16 or BFLOAT8_B; row-major ones are interleaved, W % 32 == 0"),
            kw<&Params::epsilon>("added to the variance")} +
        norm_rules::norm_fields<Params> +
        FieldList{kw<&Params::recip_tensor>("reciprocals for Welford's method, no effect here")};
    // Rows are computed in fp64 and rounded once.
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static norm_rules::Arguments arguments(const Params& p) { return norm_rules::norm_arguments(name, true, p); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct RmsNorm {
    static constexpr std::string_view name = "ttnn.rms_norm";
    static constexpr std::string_view doc = "x / sqrt(mean(x^2) + epsilon) * weight + bias over the last dimension.";
    struct Params {
        Tensor input_tensor{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<Tensor> residual_input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B"),
                                             kw<&Params::epsilon>("added to the mean of squares")} +
                                   norm_rules::norm_fields<Params>;
    static constexpr Tolerance tolerance{.ulp_float32 = 1};

    static norm_rules::Arguments arguments(const Params& p) { return norm_rules::norm_arguments(name, false, p); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(layer_norm, LayerNorm);
TTNN_OPERATION(rms_norm, RmsNorm);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/normalize.hpp"

namespace ttnn {
namespace norm_rules {

inline reference::Array normalized(const Arguments& args) {
    reference::Array input = reference::values(args.input);
    const size_t width = input.shape.from_end(0);
    if (args.residual) {
        input = reference::zip(input, reference::values(*args.residual), [](double x, double r) { return x + r; });
    }
    const auto vector = [&](const std::optional<Tensor>& tensor) -> std::optional<std::vector<double>> {
        return tensor ? std::optional(reference::norm_vector(*tensor, width)) : std::nullopt;
    };
    return reference::normalize(input, args.epsilon, args.center, vector(args.weight), vector(args.bias));
}

}  // namespace norm_rules

inline std::vector<reference::Array> LayerNorm::reference(const Params& params) {
    return {norm_rules::normalized(arguments(params))};
}
inline std::vector<reference::Array> RmsNorm::reference(const Params& params) {
    return {norm_rules::normalized(arguments(params))};
}

}  // namespace ttnn

#else

#include <algorithm>
#include <array>
#include <iterator>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/normalize.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/normalization/blocks.hpp"

namespace ttnn {
namespace norm_rules {

// --- checks ----------------------------------------------------------------------------------------------------------

inline void check_input(const Arguments& args) {
    const Tensor& input = args.input;
    check_dtype(args.op, "input_tensor", input, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    require(input.logical_shape().rank() > 0, "{}: argument 'input_tensor' must have a last dimension, got rank 0",
            args.op);
    if (input.layout() == Layout::ROW_MAJOR) {
        require(args.center, "{}: argument 'input_tensor' must have Layout::TILE, got Layout::ROW_MAJOR", args.op);
        require(!input.is_sharded() && input.logical_shape().from_end(0) % tile_size == 0,
                "{}: a row-major 'input_tensor' must be interleaved and a multiple of 32 wide, got {} {}", args.op,
                input.memory_config().memory_layout(), input.logical_shape());
    }
}

// W numbers: a tile row, or a row-major stack of 32-wide rows.
inline void check_vector(const Arguments& args, std::string_view argument, const std::optional<Tensor>& tensor) {
    if (!tensor) {
        return;
    }
    const uint32_t width = args.input.layout() == Layout::TILE ? args.input.padded_shape().from_end(0)
                                                               : args.input.logical_shape().from_end(0);
    const Shape& padded = tensor->padded_shape();
    if (tensor->layout() == Layout::TILE) {
        require(is_floating(tensor->dtype()), "{}: argument '{}' must have a floating dtype, got {}", args.op, argument,
                tensor->dtype());
        require(padded.from_end(1) == tile_size && padded.from_end(0) == width,
                "{}: argument '{}' in TILE layout must be one tile high and {} wide (padded), got {}", args.op,
                argument, width, tensor->logical_shape());
        return;
    }
    check_dtype(args.op, argument, *tensor, {DataType::FLOAT32, DataType::BFLOAT16});
    require(padded.from_end(0) == tile_size && padded.volume() == width,
            "{}: argument '{}' in ROW_MAJOR layout must be 32 wide and hold {} numbers, got {}", args.op, argument,
            width, tensor->logical_shape());
}

inline void check_shards(const Arguments& args) {
    const MemoryConfig& config = args.input.memory_config();
    if (!config.is_sharded()) {
        return;
    }
    require(config.memory_layout() != TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'input_tensor' must not be height sharded", args.op);
    require(
        config.shard_spec() && config.shard_spec()->grid.bounding_box().num_cores() == config.shard_spec()->num_cores(),
        "{}: argument 'input_tensor' must be sharded over a rectangle of cores, got {}", args.op, config);
    require(!args.memory_config || args.memory_config->memory_layout() == config.memory_layout(),
            "{}: argument 'memory_config' must be sharded as the input is ({}), got {}", args.op,
            config.memory_layout(), args.memory_config.value_or(config).memory_layout());
}

inline const LayerNormShardedMultiCoreProgramConfig* sharded_config(const Arguments& args) {
    return args.program_config ? std::get_if<LayerNormShardedMultiCoreProgramConfig>(&*args.program_config) : nullptr;
}

inline void check_program(const Arguments& args) {
    const auto* config = sharded_config(args);
    if (config == nullptr) {
        return;
    }
    const auto& shards = args.input.memory_config().shard_spec();
    require(shards.has_value(), "{}: argument 'program_config' (sharded) needs a sharded input", args.op);
    require(config->block_h * tile_size == shards->shape[0] && config->block_w * tile_size == shards->shape[1],
            "{}: argument 'program_config': block_h and block_w ({}, {} tiles) must be the shard's {} x {}", args.op,
            config->block_h, config->block_w, shards->shape[0], shards->shape[1]);
    require(config->subblock_w > 0 && config->block_w % config->subblock_w == 0,
            "{}: argument 'program_config': subblock_w ({}) must divide block_w ({})", args.op, config->subblock_w,
            config->block_w);
}

inline void check(const Arguments& args) {
    check_input(args);
    check_vector(args, "weight", args.weight);
    check_vector(args, "bias", args.bias);
    require(!args.weight || !args.bias || args.weight->layout() == args.bias->layout(),
            "{}: arguments 'weight' and 'bias' must have the same layout", args.op);
    require(!args.residual || args.residual->logical_shape() == args.input.logical_shape(),
            "{}: argument 'residual_input_tensor' must have the input's {}, got {}", args.op,
            args.input.logical_shape(), args.residual.value_or(args.input).logical_shape());
    check_shards(args);
    check_program(args);
}

// --- circular buffers ---------------------------------------------------------------------

// `row` is the tiles that row buffers hold. A mean and centred rows exist in layer norm only.
inline std::vector<uint64_t> buffer_sizes(const Arguments& args, uint64_t row, uint64_t block) {
    const bool fp32 = normalization::fp32_accumulation(args.compute_kernel_config, args.input.dtype());
    const uint64_t io = normalization::tile_bytes(args.input.dtype());
    const uint64_t small = normalization::tile_bytes(DataType::BFLOAT16);
    const uint64_t inner = normalization::tile_bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16);
    std::vector<uint64_t> sizes{row * io, 2 * block * io};
    if (args.center) {
        sizes.push_back(2 * inner);  // c_18, the mean
    }
    sizes.insert(sizes.end(), {2 * small, 2 * small, 2 * inner});  // c_2 scaler, c_3 epsilon, c_19
    if (args.center) {
        sizes.push_back(row * inner);  // c_24, centred
    }
    sizes.insert(sizes.end(), {row * inner, 8 * inner});  // c_20, c_21
    if (args.weight || args.bias) {
        sizes.push_back(2 * block * inner);  // c_22
    }
    for (const auto& vector : {args.weight, args.bias}) {
        if (vector) {
            sizes.push_back(row * normalization::tile_bytes(vector->dtype()));  // c_5, c_6
        }
    }
    if (args.residual) {
        sizes.insert(sizes.end(), {row * inner, 2 * block * normalization::tile_bytes(args.residual->dtype())});
    }
    return sizes;
}

inline uint64_t total(const std::vector<uint64_t>& sizes) {
    uint64_t sum = 0;
    for (const uint64_t size : sizes) {
        sum += size;
    }
    return sum;
}

inline void declare(Program& program, const Arguments& args, const Tensor& output) {
    const Shape& shape = args.input.logical_shape();
    const uint64_t columns = std::max<uint64_t>(div_up<uint64_t>(shape.from_end(0), tile_size), 1);
    const MemoryConfig& config = args.input.memory_config();
    const bool sharded = config.shard_spec() && config.is_l1();
    const uint64_t own = sharded ? div_up<uint64_t>(config.shard_spec()->shape[1], tile_size) : columns;
    const bool fp32 = normalization::fp32_accumulation(args.compute_kernel_config, args.input.dtype());
    const uint64_t block = normalization::largest_block(own, fp32 ? 4 : 8);
    std::vector<uint64_t> sizes = buffer_sizes(args, own, block);
    if (total(sizes) > program.device().board().cb_limit()) {
        const uint64_t longest = (args.weight || args.bias ? 56 : 112) / (fp32 ? 2 : 1);
        sizes = buffer_sizes(args, std::min<uint64_t>(own, longest), block);
    }
    const uint64_t page_height = args.input.layout() == Layout::TILE ? 1 : tile_size;
    const uint64_t rows = std::max<uint64_t>(div_up(tile_rows(args.input), page_height), 1);
    const CoreRangeSet cores = sharded ? config.shard_spec()->grid : program.split(rows, true);
    if (sharded) {  // the first two, input and output, lie in the tensors themselves
        program.global_circular_buffer(args.input, shard_bytes(args.input));
        if (output != args.input && output.memory_config().shard_spec() && output.memory_config().is_l1()) {
            program.global_circular_buffer(output, shard_bytes(output));
        }
        sizes.erase(sizes.begin(), sizes.begin() + 2);
    }
    for (const uint64_t size : sizes) {
        program.circular_buffer(cores, size);
    }
}

// --- kernel ----------------------------------------------------------------------------------------------------------

// The W numbers of a weight or bias; what the tensor does not have is padding, i.e. 0.
inline Dense<float> vector_of(const Tensor& tensor, size_t width) {
    const Dense<float> values = read<float>(tensor);
    Dense<float> vector(width);
    const size_t given =
        std::min(width, tensor.layout() == Layout::TILE ? tensor.logical_shape().from_end(0) : values.size());
    std::copy(values.begin(), values.begin() + given, vector.begin());
    std::fill(vector.begin() + given, vector.end(), 0.0F);
    return vector;
}

// Inputs in the places that inputs_of gives them.
inline void normalize(const Arguments& args, std::span<const Tensor> inputs, Tensor& output) {
    const Tensor& residual = inputs[1];
    const Tensor& weight = inputs[2];
    const Tensor& bias = inputs[3];
    const size_t width = inputs[0].logical_shape().from_end(0);
    Dense<float> values = read<float>(inputs[0]);
    const Dense<float> more = residual ? read<float>(residual) : Dense<float>();
    const Dense<float> factors = weight ? vector_of(weight, width) : Dense<float>();
    const Dense<float> addends = bias ? vector_of(bias, width) : Dense<float>();
    const compute::NormRow norm{weight ? factors.data() : nullptr, bias ? addends.data() : nullptr, args.epsilon,
                                args.center};
    parallel(width == 0 ? 0 : values.size() / width, compute::rows_for_a_thread(width), [&](size_t begin, size_t end) {
        for (size_t first = begin * width; first < end * width; first += width) {
            checkpoint();
            compute::normalize_row(values.data() + first, residual ? more.data() + first : nullptr, width, norm,
                                   values.data() + first);
        }
        if (args.activation) {
            compute::apply_unary(*args.activation, output.dtype(), values.data() + begin * width,
                                 (end - begin) * width);
        }
    });
    write<float>(output, values.span());
}

inline constexpr std::string_view primitive_name = "ttnn::prim::layer_norm";

inline std::array<Tensor, 4> inputs_of(const Arguments& args) {
    return {args.input, args.residual.value_or(Tensor()), args.weight.value_or(Tensor()), args.bias.value_or(Tensor())};
}

inline std::vector<Tensor> given_inputs(const Arguments& args) {
    std::vector<Tensor> given;
    std::ranges::copy_if(inputs_of(args), std::back_inserter(given),
                         [](const Tensor& tensor) { return static_cast<bool>(tensor); });
    return given;
}

inline TensorSpec output_spec(const Arguments& args) {
    const TensorSpec& own = args.input.spec();
    return TensorSpec::from_padded(own.logical_shape(), own.padded_shape(), own.dtype(), own.layout(),
                                   args.memory_config.value_or(own.memory_config()), own.tile());
}

inline void validate(const Arguments& args) {
    check_primitive(
        primitive_name, [&] { check(args); }, [&] { return given_inputs(args); }, [&] { return output_spec(args); });
}

inline Tensor run(const Arguments& args) {
    const std::array<Tensor, 4> tensors = inputs_of(args);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, args, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        normalize(args, inputs, outputs[0]);
    };
    const auto* config = sharded_config(args);
    const bool in_place = config != nullptr && config->inplace;
    const TensorSpec spec = output_spec(args);
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.input).add(args.epsilon).add(args.weight).add(args.bias).add(args.residual);
        list.add(spec.memory_config()).add(args.program_config).add(args.compute_kernel_config).add(args.center);
        if (args.activation) {
            list.add(args.activation);
        }
    };
    return launch({primitive_name, tensors, program, kernel, arguments}, spec,
                  in_place ? std::optional(args.input) : std::nullopt);
}

}  // namespace norm_rules

inline void LayerNorm::validate(const Params& params) { norm_rules::validate(arguments(params)); }
inline void RmsNorm::validate(const Params& params) { norm_rules::validate(arguments(params)); }
inline Tensor LayerNorm::run(const Params& params) { return norm_rules::run(arguments(params)); }
inline Tensor RmsNorm::run(const Params& params) { return norm_rules::run(arguments(params)); }

namespace norm_rules {

// The same cases for both operations; `Params` has the members that they share.
template <class Params>
void add_cases(CaseMaker& make) {
    const auto tile = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const auto rows = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::BFLOAT16, Layout::ROW_MAJOR);
    };
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 96}), .epsilon = 1e-5, .weight = rows({1, 1, 3, 32})});
    make.add(Params{.input_tensor = make.tensor({64, 64}),
                    .epsilon = 1e-5,
                    .weight = rows({1, 1, 2, 32}),
                    .bias = rows({1, 1, 2, 32}),
                    .memory_config = make.memory_config({64, 64})});
    make.add(
        Params{.input_tensor = make.tensor({32, 64}), .epsilon = 1e-3, .residual_input_tensor = make.tensor({32, 64})});
    if (make.layout() == Layout::TILE) {
        make.add(Params{.input_tensor = make.tensor({40, 50}),
                        .epsilon = 1e-5,
                        .weight = tile({1, 1, 1, 50}),
                        .bias = tile({1, 50})});
        // Of a tile with several rows the first counts.
        make.add(Params{.input_tensor = make.tensor({40, 50}), .epsilon = 1e-5, .weight = tile({30, 50})});
    }
    if (make.memory() == MemoryKind::BLOCK_SHARDED) {
        const LayerNormShardedMultiCoreProgramConfig config{
            .compute_with_storage_grid_size = {2, 2}, .subblock_w = 1, .block_h = 1, .block_w = 2, .inplace = true};
        make.add(Params{.input_tensor = make.tensor({64, 128}),
                        .epsilon = 1e-5,
                        .weight = rows({1, 1, 4, 32}),
                        .program_config = config});
    }
}

}  // namespace norm_rules

inline void LayerNorm::cases(CaseMaker& make) { norm_rules::add_cases<Params>(make); }
inline void RmsNorm::cases(CaseMaker& make) { norm_rules::add_cases<Params>(make); }

}  // namespace ttnn

#endif
