// Convolutions of images in DRAM, cut into slices that are convolved in L1 one after the other.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "ttnn/ops/conv/conv_rules.hpp"
#include "ttnn/ops/pool/pool2d_slices.hpp"

namespace ttnn::conv_rules {

// Some outputs of an axis, over the input positions that they see.
struct AxisPart {
    Axis axis;
    int64_t origin = 0;  // its first input position
};

// Outputs `first` to `first + outputs - 1`; nullopt: they see nothing but padding.
inline std::optional<AxisPart> part_of(const Axis& axis, int64_t first, int64_t outputs) {
    const int64_t last = first + outputs - 1;
    const int64_t stride = axis.stride;
    Axis part = axis;
    if (axis.transposed) {
        // One position more than is seen, where the window ends between two of them, does no harm.
        const int64_t end = int64_t{axis.in} - 1;
        const int64_t from = std::min(std::max<int64_t>(first + axis.before - axis.reach(), 0) / stride, end);
        const int64_t until = std::clamp((last + axis.before) / stride, from, end);
        part.in = static_cast<uint32_t>(until - from + 1);
        part.before = static_cast<uint32_t>(first + axis.before - from * stride);
        const int64_t rest = (until - from) * stride - int64_t{part.before} + axis.reach() + 1 - outputs;
        part.after = static_cast<uint32_t>(std::max<int64_t>(rest, 0));
        part.output_padding = static_cast<uint32_t>(std::max<int64_t>(-rest, 0));
        return AxisPart{part, from};
    }
    const int64_t begin = first * stride - axis.before;
    const int64_t end = last * stride - axis.before + axis.reach() + 1;
    const int64_t from = std::max<int64_t>(begin, 0);
    const int64_t until = std::min<int64_t>(end, axis.in);
    if (from >= until) {
        return std::nullopt;
    }
    part.in = static_cast<uint32_t>(until - from);
    part.before = static_cast<uint32_t>(from - begin);
    part.after = static_cast<uint32_t>(end - until);
    return AxisPart{part, from};
}

// A part of the outputs of all images.
struct Slice {
    Window window;
    pool::Slice pixels;  // the same for those that only move pixels
};

inline pool::Axis pixels_of(const AxisPart& part) {
    const Axis& axis = part.axis;
    return {.size = axis.in,
            .kernel = axis.taps,
            .stride = axis.stride,
            .dilation = axis.dilation,
            .before = axis.before,
            .after = axis.after,
            .count = axis.out(),
            .origin = part.origin};
}
inline pool::Window pixels_of(const Window& window) {
    return {window.batch, pixels_of(AxisPart{window.height}), pixels_of(AxisPart{window.width})};
}

// About `count` slices along one axis. Outputs that see nothing but padding go along with their neighbours.
inline std::vector<Slice> cut(const Window& window, bool by_height, int64_t count) {
    const Axis& whole = by_height ? window.height : window.width;
    const int64_t share = div_up(whole.out(), std::clamp<int64_t>(count, 1, whole.out()));
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t first = 0, next = 0; next < whole.out();) {
        next = std::min(next + share, whole.out());
        if (part_of(whole, first, next - first)) {
            ranges.emplace_back(first, next);
            first = next;
        }
    }
    if (ranges.empty()) {
        ranges.emplace_back(0, 0);
    }
    ranges.back().second = whole.out();
    std::vector<Slice> slices;
    for (const auto& [first, next] : ranges) {
        const AxisPart part = part_of(whole, first, next - first).value_or(AxisPart{whole});
        Slice slice{window, {pixels_of(window), by_height ? first : 0, by_height ? 0 : first}};
        (by_height ? slice.window.height : slice.window.width) = part.axis;
        (by_height ? slice.pixels.window.h : slice.pixels.window.w) = pixels_of(part);
        slices.push_back(slice);
    }
    return slices;
}

}  // namespace ttnn::conv_rules
