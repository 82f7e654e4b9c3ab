// Convolutions of channels-last sticks: the channels of one position stand together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttnn/compute/guard.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

struct Convolution {
    size_t positions = 0;     // of the output
    size_t taps = 1;          // of the window
    size_t in_channels = 1;   // of a stick that count
    size_t out_channels = 1;  // all groups
    size_t groups = 1;
    size_t group_inputs() const { return in_channels / groups; }
    size_t group_outputs() const { return out_channels / groups; }
    size_t weights() const { return taps * in_channels * group_outputs(); }
};

// Calls work(first, last) for parts of the output positions, in parallel. The parts follow from the convolution alone,
// because the size of a product of matrices shows in its last bits.
void for_parts(const Convolution& convolution, FunctionRef<void(size_t first, size_t last)> work);

// What an output position sees at a tap; nullptr: zeros.
using StickAt = FunctionRef<const float*(size_t position, size_t tap)>;

// Output sticks from `first` on for `count` positions. Weights are group by group a matrix of (tap, input channel) x
// output channels of the group.
void convolve(const Convolution& convolution, size_t first, size_t count, StickAt stick, const float* weights,
              float* out);

// --- weights as devices hold them: one matrix of (tap, input channel) x output channel, with zeros between groups ----

// Where number (output channel, input channel of the group, tap) of plain weights stands.
struct WeightOrder {
    size_t out_stride = 0;
    size_t in_stride = 0;
    bool mirrored = false;      // the last tap comes first
    bool outputs_first = true;  // false: [inputs, outputs of the group, taps], as transposed convolutions have them
};
WeightOrder weight_order(const Convolution& convolution, bool transposed, bool mirrored);

// Fills a zeroed tile tensor; only tiles that hold a weight are touched.
void write_weight_matrix(const Convolution& convolution, const WeightOrder& order, const float* plain, Tensor& matrix);

// How the rows of a matrix follow from tap and channel.
struct MatrixRows {
    size_t channels = 0;     // rows of a tap
    size_t block = 0;        // channels that stand together for all taps; 0: all of a tap
    bool own_group = false;  // only the channels of the output's group have rows
    size_t row(size_t tap, size_t channel, size_t taps) const {
        if (block == 0) {
            return tap * channels + channel;
        }
        return (channel / block * taps + tap) * block + channel % block;
    }
};
// The weights of all groups as `convolve` takes them; reads no tile twice in a row.
std::vector<float> read_weight_matrix(const Convolution& convolution, const Tensor& matrix, const MatrixRows& rows);

}  // namespace ttnn::compute
