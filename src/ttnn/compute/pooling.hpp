// Kernels over images that are stored pixel by pixel (channels last): windows of pixels, blends of pixels, pixels in
// another order. A pixel is a row of `channels` numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// The pixels of one window: height x width of them, this many numbers apart.
struct PixelWindow {
    const float* first = nullptr;
    size_t height = 1;
    size_t width = 1;
    size_t row_step = 0;
    size_t column_step = 0;
    size_t channels = 0;
};

// Greatest number of each channel; a NaN among them is the result.
void window_max(const PixelWindow& window, float* out);
// factor * sum of each channel, in fp64; `sums` has room for the channels.
void window_sum(const PixelWindow& window, double factor, double* sums, float* out);
// Takes one more pixel into account: where it is greater (or the first NaN), `greatest` and `place` change.
void greatest_pixel(const float* pixel, uint32_t number, size_t channels, float* greatest, uint32_t* place);

// A pixel with its share of a blend.
struct PixelShare {
    const float* pixel = nullptr;
    double weight = 0.0;
};
// The weighted sum of pixels, plus `offset`; in fp64.
void blend_pixels(std::span<const PixelShare> shares, double offset, size_t channels, float* out);

// The output's rows (its last dimension) are rows of the input: number `source(row)` for each. Rows have one length.
void gather_pixels(const Tensor& input, Tensor& output, FunctionRef<uint64_t(uint64_t row)> source);

}  // namespace ttnn::compute
