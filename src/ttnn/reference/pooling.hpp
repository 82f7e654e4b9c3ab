// Pooling by definition, over images that are stored channels last. Windows are lists of pixel numbers.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// torch's arguments of a pooling along one dimension.
struct PoolDim {
    int64_t size = 1;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t before = 0;
    int64_t after = 0;
    bool ceil_mode = false;

    // torch's pooling_output_shape.
    int64_t outputs() const {
        const double room = static_cast<double>(size + before + after - dilation * (kernel - 1) - 1) / stride;
        auto count = static_cast<int64_t>(ceil_mode ? std::ceil(room) : std::floor(room)) + 1;
        if (ceil_mode && (count - 1) * stride >= size + before) {
            count -= 1;
        }
        return count;
    }
    // The pixels of a window that exist.
    std::vector<int64_t> pixels(int64_t output) const {
        std::vector<int64_t> list;
        for (int64_t k = 0; k < kernel; ++k) {
            const int64_t pixel = output * stride + k * dilation - before;
            if (pixel >= 0 && pixel < size) {
                list.push_back(pixel);
            }
        }
        return list;
    }
    // The pixels of a window with those of the padding.
    int64_t padded_pixels(int64_t output) const {
        int64_t count = 0;
        for (int64_t k = 0; k < kernel; ++k) {
            count += output * stride + k - before < size + after ? 1 : 0;
        }
        return count;
    }
};

struct Pool {
    int64_t batch = 1;
    PoolDim h;
    PoolDim w;
    int64_t channels = 1;
};

// One value per window and channel; `window` gets the numbers of the channel and the places of their pixels.
using PoolWindow =
    std::function<double(const std::vector<double>& numbers, const std::vector<int64_t>& places, int64_t y, int64_t x)>;

inline Array over_windows(const Array& input, int64_t batch, int64_t height, int64_t width, int64_t out_height,
                          int64_t out_width, int64_t channels, const std::function<std::vector<int64_t>(int64_t)>& rows,
                          const std::function<std::vector<int64_t>(int64_t)>& columns, const PoolWindow& window) {
    const std::vector<double>& pixels = input.values.held();
    Array output(Shape{1, 1, static_cast<uint32_t>(batch * out_height * out_width), static_cast<uint32_t>(channels)});
    size_t at = 0;
    std::vector<double> numbers;
    std::vector<int64_t> places;
    for (int64_t image = 0; image < batch; ++image) {
        for (int64_t y = 0; y < out_height; ++y) {
            const std::vector<int64_t> window_rows = rows(y);
            for (int64_t x = 0; x < out_width; ++x) {
                places.clear();
                for (const int64_t row : window_rows) {
                    for (const int64_t column : columns(x)) {
                        places.push_back(row * width + column);
                    }
                }
                numbers.resize(places.size());
                for (int64_t channel = 0; channel < channels; ++channel) {
                    for (size_t i = 0; i < places.size(); ++i) {
                        const int64_t pixel = image * height * width + places[i];
                        numbers[i] = pixels[static_cast<size_t>(pixel * channels + channel)];
                    }
                    output.values[at++] = window(numbers, places, y, x);
                }
            }
        }
    }
    return output;
}

inline Array over_windows(const Array& input, const Pool& pool, const PoolWindow& window) {
    return over_windows(
        input, pool.batch, pool.h.size, pool.w.size, pool.h.outputs(), pool.w.outputs(), pool.channels,
        [&](int64_t y) { return pool.h.pixels(y); }, [&](int64_t x) { return pool.w.pixels(x); }, window);
}

// Which of the numbers (one at least) max_pool2d takes: the first greatest one, or the first NaN.
inline size_t greatest_of(const std::vector<double>& numbers) {
    size_t best = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (std::isnan(numbers[i])) {
            return i;
        }
        best = numbers[i] > numbers[best] ? i : best;
    }
    return best;
}

inline double total_of(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers) {
        sum += number;
    }
    return sum;
}

// torch.nn.functional.adaptive_*_pool2d of `size` pixels to `outputs` windows: the pixels of one of them.
inline std::vector<int64_t> adaptive_pixels(int64_t size, int64_t outputs, int64_t output) {
    std::vector<int64_t> list;
    const auto begin = static_cast<int64_t>(std::floor(static_cast<double>(output * size) / outputs));
    const auto end = static_cast<int64_t>(std::ceil(static_cast<double>((output + 1) * size) / outputs));
    for (int64_t pixel = begin; pixel < end; ++pixel) {
        list.push_back(pixel);
    }
    return list;
}

}  // namespace ttnn::reference
