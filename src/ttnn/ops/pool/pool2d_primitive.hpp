// The primitive of max and average pooling, which works on the pixels that halo collected.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ttnn/compute/pooling.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/ops/pool/halo.hpp"

namespace ttnn::pool {

enum class PoolKind : uint8_t { MAX, AVERAGE };

}  // namespace ttnn::pool

namespace ttnn {

template <>
struct EnumInfo<pool::PoolKind> {
    static constexpr std::string_view type = "Pool2DType";
    static constexpr EnumMember<pool::PoolKind> members[] = {{pool::PoolKind::MAX, "MAX_POOL2D"},
                                                             {pool::PoolKind::AVERAGE, "AVG_POOL2D"}};
};

}  // namespace ttnn

namespace ttnn::pool {

struct Pooling {
    PoolKind kind = PoolKind::MAX;
    Window window{};
    bool count_include_pad = true;
    std::optional<int64_t> divisor{};
    bool indices = false;
    DataType dtype = DataType::BFLOAT16;
    Layout layout = Layout::ROW_MAJOR;
};

// Outputs that one core of a column makes.
inline int64_t share_of(const MemoryConfig& out, const CoreLayout& cores) {
    return cores.rows == 1 ? std::numeric_limits<int32_t>::max() : int64_t{out.shard_spec()->shape[0]};
}

// Places are counted through one whole image.
inline DataType index_dtype(const Window& window) {
    const int64_t pixels = (window.h.origin + window.h.size) * (window.w.origin + window.w.size);
    return pixels <= std::numeric_limits<uint16_t>::max() ? DataType::UINT16 : DataType::UINT32;
}
inline uint64_t index_bytes(const Window& window) { return element_size(index_dtype(window)); }

inline std::vector<TensorSpec> output_specs(const Pooling& pooling, const Window& window, uint32_t channels,
                                            const MemoryConfig& config) {
    const Shape shape{1, 1, static_cast<uint32_t>(window.outputs()), channels};
    std::vector<TensorSpec> specs{TensorSpec(shape, pooling.dtype, pooling.layout, config)};
    if (pooling.indices) {
        specs.emplace_back(shape, index_dtype(pooling.window), Layout::ROW_MAJOR, config);
    }
    return specs;
}

// What the sum of a window is divided by: padding counts where asked for, what lies beyond it never does.
inline int64_t counted(const Axis& axis, int64_t output, bool include_pad) {
    const int64_t begin = output * axis.stride - axis.before;
    const int64_t end = begin + axis.reach();
    return include_pad ? std::min(end, axis.size + axis.after) - begin
                       : std::min(end, axis.size) - std::max<int64_t>(begin, 0);
}

// One call of the kernel: the pixels of all cores, and what becomes of them.
struct PoolWork {
    const Pooling& pooling;
    const Window& window;
    size_t channels = 0;

    double factor(int64_t y, int64_t x) const {
        const int64_t area =
            counted(window.h, y, pooling.count_include_pad) * counted(window.w, x, pooling.count_include_pad);
        return 1.0 / static_cast<double>(pooling.divisor.value_or(area));
    }
    compute::PixelWindow pixels(const float* first) const {
        return {.first = first,
                .height = static_cast<size_t>(window.h.kernel),
                .width = static_cast<size_t>(window.w.kernel),
                .row_step = static_cast<size_t>(window.h.dilation * window.w.padded()) * channels,
                .column_step = static_cast<size_t>(window.w.dilation) * channels,
                .channels = channels};
    }
    // Padding is no candidate: it has no place. A window of nothing else has the place of the first pixel.
    void find_greatest(const float* first, int64_t y, int64_t x, float* out, uint32_t* places) const {
        const compute::PixelWindow view = pixels(first);
        const int64_t width = pooling.window.w.size;
        bool started = false;
        std::fill_n(out, channels, -std::numeric_limits<float>::infinity());
        std::fill_n(places, channels, 0);
        for (int64_t j = 0; j < window.h.kernel; ++j) {
            for (int64_t i = 0; i < window.w.kernel; ++i) {
                const int64_t row = y * window.h.stride - window.h.before + j * window.h.dilation;
                const int64_t column = x * window.w.stride - window.w.before + i * window.w.dilation;
                if (row < 0 || row >= window.h.size || column < 0 || column >= window.w.size) {
                    continue;
                }
                const float* pixel =
                    first + static_cast<size_t>(j) * view.row_step + static_cast<size_t>(i) * view.column_step;
                const auto number = static_cast<uint32_t>((row + window.h.origin) * width + column + window.w.origin);
                if (!started) {
                    std::copy_n(pixel, channels, out);
                    std::fill_n(places, channels, number);
                    started = true;
                } else {
                    compute::greatest_pixel(pixel, number, channels, out, places);
                }
            }
        }
    }
};

inline void pool_pixels(const PoolWork& work, std::span<const PixelRun> runs, int64_t share, const Tensor& input,
                        std::span<Tensor> outputs) {
    const Window& window = work.window;
    const size_t channels = work.channels;
    const Dense<float> pixels = read<float>(input);
    const auto height = static_cast<size_t>(longest(runs));
    Dense<float> values(outputs[0].logical_volume());
    Dense<uint32_t> places(outputs.size() > 1 ? values.size() : 0);
    const size_t each = channels * static_cast<size_t>(window.h.kernel * window.w.kernel);
    const size_t least = parallel_numbers / std::max<size_t>(each, 1) + 1;
    parallel(static_cast<size_t>(window.outputs()), least, [&](size_t begin, size_t end) {
        std::vector<double> sums(channels);
        for (auto output = static_cast<int64_t>(begin); output < static_cast<int64_t>(end); ++output) {
            if (output % window.w.count == 0) {
                checkpoint();
            }
            const auto core = static_cast<size_t>(output / share);
            const auto offset = static_cast<size_t>(first_pixel(window, output) - runs[core].first);
            const float* first = pixels.data() + (core * height + offset) * channels;
            const size_t at = static_cast<size_t>(output) * channels;
            const int64_t x = output % window.w.count;
            const int64_t y = output / window.w.count % window.h.count;
            if (places.size() != 0) {
                work.find_greatest(first, y, x, values.data() + at, places.data() + at);
            } else if (work.pooling.kind == PoolKind::MAX) {
                compute::window_max(work.pixels(first), values.data() + at);
            } else {
                compute::window_sum(work.pixels(first), work.factor(y, x), sums.data(), values.data() + at);
            }
        }
    });
    write<float>(outputs[0], values.span());
    if (places.size() != 0) {
        write<uint32_t>(outputs[1], places.span());
    }
}

// In creation order: scalars, the pixels, where windows begin, two buffers of windows, outputs. The original's figures
// change from release to release; these are those of windows that fit into a tile.
inline void pool_program(Program& program, const Pooling& pooling, const Tensor& pixels,
                         std::span<const Tensor> outputs) {
    const ShardSpec& out = *outputs[0].memory_config().shard_spec();
    const uint64_t tile_bytes = Tile().bytes(DataType::BFLOAT16);
    const auto window = static_cast<uint64_t>(pooling.window.h.kernel * pooling.window.w.kernel);
    const bool varies = pooling.kind == PoolKind::AVERAGE && !pooling.divisor &&
                        (!pooling.count_include_pad || pooling.window.h.overhang + pooling.window.w.overhang != 0);
    program.circular_buffer(out.grid, tile_bytes);
    if (varies) {
        program.circular_buffer(out.grid, tile_bytes);
    }
    movement::shard_buffer(program, pixels);
    program.circular_buffer(out.grid, round_up<uint64_t>(uint64_t{out.shape[0]} * sizeof(uint16_t), 32));
    const uint64_t columns = std::min<uint64_t>(div_up<uint64_t>(out.shape[1], tile_size), 8) * tile_size;
    const uint64_t rows = std::min<uint64_t>(window, tile_size);
    for (int reader = 0; reader < 2; ++reader) {
        program.circular_buffer(out.grid, round_up<uint64_t>(2 * rows * columns * sizeof(uint16_t), 32));
        if (pooling.indices) {
            program.circular_buffer(out.grid, tile_bytes);
        }
    }
    if (pooling.layout == Layout::TILE) {  // rows of pixels before they are tiles
        program.circular_buffer(out.grid, columns * tile_size * sizeof(uint16_t));
    }
    for (const Tensor& output : outputs) {
        movement::shard_buffer(program, output);
    }
}

inline std::vector<Tensor> pool_primitive(const Pooling& pooling, const Window& window, const Tensor& pixels,
                                          std::span<const PixelRun> runs, const MemoryConfig& config) {
    const uint32_t channels = pixels.logical_shape().from_end(0);
    const int64_t share = share_of(config, {.rows = static_cast<uint32_t>(runs.size())});
    std::vector<OutputSlot> slots;
    for (const TensorSpec& spec : output_specs(pooling, window, channels, config)) {
        slots.push_back({.spec = spec});
    }
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        pool_program(p, pooling, pixels, outputs);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        pool_pixels({pooling, window, channels}, runs, share, inputs[0], outputs);
    };
    const std::vector<int64_t> numbers = window.numbers();
    const auto arguments = [&](ArgumentList& list) {
        list.add(pixels).add(numbers).add_enum(pooling.kind).add(pooling.dtype).add(pooling.layout).add(config);
        list.add(pooling.count_include_pad).add(pooling.divisor).add(pooling.indices);
    };
    return launch({"ttnn::prim::pool2d", {&pixels, 1}, program, kernel, arguments}, slots);
}

}  // namespace ttnn::pool
