#include "ttnn/ops/conv/conv_buffers.hpp"

#include <algorithm>

#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn::conv_program {

using conv_rules::Arguments;
using conv_rules::Window;

namespace {

uint64_t tile_bytes(DataType dtype) { return Tile().bytes(dtype); }
bool shard_in_l1(const Tensor& tensor) { return tensor.memory_config().shard_spec() && tensor.memory_config().is_l1(); }

// What a core works on at a time, in tiles.
struct Blocks {
    uint64_t rows = 1;     // of the output
    uint64_t columns = 1;  // of the output
    uint64_t inner = 1;    // of the gathered input: window and channels
    uint64_t depth = 1;    // blocks of weights that are held
};

struct Sizes {
    DataType weights;
    DataType partials;
    bool double_input = false;
    bool double_weights = false;

    uint64_t weight_bytes(const Blocks& b) const {
        return b.columns * b.inner * tile_bytes(weights) * (double_weights ? 2 : b.depth);
    }
    uint64_t input_bytes(const Blocks& b) const {
        return b.rows * b.inner * tile_bytes(DataType::BFLOAT16) * (double_input ? 2 : 1);
    }
    uint64_t tilised_bytes(const Blocks& b) const { return b.rows * b.inner * tile_bytes(DataType::BFLOAT16); }
    uint64_t partial_bytes(const Blocks& b) const { return b.rows * b.columns * tile_bytes(partials); }
    uint64_t total(const Blocks& b) const {
        return weight_bytes(b) + input_bytes(b) + tilised_bytes(b) + partial_bytes(b);
    }
};

uint64_t largest_part(uint64_t whole) {
    uint64_t part = whole / 2;
    while (part > 1 && whole % part != 0) {
        --part;
    }
    return std::max<uint64_t>(part, 1);
}

// The blocks that were wanted, or smaller ones where these do not fit beside what is in L1. A config that was tuned for
// the model would have asked for them.
Blocks fitting(Blocks blocks, const Sizes& sizes, uint64_t space) {
    while (sizes.total(blocks) > space) {
        if (blocks.depth > 1) {
            blocks.depth = 1;
        } else if (blocks.rows > 1) {
            blocks.rows = largest_part(blocks.rows);
        } else if (blocks.inner > 1) {
            blocks.inner = largest_part(blocks.inner);
        } else if (blocks.columns > 1) {
            blocks.columns = largest_part(blocks.columns);
        } else {
            break;
        }
    }
    return blocks;
}

}  // namespace

bool accumulates_fp32(const Arguments& args) {
    if (args.compute_config) {
        return args.compute_config->fp32_dest_acc_en;
    }
    return args.input.dtype() == DataType::FLOAT32 && args.weight.dtype() == DataType::FLOAT32;
}

void declare_convolution(Program& program, const Arguments& args, const Tensor& input, const Tensor& weight,
                         const std::optional<Tensor>& bias, const Tensor& output) {
    const Window& window = args.window;
    const auto& shards = output.memory_config().shard_spec();
    const uint64_t rows = div_up(window.out_positions(), tile_size);
    const CoreRangeSet cores = shards ? shards->grid : program.split(rows);
    const bool by_height = output.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED;
    const auto& in_shards = input.memory_config().shard_spec();
    const uint64_t channels = in_shards ? in_shards->shape[1] : input.logical_shape().from_end(0);
    const uint64_t block_rows = args.config.act_block_h_override > 0
                                    ? static_cast<uint64_t>(args.config.act_block_h_override) / tile_size
                                : shards ? shards->shape[0] / tile_size
                                         : div_up<uint64_t>(rows, cores.num_cores());
    const uint64_t taps = by_height ? window.width.taps : window.taps();
    const auto divisor = static_cast<uint64_t>(std::max<int64_t>(args.config.act_block_w_div, 1));
    const Blocks wanted{.rows = block_rows,
                        .columns = shards ? shards->shape[1] / tile_size : div_up(window.out_channels, tile_size),
                        .inner = div_up(div_up<uint64_t>(taps * channels, tile_size), divisor),
                        .depth = by_height ? window.height.taps : 1};
    const bool fp32 = accumulates_fp32(args);
    const Sizes sizes{.weights = weight.dtype(),
                      .partials = fp32 ? DataType::FLOAT32 : DataType::BFLOAT16,
                      .double_input = args.config.enable_act_double_buffer,
                      .double_weights = args.config.enable_weights_double_buffer};
    const uint64_t bias_bytes = bias ? wanted.columns * tile_bytes(bias->dtype()) : 0;
    constexpr uint64_t indices = 4096;
    constexpr uint64_t scratch = 64;
    const uint64_t free = movement::free_l1(program);
    const Blocks blocks = fitting(wanted, sizes, free - std::min(free, bias_bytes + indices + scratch));
    program.circular_buffer(cores, sizes.weight_bytes(blocks));
    const bool in_place = sizes.partials == output.dtype() && shard_in_l1(output) && output.layout() == Layout::TILE;
    if (!in_place) {
        program.circular_buffer(cores, sizes.partial_bytes(blocks));
    }
    program.circular_buffer(cores, sizes.input_bytes(blocks));
    program.circular_buffer(cores, sizes.tilised_bytes(blocks));
    if (bias) {
        program.circular_buffer(cores, bias_bytes);
    }
    program.circular_buffer(cores, indices);
    program.circular_buffer(cores, scratch);
    if (shard_in_l1(output)) {
        program.global_circular_buffer(output, shard_bytes(output));
    } else {
        program.circular_buffer(cores, blocks.columns * tile_bytes(output.dtype()));
    }
    if (shard_in_l1(input)) {
        program.global_circular_buffer(input, shard_bytes(input));
    }
}

void declare_halo(Program& program, const Tensor& input, const Tensor& output) {
    const CoreRangeSet& cores = output.memory_config().shard_spec()->grid;
    if (shard_in_l1(input)) {
        program.global_circular_buffer(input, shard_bytes(input));
    }
    program.global_circular_buffer(output, shard_bytes(output));
    program.circular_buffer(cores, page_bytes(output));  // a stick of padding
    if (input.layout() == Layout::TILE) {
        const uint64_t columns = output.memory_config().shard_spec()->shape[1] / tile_size;
        program.circular_buffer(cores, 2 * std::max<uint64_t>(columns, 1) * tile_bytes(output.dtype()));
    }
}

}  // namespace ttnn::conv_program
