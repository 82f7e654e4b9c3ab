#include "ttnn/ops/normalization/softmax_program.hpp"

#include "ttnn/compute/normalize.hpp"
#include "ttnn/compute/reduce.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/normalization/blocks.hpp"

namespace ttnn::softmax_program {
namespace {

using softmax_rules::Arguments;
using softmax_rules::MaskForm;

// --- checks ----------------------------------------------------------------------------------------------------------

void check_sharded_config(const Arguments& args) {
    const auto* config = std::get_if<SoftmaxShardedMultiCoreProgramConfig>(&args.program_config);
    if (config == nullptr) {
        return;
    }
    const auto& shards = args.input.memory_config().shard_spec();
    require(shards.has_value(), "{}: argument 'program_config' (sharded) needs a sharded input", args.op);
    require(config->block_w * tile_size == args.input.padded_shape().from_end(0),
            "{}: argument 'program_config': block_w is {} tiles, but the input is {} wide", args.op, config->block_w,
            args.input.padded_shape().from_end(0));
    require(config->block_h * tile_size == shards->shape[0],
            "{}: argument 'program_config': block_h is {} tiles, but a shard is {} high", args.op, config->block_h,
            shards->shape[0]);
    require(config->subblock_w > 0 && config->block_w % config->subblock_w == 0,
            "{}: argument 'program_config': subblock_w ({}) must divide block_w ({})", args.op, config->subblock_w,
            config->block_w);
}

void check_mask_shape(const Arguments& args, std::string_view expected, bool fits) {
    require(fits, "{}: argument 'mask' must be {} for an input of {}, got {} {}", args.op, expected,
            args.input.logical_shape(), args.mask->layout(), args.mask->logical_shape());
}

void check_mask(const Arguments& args) {
    const Shape& input = args.input.logical_shape();
    require(input.rank() <= 4, "{}: argument 'input_tensor' must have rank 4 or less, got {}", args.op, input);
    if (args.mask_form == MaskForm::NONE) {
        require(!args.scale, "{}: argument 'scale': Scale value must not be set when mask is not present", args.op);
        return;
    }
    const Tensor& mask = *args.mask;
    const Shape& shape = mask.logical_shape();
    require(is_floating(mask.dtype()), "{}: argument 'mask' must have a floating dtype, got {}", args.op, mask.dtype());
    require(shape.rank() <= 4, "{}: argument 'mask' must have rank 4 or less, got {}", args.op, shape);
    const bool one_channel = shape.from_end(2) == 1;
    const bool tiled = mask.layout() == Layout::TILE;
    const bool batches = shape.from_end(3) == input.from_end(3);
    switch (args.mask_form) {
        case MaskForm::FULL: check_mask_shape(args, "of the input's shape (sharded)", shape == input); break;
        case MaskForm::SHARED:
            check_mask_shape(args, "TILE [1, 1, H, W]",
                             tiled && one_channel && shape.from_end(3) == 1 && shape.from_end(1) == input.from_end(1) &&
                                 shape.from_end(0) == input.from_end(0));
            break;
        case MaskForm::CAUSAL:
            check_mask_shape(args, "TILE [N, 1, H, W]",
                             tiled && batches && one_channel && shape.from_end(1) == input.from_end(1) &&
                                 shape.from_end(0) == input.from_end(0));
            break;
        default:
            check_mask_shape(
                args, "TILE [N, 1, 1, W] or ROW_MAJOR [N, 1, W/32, 32]",
                batches && one_channel &&
                    (tiled ? shape.from_end(0) == input.from_end(0) && shape.from_end(1) >= 1 &&
                                 shape.from_end(1) <= tile_size
                           : shape.from_end(0) == tile_size && shape.from_end(1) * tile_size == input.from_end(0)));
    }
}

// --- circular buffers ---------------------------------------------------------------------

struct Buffers {
    std::vector<uint64_t> sizes;
    uint64_t total() const {
        uint64_t sum = 0;
        for (const uint64_t size : sizes) {
            sum += size;
        }
        return sum;
    }
};

// Interleaved input; `row` is the tiles that row buffers hold.
Buffers row_buffers(const Arguments& args, const Tensor& output, uint64_t row, uint64_t columns) {
    const bool fp32 = normalization::fp32_accumulation(args.compute_kernel_config, args.input.dtype());
    const uint64_t block = normalization::largest_block(columns, fp32 ? 4 : 8);
    const uint64_t in = normalization::tile_bytes(args.input.dtype());
    const uint64_t out = normalization::tile_bytes(output.dtype());
    const uint64_t inner = normalization::tile_bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16);
    const uint64_t scaler = normalization::tile_bytes(DataType::BFLOAT16);
    Buffers buffers{
        {(args.numeric_stable ? row : 2 * block) * in, 2 * block * out, inner, scaler, row * inner, scaler}};
    if (args.numeric_stable) {
        buffers.sizes.insert(buffers.sizes.end(), {inner, row * inner});
    }
    if (args.mask) {
        buffers.sizes.insert(buffers.sizes.end(),
                             {(row + block) * inner, scaler, row * normalization::tile_bytes(args.mask->dtype())});
    }
    return buffers;
}

void declare_interleaved(Program& program, const Arguments& args, const Tensor& output) {
    const uint64_t columns = std::max<uint64_t>(tile_columns(args.input), 1);
    Buffers buffers = row_buffers(args, output, columns, columns);
    if (normalization::exceeds_l1(buffers.total(), program.device().board().cb_limit())) {
        buffers = row_buffers(args, output, std::min(columns, normalization::longest_row_buffer), columns);
    }
    for (const uint64_t size : buffers.sizes) {
        program.circular_buffer(program.full_grid(), size);
    }
}

void declare_sharded(Program& program, const Arguments& args, const Tensor& output) {
    const CoreRangeSet& cores = args.input.memory_config().shard_spec()->grid;
    const bool fp32 = normalization::fp32_accumulation(args.compute_kernel_config, args.input.dtype());
    const uint64_t inner = normalization::tile_bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16);
    const uint64_t row = div_up<uint64_t>(args.input.memory_config().shard_spec()->shape[1], tile_size);
    program.global_circular_buffer(args.input, shard_bytes(args.input));
    program.circular_buffer(cores, normalization::tile_bytes(DataType::BFLOAT16));
    program.circular_buffer(cores, row * inner);
    program.circular_buffer(cores, inner);
    if (args.numeric_stable) {
        program.circular_buffer(cores, inner);
        program.circular_buffer(cores, row * inner);
    }
    if (args.mask) {
        program.circular_buffer(cores, row * inner);
        program.circular_buffer(cores, normalization::tile_bytes(DataType::BFLOAT16));
        program.circular_buffer(cores, row * normalization::tile_bytes(args.mask->dtype()));
    }
    if (!args.in_place && output.memory_config().shard_spec() && output.memory_config().is_l1()) {
        program.global_circular_buffer(output, shard_bytes(output));
    }
}

void declare(Program& program, const Arguments& args, const Tensor& output) {
    const MemoryConfig& config = args.input.memory_config();
    config.shard_spec() && config.is_l1() ? declare_sharded(program, args, output)
                                          : declare_interleaved(program, args, output);
}

// --- kernel ----------------------------------------------------------------------------------------------------------

void compute_masked(const Arguments& args, const Dense<float>& values, const Tensor& mask, Dense<float>& result) {
    const Shape& shape = args.input.logical_shape();
    const size_t width = shape.from_end(0);
    const size_t rows = width == 0 ? 0 : values.size() / width;
    const Dense<float> addends = read<float>(mask);
    parallel(rows, compute::rows_for_a_thread(width), [&](size_t first, size_t last) {
        for (size_t row = first; row < last; ++row) {
            checkpoint();
            const float* mask_row = addends.data() + mask_offset(args.mask_form, shape, mask.logical_shape(), row);
            compute::softmax_row(values.data() + row * width, mask_row, width, args.scale.value_or(1.0),
                                 args.numeric_stable, result.data() + row * width);
        }
    });
}

void compute_output(const Arguments& args, const Tensor& input, const Tensor& mask, Tensor& output) {
    const Dense<float> values = read<float>(input);
    Dense<float> result(values.size());
    if (mask) {
        compute_masked(args, values, mask, result);
    } else {
        const Shape& shape = input.logical_shape();
        const size_t dim = shape.normalize_dim(args.dim, args.op);
        const auto view = compute::ReduceShape::of(shape, dim, dim);
        compute::softmax(values.data(), view.outer, view.count, view.inner, args.numeric_stable, result.data());
    }
    write<float>(output, result.span());
}

}  // namespace

namespace {

TensorSpec output_spec(const Arguments& args) {
    return TensorSpec(args.input.logical_shape(), args.input.dtype(), Layout::TILE,
                      args.memory_config.value_or(args.input.memory_config()), args.input.spec().tile());
}

constexpr std::string_view primitive_name = "ttnn::prim::softmax";

// Of the mask only what it is made of: its shape follows from its form and the input.
void add_program(ProgramKey& key, const Arguments& args, const TensorSpec& output) {
    ArgumentList settings;
    settings.add(args.scale).add(args.in_place).add(args.numeric_stable);
    settings.add(args.program_config).add(args.compute_kernel_config);
    key.add_arguments(settings.view());
    key.add(args.input.logical_shape().normalize_dim(args.dim, args.op));
    key.add(args.input.spec());
    key.add(args.mask_form);
    if (args.mask) {
        key.add_without_shape(args.mask->spec());
    }
    key.add_without_shape(output);
}

std::vector<Tensor> inputs_of(const Arguments& args) {
    std::vector<Tensor> inputs{args.input};
    if (args.mask) {
        inputs.push_back(*args.mask);
    }
    return inputs;
}

void check(const Arguments& args) {
    check_layout(args.op, "input_tensor", args.input, Layout::TILE);
    check_dtype(args.op, "input_tensor", args.input, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    const Shape& shape = args.input.logical_shape();
    const size_t dim = shape.normalize_dim(args.dim, fmt::format("{}: argument 'dim'", args.op));
    require(!args.in_place || (dim + 1 == shape.rank() && shape.rank() <= 4),
            "{}: argument 'dim' must be the last of at most 4 dimensions, got {} of {}", args.op, args.dim, shape);
    if (args.mask || args.scale) {
        check_mask(args);
    }
    check_sharded_config(args);
}

}  // namespace

void validate(const Arguments& args) {
    check_primitive(
        primitive_name, [&] { check(args); }, [&] { return inputs_of(args); }, [&] { return output_spec(args); });
}

// The form with one mask for all matrices exists for sharded inputs only.
void validate_shared_mask(const Arguments& args) {
    require(args.mask && args.scale, "{}: arguments 'scale' and 'mask' are both needed", args.op);
    const auto& shards = args.input.memory_config().shard_spec();
    require(shards && shards->orientation == ShardOrientation::ROW_MAJOR,
            "{}: argument 'input_tensor' must be sharded with orientation ROW_MAJOR", args.op);
    check_interleaved(args.op, "mask", *args.mask);
    require(std::holds_alternative<SoftmaxShardedMultiCoreProgramConfig>(args.program_config),
            "{}: argument 'program_config' must be a SoftmaxShardedMultiCoreProgramConfig", args.op);
    validate(args);
}

Tensor run(const Arguments& args) {
    const Tensor tensors[] = {args.input, args.mask.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, args, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute_output(args, inputs[0], inputs[1], outputs[0]);
    };
    const TensorSpec spec = output_spec(args);
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.input).add(args.dim).add(args.scale).add(args.mask).add(args.in_place).add(spec.memory_config());
        list.add(args.program_config).add(args.compute_kernel_config).add(args.numeric_stable);
    };
    const auto key = [&](ProgramKey& k, std::span<const Tensor> outputs) { add_program(k, args, outputs[0].spec()); };
    Primitive primitive{primitive_name, tensors, program, kernel, arguments};
    primitive.key = key;
    return launch(primitive, spec, args.in_place ? std::optional(args.input) : std::nullopt);
}

}  // namespace ttnn::softmax_program
