// How convolutions on shards in L1 are laid out over cores. The rules are those of late 2025; where the original
// estimates memory, and the estimate changes from release to release, ours is simple.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn::conv_rules {

// Cores along the image's positions (rows) and along its channels (columns).
struct Sharding {
    TensorMemoryLayout layout = TensorMemoryLayout::HEIGHT_SHARDED;
    CoreRangeSet grid;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
    uint32_t rows = 1;
    uint32_t columns = 1;
};

// What is known of the input where the layout over cores is decided: a call has the tensor, the preparation of weights
// only its description.
struct InputFacts {
    MemoryConfig memory_config;
    Layout layout = Layout::TILE;
    DataType dtype = DataType::BFLOAT16;
    uint32_t channels = 0;  // of a stick, with padding
};

inline InputFacts facts_of(const Tensor& input) {
    return {input.memory_config(), input.layout(), input.dtype(), input.logical_shape().from_end(0)};
}

// The most cores, at most `most`, that `units` can be dealt to in multiples of `multiple` with few of them idle and at
// most one partly filled.
inline uint32_t busy_cores(uint32_t units, uint32_t most, uint32_t multiple) {
    for (uint32_t cores = most; cores > 1; --cores) {
        const uint32_t padded = round_up(units, cores * multiple);
        if (padded - units < padded / cores) {
            return cores;
        }
    }
    return 1;
}

// The largest number up to `most` that divides both.
inline uint32_t common_divisor(uint32_t a, uint32_t b, uint32_t most) {
    uint32_t divisor = std::min({a, b, most});
    while (divisor > 1 && (a % divisor != 0 || b % divisor != 0)) {
        --divisor;
    }
    return std::max(divisor, 1U);
}

inline CoreRangeSet rectangle(CoreCoord start, uint32_t width, uint32_t height) {
    return CoreRangeSet(CoreRange(start, {start.x + width - 1, start.y + height - 1}));
}

// Rows and columns of shards that exist.
inline Sharding sharding_of(const MemoryConfig& config) {
    const ShardSpec& shards = *config.shard_spec();
    Sharding sharding{config.memory_layout(), shards.grid, shards.orientation};
    switch (config.memory_layout()) {
        case TensorMemoryLayout::HEIGHT_SHARDED: sharding.rows = shards.num_cores(); break;
        case TensorMemoryLayout::WIDTH_SHARDED: sharding.columns = shards.num_cores(); break;
        default: {
            const CoreCoord size = shards.grid.bounding_box().grid_size();
            const bool down = shards.orientation == ShardOrientation::COL_MAJOR;
            sharding.rows = down ? size.x : size.y;
            sharding.columns = down ? size.y : size.x;
        }
    }
    return sharding;
}

inline bool is_width_sharded(const Sharding& sharding) { return sharding.layout == TensorMemoryLayout::WIDTH_SHARDED; }
inline bool is_block_sharded(const Sharding& sharding) { return sharding.layout == TensorMemoryLayout::BLOCK_SHARDED; }

// Channels of an input shard are a multiple of this.
inline uint32_t channel_alignment(const InputFacts& input, TensorMemoryLayout layout, bool product) {
    if (input.layout == Layout::TILE || layout == TensorMemoryLayout::WIDTH_SHARDED || product) {
        return tile_size;
    }
    if (input.memory_config.shard_spec()) {
        for (const uint32_t alignment : {32U, 16U}) {
            if (input.memory_config.shard_spec()->shape[1] % alignment == 0) {
                return alignment;
            }
        }
    }
    return 8;
}

inline uint32_t act_block_rows(const Conv2dConfig& config) {
    return std::max<uint32_t>(static_cast<uint32_t>(config.act_block_h_override) / tile_size, 1);
}

// Over the cores that the caller names.
inline Sharding over_given_cores(const Conv2dConfig& config, TensorMemoryLayout layout) {
    ShardSpec spec{*config.core_grid, {}};
    spec.orientation = config.transpose_shards && layout == TensorMemoryLayout::BLOCK_SHARDED
                           ? ShardOrientation::COL_MAJOR
                           : ShardOrientation::ROW_MAJOR;
    return sharding_of(MemoryConfig(layout, BufferType::L1, spec));
}

inline Sharding chosen_sharding(const Window& window, const InputFacts& input, const Conv2dConfig& config,
                                TensorMemoryLayout layout, CoreCoord grid, bool product) {
    if (config.override_sharding_config && config.core_grid) {
        return over_given_cores(config, layout);
    }
    const uint32_t cores = grid.x * grid.y;
    const uint32_t rows = div_up(window.out_positions(), tile_size);
    const uint32_t multiple = act_block_rows(config);
    Sharding sharding{layout, {}};
    if (layout == TensorMemoryLayout::HEIGHT_SHARDED) {
        sharding.rows = busy_cores(rows, cores, multiple);
        sharding.grid = num_cores_to_corerangeset(sharding.rows, grid, true);
        return sharding;
    }
    if (layout == TensorMemoryLayout::WIDTH_SHARDED) {
        sharding.columns = busy_cores(div_up(window.in_channels, tile_size), cores, 1);
        sharding.grid = num_cores_to_corerangeset(sharding.columns, grid, true);
        return sharding;
    }
    const bool down = config.transpose_shards;
    const uint32_t along_rows = down ? grid.x : grid.y;
    const uint32_t along_columns = down ? grid.y : grid.x;
    const uint32_t blocks = div_up(window.in_channels, channel_alignment(input, layout, product));
    sharding.rows = busy_cores(rows, along_rows, multiple);
    sharding.columns = product ? common_divisor(div_up(window.out_channels, tile_size), blocks, along_columns)
                               : busy_cores(blocks, along_columns, 1);
    sharding.orientation = down ? ShardOrientation::COL_MAJOR : ShardOrientation::ROW_MAJOR;
    sharding.grid =
        down ? rectangle({0, 0}, sharding.rows, sharding.columns) : rectangle({0, 0}, sharding.columns, sharding.rows);
    return sharding;
}

// Height and width of a shard.
inline std::array<uint32_t, 2> input_shard(const Window& window, const InputFacts& input, const Sharding& sharding,
                                           bool product) {
    const bool rounded = !is_width_sharded(sharding) || input.layout == Layout::TILE;
    const uint32_t positions =
        rounded ? round_up(window.in_positions(), sharding.rows * tile_size) : window.in_positions();
    const uint32_t alignment = channel_alignment(input, sharding.layout, product);
    return {positions / sharding.rows, round_up(input.channels, sharding.columns * alignment) / sharding.columns};
}
inline std::array<uint32_t, 2> output_shard(const Window& window, const Sharding& sharding) {
    return {round_up(window.out_positions(), sharding.rows * tile_size) / sharding.rows,
            round_up(window.out_channels, sharding.columns * tile_size) / sharding.columns};
}

inline Sharding output_sharding(const Window& window, const Sharding& input, CoreCoord grid, bool product) {
    Sharding output = input;
    const uint32_t columns = div_up(window.out_channels, tile_size);
    if (product || input.layout == TensorMemoryLayout::HEIGHT_SHARDED) {
        return output;
    }
    if (is_width_sharded(input)) {
        output.columns = busy_cores(columns, grid.x * grid.y, 1);
        output.grid = num_cores_to_corerangeset(output.columns, grid, true);
        return output;
    }
    const bool down = input.orientation == ShardOrientation::COL_MAJOR;
    const CoreCoord start = input.grid.bounding_box().start;
    output.columns = busy_cores(columns, down ? grid.y - start.y : grid.x - start.x, 1);
    output.grid = down ? rectangle(start, output.rows, output.columns) : rectangle(start, output.columns, output.rows);
    return output;
}

inline MemoryConfig memory_of(const Sharding& sharding, std::array<uint32_t, 2> shard) {
    return MemoryConfig(sharding.layout, BufferType::L1, ShardSpec{sharding.grid, shard, sharding.orientation});
}

// Bytes of L1 that a core needs: both shards, the input once more with its borders, and the weights and gathered
// windows of a block.
inline uint64_t estimated_bytes(const Window& window, const InputFacts& input, const Sharding& sharding, CoreCoord grid,
                                bool product) {
    constexpr uint64_t bytes = 2;  // of a number, nearly always
    const auto [in_height, in_width] = input_shard(window, input, sharding, product);
    const auto [out_height, out_width] = output_shard(window, output_sharding(window, sharding, grid, product));
    const uint64_t image = uint64_t{in_height} * in_width * (product ? 1 : 2) + uint64_t{out_height} * out_width;
    const bool by_height = sharding.layout == TensorMemoryLayout::HEIGHT_SHARDED;
    const uint64_t taps = product ? 1 : by_height ? window.width.taps : window.taps();
    const uint64_t inner = taps * round_up(in_width, tile_size);
    const uint64_t gathered = product ? 0 : 2 * out_height * inner;  // as rows and as tiles
    return bytes * (image + gathered + inner * out_width);
}

inline TensorMemoryLayout smallest_layout(const Window& window, const InputFacts& input, const Conv2dConfig& config,
                                          CoreCoord grid, bool product) {
    const auto bytes = [&](TensorMemoryLayout layout) {
        return estimated_bytes(window, input, chosen_sharding(window, input, config, layout, grid, product), grid,
                               product);
    };
    TensorMemoryLayout best = TensorMemoryLayout::HEIGHT_SHARDED;
    uint64_t least = bytes(best);
    const Sharding block = chosen_sharding(window, input, config, TensorMemoryLayout::BLOCK_SHARDED, grid, product);
    const uint64_t in_blocks = bytes(TensorMemoryLayout::BLOCK_SHARDED);
    if (in_blocks < least && block.grid.num_cores() > grid.x) {
        best = TensorMemoryLayout::BLOCK_SHARDED;
        least = in_blocks;
    }
    return !product && bytes(TensorMemoryLayout::WIDTH_SHARDED) < least ? TensorMemoryLayout::WIDTH_SHARDED : best;
}

// Whether a sharded input stays where it is.
inline bool keeps_shards(const InputFacts& input, const Conv2dConfig& config, bool product) {
    const auto& shards = input.memory_config.shard_spec();
    if (!shards || !input.memory_config.is_l1() || config.reshard_if_not_optimal) {
        return false;
    }
    const TensorMemoryLayout layout = input.memory_config.memory_layout();
    const bool block = layout == TensorMemoryLayout::BLOCK_SHARDED;
    const Sharding own = sharding_of(input.memory_config);
    if (shards->shape[1] % channel_alignment(input, layout, product) != 0 ||
        (!block && shards->orientation != ShardOrientation::ROW_MAJOR)) {
        return false;
    }
    if (product && (shards->shape[0] % tile_size != 0 ||
                    (block && own.columns * shards->shape[1] != round_up(input.channels, tile_size)))) {
        return false;
    }
    return !config.override_sharding_config ||
           (over_given_cores(config, config.shard_layout.value_or(layout)).grid == shards->grid &&
            config.shard_layout.value_or(layout) == layout);
}

// Where a convolution on shards reads and writes.
struct ShardPlan {
    bool product = false;      // `linear` does the work
    bool keeps_input = false;  // its shards stay as they are
    Sharding input;
    Sharding output;
    MemoryConfig input_memory;
    MemoryConfig output_memory;
};

inline ShardPlan plan_shards(const Window& window, const InputFacts& input, const Conv2dConfig& config, CoreCoord grid,
                             bool may_be_product) {
    const bool sharded = input.memory_config.shard_spec() && input.memory_config.is_l1();
    const TensorMemoryLayout own = input.memory_config.memory_layout();
    ShardPlan plan;
    // A sharded input of which nothing is wanted is kept, whatever layout the config names.
    const bool product_if_kept = may_be_product && own != TensorMemoryLayout::WIDTH_SHARDED;
    plan.keeps_input = keeps_shards(input, config, product_if_kept);
    if (plan.keeps_input) {
        plan.product = product_if_kept;
        plan.input = sharding_of(input.memory_config);
        plan.input_memory = input.memory_config;
    } else {
        const TensorMemoryLayout layout = config.shard_layout ? *config.shard_layout
                                          : sharded           ? own
                                                    : smallest_layout(window, input, config, grid, may_be_product);
        plan.product = may_be_product && layout != TensorMemoryLayout::WIDTH_SHARDED;
        plan.input = chosen_sharding(window, input, config, layout, grid, plan.product);
        plan.input_memory = memory_of(plan.input, input_shard(window, input, plan.input, plan.product));
    }
    plan.output = output_sharding(window, plan.input, grid, plan.product);
    plan.output_memory = memory_of(plan.output, output_shard(window, plan.output));
    return plan;
}

// Prepared weights cover whole tiles of every core.
inline Shape padded_weight_matrix(const Window& window, uint32_t in_columns, uint32_t out_columns, uint32_t alignment) {
    const uint32_t channels = round_up(window.in_channels, in_columns * alignment);
    return {1, 1, round_up(window.taps() * channels, tile_size),
            round_up(window.out_channels, out_columns * tile_size)};
}

}  // namespace ttnn::conv_rules
