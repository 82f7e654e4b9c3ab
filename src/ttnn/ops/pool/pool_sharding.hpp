// How pixels are dealt to cores: the sharding of inputs and outputs of operations with windows.
#pragma once

#include <algorithm>
#include <optional>

#include "ttnn/device/device.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/pool/window.hpp"

namespace ttnn::pool {

// A grid of cores that share pixels (rows) and channels (columns).
struct CoreLayout {
    TensorMemoryLayout memory_layout = TensorMemoryLayout::HEIGHT_SHARDED;
    CoreRangeSet grid{};
    uint32_t rows = 1;
    uint32_t columns = 1;
};

inline CoreLayout layout_of(const MemoryConfig& config) {
    const ShardSpec& spec = *config.shard_spec();
    CoreLayout cores{config.memory_layout(), spec.grid, spec.num_cores(), 1};
    if (config.memory_layout() == TensorMemoryLayout::WIDTH_SHARDED) {
        cores.rows = 1;
        cores.columns = spec.num_cores();
    } else if (config.memory_layout() == TensorMemoryLayout::BLOCK_SHARDED) {
        const CoreCoord size = spec.grid.bounding_box().grid_size();
        cores.rows = size.y;
        cores.columns = size.x;
    }
    return cores;
}

// The most cores, up to `most`, that leave at most one of them partly idle.
inline uint32_t busy_cores(uint64_t units, uint32_t most) {
    for (uint32_t cores = most; cores > 1; --cores) {
        const uint64_t padded = round_up<uint64_t>(units, cores);
        if (padded - units < padded / cores) {
            return cores;
        }
    }
    return 1;
}

inline CoreLayout chosen_layout(TensorMemoryLayout memory_layout, uint64_t units, uint32_t channels, CoreCoord grid) {
    const uint64_t channel_tiles = div_up<uint64_t>(channels, tile_size);
    CoreLayout cores{memory_layout, {}, 1, 1};
    switch (memory_layout) {
        case TensorMemoryLayout::HEIGHT_SHARDED:
            cores.rows = busy_cores(units, grid.x * grid.y);
            cores.grid = num_cores_to_corerangeset(cores.rows, grid, true);
            break;
        case TensorMemoryLayout::WIDTH_SHARDED:
            cores.columns = busy_cores(channel_tiles, grid.x * grid.y);
            cores.grid = num_cores_to_corerangeset(cores.columns, grid, true);
            break;
        default:
            cores.rows = busy_cores(units, grid.y);
            cores.columns = busy_cores(channel_tiles, grid.x);
            cores.grid = CoreRangeSet(CoreRange({0, 0}, {cores.columns - 1, cores.rows - 1}));
    }
    return cores;
}

// Shards of a tensor of `pixels` rows, whose heights and widths are multiples of the units.
inline MemoryConfig shards_over(const CoreLayout& cores, uint64_t pixels, uint32_t channels, uint32_t pixel_unit,
                                uint32_t channel_unit) {
    // Width shards hold all rows, and no more.
    const uint64_t height = cores.rows == 1
                                ? round_up<uint64_t>(pixels, pixel_unit)
                                : round_up<uint64_t>(pixels, uint64_t{cores.rows} * pixel_unit) / cores.rows;
    const uint32_t width = round_up(channels, cores.columns * channel_unit) / cores.columns;
    return MemoryConfig(cores.memory_layout, BufferType::L1,
                        ShardSpec{cores.grid, {static_cast<uint32_t>(height), width}, ShardOrientation::ROW_MAJOR});
}

// Rows of row-major shards must fill the 16 bytes that L1 is aligned to.
inline MemoryConfig input_shards(const CoreLayout& cores, uint64_t pixels, uint32_t channels, Layout layout,
                                 DataType dtype) {
    return layout == Layout::TILE
               ? shards_over(cores, pixels, channels, tile_size, tile_size)
               : shards_over(cores, pixels, channels, 1, static_cast<uint32_t>(16 / element_size(dtype)));
}
// Half a tile of channels is the least that the kernels write.
inline MemoryConfig output_shards(const CoreLayout& cores, uint64_t pixels, uint32_t channels, Layout layout) {
    return layout == Layout::TILE ? shards_over(cores, pixels, channels, tile_size, tile_size)
                                  : shards_over(cores, pixels, channels, 1, tile_size / 2);
}

}  // namespace ttnn::pool
