#include "ttnn/ops/normalization/group_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ttnn/compute/normalize.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/normalization/blocks.hpp"

namespace ttnn {
namespace {

using Params = GroupNorm::Params;

constexpr std::string_view op = GroupNorm::name;
constexpr std::string_view primitive_name = "ttnn::prim::group_norm";

uint32_t channels_of(const Params& params) { return params.input_tensor.logical_shape()[3]; }
bool is_in_place(const Params& params) { return params.inplace.value_or(false); }
Layout output_layout(const Params& params) { return params.output_layout.value_or(params.input_tensor.layout()); }

// --- where the channels are ------------------------------------------------------------------------------------------

// Columns of cores that share the channels of an interleaved input.
uint32_t virtual_columns(const Params& params) {
    const auto groups = static_cast<uint32_t>(params.num_groups);
    const uint32_t channels = params.input_tensor.padded_shape()[3];
    for (uint32_t columns = std::min(params.core_grid->x, groups); columns > 1; --columns) {
        if (channels % columns == 0 && channels / columns % tile_size == 0 && groups % columns == 0) {
            return columns;
        }
    }
    return 1;
}

uint32_t cores_across_channels(const Params& params) {
    const auto& shards = params.input_tensor.memory_config().shard_spec();
    return shards ? std::max(channels_of(params) / shards->shape[1], 1U) : virtual_columns(params);
}

// Pieces of equal length that the C numbers of a row-major weight come in, each filled up to rows of 32; as many as
// cores share the channels, where that fits. 0: the weight holds another number of numbers.
uint32_t pieces_of(const Params& params, const Tensor& vector) {
    const uint32_t channels = channels_of(params);
    const auto fits = [&](uint32_t pieces) {
        return channels % pieces == 0 &&
               uint64_t{pieces} * round_up(channels / pieces, tile_size) == vector.logical_volume();
    };
    if (fits(cores_across_channels(params))) {
        return cores_across_channels(params);
    }
    for (uint32_t pieces = 1; pieces <= channels; ++pieces) {
        if (fits(pieces)) {
            return pieces;
        }
    }
    return 0;
}

// --- checks ----------------------------------------------------------------------------------------------------------

void check_call(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    require(!is_in_place(params) || input.layout() != Layout::TILE,
            "{}: In-place operation not supported: Tile layout requires non-inplace tensors. (inplace=true)", op);
    require(!is_in_place(params) || output_layout(params) == input.layout(),
            "{}: In-place operation not allowed: Input and output tensor layouts differ. (input_layout={}, "
            "output_layout={})",
            op, input.layout(), output_layout(params));
    require(input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
            "{}: Unsupported memory layout: Input tensor cannot be width-sharded.", op);
    require(shape.rank() == 4, "{}: Invalid tensor shape: Input tensor must have rank 4. (rank={})", op, shape.rank());
    require(
        params.num_groups > 0 && shape[3] % params.num_groups == 0,
        "{}: Invalid channel configuration: Number of channels ({}) must be divisible by the number of groups ({}).",
        op, shape[3], params.num_groups);
    const Shape& padded = input.padded_shape();
    const uint64_t rows = uint64_t{padded[0]} * padded[1] * padded[2];
    require(
        rows % tile_size == 0,
        "{}: Invalid tensor dimensions: The product of NHW dimensions ({}) must be divisible by the tile size ({}).",
        op, rows, tile_size);
    if (shape.volume() == 0) {
        return;
    }
    require(params.core_grid.has_value(),
            "{}: argument 'core_grid' is missing: Automatic grid size determination is not supported", op);
    const CoreCoord cores = input.device()->compute_grid();
    require(params.core_grid->num_cores() > 0 && params.core_grid->x <= cores.x && params.core_grid->y <= cores.y,
            "{}: argument 'core_grid' must fit the device's grid of {} x {} cores, got {}", op, cores.x, cores.y,
            *params.core_grid);
}

void check_vector(const Params& params, std::string_view argument, const std::optional<Tensor>& tensor) {
    if (!tensor) {
        return;
    }
    if (tensor->layout() == Layout::TILE) {
        const uint32_t width = params.input_tensor.layout() == Layout::TILE ? params.input_tensor.padded_shape()[3]
                                                                            : round_up(channels_of(params), tile_size);
        require(is_floating(tensor->dtype()) && tensor->padded_shape().from_end(0) == width &&
                    tensor->padded_shape().from_end(1) == tile_size,
                "{}: argument '{}' in TILE layout must be one tile high and {} wide (padded), got {}", op, argument,
                width, tensor->logical_shape());
        return;
    }
    check_dtype(op, argument, *tensor, {DataType::BFLOAT16});
    require(
        tensor->logical_shape().from_end(0) == tile_size && pieces_of(params, *tensor) != 0,
        "{}: argument '{}' in ROW_MAJOR layout must be 32 wide and hold the {} channels in equal pieces, each filled "
        "up to rows of 32; got {}",
        op, argument, channels_of(params), tensor->logical_shape());
}

void check_mask(const Params& params, std::string_view argument, const std::optional<Tensor>& mask) {
    if (!mask) {
        return;
    }
    check_layout(op, argument, *mask, Layout::TILE);
    const Shape& shape = mask->padded_shape();
    require(shape.rank() == 4 && shape[1] == params.num_groups && shape[2] == tile_size,
            "{}: argument '{}' must be [1, {}, 32, 32 * tiles], got {}", op, argument, params.num_groups, shape);
}

void check_welford(const Params& params) {
    if (params.reciprocals) {
        require(params.use_welford, "{}: Reciprocals tensor can only be provided when use_welford is True", op);
        check_dtype(op, "reciprocals", *params.reciprocals, {DataType::FLOAT32});
    }
}

// What the device operation looks at.
void check(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_dtype(op, "input_tensor", input, {DataType::BFLOAT16});
    require(input.padded_shape()[3] % params.num_groups == 0,
            "{}: the padded channels {} of argument 'input_tensor' must be divisible by {} groups", op,
            input.padded_shape()[3], params.num_groups);
    require(input.padded_shape()[1] == 1 && input.padded_shape()[2] % tile_size == 0,
            "{}: argument 'input_tensor' must be [N, 1, H * W, C] with H * W a multiple of 32, got {}", op,
            input.padded_shape());
    check_vector(params, "weight", params.weight);
    check_vector(params, "bias", params.bias);
    require(!params.weight || !params.bias || params.weight->layout() == params.bias->layout(),
            "{}: arguments 'weight' and 'bias' must have the same layout", op);
    check_mask(params, "input_mask", params.input_mask);
    check_mask(params, "negative_mask", params.negative_mask);
    require(!params.negative_mask || (input.is_sharded() && input.layout() == Layout::ROW_MAJOR &&
                                      output_layout(params) == Layout::ROW_MAJOR),
            "{}: argument 'negative_mask' is for sharded ROW_MAJOR inputs and outputs only", op);
    check_welford(params);
    require(!is_in_place(params) || input.is_sharded(),
            "{}: argument 'inplace': inplace groupnorm not supported for unsharded tensors", op);
}

// --- output ----------------------------------------------------------------------------------------------------------

TensorSpec output_spec(const Params& params) {
    const TensorSpec& own = params.input_tensor.spec();
    if (is_in_place(params)) {
        return own;
    }
    const DataType dtype = params.dtype.value_or(own.dtype());
    const MemoryConfig config = params.memory_config.value_or(MemoryConfig());
    if (output_layout(params) != own.layout()) {
        return TensorSpec(own.logical_shape(), dtype, output_layout(params), config);
    }
    return TensorSpec::from_padded(own.logical_shape(), own.padded_shape(), dtype, own.layout(), config, own.tile());
}

// --- circular buffers ------------------------------------------------------------------------------------------------

// Tiles that a group of columns may lie in.
uint64_t group_tiles(const Params& params) {
    const uint64_t group = channels_of(params) / static_cast<uint64_t>(params.num_groups);
    uint64_t most = 1;
    for (uint64_t first = 0; first < channels_of(params); first += group) {
        most = std::max(most, (first + group - 1) / tile_size - first / tile_size + 1);
    }
    return most;
}

// What a core holds besides its part of the tensors: scalers, epsilon and statistics, masks, weight and bias.
std::vector<uint64_t> small_sizes(const Params& params, uint64_t columns) {
    const uint64_t tile = normalization::tile_bytes(DataType::BFLOAT16);
    std::vector<uint64_t> sizes{tile, tile, tile, tile, tile, tile, tile, 2 * group_tiles(params) * tile};
    for (const auto& tensor : {params.weight, params.bias, params.negative_mask}) {
        if (tensor) {
            sizes.push_back(columns * tile);
        }
    }
    return sizes;
}

uint64_t inner_tile(const Params& params) {
    const bool fp32 =
        params.use_welford || (params.compute_kernel_config && params.compute_kernel_config->fp32_dest_acc_en);
    return normalization::tile_bytes(fp32 ? DataType::FLOAT32 : DataType::BFLOAT16);
}

void declare_sharded(Program& program, const Params& params, const Tensor& output) {
    const Tensor& input = params.input_tensor;
    const ShardSpec& shards = *input.memory_config().shard_spec();
    const uint64_t columns = div_up<uint64_t>(shards.shape[1], tile_size);
    const uint64_t rows = div_up<uint64_t>(shards.shape[0], tile_size);
    program.global_circular_buffer(input, shard_bytes(input));
    if (output != input && output.memory_config().shard_spec() && output.memory_config().is_l1()) {
        program.global_circular_buffer(output, shard_bytes(output));
    }
    std::vector<uint64_t> sizes = small_sizes(params, columns);
    const uint64_t batches = std::max<uint64_t>(input.logical_shape()[0], 1);
    sizes.push_back(div_up(rows, batches) * group_tiles(params) * inner_tile(params));
    if (input.layout() == Layout::ROW_MAJOR) {  // tiles of the input; the mask lets the result take their place
        sizes.push_back(rows * columns * inner_tile(params));
        if (!params.negative_mask) {
            sizes.push_back(rows * columns * inner_tile(params));
        }
    }
    for (const uint64_t size : sizes) {
        program.circular_buffer(shards.grid, size);
    }
}

// A core works through its rows in as many parts as the caller asks for, or more where they would not fit.
void declare_interleaved(Program& program, const Params& params, const Tensor& output) {
    const Tensor& input = params.input_tensor;
    const uint64_t across = virtual_columns(params);
    const uint64_t columns = div_up<uint64_t>(div_up<uint64_t>(channels_of(params), tile_size), across);
    const uint64_t down = std::max<uint64_t>(params.core_grid->x / across * params.core_grid->y, 1);
    const uint64_t height = div_up<uint64_t>(uint64_t{input.padded_shape()[0]} * input.padded_shape()[2], tile_size);
    const uint64_t rows = std::max<uint64_t>(div_up(height, down), 1);
    const uint64_t io = normalization::tile_bytes(input.dtype()) + normalization::tile_bytes(output.dtype());
    const std::vector<uint64_t> fixed = small_sizes(params, columns);
    uint64_t others = 0;
    for (const uint64_t size : fixed) {
        others += size;
    }
    const uint64_t row_bytes = columns * io + 2 * group_tiles(params) * inner_tile(params);
    auto parts = static_cast<uint64_t>(std::max<int64_t>(params.num_out_blocks.value_or(1), 1));
    while (parts < rows && others + div_up(rows, parts) * row_bytes > program.device().board().cb_limit()) {
        ++parts;
    }
    const uint64_t part = div_up(rows, std::min(parts, rows));
    const CoreRangeSet cores(params.core_grid->range());
    program.circular_buffer(cores, part * columns * normalization::tile_bytes(input.dtype()));
    program.circular_buffer(cores, part * columns * normalization::tile_bytes(output.dtype()));
    for (size_t i = 0; i < 2; ++i) {  // a group, as it is and with its mean taken away
        program.circular_buffer(cores, part * group_tiles(params) * inner_tile(params));
    }
    for (const uint64_t size : fixed) {
        program.circular_buffer(cores, size);
    }
}

void declare(Program& program, const Params& params, const Tensor& output) {
    const MemoryConfig& config = params.input_tensor.memory_config();
    config.shard_spec() && config.is_l1() ? declare_sharded(program, params, output)
                                          : declare_interleaved(program, params, output);
}

// --- kernel ----------------------------------------------------------------------------------------------------------

constexpr size_t rows_at_once = 512;

// The numbers of the channels.
std::vector<double> numbers_of(const Params& params, const Tensor& tensor, double otherwise) {
    const size_t channels = channels_of(params);
    if (!tensor) {
        return std::vector<double>(channels, otherwise);
    }
    const Dense<float> values = read<float>(tensor);
    std::vector<double> numbers;
    numbers.reserve(channels);
    const size_t pieces = tensor.layout() == Layout::TILE ? 1 : pieces_of(params, tensor);
    for (size_t piece = 0; piece < pieces; ++piece) {
        const float* first = values.data() + piece * (values.size() / pieces);
        numbers.insert(numbers.end(), first, first + channels / pieces);
    }
    return numbers;
}

// Puts the mean of each group in the place of its members.
void average_groups(std::vector<double>& sums, size_t group, double elements) {
    for (size_t first = 0; first < sums.size(); first += group) {
        double sum = 0;
        for (size_t i = first; i < first + group; ++i) {
            sum += sums[i];
        }
        std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(first), group, sum / elements);
    }
}

struct Columns {
    std::vector<double> sums;
    std::vector<double> squares;
};

Columns column_sums(const float* image, size_t rows, const std::vector<double>& centers) {
    const size_t channels = centers.size();
    Columns result{std::vector<double>(channels, 0.0), std::vector<double>(channels, 0.0)};
    for (size_t row = 0; row < rows; row += rows_at_once) {
        checkpoint();
        compute::add_column_sums(image + row * channels, std::min(rows_at_once, rows - row), channels, centers.data(),
                                 result.sums.data(), result.squares.data());
    }
    return result;
}

void normalize_image(const Params& params, const std::vector<double>& weight, const std::vector<double>& bias,
                     size_t rows, float* image) {
    const size_t channels = weight.size();
    const size_t group = channels / static_cast<size_t>(params.num_groups);
    const auto elements = static_cast<double>(rows * group);
    std::vector<double> means = column_sums(image, rows, std::vector<double>(channels, 0.0)).sums;
    average_groups(means, group, elements);
    std::vector<double> factors = column_sums(image, rows, means).squares;
    average_groups(factors, group, elements);
    for (size_t i = 0; i < channels; ++i) {
        factors[i] = weight[i] / std::sqrt(factors[i] + params.epsilon);
    }
    for (size_t row = 0; row < rows; row += rows_at_once) {
        checkpoint();
        float* first = image + row * channels;
        compute::scale_columns(first, std::min(rows_at_once, rows - row), channels, means.data(), factors.data(),
                               bias.data(), first);
    }
}

void normalize(const Params& params, std::span<const Tensor> inputs, Tensor& output) {
    const Shape& shape = inputs[0].logical_shape();
    Dense<float> values = read<float>(inputs[0]);
    const std::vector<double> weight = numbers_of(params, inputs[1], 1.0);
    const std::vector<double> bias = numbers_of(params, inputs[2], 0.0);
    const size_t image = size_t{shape[2]} * shape[3];
    for (size_t first = 0; first < values.size(); first += image) {
        normalize_image(params, weight, bias, shape[2], values.data() + first);
    }
    write<float>(output, values.span());
}

std::array<Tensor, 6> inputs_of(const Params& params) {
    const auto given = [](const std::optional<Tensor>& tensor) { return tensor.value_or(Tensor()); };
    return {params.input_tensor,      given(params.weight),        given(params.bias),
            given(params.input_mask), given(params.negative_mask), given(params.reciprocals)};
}

}  // namespace

void GroupNorm::validate(const Params& params) {
    check_call(params);
    if (params.input_tensor.logical_volume() != 0) {
        check_primitive(
            primitive_name, [&] { check(params); }, [&] { return std::vector{params.input_tensor}; },
            [&] { return output_spec(params); });
    }
}

Tensor GroupNorm::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (input.logical_volume() == 0) {
        return clone(input, {.memory_config = params.memory_config});
    }
    const auto tensors = inputs_of(params);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { declare(p, params, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        normalize(params, inputs, outputs[0]);
    };
    const TensorSpec spec = output_spec(params);
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.epsilon).add(params.num_groups).add(spec.memory_config()).add(params.core_grid);
        list.add(params.inplace).add(params.output_layout).add(params.num_out_blocks).add(params.compute_kernel_config);
        list.add(params.use_welford).add(params.weight).add(params.bias).add(params.input_mask);
        list.add(params.negative_mask).add(params.reciprocals);
    };
    return launch({primitive_name, tensors, program, kernel, arguments}, spec,
                  is_in_place(params) ? std::optional(input) : std::nullopt);
}

}  // namespace ttnn
