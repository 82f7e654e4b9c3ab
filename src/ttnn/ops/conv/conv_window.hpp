// Where the window of a convolution looks: positions of the image with its borders, and which of them a core holds.
#pragma once

#include <algorithm>
#include <vector>

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn::conv_rules {

// One dimension of the image that the window really moves over: with its padding, and for a transposed convolution with
// zeros between the positions. The window moves over it by `step`.
struct BorderedAxis {
    std::vector<int32_t> source;  // the input position that is there; -1: zero
    uint32_t step = 1;
    uint32_t dilation = 1;

    explicit BorderedAxis(const Axis& axis)
        : source(static_cast<size_t>(axis.transposed ? axis.out() + axis.reach()
                                                     : int64_t{axis.in} + axis.before + axis.after)),
          step(axis.transposed ? 1 : axis.stride),
          dilation(axis.dilation) {
        const int64_t before = axis.transposed ? axis.reach() - axis.before : int64_t{axis.before};
        const int64_t spread = axis.transposed ? axis.stride : 1;
        for (size_t i = 0; i < source.size(); ++i) {
            const int64_t at = static_cast<int64_t>(i) - before;
            const bool inside = at >= 0 && at % spread == 0 && at / spread < axis.in;
            source[i] = inside ? static_cast<int32_t>(at / spread) : -1;
        }
    }
    uint64_t size() const { return source.size(); }
};

class BorderedImage {
public:
    explicit BorderedImage(const Window& window) : window_(window), height_(window.height), width_(window.width) {}

    uint64_t positions() const { return window_.batch * height_.size() * width_.size(); }
    // The input position at one of these; -1: zero.
    int64_t source(uint64_t position) const {
        const int32_t y = height_.source[position / width_.size() % height_.size()];
        const int32_t x = width_.source[position % width_.size()];
        const auto image = static_cast<int64_t>(position / (height_.size() * width_.size()));
        return y < 0 || x < 0 ? -1 : (image * window_.height.in + y) * window_.width.in + x;
    }
    // Calls `use` with runs of input positions that follow each other among `count` positions from `first` on: where
    // one begins there, where in the input, and how long it is.
    template <class Use>
    void for_each_run(uint64_t first, uint64_t count, Use use) const {
        const uint64_t end = std::min(first + count, positions());
        for (uint64_t at = first; at < end;) {
            const uint64_t row = at / width_.size();
            const uint64_t begin = at % width_.size();
            const uint64_t stop = std::min(width_.size(), begin + end - at);
            if (const int32_t y = height_.source[row % height_.size()]; y >= 0) {
                const uint64_t image = row / height_.size();
                const uint64_t line = (image * window_.height.in + static_cast<uint64_t>(y)) * window_.width.in;
                for_each_run_of_row(begin, stop, [&](uint64_t x, uint64_t source, uint64_t length) {
                    use(at - first + x - begin, line + source, length);
                });
            }
            at += stop - begin;
        }
    }
    // What an output position sees at a tap.
    uint64_t seen(size_t output, size_t tap) const {
        const uint32_t columns = window_.out_width();
        const uint32_t rows = window_.out_height();
        const uint64_t y = output / columns % rows * height_.step + tap / window_.width.taps * height_.dilation;
        const uint64_t x = output % columns * width_.step + tap % window_.width.taps * width_.dilation;
        return (output / (uint64_t{columns} * rows) * height_.size() + y) * width_.size() + x;
    }

private:
    template <class Use>
    void for_each_run_of_row(uint64_t begin, uint64_t stop, Use use) const {
        const std::vector<int32_t>& source = width_.source;
        for (uint64_t x = begin; x < stop;) {
            uint64_t length = 1;
            if (source[x] >= 0) {
                while (x + length < stop && source[x + length] == source[x + length - 1] + 1) {
                    ++length;
                }
                use(x, static_cast<uint64_t>(source[x]), length);
            }
            x += length;
        }
    }

    const Window window_;
    const BorderedAxis height_;
    const BorderedAxis width_;
};

// The part of the bordered image that each core needs for its outputs.
struct Halo {
    uint32_t outputs = 1;         // of a core
    uint32_t sticks = 1;          // room on a core
    std::vector<uint64_t> first;  // position on each core

    Halo(const Window& window, const BorderedImage& image, uint32_t cores, uint32_t outputs_per_core)
        : outputs(outputs_per_core), first(cores) {
        const uint64_t total = window.out_positions();
        for (uint64_t core = 0; core < cores; ++core) {
            const uint64_t begin = core * outputs;
            if (begin >= total) {
                continue;
            }
            first[core] = image.seen(begin, 0);
            const uint64_t last = image.seen(std::min(begin + outputs, total) - 1, window.taps() - 1);
            sticks = std::max(sticks, static_cast<uint32_t>(last - first[core] + 1));
        }
    }
    uint64_t stick(size_t output, uint64_t position) const {
        const size_t core = output / outputs;
        return core * sticks + (position - first[core]);
    }
};

}  // namespace ttnn::conv_rules
