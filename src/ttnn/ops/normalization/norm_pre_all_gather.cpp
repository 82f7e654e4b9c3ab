#include "ttnn/ops/normalization/norm_pre_all_gather.hpp"

#include <algorithm>
#include <array>

#include "ttnn/compute/normalize.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/normalization/distributed_norm_program.hpp"

namespace ttnn::distributed_norm {

namespace {

// --- checks ----------------------------------------------------------------------------------------------------------

void check_residual(const PreArguments& args) {
    if (!args.residual) {
        return;
    }
    check_layout(args.op, "residual_input_tensor", *args.residual, Layout::TILE);
    if (args.input.is_sharded()) {
        require(args.residual->memory_config() == args.input.memory_config(),
                "{}: argument 'residual_input_tensor' must be sharded as the input is, {}, got {}", args.op,
                args.input.memory_config(), args.residual->memory_config());
    } else {
        check_interleaved(args.op, "residual_input_tensor", *args.residual);
    }
}

void check(const PreArguments& args) {
    check_common({.op = args.op,
                  .center = args.center,
                  .input = args.input,
                  .residual = args.residual,
                  .memory_config = args.input.is_sharded() ? args.memory_config : std::nullopt,
                  .program_config = args.program_config,
                  .compute_kernel_config = args.compute_kernel_config});
    check_residual(args);
    require(is_floating(args.dtype), "{}: argument 'dtype' must be a floating dtype, got {}", args.op, args.dtype);
    require(args.input.is_sharded() || !uses_welford(args.program_config) || args.reciprocals,
            "{}: Welford algorithm requires recip_tensor. Use ttnn.create_layer_norm_reciprocals() to create it.",
            args.op);
}

// --- output ----------------------------------------------------------------------------------------------------------

// Those of a sharded input lie on its first core.
TensorSpec output_spec(const PreArguments& args) {
    Shape shape = args.input.logical_shape();
    shape[-1] = statistics_per_chip(args.center) * tile_size;
    const auto& own = args.input.memory_config().shard_spec();
    if (!own) {
        return TensorSpec(shape, args.dtype, Layout::TILE, args.input.memory_config());
    }
    const CoreCoord first = own->grid.bounding_box().start;
    const ShardSpec shards{CoreRangeSet(CoreRange(first)), {own->shape[0], shape[-1]}, own->orientation};
    const MemoryConfig& config = args.memory_config.value_or(args.input.memory_config());
    return TensorSpec(shape, DataType::BFLOAT16, Layout::TILE,
                      MemoryConfig(config.memory_layout(), config.buffer_type(), shards));
}

// --- circular buffers ------------------------------------------------------------------------------------------------

void declare(Program& program, const PreArguments& args, std::span<const Tensor> outputs) {
    const uint64_t small = tile_bytes(DataType::BFLOAT16);
    const uint64_t inner = inner_bytes(args.compute_kernel_config, args.input);
    const uint64_t count = statistics_per_chip(args.center);
    if (!args.input.memory_config().shard_spec()) {
        return declare_rows(program, args.input, [&](uint64_t row) {  // input, scaler, squares, statistics
            std::vector<uint64_t> sizes{row * tile_bytes(args.input.dtype()), small, row * inner,
                                        count * tile_bytes(outputs[0].dtype())};
            if (args.residual) {
                sizes.push_back(row * tile_bytes(args.residual->dtype()));
            }
            return sizes;
        });
    }
    const ShardSpec& shards = *args.input.memory_config().shard_spec();
    shard_buffer(program, args.input);
    if (args.residual) {
        shard_buffer(program, *args.residual);
    }
    // Two scalers, squares, the core's own statistics and those of all cores.
    for (const uint64_t size :
         {small, small, own_columns(args.input) * inner, count * inner, count * shards.num_cores() * inner}) {
        program.circular_buffer(shards.grid, size);
    }
    shard_buffer(program, outputs[0]);
}

// --- kernel ----------------------------------------------------------------------------------------------------------

// The statistics of one row, in the order of their tiles.
std::array<double, 2> statistics(const PreArguments& args, const float* row, const float* residual, size_t count) {
    const compute::RowSums sums = compute::row_sums(row, residual, count, 0.0);
    const double part = 1.0 / static_cast<double>(count);
    if (args.input.is_sharded()) {
        return args.center ? std::array{sums.sum * part, sums.squares * part} : std::array{sums.squares * part, 0.0};
    }
    if (uses_welford(args.program_config)) {
        const double mean = sums.sum * part;
        return {mean, compute::row_sums(row, residual, count, mean).squares * part};
    }
    return args.sum_first ? std::array{sums.sum, sums.squares} : std::array{sums.squares, sums.sum};
}

void add_into(std::span<float> values, const Dense<float>& more) {
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] += more[i];
    }
}

void compute_statistics(const PreArguments& args, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const size_t width = inputs[0].logical_shape().from_end(0);
    Dense<float> values = read<float>(inputs[0]);
    Dense<float> residual = inputs[1] ? read<float>(inputs[1]) : Dense<float>();
    if (args.stores_sum()) {
        add_into(values.span(), residual);
        write<float>(outputs[1], values.span());
        values = read<float>(outputs[1]);  // rounded
        residual = Dense<float>();
    }
    const size_t columns = outputs[0].logical_shape().from_end(0);
    Dense<float> result(outputs[0].logical_volume());
    std::ranges::fill(result, 0.0F);
    for (size_t row = 0; row * columns < result.size(); ++row) {
        checkpoint();
        const float* more = residual.size() != 0 ? residual.data() + row * width : nullptr;
        const auto numbers = statistics(args, values.data() + row * width, more, width);
        for (size_t i = 0; i * tile_size < columns; ++i) {
            result[row * columns + i * tile_size] = static_cast<float>(numbers[i]);
        }
    }
    write<float>(outputs[0], result.span());
}

std::array<Tensor, 2> inputs_of(const PreArguments& args) { return {args.input, args.residual.value_or(Tensor())}; }

}  // namespace

void validate(const PreArguments& args) {
    check_primitive(
        primitive_of(args), [&] { check(args); }, [&] { return given(inputs_of(args)); },
        [&] { return output_spec(args); });
}

Tensor run(const PreArguments& args) {
    const auto tensors = inputs_of(args);
    const TensorSpec spec = output_spec(args);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, args, outputs); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute_statistics(args, inputs, outputs);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.input).add(args.residual).add(args.reciprocals).add(args.center).add(args.dtype);
        list.add(args.compute_kernel_config).add(args.program_config).add(spec.memory_config());
    };
    const Primitive primitive{primitive_of(args), tensors, program, kernel, arguments};
    if (!args.stores_sum()) {
        return launch(primitive, spec);
    }
    const OutputSlot slots[] = {{.spec = spec}, {.spec = args.input.spec(), .preallocated = args.input}};
    return launch(primitive, slots).front();
}

}  // namespace ttnn::distributed_norm
