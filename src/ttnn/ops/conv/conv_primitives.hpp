// The primitives of convolutions: a halo around the shards of an image, and the convolution itself.
#pragma once

#include "ttnn/compute/convolve.hpp"
#include "ttnn/ops/conv/conv_shards.hpp"
#include "ttnn/ops/conv/conv_window.hpp"

namespace ttnn::conv_program {

compute::Convolution convolution_of(const conv_rules::Window& window);

struct Prepared {
    Tensor weight;
    std::optional<Tensor> bias;
};

// Where the stick of a tap is among those of the first input; -1: there is none.
using StickNumber = FunctionRef<int64_t(size_t output, size_t tap)>;

Tensor run_convolution(const conv_rules::Arguments& args, const Tensor& input, const Prepared& prepared,
                       const TensorSpec& spec, StickNumber number);

// The image with its borders, dealt to the cores with what the windows at their edges need.
Tensor run_halo(const conv_rules::ShardPlan& plan, const conv_rules::BorderedImage& image, const conv_rules::Halo& halo,
                const Tensor& input);

}  // namespace ttnn::conv_program
