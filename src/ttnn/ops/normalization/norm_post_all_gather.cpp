#include "ttnn/ops/normalization/norm_post_all_gather.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "ttnn/compute/normalize.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/ops/normalization/distributed_norm_program.hpp"

namespace ttnn::distributed_norm {
namespace {

// --- checks ----------------------------------------------------------------------------------------------------------

void check_stats(const PostArguments& args) {
    const Shape& stats = args.stats.padded_shape();
    const Shape& input = args.input.padded_shape();
    check_layout(args.op, "stats", args.stats, Layout::TILE);
    check_dtype(args.op, "stats", args.stats, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    const uint32_t unit = statistics_per_chip(args.center) * tile_size;
    require(stats.rank() == 4 && std::equal(stats.begin(), stats.begin() + 3, input.begin()) && stats[3] % unit == 0,
            "{}: argument 'stats' must have the rows of the input {} and {} columns for each chip, got {}", args.op,
            input, unit, stats);
    require(args.stats.logical_shape()[2] >= args.input.logical_shape()[2],
            "{}: argument 'stats' must have as many rows as the input {}, got {}", args.op, args.input.logical_shape(),
            args.stats.logical_shape());
    if (args.input.is_sharded()) {
        const auto& shards = args.stats.memory_config().shard_spec();
        require(shards && shards->num_cores() == 1,
                "{}: argument 'stats' must be sharded on one core as the input is sharded, got {}", args.op,
                args.stats.memory_config());
        check_dtype(args.op, "stats", args.stats, {DataType::BFLOAT16});
    }
}

// layer_norm wants both vectors, rms_norm has no bias.
void check_interleaved(const PostArguments& args) {
    check_dtype(args.op, "input_tensor", args.input, {DataType::BFLOAT16, DataType::BFLOAT8_B});
    require(!args.center || (args.weight && args.bias),
            "{}: arguments 'weight' and 'bias' must both be given for an interleaved input", args.op);
    require(args.center || !args.bias, "{}: argument 'bias' must not be given for an interleaved input", args.op);
    for (const auto& [field, vector] : {std::pair{"weight", &args.weight}, std::pair{"bias", &args.bias}}) {
        if (*vector) {
            check_dtype(args.op, field, **vector, {DataType::BFLOAT16});
        }
    }
}

void check(const PostArguments& args) {
    check_common({.op = args.op,
                  .center = args.center,
                  .input = args.input,
                  .epsilon = args.epsilon,
                  .weight = args.weight,
                  .bias = args.bias,
                  .memory_config = args.input.is_sharded() ? args.memory_config : std::nullopt,
                  .program_config = args.program_config,
                  .compute_kernel_config = args.compute_kernel_config});
    check_stats(args);
    if (args.strict && !args.input.is_sharded()) {
        check_interleaved(args);
    }
    require(!args.dtype || is_floating(*args.dtype), "{}: argument 'dtype' must be a floating dtype, got {}", args.op,
            args.dtype.value_or(DataType::INVALID));
}

bool is_in_place(const PostArguments& args) {
    const auto* config = sharded_config(args.program_config);
    return config != nullptr && config->inplace;
}

}  // namespace

// A result may be cut into other shards than the input.
TensorSpec output_spec(const PostArguments& args) {
    if (is_in_place(args)) {
        return args.input.spec();
    }
    MemoryConfig config = args.memory_config.value_or(args.input.memory_config());
    if (config.is_sharded() && !config.shard_spec()) {
        config = config.with_shard_spec(args.input.memory_config().shard_spec());
    }
    const DataType dtype = args.dtype.value_or(args.input.dtype());
    if (!args.input.is_sharded()) {
        return TensorSpec(args.input.logical_shape(), dtype, Layout::TILE, config);
    }
    return TensorSpec::from_padded(args.input.logical_shape(), args.input.padded_shape(), dtype, Layout::TILE, config);
}

namespace {

// --- circular buffers ------------------------------------------------------------------------------------------------

// The buffers between input and output: statistics of the row, its weight and bias, steps of the computation.
std::vector<uint64_t> inner_sizes(const PostArguments& args, uint64_t row) {
    const uint64_t small = tile_bytes(DataType::BFLOAT16);
    const uint64_t inner = inner_bytes(args.compute_kernel_config, args.input);
    std::vector<uint64_t> sizes{small, small, statistics_per_chip(args.center) * inner, inner, inner, inner};
    if (args.center) {
        sizes.insert(sizes.end(), {inner, row * inner});  // the mean's square; x - mean
    }
    sizes.push_back(row * inner);
    for (const auto& vector : {args.weight, args.bias}) {
        if (vector) {
            sizes.push_back(row * tile_bytes(vector->dtype()));
        }
    }
    if (args.weight && args.bias) {
        sizes.push_back(row * inner);
    }
    return sizes;
}

void declare(Program& program, const PostArguments& args, const Tensor& output) {
    if (!args.input.memory_config().shard_spec()) {
        return declare_rows(program, args.input, [&](uint64_t row) {
            std::vector<uint64_t> sizes{row * tile_bytes(args.input.dtype()),
                                        tile_columns(args.stats) * tile_bytes(args.stats.dtype()),
                                        row * tile_bytes(output.dtype())};
            std::ranges::copy(inner_sizes(args, row), std::back_inserter(sizes));
            return sizes;
        });
    }
    shard_buffer(program, args.input);
    shard_buffer(program, args.stats);
    for (const uint64_t size : inner_sizes(args, own_columns(args.input))) {
        program.circular_buffer(args.input.memory_config().shard_spec()->grid, size);
    }
    if (output != args.input) {
        shard_buffer(program, output);
    }
}

// --- kernel ----------------------------------------------------------------------------------------------------------

struct Moments {
    double mean = 0;
    double spread = 0;  // variance, or mean of squares
};

// Of a whole row, from what the chips stated: `tiles` numbers, each the first of a tile.
Moments joined(const PostArguments& args, const float* stats, size_t tiles, size_t width) {
    const size_t each = statistics_per_chip(args.center);
    const size_t chips = tiles / each;
    const double elements = static_cast<double>(chips) * (args.input.is_sharded() ? 1.0 : static_cast<double>(width));
    double totals[2] = {};
    for (size_t i = 0; i < tiles; ++i) {
        totals[i % each] += stats[i * tile_size];
    }
    if (!args.center) {
        return {0.0, totals[0] / elements};
    }
    if (uses_welford(args.program_config) && !args.input.is_sharded()) {
        double squares = 0;
        for (size_t chip = 0; chip < chips; ++chip) {
            const double mean = stats[2 * chip * tile_size];
            squares += stats[(2 * chip + 1) * tile_size] + mean * mean;
        }
        const double mean = totals[0] / static_cast<double>(chips);
        return {mean, squares / static_cast<double>(chips) - mean * mean};
    }
    const size_t first = args.input.is_sharded() || args.sum_first ? 0 : 1;  // where the sum is
    const double mean = totals[first] / elements;
    return {mean, totals[1 - first] / elements - mean * mean};
}

// Input, statistics, weight and bias stand first among the inputs.
Dense<float> normalized(const PostArguments& args, std::span<const Tensor> inputs) {
    const Shape& shape = inputs[0].logical_shape();
    const size_t width = shape.from_end(0);
    const size_t height = shape.from_end(1);
    const Dense<float> stats = read<float>(inputs[1]);
    const Shape& stats_shape = inputs[1].logical_shape();
    const size_t columns = stats_shape.from_end(0);
    Dense<float> values = read<float>(inputs[0]);
    const Dense<float> weight = inputs[2] ? norm_rules::vector_of(inputs[2], width) : Dense<float>();
    const Dense<float> bias = inputs[3] ? norm_rules::vector_of(inputs[3], width) : Dense<float>();
    const compute::NormRow norm{inputs[2] ? weight.data() : nullptr, inputs[3] ? bias.data() : nullptr};
    const size_t rows = width == 0 ? 0 : values.size() / width;
    for (size_t row = 0; row < rows; ++row) {
        checkpoint();
        const size_t stated = row / height * stats_shape.from_end(1) + row % height;
        const Moments moments =
            joined(args, stats.data() + stated * columns, div_up<size_t>(columns, tile_size), width);
        float* x = values.data() + row * width;
        compute::scale_row(x, width, moments.mean, 1.0 / std::sqrt(moments.spread + args.epsilon), norm, x);
    }
    return values;
}

// One head of a row: x * cos + (x @ matrix) * sin, 32 columns at a time.
void rotate(const float* x, size_t width, const float* matrix, const float* cosines, const float* sines, float* out) {
    for (size_t first = 0; first < width; first += tile_size) {
        for (size_t i = 0; i < tile_size; ++i) {
            double turned = 0;
            for (size_t k = 0; k < tile_size; ++k) {
                turned += static_cast<double>(x[first + k]) * matrix[k * tile_size + i];
            }
            const size_t at = first + i;
            out[at] = static_cast<float>(static_cast<double>(x[at]) * cosines[at] + turned * sines[at]);
        }
    }
}

// The matrix, the cosines and the sines are behind the inputs of a norm.
void compute_heads(const PostArguments& args, size_t heads, std::span<const Tensor> inputs, Tensor& output) {
    const Dense<float> values = normalized(args, inputs);
    const Shape& shape = inputs[0].logical_shape();
    const size_t height = shape[2];
    const size_t width = shape[3] / heads;
    const auto optional = [&](size_t i) { return inputs[i] ? read<float>(inputs[i]) : Dense<float>(); };
    const Dense<float> matrix = optional(4);
    const Dense<float> cosines = optional(5);
    const Dense<float> sines = optional(6);
    Dense<float> result(values.size());
    for (size_t row = 0; row < height; ++row) {
        checkpoint();
        for (size_t head = 0; head < heads; ++head) {
            const float* x = values.data() + (row * heads + head) * width;
            float* out = result.data() + (head * height + row) * width;
            if (matrix.size() != 0) {
                rotate(x, width, matrix.data(), cosines.data() + row * width, sines.data() + row * width, out);
            } else {
                std::copy_n(x, width, out);
            }
        }
    }
    write<float>(output, result.span());
}

std::array<Tensor, 4> inputs_of(const PostArguments& args) {
    return {args.input, args.stats, args.weight.value_or(Tensor()), args.bias.value_or(Tensor())};
}

}  // namespace

void validate(const PostArguments& args) {
    check_primitive(
        primitive_of(args), [&] { check(args); }, [&] { return given(inputs_of(args)); },
        [&] { return output_spec(args); });
}

Tensor run(const PostArguments& args) {
    const auto tensors = inputs_of(args);
    const TensorSpec spec = output_spec(args);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, args, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        write<float>(outputs[0], normalized(args, inputs).span());
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.input).add(args.stats).add(args.center).add(args.epsilon).add(args.weight).add(args.bias);
        list.add(spec.memory_config()).add(args.compute_kernel_config).add(args.dtype).add(args.program_config);
    };
    return launch({primitive_of(args), tensors, program, kernel, arguments}, spec,
                  is_in_place(args) ? std::optional(args.input) : std::nullopt);
}

Tensor run(const PostArguments& args, const HeadsArguments& heads) {
    const Tensor none;
    const Tensor tensors[] = {
        args.input,    args.stats, args.weight.value_or(none), args.bias.value_or(none), heads.matrix,
        heads.cosines, heads.sines};
    const Shape& shape = args.input.logical_shape();
    const TensorSpec spec({shape[0], heads.count, shape[2], shape[3] / heads.count},
                          args.dtype.value_or(args.input.dtype()), Layout::TILE,
                          args.memory_config.value_or(args.input.memory_config()));
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        declare(p, args, outputs[0]);
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(args.input), 1), true);
        for (const Tensor& tensor : {heads.matrix, heads.cosines, heads.sines}) {
            if (tensor) {
                p.circular_buffer(cores, 2 * page_bytes(tensor));
            }
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute_heads(args, heads.count, inputs, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(args.input).add(args.stats).add(args.epsilon).add(args.weight).add(args.memory_config);
        list.add(args.compute_kernel_config).add(args.dtype);
        list.add(static_cast<const Tensor*>(heads.matrix ? &heads.matrix : nullptr));
        list.add(static_cast<const Tensor*>(heads.cosines ? &heads.cosines : nullptr));
        list.add(static_cast<const Tensor*>(heads.sines ? &heads.sines : nullptr));
    };
    return launch({args.primitive, tensors, program, kernel, arguments}, spec);
}

}  // namespace ttnn::distributed_norm
