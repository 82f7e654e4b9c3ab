#include "ttnn/reference/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ttnn/core/vector_clones.hpp"
#include "ttnn/reference/in_blocks.hpp"
#include "ttnn/reference/unary.hpp"

namespace ttnn::reference {
namespace {

constexpr size_t run = 16;  // numbers of a row that may share an exponent

// The rows of a matrix as it is stored: each with the runs of its group's columns, and zeros around these.
std::vector<double> as_stored(std::vector<double> numbers, const Convolution& window, DataType dtype) {
    const size_t outputs = window.out_channels / window.groups;
    const size_t inputs = window.in_channels / window.groups;
    const size_t rows = numbers.size() / std::max<size_t>(outputs, 1);
    const size_t width = (outputs + 2 * run - 1) / run * run;
    Array spread({static_cast<uint32_t>(rows), static_cast<uint32_t>(width)});
    const auto place = [&](size_t row) {
        const size_t group = row % window.in_channels / inputs;
        return row * width + group * outputs % run;
    };
    std::vector<double>& cells = spread.values.held();
    for (size_t row = 0; row < rows; ++row) {
        std::copy_n(numbers.data() + row * outputs, outputs, cells.data() + place(row));
    }
    const Array stored = rounded(spread, dtype);
    for (size_t row = 0; row < rows; ++row) {
        stored.values.read(place(row), std::span(numbers).subspan(row * outputs, outputs));
    }
    return numbers;
}

TTNN_VECTOR_CLONES void add_products(double value, const double* factors, size_t count, double* sums,
                                     double* magnitudes) {
    for (size_t i = 0; i < count; ++i) {
        const double term = value * factors[i];
        sums[i] += term;
        magnitudes[i] += std::abs(term);
    }
}

// Which output an input position reaches with a tap; -1: none. Positions count from the first of the padding.
int64_t reached(const ConvolutionAxis& axis, int64_t position, int64_t tap) {
    if (axis.transposed) {
        const int64_t at = (position - axis.before) * axis.stride + tap * axis.dilation - axis.before;
        return at >= 0 && at < axis.out ? at : -1;
    }
    const int64_t from = position - tap * axis.dilation;
    const bool hit = from >= 0 && from % axis.stride == 0 && from / axis.stride < axis.out;
    return hit ? from / axis.stride : -1;
}

struct Reach {
    uint32_t tap;
    uint32_t out;
};
// For one position of an axis: the input that is there (-1: zero) and the outputs that it reaches.
struct Position {
    int64_t in;
    std::vector<Reach> reaches;
};

std::vector<Position> positions_of(const ConvolutionAxis& axis, bool replicate) {
    std::vector<Position> positions;
    const int64_t padded = int64_t{axis.before} + axis.in + axis.after;
    for (int64_t at = 0; at < padded; ++at) {
        const int64_t inside = at - axis.before;
        const bool outside = inside < 0 || inside >= axis.in;
        if (outside && !replicate) {
            continue;
        }
        Position position{std::clamp<int64_t>(inside, 0, int64_t{axis.in} - 1), {}};
        for (uint32_t tap = 0; tap < axis.taps; ++tap) {
            if (const int64_t out = reached(axis, at, tap); out >= 0) {
                position.reaches.push_back({tap, static_cast<uint32_t>(out)});
            }
        }
        positions.push_back(std::move(position));
    }
    return positions;
}

// Adds what one input stick contributes to one output stick.
void add_stick(const ConvolutionCall& call, const double* stick, size_t tap, double* sums, double* magnitudes) {
    const Convolution& window = call.window;
    const size_t inputs = window.in_channels / window.groups;
    const size_t outputs = window.out_channels / window.groups;
    for (size_t channel = 0; channel < window.in_channels; ++channel) {
        const size_t column = channel / inputs * outputs;
        const double* factors = call.weights.at(window, tap, channel);
        if (outputs == 1) {
            const double term = stick[channel] * factors[0];
            sums[column] += term;
            magnitudes[column] += std::abs(term);
        } else {
            add_products(stick[channel], factors, outputs, sums + column, magnitudes + column);
        }
    }
}

// A call, and what its positions reach.
struct Spread {
    const ConvolutionCall call;
    const std::vector<Position> along_depth;
    const std::vector<Position> along_height;
    const std::vector<Position> along_width;

    explicit Spread(ConvolutionCall given)
        : call(std::move(given)),
          along_depth(positions_of(call.window.axes[0], call.window.replicate)),
          along_height(positions_of(call.window.axes[1], call.window.replicate)),
          along_width(positions_of(call.window.axes[2], call.window.replicate)) {}

    // Rows of output positions, of all images one after the other.
    size_t rows() const { return size_t{call.window.batch} * call.window.axes[0].out * call.window.axes[1].out; }
    size_t width() const { return size_t{call.window.axes[2].out} * call.window.out_channels; }
};

// A tap in depth and height, and the row of outputs that it leads to.
struct RowReach {
    size_t tap;
    size_t row;
};

// Adds what one row of inputs contributes to the rows of outputs that it reaches; these begin at `sums`.
void add_row(const Spread& spread, std::span<const double> inputs, std::span<const RowReach> reaches, double* sums,
             double* magnitudes) {
    const Convolution& window = spread.call.window;
    const ConvolutionAxis& width = window.axes[2];
    const size_t channels = spread.call.input.shape.from_end(0);
    for (const Position& x : spread.along_width) {
        const double* stick = inputs.data() + static_cast<size_t>(x.in) * channels;
        for (const RowReach& reach : reaches) {
            for (const Reach& c : x.reaches) {
                const size_t out = (reach.row * width.out + c.out) * window.out_channels;
                add_stick(spread.call, stick, reach.tap * width.taps + c.tap, sums + out, magnitudes + out);
            }
        }
    }
}

// Some rows of outputs.
Array sums_of(const Spread& spread, size_t first, size_t count) {
    const Convolution& window = spread.call.window;
    const auto& [depth, height, width] = window.axes;
    Array result({static_cast<uint32_t>(count * width.out), window.out_channels});
    result.slack = Values(result.values.size(), 0.0);
    double* sums = result.values.data();
    double* magnitudes = result.slack.data();
    std::vector<double> inputs(size_t{width.in} * spread.call.input.shape.from_end(0));
    std::vector<RowReach> reaches;
    for (size_t image = 0; image < window.batch; ++image) {
        for (const Position& z : spread.along_depth) {
            for (const Position& y : spread.along_height) {
                reaches.clear();
                for (const Reach& a : z.reaches) {
                    for (const Reach& b : y.reaches) {
                        const size_t row = (image * depth.out + a.out) * height.out + b.out;
                        if (row >= first && row < first + count) {
                            reaches.push_back({size_t{a.tap} * height.taps + b.tap, row - first});
                        }
                    }
                }
                if (!reaches.empty()) {
                    const size_t row =
                        (image * depth.in + static_cast<size_t>(z.in)) * height.in + static_cast<size_t>(y.in);
                    spread.call.input.values.read(row * inputs.size(), inputs);
                    add_row(spread, inputs, reaches, sums, magnitudes);
                }
            }
        }
    }
    // Rounding errors of an fp32 sum add up like a random walk.
    const double terms = static_cast<double>(window.taps()) * window.in_channels / window.groups;
    const double error = std::ldexp(2.0 + std::sqrt(terms), -23);
    for (double& slack : result.slack) {
        slack *= error;
    }
    return result;
}

void activate(const ConvolutionCall& call, Array& array) {
    for (size_t i = 0; i < array.values.size(); ++i) {
        const double middle = array.values[i];
        const double slack = array.slack[i];
        const double value = unary(*call.activation, call.dtype, middle);
        const double below = unary(*call.activation, call.dtype, middle - slack);
        const double above = unary(*call.activation, call.dtype, middle + slack);
        array.values[i] = value;
        array.slack[i] = std::max(std::abs(below - value), std::abs(above - value));
    }
}

// The rest of the call, from the sums on: `result` has whole sticks.
Array finished(const ConvolutionCall& call, Array result) {
    if (call.bias) {
        result = call.round_before_bias ? stored_between(result, call.dtype) : result;
        for (size_t i = 0; i < result.values.size(); ++i) {
            result.values[i] += call.bias->values[i % call.window.out_channels];
        }
    }
    if (call.activation) {
        result = call.round_before_activation ? stored_between(result, call.dtype) : result;
        activate(call, result);
    }
    return result;
}

// The numbers of a weight matrix, most of which are zeros where there are many groups.
class MatrixNumbers : public Values::Source {
public:
    MatrixNumbers(const Convolution& window, ConvolutionWeights weights)
        : window_(window), weights_(std::move(weights)) {}

    void read(size_t first, std::span<double> to) const override {
        for (size_t i = 0; i < to.size(); ++i) {
            to[i] = at(first + i);
        }
    }
    double at(size_t index) const override {
        const size_t outputs = window_.out_channels / window_.groups;
        const size_t row = index / window_.out_channels;
        const size_t column = index % window_.out_channels;
        const size_t channel = row % window_.in_channels;
        const size_t group = channel / (window_.in_channels / window_.groups);
        if (column / outputs != group) {
            return 0.0;
        }
        return weights_.at(window_, row / window_.in_channels, channel)[column % outputs];
    }

private:
    const Convolution window_;
    const ConvolutionWeights weights_;
};

}  // namespace

ConvolutionWeights plain_weights(const Convolution& window, const Array& plain, bool mirrored, DataType dtype) {
    const size_t taps = window.taps();
    const size_t inputs = window.in_channels / window.groups;
    const size_t outputs = window.out_channels / window.groups;
    const bool transposed = window.axes[2].transposed;
    ConvolutionWeights weights{std::vector<double>(taps * window.in_channels * outputs)};
    double* to = weights.numbers.data();
    for (size_t tap = 0; tap < taps; ++tap) {
        for (size_t channel = 0; channel < window.in_channels; ++channel) {
            for (size_t output = 0; output < outputs; ++output) {
                // A transposed convolution spreads an input with the window as it is; weights that are not turned round
                // were so before.
                const size_t at = transposed && !mirrored ? taps - 1 - tap : tap;
                const size_t matrix = transposed ? channel * outputs + output
                                                 : (channel / inputs * outputs + output) * inputs + channel % inputs;
                *to++ = plain.values[matrix * taps + at];
            }
        }
    }
    weights.numbers = as_stored(std::move(weights.numbers), window, dtype);
    return weights;
}

ConvolutionWeights matrix_weights(const Convolution& window, const Array& matrix, size_t block) {
    const size_t taps = window.taps();
    const size_t inputs = window.in_channels / window.groups;
    const size_t outputs = window.out_channels / window.groups;
    const size_t width = matrix.shape.from_end(0);
    const size_t per_tap = matrix.shape.from_end(1) / taps;
    const bool own_group = per_tap < window.in_channels;
    const bool transposed = window.axes[2].transposed;
    ConvolutionWeights weights;
    for (size_t tap = 0; tap < taps; ++tap) {
        for (size_t i = 0; i < window.in_channels; ++i) {
            const size_t channel = own_group ? i % inputs : i;
            const size_t at = transposed ? taps - 1 - tap : tap;  // stored as the window of a plain convolution
            const size_t row =
                block == 0 ? at * per_tap + channel : channel / block * block * taps + at * block + channel % block;
            for (size_t output = 0; output < outputs; ++output) {
                weights.numbers.push_back(matrix.values[row * width + i / inputs * outputs + output]);
            }
        }
    }
    return weights;
}

Array weight_matrix(const Convolution& window, const ConvolutionWeights& weights) {
    const Shape shape{1, 1, window.taps() * window.in_channels, window.out_channels};
    ConvolutionWeights stored = weights;
    if (window.axes[2].transposed) {  // the other way round, as the window of a plain convolution
        const size_t tap = stored.numbers.size() / window.taps();
        for (size_t i = 0; i < window.taps(); ++i) {
            std::copy_n(weights.numbers.data() + (window.taps() - 1 - i) * tap, tap, stored.numbers.data() + i * tap);
        }
    }
    return Array(shape, Values(shape.volume(), std::make_shared<MatrixNumbers>(window, std::move(stored))));
}

Array convolution(const ConvolutionCall& call) {
    const auto spread = std::make_shared<const Spread>(call);
    const auto make = [spread](size_t first, size_t count) {
        return finished(spread->call, sums_of(*spread, first, count));
    };
    if (spread->rows() * spread->width() < made_when_asked) {
        return make(0, spread->rows());
    }
    const Shape shape{static_cast<uint32_t>(spread->rows() * call.window.axes[2].out), call.window.out_channels};
    return in_blocks(shape, {.rows = spread->rows(),
                             .width = spread->width(),
                             .most_numbers = size_t{1} << 18,
                             .slack = true,
                             .make = make});
}

}  // namespace ttnn::reference
