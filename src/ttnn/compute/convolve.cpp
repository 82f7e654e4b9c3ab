#include "ttnn/compute/convolve.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "ttnn/compute/gemm.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/parallel.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/core/vector_clones.hpp"
#include "ttnn/tensor/pack.hpp"

namespace ttnn::compute {
namespace {

// One stick of a depthwise convolution: every channel has its own window.
TTNN_VECTOR_CLONES
void depthwise_stick(const float* const* sticks, const float* weights, size_t taps, size_t channels, float* out) {
    std::fill(out, out + channels, 0.0F);
    for (size_t tap = 0; tap < taps; ++tap) {
        const float* stick = sticks[tap];
        if (stick == nullptr) {
            continue;
        }
        const float* factors = weights + tap * channels;
        for (size_t channel = 0; channel < channels; ++channel) {
            out[channel] += stick[channel] * factors[channel];
        }
    }
}

void convolve_depthwise(const Convolution& c, size_t first, size_t count, StickAt stick, const float* weights,
                        float* out) {
    std::vector<float> by_tap(c.taps * c.in_channels);
    for (size_t channel = 0; channel < c.in_channels; ++channel) {
        for (size_t tap = 0; tap < c.taps; ++tap) {
            by_tap[tap * c.in_channels + channel] = weights[channel * c.taps + tap];
        }
    }
    std::vector<const float*> sticks(c.taps);
    for (size_t i = 0; i < count; ++i) {
        if (i % 64 == 0) {
            checkpoint();
        }
        for (size_t tap = 0; tap < c.taps; ++tap) {
            sticks[tap] = stick(first + i, tap);
        }
        depthwise_stick(sticks.data(), by_tap.data(), c.taps, c.in_channels, out + i * c.out_channels);
    }
}

// The rows of the product's left side: for each position the channels of one group at every tap.
void gather(const Convolution& c, size_t group, size_t first, size_t count, StickAt stick, float* rows) {
    const size_t channels = c.group_inputs();
    for (size_t i = 0; i < count; ++i) {
        for (size_t tap = 0; tap < c.taps; ++tap, rows += channels) {
            const float* from = stick(first + i, tap);
            if (from == nullptr) {
                std::fill(rows, rows + channels, 0.0F);
            } else {
                std::memcpy(rows, from + group * channels, channels * sizeof(float));
            }
        }
    }
}

}  // namespace

void for_parts(const Convolution& c, FunctionRef<void(size_t first, size_t last)> work) {
    constexpr size_t worth_a_thread = size_t{1} << 21;  // products
    constexpr size_t least = 256;                       // positions: a product of matrices wants some rows
    constexpr size_t most_parts = 16;                   // each packs the weights anew
    const size_t step =
        std::max({worth_a_thread / std::max<size_t>(c.weights(), 1), least, div_up(c.positions, most_parts)});
    parallel(div_up(c.positions, step), 1, [&](size_t begin, size_t end) {
        for (size_t part = begin; part < end; ++part) {
            work(part * step, std::min((part + 1) * step, c.positions));
        }
    });
}

void convolve(const Convolution& c, size_t first, size_t count, StickAt stick, const float* weights, float* out) {
    if (c.groups == c.in_channels && c.out_channels == c.in_channels && c.groups > 1) {
        return convolve_depthwise(c, first, count, stick, weights, out);
    }
    constexpr size_t most_gathered = size_t{1} << 22;  // numbers
    const size_t inner = c.taps * c.group_inputs();
    const size_t columns = c.group_outputs();
    const size_t step = std::clamp<size_t>(most_gathered / std::max<size_t>(inner, 1), 64, std::max<size_t>(count, 64));
    Dense<float> rows(std::min(step, count) * inner);
    Dense<float> products(c.groups == 1 ? 0 : std::min(step, count) * columns);
    for (size_t done = 0; done < count; done += step) {
        const size_t block = std::min(step, count - done);
        for (size_t group = 0; group < c.groups; ++group) {
            checkpoint();
            gather(c, group, first + done, block, stick, rows.data());
            float* to = c.groups == 1 ? out + done * columns : products.data();
            gemm({.m = block, .n = columns, .k = inner}, rows.data(), weights + group * inner * columns, to);
            for (size_t i = 0; c.groups > 1 && i < block; ++i) {
                std::copy_n(to + i * columns, columns, out + (done + i) * c.out_channels + group * columns);
            }
        }
    }
}

WeightOrder weight_order(const Convolution& c, bool transposed, bool mirrored) {
    return transposed ? WeightOrder{c.taps, c.group_outputs() * c.taps, mirrored, false}
                      : WeightOrder{c.group_inputs() * c.taps, c.taps, mirrored, true};
}

void write_weight_matrix(const Convolution& c, const WeightOrder& order, const float* plain, Tensor& matrix) {
    const TensorSpec& spec = matrix.spec();
    const Tile& tile = spec.tile();
    const size_t inputs = c.group_inputs();
    const size_t outputs = c.group_outputs();
    const size_t width = spec.page_columns() * tile.width();
    const size_t height = c.taps * c.in_channels;
    std::vector<float> strip(tile.height() * width);
    std::vector<bool> touched(spec.page_columns());
    std::byte* bytes = matrix.mutable_bytes().data();
    for (size_t first = 0; first < height; first += tile.height()) {
        checkpoint();
        const size_t rows = std::min<size_t>(tile.height(), height - first);
        for (size_t row = first; row < first + rows; ++row) {
            const size_t tap = row / c.in_channels;
            const size_t channel = row % c.in_channels;
            const size_t group = channel / inputs;
            const size_t at = order.mirrored ? c.taps - 1 - tap : tap;
            // Of the two channels one counts within its group, as the plain weights have it.
            const float* from = plain + at + (order.outputs_first ? channel % inputs : channel) * order.in_stride +
                                (order.outputs_first ? group * outputs * order.out_stride : 0);
            float* to = strip.data() + (row - first) * width + group * outputs;
            for (size_t output = 0; output < outputs; ++output) {
                to[output] = from[output * order.out_stride];
            }
            for (size_t page = group * outputs / tile.width(); page <= (group * outputs + outputs - 1) / tile.width();
                 ++page) {
                touched[page] = true;
            }
        }
        for (size_t column = 0; column < touched.size(); ++column) {
            if (touched[column]) {
                const uint64_t page = first / tile.height() * spec.page_columns() + column;
                pack::encode_tile(spec.dtype(), tile, strip.data() + column * tile.width(), width, rows, tile.width(),
                                  0.0F, bytes + matrix.page_offset(page));
            }
        }
        std::ranges::fill(strip, 0.0F);
        touched.assign(touched.size(), false);
    }
}

namespace {

// The first rows and columns of a tile matrix, row by row.
std::vector<float> read_dense(const Tensor& matrix, size_t rows, size_t columns) {
    const TensorSpec& spec = matrix.spec();
    const Tile& tile = spec.tile();
    const std::byte* bytes = matrix.bytes().data();
    std::vector<float> dense(rows * columns);
    for (size_t row = 0; row < rows; row += tile.height()) {
        checkpoint();
        for (size_t column = 0; column < columns; column += tile.width()) {
            const uint64_t page = row / tile.height() * spec.page_columns() + column / tile.width();
            pack::decode_tile(
                spec.dtype(), tile, bytes + matrix.page_offset(page), dense.data() + row * columns + column, columns,
                std::min<size_t>(tile.height(), rows - row), std::min<size_t>(tile.width(), columns - column));
        }
    }
    return dense;
}

// Runs of a row of a tile matrix, which remembers the tile that it decoded last.
class RunReader {
public:
    explicit RunReader(const Tensor& matrix)
        : matrix_(matrix), tile_(matrix.spec().tile()), numbers_(tile_.height() * tile_.width()) {}

    void read(size_t row, size_t column, std::span<float> to) {
        while (!to.empty()) {
            hold(row / tile_.height() * matrix_.spec().page_columns() + column / tile_.width());
            const size_t at = column % tile_.width();
            const size_t part = std::min<size_t>(to.size(), tile_.width() - at);
            std::copy_n(numbers_.data() + row % tile_.height() * tile_.width() + at, part, to.data());
            column += part;
            to = to.subspan(part);
        }
    }

private:
    void hold(uint64_t page) {
        if (page == held_) {
            return;
        }
        checkpoint();
        pack::decode_tile(matrix_.dtype(), tile_, matrix_.bytes().data() + matrix_.page_offset(page), numbers_.data(),
                          tile_.width(), tile_.height(), tile_.width());
        held_ = page;
    }

    const Tensor& matrix_;
    const Tile& tile_;
    std::vector<float> numbers_;
    uint64_t held_ = UINT64_MAX;
};

}  // namespace

std::vector<float> read_weight_matrix(const Convolution& c, const Tensor& matrix, const MatrixRows& rows) {
    const size_t inputs = c.group_inputs();
    const size_t outputs = c.group_outputs();
    std::vector<float> weights(c.weights());
    if (c.groups == 1) {
        const std::vector<float> dense =
            read_dense(matrix, rows.row(c.taps - 1, c.in_channels - 1, c.taps) + 1, outputs);
        for (size_t i = 0; i < c.taps * c.in_channels; ++i) {
            const size_t row = rows.row(i / c.in_channels, i % c.in_channels, c.taps);
            std::copy_n(dense.data() + row * outputs, outputs, weights.data() + i * outputs);
        }
        return weights;
    }
    RunReader reader(matrix);
    for (size_t i = 0; i < c.taps * c.in_channels; ++i) {
        const size_t tap = i / c.in_channels;
        const size_t group = i % c.in_channels / inputs;
        const size_t channel = i % inputs;
        const size_t row = rows.row(tap, rows.own_group ? channel : i % c.in_channels, c.taps);
        reader.read(row, group * outputs,
                    std::span(weights).subspan(((group * c.taps + tap) * inputs + channel) * outputs, outputs));
    }
    return weights;
}

}  // namespace ttnn::compute
