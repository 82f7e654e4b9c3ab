// Pooling by definition, over images that are stored channels last. Windows are lists of pixel numbers.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "ttnn/reference/in_blocks.hpp"

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

// Images and windows along both axes; what it is made of must own what it uses.
struct Windows {
    int64_t batch = 1;
    int64_t height = 1;  // pixels
    int64_t width = 1;
    int64_t out_height = 1;
    int64_t out_width = 1;
    int64_t channels = 1;
    std::function<std::vector<int64_t>(int64_t)> rows{};  // of a window along the axis
    std::function<std::vector<int64_t>(int64_t)> columns{};
    PoolWindow window{};
};

// Some rows of outputs, counted through all images.
inline Array window_rows(const Array& input, const Windows& windows, size_t first, size_t count) {
    const auto line = static_cast<size_t>(windows.width * windows.channels);
    Array output(Shape{static_cast<uint32_t>(count * static_cast<size_t>(windows.out_width)),
                       static_cast<uint32_t>(windows.channels)});
    double* to = output.values.data();
    std::vector<double> pixels;  // those of the window's rows
    std::vector<double> numbers;
    std::vector<int64_t> places;
    for (auto row = static_cast<int64_t>(first); row < static_cast<int64_t>(first + count); ++row) {
        const int64_t y = row % windows.out_height;
        const std::vector<int64_t> rows = windows.rows(y);
        pixels.resize(rows.size() * line);
        for (size_t i = 0; i < rows.size(); ++i) {
            const auto at = static_cast<size_t>(row / windows.out_height * windows.height + rows[i]);
            input.values.read(at * line, std::span(pixels).subspan(i * line, line));
        }
        for (int64_t x = 0; x < windows.out_width; ++x) {
            const std::vector<int64_t> columns = windows.columns(x);
            places.clear();
            for (const int64_t image_row : rows) {
                for (const int64_t column : columns) {
                    places.push_back(image_row * windows.width + column);
                }
            }
            numbers.resize(places.size());
            for (int64_t channel = 0; channel < windows.channels; ++channel) {
                size_t n = 0;
                for (size_t i = 0; i < rows.size(); ++i) {
                    for (const int64_t column : columns) {
                        numbers[n++] = pixels[i * line + static_cast<size_t>(column * windows.channels + channel)];
                    }
                }
                *to++ = windows.window(numbers, places, y, x);
            }
        }
    }
    return output;
}

inline Array over_windows(const Array& input, const Windows& windows) {
    const auto rows = static_cast<size_t>(windows.batch * windows.out_height);
    const auto width = static_cast<size_t>(windows.out_width * windows.channels);
    const Shape shape{1, 1, static_cast<uint32_t>(rows * static_cast<size_t>(windows.out_width)),
                      static_cast<uint32_t>(windows.channels)};
    const auto make = [input, windows](size_t first, size_t count) {
        return window_rows(input, windows, first, count);
    };
    if (rows * width >= made_when_asked) {
        return in_blocks(shape, {.rows = rows, .width = width, .most_numbers = size_t{1} << 18, .make = make});
    }
    Array output = make(0, rows);
    output.shape = shape;
    return output;
}

inline Array over_windows(const Array& input, const Pool& pool, const PoolWindow& window) {
    return over_windows(input, {.batch = pool.batch,
                                .height = pool.h.size,
                                .width = pool.w.size,
                                .out_height = pool.h.outputs(),
                                .out_width = pool.w.outputs(),
                                .channels = pool.channels,
                                .rows = [h = pool.h](int64_t y) { return h.pixels(y); },
                                .columns = [w = pool.w](int64_t x) { return w.pixels(x); },
                                .window = window});
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
