// Rules that the data-movement operations share: shapes as arguments, padded shapes, shard specs of results, circular
// buffers.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ttnn/core/math.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn::movement {

// A shape as the list argument of reshape, repeat, slice, ...
inline std::vector<int64_t> ints(const Shape& shape) { return {shape.begin(), shape.end()}; }

// The last two dimensions rounded up to the tile; ranks below 2 become 2.
inline Shape tile_padded(const Shape& shape, const Tile& tile = {}) {
    Shape padded = shape.rank() < 2 ? shape.to_rank(2) : shape;
    padded[-2] = round_up(padded[-2], tile.height());
    padded[-1] = round_up(padded[-1], tile.width());
    return padded;
}
inline Shape default_padded(const Shape& shape, Layout layout, const Tile& tile = {}) {
    return layout == Layout::TILE ? tile_padded(shape, tile) : shape;
}
inline bool tile_aligned(const Shape& shape, const Tile& tile = {}) {
    return shape.from_end(0) % tile.width() == 0 && shape.from_end(1) % tile.height() == 0;
}
inline bool has_padding(const Tensor& tensor) { return tensor.logical_shape() != tensor.padded_shape(); }

// A 2-D sharded config with the shard shape made anew for a tensor of this shape, over the same cores. N-D sharded and
// interleaved ones fit any shape and stay as they are.
inline MemoryConfig fitted(const MemoryConfig& config, const Shape& shape, DataType dtype, Layout layout) {
    if (!config.is_sharded() || !config.shard_spec() || config.created_with_nd_shard_spec() || shape.volume() == 0) {
        return config;
    }
    ShardSpec spec = *config.shard_spec();
    const bool tiled = layout == Layout::TILE;
    // Rows of row-major shards must fill the 16 bytes that L1 pages are aligned to.
    const uint32_t width_unit = tiled ? tile_size : static_cast<uint32_t>(16 / element_size(dtype));
    const uint32_t height_unit = tiled ? tile_size : 1;
    const Shape padded = default_padded(shape, layout);
    const uint32_t width = padded.from_end(0);
    const auto height = static_cast<uint32_t>(padded.volume() / std::max(width, 1U));
    require(spec.num_cores() != 0, "the shard spec of {} has no cores", config);
    const auto part = [](uint32_t size, uint32_t pieces, uint32_t unit) {
        return round_up(div_up(size, pieces), unit);
    };
    switch (config.memory_layout()) {
        case TensorMemoryLayout::HEIGHT_SHARDED:
            spec.shape = {part(height, spec.num_cores(), height_unit), width};
            break;
        case TensorMemoryLayout::WIDTH_SHARDED: spec.shape = {height, part(width, spec.num_cores(), width_unit)}; break;
        default: {
            CoreCoord cores = spec.grid.bounding_box().grid_size();
            if (spec.orientation == ShardOrientation::COL_MAJOR) {
                std::swap(cores.x, cores.y);
            }
            spec.shape = {part(height, cores.y, height_unit), part(width, cores.x, width_unit)};
        }
    }
    return config.with_shard_spec(spec);
}

// The config of a result whose shape is not the input's: what the caller gave, as it is; else the input's, refitted. A
// sharded config without a shard spec takes the cores of the input, or all of them.
inline MemoryConfig fitted_output_config(const std::optional<MemoryConfig>& given, const Tensor& input,
                                         const Shape& shape) {
    if (!given) {
        return fitted(input.memory_config(), shape, input.dtype(), input.layout());
    }
    if (!given->is_sharded() || given->shard_spec() || given->nd_shard_spec()) {
        return *given;
    }
    const auto& own = input.memory_config().shard_spec();
    const ShardSpec spec = own ? *own : ShardSpec{input.device()->full_grid(), {}};
    return fitted(given->with_shard_spec(spec), shape, input.dtype(), input.layout());
}

// Bytes per core between the base of the circular buffers and the lowest L1 buffer.
inline uint64_t free_l1(const Program& program) {
    const Board& board = program.device().board();
    const uint64_t end = program.device().lowest_l1_address().value_or(board.l1_size);
    return end > board.l1_base ? end - board.l1_base : 0;
}
// Row-major rows that are too wide are worked through in parts; the original's part sizes vary, a quarter of the space
// is near. Tiles are never cut.
inline uint64_t capped(const Program& program, const Tensor& tensor, uint64_t bytes) {
    const uint64_t most = std::max<uint64_t>(free_l1(program) / 4 / 64 * 64, 64);
    return tensor.layout() == Layout::TILE ? bytes : std::min(bytes, most);
}
// How many tiles of a row go through the buffers at once: all, or the largest divisor of their number that fits.
inline uint64_t tiles_at_once(const Program& program, uint64_t tiles, uint64_t bytes_per_tile) {
    const uint64_t space = free_l1(program);
    for (uint64_t parts = 1; parts < tiles; ++parts) {
        if (tiles % parts == 0 && tiles / parts * bytes_per_tile <= space) {
            return tiles / parts;
        }
    }
    return 1;
}

// The circular buffer that lives in a sharded L1 tensor itself.
inline void shard_buffer(Program& program, const Tensor& sharded) {
    if (sharded.memory_config().is_l1() && sharded.memory_config().shard_spec()) {
        program.global_circular_buffer(sharded, shard_bytes(sharded));
    }
}
// A sharded L1 tensor's own buffer, else `pages` pages on the cores that share the pages of `work`.
inline void buffer_for(Program& program, const Tensor& tensor, const Tensor& work, uint64_t pages = 2) {
    if (tensor.is_sharded() && tensor.memory_config().is_l1() && tensor.memory_config().shard_spec()) {
        shard_buffer(program, tensor);
    } else if (work.spec().num_pages() != 0) {
        program.circular_buffer(program.split(work.spec().num_pages()),
                                capped(program, tensor, pages * page_bytes(tensor)));
    }
}

}  // namespace ttnn::movement
