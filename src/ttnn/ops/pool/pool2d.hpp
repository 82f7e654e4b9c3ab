// What max and average pooling share: one call, its checks, and the ways through L1 and through slices of DRAM.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/refusal.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/pool/pool2d_primitive.hpp"
#include "ttnn/ops/pool/pool2d_slices.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"

namespace ttnn::pool {

// A pooling, whichever operation asks for it.
struct Call {
    std::string_view op;
    const Tensor& input;
    Pooling pooling{};
    uint32_t channels = 0;
    std::optional<MemoryConfig> memory_config{};
    std::optional<Op2DSliceConfig> slices{};
    std::optional<TensorMemoryLayout> scheme{};
    bool deallocate_input = false;
    bool reallocate_halo = true;
};

inline bool is_sharded_in_l1(const Tensor& tensor) {
    return tensor.memory_config().is_l1() && tensor.is_sharded() && tensor.memory_config().shard_spec();
}

// The arguments that tell what the input holds.
inline void check_images(std::string_view op, const Tensor& input, int64_t batch, int64_t height, int64_t width,
                         int64_t channels) {
    const Shape& shape = input.logical_shape();
    const auto [least, greatest] = std::minmax({batch, height, width, channels});
    require(least > 0 && greatest <= INT32_MAX,
            "{}: arguments 'batch_size', 'input_h', 'input_w' and 'channels' must be positive, got {}, {}, {} and {}",
            op, batch, height, width, channels);
    require(shape.rank() == 4, "{}: argument 'input_tensor' must be [N, H, W, C] or [1, 1, N * H * W, C], got {}", op,
            shape);
    double elements = 1;
    for (const int64_t size : {batch, height, width, channels}) {
        elements *= static_cast<double>(size);
    }
    require(shape[-1] == channels && static_cast<double>(shape.volume()) == elements,
            "{}: argument 'input_tensor' must hold {} images of {} x {} with {} channels, got {}", op, batch, height,
            width, channels, shape);
}

inline void check_call(const Call& call) {
    const Tensor& input = call.input;
    require(call.pooling.dtype == DataType::BFLOAT16 ||
                (is_block_float(call.pooling.dtype) && call.pooling.layout == Layout::TILE),
            "{}: argument 'dtype' must be BFLOAT16, or BFLOAT8_B or BFLOAT4_B with output_layout TILE, got {} in {}",
            call.op, call.pooling.dtype, call.pooling.layout);
    require(!call.pooling.indices || call.pooling.layout == Layout::ROW_MAJOR,
            "{}: argument 'return_indices' needs output_layout ROW_MAJOR, got {}", call.op, call.pooling.layout);
    require(!call.scheme || *call.scheme != TensorMemoryLayout::INTERLEAVED,
            "{}: argument 'applied_shard_scheme' must be HEIGHT_SHARDED, WIDTH_SHARDED or BLOCK_SHARDED, got {}",
            call.op, call.scheme.value_or(TensorMemoryLayout::INTERLEAVED));
    require(!call.slices || call.slices->num_slices >= 0,
            "{}: argument 'dram_slice_config': num_slices must not be negative, got {}", call.op,
            call.slices.value_or(Op2DSliceConfig()).num_slices);
    if (is_sharded_in_l1(input)) {
        require(!call.scheme,
                "{}: argument 'applied_shard_scheme': a sharding scheme should not be specified for a sharded input",
                call.op);
        require(input.memory_config().shard_spec()->orientation == ShardOrientation::ROW_MAJOR,
                "{}: argument 'input_tensor' must be sharded in ROW_MAJOR orientation, got {}", call.op,
                input.memory_config().shard_spec()->orientation);
    }
}

// Bytes per core that a pooling of interleaved images takes over these cores.
inline uint64_t bytes_per_core(const Call& call, const Window& window, const CoreLayout& cores) {
    const auto bytes = [](const MemoryConfig& config, uint64_t element) {
        return uint64_t{config.shard_spec()->shape[0]} * config.shard_spec()->shape[1] * element;
    };
    const Tensor& input = call.input;
    const auto pixels = static_cast<uint64_t>(window.pixels());
    const MemoryConfig in = input_shards(cores, pixels, call.channels, input.layout(), input.dtype());
    const MemoryConfig out =
        output_shards(cores, static_cast<uint64_t>(window.outputs()), call.channels, call.pooling.layout);
    const auto runs = runs_of(window, cores.rows, share_of(out, cores));
    const uint64_t pixel = uint64_t{in.shard_spec()->shape[1]} * 2;
    return bytes(in, is_block_float(input.dtype()) ? 1 : 2) + 2 * static_cast<uint64_t>(longest(runs)) * pixel +
           bytes(out, 2) + (call.pooling.indices ? bytes(out, index_bytes(window)) : 0);
}

// The scheme that was asked for, else the one that needs least L1.
inline CoreLayout layout_for(const Call& call, const Window& window) {
    const auto outputs = static_cast<uint64_t>(window.outputs());
    const uint64_t units = call.pooling.layout == Layout::TILE ? div_up<uint64_t>(outputs, tile_size) : outputs;
    const CoreCoord grid = call.input.device()->compute_grid();
    if (call.scheme) {
        return chosen_layout(*call.scheme, units, call.channels, grid);
    }
    CoreLayout best = chosen_layout(TensorMemoryLayout::HEIGHT_SHARDED, units, call.channels, grid);
    uint64_t least = bytes_per_core(call, window, best);
    for (const auto scheme : {TensorMemoryLayout::WIDTH_SHARDED, TensorMemoryLayout::BLOCK_SHARDED}) {
        CoreLayout cores = chosen_layout(scheme, units, call.channels, grid);
        const uint64_t bytes = bytes_per_core(call, window, cores);
        if (bytes < least) {
            least = bytes;
            best = std::move(cores);
        }
    }
    return best;
}

// `input` is [1, 1, pixels, channels] in L1 shards over these cores. It may be given up once its pixels are in the
// halo.
inline std::vector<Tensor> pool_shards(const Call& call, Tensor input, const Window& window, const CoreLayout& cores,
                                       bool deallocate_input) {
    const MemoryConfig out =
        output_shards(cores, static_cast<uint64_t>(window.outputs()), call.channels, call.pooling.layout);
    const auto runs = runs_of(window, cores.rows, share_of(out, cores));
    const double pad = call.pooling.kind == PoolKind::MAX ? -std::numeric_limits<double>::infinity() : 0.0;
    Tensor pixels = halo(input, window, cores, runs, pad);
    if (deallocate_input) {
        input.deallocate();
    }
    if (call.reallocate_halo) {
        pixels = move(pixels);
    }
    // Of the device operations it is the last one that refuses.
    check_at_launch([&] {
        check_dtype(call.op, "input_tensor", call.input, {DataType::BFLOAT16, DataType::BFLOAT8_B});
    });
    return pool_primitive(call.pooling, window, pixels, runs, out);
}

inline std::vector<Tensor> pool_in_l1(const Call& call, const Tensor& flat, const Window& window) {
    if (is_sharded_in_l1(flat)) {
        return pool_shards(call, flat, window, layout_of(flat.memory_config()), call.deallocate_input);
    }
    const CoreLayout cores = layout_for(call, window);
    const MemoryConfig shards =
        input_shards(cores, static_cast<uint64_t>(window.pixels()), call.channels, flat.layout(), flat.dtype());
    return pool_shards(call, to_memory_config(flat, shards), window, cores,
                       call.deallocate_input || !flat.memory_config().is_l1());
}

inline bool fits_l1(const Call& call, const Window& window) {
    const Device& device = *call.input.device();
    const Board& board = device.board();
    const uint64_t end = device.lowest_l1_address().value_or(board.l1_size);
    return end > board.l1_base && bytes_per_core(call, window, layout_for(call, window)) <= end - board.l1_base;
}

// Slices along one axis, as many as asked for or as few as fit; one: no slicing.
inline std::vector<Slice> slices_of(const Call& call, const Window& window) {
    const Op2DSliceConfig wanted = call.slices.value_or(Op2DSliceConfig{Op2DSliceType::DRAMSliceHeight, 0});
    const bool by_height = wanted.slice_type == Op2DSliceType::DRAMSliceHeight;
    const int64_t most = by_height ? window.h.count : window.w.count;
    if (call.input.memory_config().is_l1() || wanted.slice_type == Op2DSliceType::L1Full) {
        return cut(window, by_height, 1);
    }
    if (wanted.num_slices > 0) {
        return cut(window, by_height, std::min(wanted.num_slices, most));
    }
    for (int64_t count = 1; count < most; ++count) {
        std::vector<Slice> slices = cut(window, by_height, count);
        if (fits_l1(call, slices.front().window) && fits_l1(call, slices.back().window)) {
            return slices;
        }
    }
    return cut(window, by_height, most);
}

inline std::vector<Tensor> pool_slices(const Call& call, const Tensor& flat, const Window& window,
                                       std::span<const Slice> slices) {
    std::vector<Tensor> results;
    for (const TensorSpec& spec : output_specs(call.pooling, window, call.channels, MemoryConfig())) {
        results.push_back(place_for_slices(flat, spec));
    }
    for (const Slice& slice : slices) {
        const CoreLayout cores = layout_for(call, slice.window);
        const MemoryConfig shards = input_shards(cores, static_cast<uint64_t>(slice.window.pixels()), call.channels,
                                                 flat.layout(), flat.dtype());
        const std::vector<Tensor> parts =
            pool_shards(call, read_slice(flat, window, slice, shards), slice.window, cores, true);
        for (size_t i = 0; i < results.size(); ++i) {
            write_slice(parts[i], window, slice, results[i]);
        }
    }
    return results;
}

// The values, and their places where these are wanted.
inline std::vector<Tensor> run(const Call& call) {
    const Window& window = call.pooling.window;
    const Shape shape{1, 1, static_cast<uint32_t>(window.pixels()), call.channels};
    const Tensor flat = call.input.logical_shape() == shape ? call.input : reshape(call.input, movement::ints(shape));
    const std::vector<Slice> slices = slices_of(call, window);
    std::vector<Tensor> results =
        slices.size() == 1 ? pool_in_l1(call, flat, window) : pool_slices(call, flat, window, slices);
    if (call.memory_config) {
        for (Tensor& result : results) {
            result = to_memory_config(result, *call.memory_config);
        }
    }
    return results;
}

}  // namespace ttnn::pool
