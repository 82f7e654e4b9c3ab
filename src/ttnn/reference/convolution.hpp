// Convolutions by definition: what every input number adds to the outputs that it reaches.
#pragma once

#include <array>

#include "ttnn/reference/array.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn::reference {

// One spatial dimension.
struct ConvolutionAxis {
    uint32_t in = 1;
    uint32_t out = 1;
    uint32_t taps = 1;
    uint32_t stride = 1;
    uint32_t before = 0;  // padding
    uint32_t after = 0;
    uint32_t dilation = 1;
    bool transposed = false;
};

struct Convolution {
    uint32_t batch = 1;
    std::array<ConvolutionAxis, 3> axes{};  // depth, height, width
    uint32_t in_channels = 1;
    uint32_t out_channels = 1;
    uint32_t groups = 1;
    bool replicate = false;  // padding repeats the border

    uint32_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
};

// Of every tap and input channel the factors for the output channels of its group, one after the other.
struct ConvolutionWeights {
    std::vector<double> numbers;
    const double* at(const Convolution& window, size_t tap, size_t channel) const {
        return numbers.data() + (tap * window.in_channels + channel) * (window.out_channels / window.groups);
    }
};

// From [out, in / groups, taps..], or [in, out / groups, taps..] for transposed ones, as a tile matrix of (tap, input
// channel) x output channel of this dtype holds them. `mirrored`: the last tap comes first.
ConvolutionWeights plain_weights(const Convolution& window, const Array& plain, bool mirrored, DataType dtype);
// From such a matrix; what stands between the groups does not count. `block`: channels that stand together for all
// taps; 0: all of a tap.
ConvolutionWeights matrix_weights(const Convolution& window, const Array& matrix, size_t block = 0);
// And back: [1, 1, taps * in, out] with zeros between groups, made when it is asked for.
Array weight_matrix(const Convolution& window, const ConvolutionWeights& weights);

// activation(convolution + bias) of channels-last sticks, which may be wider than the channels that count.
struct ConvolutionCall {
    Convolution window;
    Array input;
    ConvolutionWeights weights;
    std::optional<Array> bias{};
    std::optional<UnaryWithParam> activation{};
    DataType dtype = DataType::INVALID;  // of the result
    bool round_before_bias = false;      // the sum is stored before it goes on
    bool round_before_activation = false;
};
// [positions, out channels].
Array convolution(const ConvolutionCall& call);

}  // namespace ttnn::reference
