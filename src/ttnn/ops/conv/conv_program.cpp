#include "ttnn/ops/conv/conv_program.hpp"

#include <algorithm>

#include "ttnn/compute/convolve.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/conv/conv_buffers.hpp"
#include "ttnn/ops/conv/conv_primitives.hpp"
#include "ttnn/ops/conv/conv_slices.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/pad.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/to_layout.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::conv_program {
namespace {

using conv_rules::Arguments;
using conv_rules::BorderedImage;
using conv_rules::Halo;
using conv_rules::ShardPlan;
using conv_rules::Window;

Tensor laid_out(const Tensor& tensor, Layout layout) {
    return tensor.layout() == layout ? tensor : to_layout(tensor, layout);
}

// --- the input -------------------------------------------------------------------------------------------------------

Tensor flattened(const Arguments& args, const Tensor& input) {
    const Shape shape{1, 1, args.window.in_positions(), input.logical_shape().from_end(0)};
    return input.logical_shape() == shape ? input : reshape(input, movement::ints(shape));
}

// Interleaved, in the shards of the plan. A tile tensor gets the padding of whole shards.
Tensor sharded(const Tensor& input, const MemoryConfig& config) {
    const auto [height, width] = config.shard_spec()->shape;
    const TensorSpec spec(input.logical_shape(), input.dtype(), input.layout(), config, input.spec().tile(),
                          input.layout() == Layout::TILE ? std::optional(Alignment{height, width}) : std::nullopt);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::to_sharded_program(p, input, outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(config); };
    return launch({"ttnn::prim::interleaved_to_sharded", {&input, 1}, program, kernel, arguments}, spec);
}

// The input in the shards of the plan, and in tiles where a product follows.
Tensor on_shards(const ShardPlan& plan, const Tensor& input) {
    if (plan.keeps_input) {
        return plan.product ? laid_out(input, Layout::TILE) : input;
    }
    const bool rows = input.layout() == Layout::ROW_MAJOR;
    const uint32_t width = plan.input_memory.shard_spec()->shape[1] * plan.input.columns;
    const uint32_t channels = input.logical_shape().from_end(0);
    if (input.is_sharded() && !rows) {
        return to_memory_config(input, plan.input_memory);
    }
    Tensor moved = input.is_sharded() ? to_memory_config(input, l1_memory_config()) : input;
    if (plan.product) {
        moved = laid_out(moved, Layout::TILE);
    } else if (rows && channels < width) {
        moved = pad(moved, {{0, 0}, {0, 0}, {0, 0}, {0, int64_t{width} - channels}}, 0.0);
    }
    return sharded(moved, plan.input_memory);
}

void free_input(const Arguments& args) {
    const bool in_l1 = args.input.is_on_device() && args.input.memory_config().is_l1();
    if (args.config.deallocate_activation && in_l1 && args.input.is_allocated()) {
        Tensor input = args.input;
        input.deallocate();
    }
}

// --- products --------------------------------------------------------------------------------------------------------

struct Subblock {
    int64_t height = 1;
    int64_t width = 1;
};
// As wide as the destination registers allow, and higher only where the whole width fits.
Subblock subblock(int64_t height, int64_t width, int64_t registers) {
    const int64_t columns = matmul_rules::largest_divisor(width, registers);
    return {columns == width ? matmul_rules::largest_divisor(height, registers / columns) : 1, columns};
}

// How many tiles of the inner dimension are multiplied at a time: those of a shard of the input, or fewer where the
// weights of so many would take more than half of L1.
int64_t inner_tiles(const ShardPlan& plan, const Tensor& weight, int64_t columns) {
    const Board& board = weight.device()->board();
    const uint64_t space = (board.l1_size - board.l1_base) / 2;
    const int64_t all = div_up(weight.logical_shape().from_end(1), tile_size);
    int64_t tiles = std::max<int64_t>(plan.input_memory.shard_spec()->shape[1] / tile_size, 1);
    const auto bytes = [&] {
        return static_cast<uint64_t>(tiles * columns * (tiles < all ? 2 : 1)) * Tile().bytes(weight.dtype());
    };
    while (tiles > 1 && bytes() > space) {
        tiles = matmul_rules::largest_divisor(tiles, tiles - 1);
    }
    return tiles;
}

MatmulProgramConfig product_config(const Arguments& args, const ShardPlan& plan, const Tensor& weight) {
    const auto [height, width] = plan.output_memory.shard_spec()->shape;
    const int64_t rows = height / tile_size;
    const int64_t columns = width / tile_size;
    const int64_t inner = inner_tiles(plan, weight, columns);
    const CoreCoord end = plan.input.grid.bounding_box().end;
    const CoreCoord grid{end.x + 1, end.y + 1};
    const Subblock block = subblock(rows, columns, accumulates_fp32(args) ? 4 : 8);
    const auto activation = conv_rules::activation_of(args.config);
    if (plan.input.layout == TensorMemoryLayout::HEIGHT_SHARDED) {
        MatmulMultiCoreReuseMultiCast1DProgramConfig config;
        config.compute_with_storage_grid_size = grid;
        config.in0_block_w = inner;
        config.out_subblock_h = block.height;
        config.out_subblock_w = block.width;
        config.out_block_h = rows;
        config.out_block_w = columns;
        config.per_core_M = rows;
        config.per_core_N = columns;
        config.fused_activation = activation;
        config.mcast_in0 = false;
        config.num_global_cb_receivers = 0;
        return config;
    }
    MatmulMultiCoreReuseMultiCastProgramConfig config;
    config.compute_with_storage_grid_size = grid;
    config.in0_block_w = inner;
    config.out_subblock_h = block.height;
    config.out_subblock_w = block.width;
    config.out_block_h = rows;
    config.out_block_w = columns;
    config.per_core_M = rows;
    config.per_core_N = columns;
    config.transpose_mcast = plan.input.orientation == ShardOrientation::COL_MAJOR;
    config.fused_activation = activation;
    return config;
}

Tensor product_on_shards(const Arguments& args, const ShardPlan& plan, const Tensor& input, const Prepared& prepared) {
    const Tensor result = linear(input, prepared.weight,
                                 {.bias = prepared.bias,
                                  .memory_config = plan.output_memory,
                                  .dtype = conv_rules::result_dtype(args),
                                  .program_config = product_config(args, plan, prepared.weight),
                                  .compute_kernel_config = args.compute_config});
    return laid_out(result, args.config.output_layout);
}

// --- the two ways ----------------------------------------------------------------------------------------------------

TensorSpec result_spec(const Arguments& args, const MemoryConfig& memory) {
    const Layout layout = args.config.output_layout;
    const bool aligned = layout == Layout::ROW_MAJOR && memory.is_sharded();
    return TensorSpec(conv_rules::result_shape(args.window), conv_rules::result_dtype(args), layout, memory, Tile(),
                      aligned ? std::optional(Alignment{tile_size, tile_size}) : std::nullopt);
}

Tensor convolve_shards(const Arguments& args, const ShardPlan& plan, Tensor input, const Prepared& prepared) {
    const BorderedImage image(args.window);
    const TensorSpec spec = result_spec(args, plan.output_memory);
    if (is_width_sharded(plan.input) && args.window.is_pointwise()) {  // windows without borders
        const Tensor rows = laid_out(input, Layout::ROW_MAJOR);
        const auto number = [](size_t output, size_t) { return static_cast<int64_t>(output); };
        return run_convolution(args, rows, prepared, spec, number);
    }
    const Halo halo(
        args.window, image, plan.input.rows,
        is_width_sharded(plan.input) ? args.window.out_positions() : plan.output_memory.shard_spec()->shape[0]);
    Tensor bordered = run_halo(plan, image, halo, input);
    input = Tensor();
    free_input(args);
    if (args.config.reallocate_halo_output) {
        bordered = move(bordered);
    }
    const auto number = [&](size_t output, size_t tap) {
        return static_cast<int64_t>(halo.stick(output, image.seen(output, tap)));
    };
    return run_convolution(args, bordered, prepared, spec, number);
}

Tensor run_in_l1(const Arguments& args, const ShardPlan& plan, const Tensor& input, const Prepared& prepared) {
    Tensor shards = on_shards(plan, input);
    if (shards.storage_key() != input.storage_key()) {
        free_input(args);
    }
    Tensor result;
    if (plan.product) {
        result = product_on_shards(args, plan, shards, prepared);
    } else {
        result = convolve_shards(args, plan, std::exchange(shards, Tensor()), prepared);
    }
    shards = Tensor();
    free_input(args);
    const bool moves = args.memory_config && *args.memory_config != result.memory_config();
    return moves ? to_memory_config(result, *args.memory_config) : result;
}

// --- slices ----------------------------------------------------------------------------------------------------------

ShardPlan plan_of_slice(const Arguments& args, const Tensor& input, const Window& window) {
    return conv_rules::plan_shards(window, conv_rules::facts_of(input), args.config, input.device()->compute_grid(),
                                   false);
}

// Whether the pixels of a slice, their halo and the outputs fit beside each other. A quarter of L1 is for the blocks,
// which shrink to what is left.
bool fits_l1(const Arguments& args, const Tensor& input, const Window& window) {
    const ShardPlan plan = plan_of_slice(args, input, window);
    const auto bytes = [](uint64_t height, uint64_t width, DataType dtype) {
        return height * width * (dtype == DataType::FLOAT32 ? sizeof(float) : sizeof(uint16_t));
    };
    const auto [in_height, in_width] = plan.input_memory.shard_spec()->shape;
    const auto [out_height, out_width] = plan.output_memory.shard_spec()->shape;
    const Halo halo(window, BorderedImage(window), plan.input.rows,
                    is_width_sharded(plan.input) ? window.out_positions() : out_height);
    const Board& board = input.device()->board();
    const uint64_t end = input.device()->lowest_l1_address().value_or(board.l1_size);
    return end > board.l1_base && bytes(in_height, in_width, input.dtype()) +
                                          bytes(halo.sticks, in_width, input.dtype()) +
                                          bytes(out_height, out_width, conv_rules::result_dtype(args)) <=
                                      (end - board.l1_base) / 4 * 3;
}

// As many as asked for, or as few as fit.
std::vector<conv_rules::Slice> slices_of(const Arguments& args, const Tensor& input) {
    const Op2DSliceConfig wanted = args.slice.value_or(Op2DSliceConfig{Op2DSliceType::DRAMSliceHeight, 0});
    const bool by_height = wanted.slice_type == Op2DSliceType::DRAMSliceHeight;
    if (wanted.num_slices > 0) {
        return conv_rules::cut(args.window, by_height, wanted.num_slices);
    }
    const int64_t most = by_height ? args.window.height.out() : args.window.width.out();
    for (int64_t count = 1; count < most; ++count) {
        std::vector<conv_rules::Slice> slices = conv_rules::cut(args.window, by_height, count);
        const auto fits = [&](const conv_rules::Slice& slice) { return fits_l1(args, input, slice.window); };
        if (fits(slices[slices.size() / 2]) && fits(slices.front()) && fits(slices.back())) {
            return slices;
        }
    }
    return conv_rules::cut(args.window, by_height, most);
}

Tensor convolve_slice(const Arguments& args, const Tensor& input, const pool::Window& pixels,
                      const conv_rules::Slice& slice, const Prepared& prepared) {
    Arguments part = args;
    part.window = slice.window;
    part.config.deallocate_activation = false;  // other slices may need it
    const ShardPlan plan = plan_of_slice(args, input, slice.window);
    const auto [height, width] = plan.input_memory.shard_spec()->shape;
    const auto alignment = input.layout() == Layout::TILE ? std::optional(Alignment{height, width}) : std::nullopt;
    return convolve_shards(part, plan, pool::read_slice(input, pixels, slice.pixels, plan.input_memory, alignment),
                           prepared);
}

Tensor run_in_dram(const Arguments& args, const Tensor& given, const Prepared& prepared) {
    const Tensor input = given.memory_config() == MemoryConfig() ? given : to_memory_config(given, MemoryConfig());
    if (conv_rules::is_product_in_dram(args)) {
        std::optional<Activation> activation;
        if (const auto function = conv_rules::activation_of(args.config)) {
            activation = *function;
        }
        const Tensor result = linear(laid_out(input, Layout::TILE), prepared.weight,
                                     {.bias = prepared.bias,
                                      .memory_config = args.memory_config,
                                      .dtype = conv_rules::result_dtype(args),
                                      .activation = activation,
                                      .compute_kernel_config = args.compute_config});
        return laid_out(result, args.config.output_layout);
    }
    Tensor result = pool::place_for_slices(input, result_spec(args, MemoryConfig()));
    const pool::Window pixels = conv_rules::pixels_of(args.window);
    for (const conv_rules::Slice& slice : slices_of(args, input)) {
        pool::write_slice(convolve_slice(args, input, pixels, slice, prepared), pixels, slice.pixels, result);
    }
    free_input(args);
    return result;
}

// Makes the tensor that a host or device tensor is prepared into.
Tensor prepare(const Tensor& from, const TensorSpec& spec, const DeviceHandle& device,
               FunctionRef<void(const Tensor& from, Tensor& to)> fill) {
    Tensor prepared = Tensor::allocate_on_device(spec, device);
    if (!drops_writes(prepared)) {
        copy_parts(from, prepared, fill);
    }
    return prepared;
}

Tensor on_device(const Tensor& tensor, const DeviceHandle& device) {
    return tensor.is_on_device() ? tensor : copy_to_device(tensor, device);
}

ShardPlan plan_of(const Arguments& args, const Tensor& input, CoreCoord grid) {
    const bool product = conv_rules::is_product(args, false);
    return conv_rules::plan_shards(args.window, conv_rules::facts_of(input), args.config, grid, product);
}

Shape matrix_on_shards(const Window& window, const ShardPlan& plan, uint32_t alignment) {
    return conv_rules::padded_weight_matrix(window, plan.input.columns, plan.output.columns, alignment);
}

}  // namespace

Tensor prepared_weight(const Tensor& weight, const Window& window, DataType dtype, const Shape& padded, bool mirrored,
                       const DeviceHandle& device) {
    if (conv_rules::is_prepared(weight)) {
        return on_device(weight, device);
    }
    const compute::Convolution c = convolution_of(window);
    const compute::WeightOrder order = compute::weight_order(c, window.transposed(), mirrored);
    const TensorSpec spec =
        TensorSpec::from_padded(conv_rules::weight_matrix_shape(window), padded, dtype, Layout::TILE);
    return prepare(weight, spec, device, [&](const Tensor& from, Tensor& to) {
        compute::write_weight_matrix(c, order, read<float>(from).data(), to);
    });
}

Tensor prepared_bias(const Tensor& bias, DataType dtype, uint32_t padded_width, const DeviceHandle& device) {
    if (conv_rules::is_prepared(bias)) {
        return on_device(bias, device);
    }
    const TensorSpec spec =
        TensorSpec::from_padded(bias.logical_shape(), {1, 1, tile_size, padded_width}, dtype, Layout::TILE);
    return prepare(bias, spec, device, [](const Tensor& from, Tensor& to) { compute::transfer(from, to); });
}

Shape padded_matrix(const Window& window, const MemoryConfig& input_memory, Layout input_layout, DataType input_dtype,
                    const Conv2dConfig& config, bool in_l1, const DeviceHandle& device) {
    if (!in_l1) {
        return conv_rules::padded_weight_matrix(window, 1, 1, tile_size);
    }
    const conv_rules::InputFacts facts{input_memory, input_layout, input_dtype, window.in_channels};
    const ShardPlan plan =
        conv_rules::plan_shards(window, facts, config, device->compute_grid(), window.is_pointwise());
    return matrix_on_shards(window, plan, conv_rules::channel_alignment(facts, plan.input.layout, plan.product));
}

conv_rules::Made run(const Arguments& args) {
    const DeviceHandle device = args.device != nullptr ? args.device : args.input.device();
    require(!args.input.is_on_device() || args.input.device() == device,
            "{}: argument 'input_tensor' is not on the device that argument 'device' gives", args.op);
    const bool in_l1 = conv_rules::runs_in_l1(args);
    const Tensor input = flattened(args, on_device(args.input, device));
    const ShardPlan plan = in_l1 ? plan_of(args, input, device->compute_grid()) : ShardPlan();
    const Shape matrix = in_l1 ? matrix_on_shards(args.window, plan,
                                                  conv_rules::channel_alignment(conv_rules::facts_of(input),
                                                                                plan.input.layout, plan.product))
                               : conv_rules::padded_weight_matrix(args.window, 1, 1, tile_size);
    Prepared prepared{prepared_weight(args.weight, args.window, conv_rules::weights_dtype(args.weight, args.config),
                                      matrix, args.mirrored, device),
                      std::nullopt};
    if (args.bias) {
        prepared.bias =
            prepared_bias(*args.bias, conv_rules::bias_dtype(*args.bias, args.config), matrix.from_end(0), device);
    }
    const Tensor result = in_l1 ? run_in_l1(args, plan, input, prepared) : run_in_dram(args, input, prepared);
    return {result, prepared.weight, prepared.bias};
}

}  // namespace ttnn::conv_program
