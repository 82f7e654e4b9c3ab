// Windows that slide over images, axis by axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn::pool {

// One axis: an image of `size` pixels between padding, and `count` windows along it.
struct Axis {
    int64_t size = 0;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t before = 0;
    int64_t after = 0;
    int64_t overhang = 0;  // what the last window covers beyond `after` (ceil_mode)
    int64_t count = 0;
    int64_t origin = 0;  // where this is part of a larger image: its first pixel there

    int64_t reach() const { return dilation * (kernel - 1) + 1; }
    int64_t padded() const { return before + size + after + overhang; }

    // Windows `first` to `first + windows - 1`, over the pixels that they cover.
    Axis part(int64_t first, int64_t windows) const {
        const int64_t begin = first * stride - before;
        const int64_t end = (first + windows - 1) * stride - before + reach();
        Axis axis = *this;
        const int64_t from = std::clamp<int64_t>(begin, 0, size);
        axis.origin = origin + from;
        axis.size = std::clamp<int64_t>(end, 0, size) - from;
        axis.before = std::max<int64_t>(-begin, 0);
        const int64_t beyond = std::max<int64_t>(end - size, 0);
        axis.after = std::min(after, beyond);
        axis.overhang = beyond - axis.after;
        axis.count = windows;
        return axis;
    }
};

// The windows of all images of a batch.
struct Window {
    int64_t batch = 1;
    Axis h;
    Axis w;

    int64_t pixels() const { return batch * h.size * w.size; }
    int64_t outputs() const { return batch * h.count * w.count; }
    std::vector<int64_t> numbers() const {
        std::vector<int64_t> list{batch};
        for (const Axis& axis : {h, w}) {
            list.insert(list.end(), {axis.size, axis.kernel, axis.stride, axis.dilation, axis.before, axis.after,
                                     axis.overhang, axis.count, axis.origin});
        }
        return list;
    }
};

// How an axis is asked for; `name` is "height" or "width".
struct AxisRequest {
    std::string_view op;
    std::string_view name;
    int64_t size = 0;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t before = 0;
    int64_t after = 0;
    bool ceil_mode = false;
};

inline Axis make_axis(const AxisRequest& request) {
    const auto& [op, name, size, kernel, stride, dilation, before, after, ceil_mode] = request;
    constexpr int64_t largest = INT32_MAX;
    require(size > 0 && size <= largest, "{}: the input {} must be positive, got {}", op, name, size);
    require(kernel > 0 && stride > 0 && dilation > 0 && std::max({kernel, stride, dilation}) <= largest,
            "{}: kernel size, stride and dilation of the {} must be positive, got {}, {} and {}", op, name, kernel,
            stride, dilation);
    require(
        before >= 0 && after >= 0 && before + after <= kernel,
        "{}: argument 'padding': the {} is padded by {} + {}, which must not be negative nor more than the kernel's {}",
        op, name, before, after, kernel);
    Axis axis{.size = size, .kernel = kernel, .stride = stride, .dilation = dilation, .before = before, .after = after};
    const int64_t room = axis.padded() - axis.reach();
    require(room >= 0, "{}: a window covers {} pixels of the {}, but the padded input has only {}", op, axis.reach(),
            name, axis.padded());
    axis.count = (ceil_mode ? div_up(room, stride) : room / stride) + 1;
    if (ceil_mode && (axis.count - 1) * stride >= size + before) {
        --axis.count;  // the last window would lie in the padding
    }
    axis.overhang = std::max<int64_t>((axis.count - 1) * stride + axis.reach() - axis.padded(), 0);
    return axis;
}

// Top, bottom, left, right.
inline std::array<int64_t, 4> four_paddings(std::string_view op, const std::vector<int64_t>& padding) {
    require(padding.size() == 2 || padding.size() == 4,
            "{}: argument 'padding' must be (height, width) or (top, bottom, left, right), got {} numbers", op,
            padding.size());
    if (padding.size() == 2) {
        return {padding[0], padding[0], padding[1], padding[1]};
    }
    return {padding[0], padding[1], padding[2], padding[3]};
}

}  // namespace ttnn::pool
