// Images in DRAM, cut into slices that are worked on in L1 one after the other.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "ttnn/core/stop.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/pool/window.hpp"
#include "ttnn/tensor/pack.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::pool {

// A part of the windows of all images: rows `first` ... of them, or columns.
struct Slice {
    Window window;
    int64_t row = 0;  // of the outputs
    int64_t column = 0;
};

inline std::vector<Slice> cut(const Window& window, bool by_height, int64_t count) {
    if (count <= 1) {
        return {{window}};
    }
    const int64_t outputs = by_height ? window.h.count : window.w.count;
    const int64_t share = div_up(outputs, count);
    std::vector<Slice> slices;
    for (int64_t first = 0; first < outputs; first += share) {
        const int64_t own = std::min(share, outputs - first);
        Slice slice{window, by_height ? first : 0, by_height ? 0 : first};
        (by_height ? slice.window.h : slice.window.w) = (by_height ? window.h : window.w).part(first, own);
        slices.push_back(slice);
    }
    return slices;
}

// Copies the pixels of a slice without reading the others.
inline void copy_pixels(const Window& window, const Slice& slice, const Tensor& flat, Tensor& output) {
    const Axis& h = slice.window.h;
    const Axis& w = slice.window.w;
    const int64_t channels = flat.logical_shape().from_end(0);
    const bool whole_rows = w.size == window.w.size;
    const int64_t run = (whole_rows ? h.size * w.size : w.size) * channels;
    Dense<float> pixels(output.logical_volume());
    float* to = pixels.data();
    for (int64_t image = 0; image < window.batch; ++image) {
        for (int64_t y = 0; y < (whole_rows ? 1 : h.size); ++y, to += run) {
            checkpoint();
            const int64_t first = (image * window.h.size + h.origin + y) * window.w.size + w.origin;
            read_part<float>(flat, static_cast<uint64_t>(first * channels), {to, static_cast<size_t>(run)});
        }
    }
    write<float>(output, pixels.span());
}

// The pixels of a slice, in L1 shards. Tiles may need padding to fill these.
inline Tensor read_slice(const Tensor& flat, const Window& window, const Slice& slice, const MemoryConfig& shards,
                         const std::optional<Alignment>& alignment = {}) {
    const uint32_t channels = flat.logical_shape().from_end(0);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        p.circular_buffer(outputs[0].memory_config().shard_spec()->grid, 2 * page_bytes(flat));
        movement::shard_buffer(p, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        copy_pixels(window, slice, inputs[0], outputs[0]);
    };
    const std::vector<int64_t> numbers = slice.window.numbers();
    const auto arguments = [&](ArgumentList& list) { list.add(flat).add(numbers).add(shards); };
    const Shape shape{1, 1, static_cast<uint32_t>(slice.window.pixels()), channels};
    return launch({"ttnn::prim::padded_slice", {&flat, 1}, program, kernel, arguments},
                  TensorSpec(shape, flat.dtype(), flat.layout(), shards, flat.spec().tile(), alignment));
}

// Where all slices are to be put: an interleaved tensor on the chips of the input.
inline Tensor place_for_slices(const Tensor& flat, const TensorSpec& spec) {
    Tensor whole = Tensor::allocate_on_device(spec, flat.device());
    if (whole.num_parts() > 1) {
        whole.set_topology(flat.topology());
    }
    return whole;
}

// Calls `row` with each row of output pixels of a slice: its number in the slice and in the whole.
template <class Use>
void for_each_row(const Window& window, const Slice& slice, Use row) {
    for (int64_t image = 0; image < window.batch; ++image) {
        for (int64_t y = 0; y < slice.window.h.count; ++y) {
            const int64_t from = (image * slice.window.h.count + y) * slice.window.w.count;
            const int64_t to = (image * window.h.count + y + slice.row) * window.w.count + slice.column;
            row(static_cast<uint64_t>(from), static_cast<uint64_t>(to));
        }
    }
}

// Of the rows of tiles only those that the slice touches are written.
template <class T>
void copy_rows_into_tiles(const Window& window, const Slice& slice, std::span<const T> values, const Tensor& whole) {
    const uint64_t channels = whole.logical_shape().from_end(0);
    const uint64_t length = static_cast<uint64_t>(slice.window.w.count) * channels;
    Tensor to = whole;
    const BandWriter<T> writer(to);
    std::vector<T> numbers;
    for (const Band& band : bands_of(whole.spec(), usual_band)) {
        numbers.clear();
        for_each_row(window, slice, [&](uint64_t from, uint64_t at) {
            const uint64_t begin = std::max(at * channels, band.first);
            const uint64_t end = std::min(at * channels + length, band.first + band.size);
            if (begin >= end) {
                return;
            }
            if (numbers.empty()) {
                numbers.resize(band.size);
                read_part<T>(whole, band.first, std::span<T>(numbers));
            }
            std::copy_n(values.data() + from * channels + (begin - at * channels), end - begin,
                        numbers.data() + (begin - band.first));
        });
        if (!numbers.empty()) {
            writer.write(band, std::span<const T>(numbers));
        }
    }
}

template <class T>
void copy_rows(const Window& window, const Slice& slice, const Tensor& part, Tensor& whole) {
    const size_t channels = whole.logical_shape().from_end(0);
    const auto pixels = static_cast<uint64_t>(slice.window.w.count);
    const Dense<T> values = read<T>(part);
    if (whole.layout() == Layout::ROW_MAJOR) {  // a page for each pixel
        std::byte* to = whole.mutable_bytes().data();
        for_each_row(window, slice, [&](uint64_t from, uint64_t at) {
            for (uint64_t pixel = 0; pixel < pixels; ++pixel) {
                pack::encode(whole.dtype(), values.data() + (from + pixel) * channels,
                             to + whole.page_offset(at + pixel), channels);
            }
        });
        return;
    }
    copy_rows_into_tiles<T>(window, slice, values.span(), whole);
}

// Puts the outputs of a slice where they belong in the interleaved output of all.
inline void write_slice(const Tensor& part, const Window& window, const Slice& slice, const Tensor& whole) {
    const auto program = [&](Program& p, std::span<const Tensor>) {
        movement::shard_buffer(p, part);
        p.circular_buffer(part.memory_config().shard_spec()->grid, 2 * page_bytes(whole));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        is_integer(whole.dtype()) ? copy_rows<uint32_t>(window, slice, inputs[0], outputs[0])
                                  : copy_rows<float>(window, slice, inputs[0], outputs[0]);
    };
    const std::vector<int64_t> place{slice.row, slice.column, slice.window.h.count, slice.window.w.count};
    const auto arguments = [&](ArgumentList& list) { list.add(part).add(whole).add(place); };
    launch({"ttnn::prim::slice_write", {&part, 1}, program, kernel, arguments}, whole.spec(), whole);
}

}  // namespace ttnn::pool
