#include "ttnn/compute/pooling.hpp"

#include <algorithm>
#include <cstring>

#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t rows_between_checkpoints = 1024;

TTNN_VECTOR_CLONES void take_greater(const float* pixel, size_t channels, float* greatest) {
    for (size_t c = 0; c < channels; ++c) {
        const float value = pixel[c];
        greatest[c] = value > greatest[c] || value != value ? value : greatest[c];
    }
}

TTNN_VECTOR_CLONES void add_pixel(const float* pixel, size_t channels, double weight, double* sums) {
    for (size_t c = 0; c < channels; ++c) {
        sums[c] += weight * pixel[c];
    }
}

TTNN_VECTOR_CLONES void store_scaled(const double* sums, size_t channels, double factor, float* out) {
    for (size_t c = 0; c < channels; ++c) {
        out[c] = static_cast<float>(sums[c] * factor);
    }
}

// Whether every page is a whole row of the logical shape.
bool has_row_pages(const TensorSpec& spec) { return spec.layout() == Layout::ROW_MAJOR && spec.page_columns() == 1; }

template <class T>
void gather_numbers(const Tensor& input, Tensor& output, FunctionRef<uint64_t(uint64_t)> source) {
    const Dense<T> from = read<T>(input);
    const size_t width = output.logical_shape().from_end(0);
    Dense<T> to(output.logical_volume());
    for (size_t row = 0; row * width < to.size(); ++row) {
        if (row % rows_between_checkpoints == 0) {
            checkpoint();
        }
        std::copy_n(from.data() + source(row) * width, width, to.data() + row * width);
    }
    write<T>(output, to.span());
}

}  // namespace

void window_max(const PixelWindow& window, float* out) {
    std::copy_n(window.first, window.channels, out);
    for (size_t y = 0; y < window.height; ++y) {
        for (size_t x = 0; x < window.width; ++x) {
            take_greater(window.first + y * window.row_step + x * window.column_step, window.channels, out);
        }
    }
}

void window_sum(const PixelWindow& window, double factor, double* sums, float* out) {
    std::fill_n(sums, window.channels, 0.0);
    for (size_t y = 0; y < window.height; ++y) {
        for (size_t x = 0; x < window.width; ++x) {
            add_pixel(window.first + y * window.row_step + x * window.column_step, window.channels, 1.0, sums);
        }
    }
    store_scaled(sums, window.channels, factor, out);
}

TTNN_VECTOR_CLONES void greatest_pixel(const float* pixel, uint32_t number, size_t channels, float* greatest,
                                       uint32_t* place) {
    for (size_t c = 0; c < channels; ++c) {
        const float value = pixel[c];
        const bool takes = value > greatest[c] || (value != value && greatest[c] == greatest[c]);
        greatest[c] = takes ? value : greatest[c];
        place[c] = takes ? number : place[c];
    }
}

void blend_pixels(std::span<const PixelShare> shares, double offset, size_t channels, float* out) {
    constexpr size_t part = 256;
    double sums[part];
    for (size_t first = 0; first < channels; first += part) {
        const size_t count = std::min(part, channels - first);
        std::fill_n(sums, count, offset);
        for (const PixelShare& share : shares) {
            add_pixel(share.pixel + first, count, share.weight, sums);
        }
        store_scaled(sums, count, 1.0, out + first);
    }
}

void gather_pixels(const Tensor& input, Tensor& output, FunctionRef<uint64_t(uint64_t)> source) {
    if (input.dtype() != output.dtype() || !has_row_pages(input.spec()) || !has_row_pages(output.spec())) {
        return is_integer(input.dtype()) ? gather_numbers<uint32_t>(input, output, source)
                                         : gather_numbers<float>(input, output, source);
    }
    const size_t width = output.logical_shape().from_end(0);
    const size_t bytes = width * element_size(output.dtype());
    const uint64_t rows = width == 0 ? 0 : output.logical_volume() / width;
    const std::byte* from = input.bytes().data();
    std::byte* to = output.mutable_bytes().data();
    for (uint64_t row = 0; row < rows; ++row) {
        if (row % rows_between_checkpoints == 0) {
            checkpoint();
        }
        std::memcpy(to + output.page_offset(row), from + input.page_offset(source(row)), bytes);
    }
}

}  // namespace ttnn::compute
