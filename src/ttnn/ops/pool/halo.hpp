// halo: every core gets the pixels that its windows cover, neighbours' pixels and padding among them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ttnn/core/step.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/pool/pool_sharding.hpp"

namespace ttnn::pool {

// Pixels of the padded images, counted through all of them, that a core holds.
struct PixelRun {
    int64_t first = 0;
    int64_t count = 0;
};

// The pixel in the upper left corner of a window.
inline int64_t first_pixel(const Window& window, int64_t output) {
    const int64_t x = output % window.w.count;
    const int64_t y = output / window.w.count % window.h.count;
    const int64_t image = output / window.w.count / window.h.count;
    return (image * window.h.padded() + y * window.h.stride) * window.w.padded() + x * window.w.stride;
}

// What each of `cores` needs for its `share` of the outputs.
inline std::vector<PixelRun> runs_of(const Window& window, uint32_t cores, int64_t share) {
    std::vector<PixelRun> runs(cores);
    for (int64_t core = 0; core < cores; ++core) {
        const int64_t begin = core * share;
        const int64_t end = std::min(begin + share, window.outputs());
        if (begin < end) {
            const int64_t first = first_pixel(window, begin);
            const int64_t last =
                first_pixel(window, end - 1) + (window.h.reach() - 1) * window.w.padded() + window.w.reach();
            runs[static_cast<size_t>(core)] = {first, last - first};
        }
    }
    return runs;
}

inline int64_t longest(std::span<const PixelRun> runs) {
    int64_t most = 1;
    for (const PixelRun& run : runs) {
        most = std::max(most, run.count);
    }
    return most;
}

// Copies one run of pixels out of the images; what lies outside of them is `pad`.
inline void copy_run(const Window& window, const PixelRun& run, size_t channels, float pad, const float* images,
                     float* to) {
    const int64_t end = run.first + run.count;
    for (int64_t pixel = run.first; pixel < end;) {
        const int64_t row = pixel / window.w.padded();
        const int64_t begin = pixel % window.w.padded();
        const int64_t stop = std::min(window.w.padded(), begin + end - pixel);
        const int64_t y = row % window.h.padded() - window.h.before;
        int64_t from = std::clamp(window.w.before, begin, stop);
        int64_t until = std::clamp(window.w.before + window.w.size, from, stop);
        if (y < 0 || y >= window.h.size) {
            from = until = stop;
        }
        std::fill_n(to, (from - begin) * channels, pad);
        const int64_t image_row = row / window.h.padded() * window.h.size + y;
        if (from < until) {
            std::copy_n(images + (image_row * window.w.size + from - window.w.before) * channels,
                        (until - from) * channels, to + (from - begin) * channels);
        }
        std::fill_n(to + (until - begin) * channels, (stop - until) * channels, pad);
        to += (stop - begin) * channels;
        pixel += stop - begin;
    }
}

inline void fill_halo(const Window& window, std::span<const PixelRun> runs, float pad, const Tensor& input,
                      Tensor& output) {
    const size_t channels = output.logical_shape().from_end(0);
    const auto height = static_cast<size_t>(longest(runs));
    const Dense<float> images = read<float>(input);
    Dense<float> pixels(output.logical_volume());
    for (size_t core = 0; core < runs.size(); ++core) {
        checkpoint();
        float* to = pixels.data() + core * height * channels;
        copy_run(window, runs[core], channels, pad, images.data(), to);
        const size_t copied = static_cast<size_t>(runs[core].count) * channels;
        std::fill(to + copied, to + height * channels, pad);
    }
    write<float>(output, pixels.span());
}

inline void halo_program(Program& program, const Tensor& input, const Tensor& output) {
    movement::shard_buffer(program, input);
    movement::shard_buffer(program, output);
    const CoreRangeSet& cores = output.memory_config().shard_spec()->grid;
    const uint64_t width = output.memory_config().shard_spec()->shape[1];
    if (input.layout() == Layout::TILE) {  // a row of tiles on its way to row-major, doubled
        program.circular_buffer(cores, 2 * div_up<uint64_t>(width, tile_size) * Tile().bytes(output.dtype()));
    }
    program.circular_buffer(cores, round_up<uint64_t>(width * element_size(output.dtype()), 32));  // the padding
}

// [1, 1, cores * pixels per core, channels] in row-major, sharded as the input is.
inline TensorSpec halo_spec(const Tensor& input, const CoreLayout& cores, std::span<const PixelRun> runs) {
    const uint32_t channels = input.logical_shape().from_end(0);
    const auto height = static_cast<uint32_t>(longest(runs));
    ShardSpec shards = *input.memory_config().shard_spec();
    shards.shape[0] = height;
    const DataType dtype = is_block_float(input.dtype()) ? DataType::BFLOAT16 : input.dtype();
    return TensorSpec({1, 1, cores.rows * height, channels}, dtype, Layout::ROW_MAJOR,
                      MemoryConfig(cores.memory_layout, BufferType::L1, shards));
}

// `input` is [1, 1, pixels, channels] in L1 shards over these cores.
inline Tensor halo_primitive(const Tensor& input, const Window& window, const CoreLayout& cores,
                             std::span<const PixelRun> runs, double pad) {
    const std::vector<int64_t> numbers = window.numbers();
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { halo_program(p, input, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        fill_halo(window, runs, static_cast<float>(pad), inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(numbers).add(pad); };
    return launch({"ttnn::prim::halo", {&input, 1}, program, kernel, arguments}, halo_spec(input, cores, runs));
}

// The same as a step of another operation.
inline Tensor halo(const Tensor& input, const Window& window, const CoreLayout& cores, std::span<const PixelRun> runs,
                   double pad) {
    Tensor result;
    const auto body = [&] {
        result = halo_primitive(input, window, cores, runs, pad);
        return std::span<const Tensor>(&result, 1);
    };
    if (steps_captured()) {
        ArgumentList list;
        list.add(input).add(pad);
        run_step({.name = "ttnn::halo", .tensors = {&input, 1}, .inputs = 2, .arguments = list.view()}, body);
    } else {
        body();
    }
    return result;
}

}  // namespace ttnn::pool
