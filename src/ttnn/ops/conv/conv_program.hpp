// Runs convolutions: weights are prepared, the input is brought where it is needed, and primitives compute.
#pragma once

#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn::conv_program {

// The call, once it was checked.
conv_rules::Made run(const conv_rules::Arguments& args);

// Weights and bias as devices want them, on the device; those that are prepared already are only moved there. `padded`
// is the shape of the matrix with its padding.
Tensor prepared_weight(const Tensor& weight, const conv_rules::Window& window, DataType dtype, const Shape& padded,
                       bool mirrored, const DeviceHandle& device);
Tensor prepared_bias(const Tensor& bias, DataType dtype, uint32_t padded_width, const DeviceHandle& device);

// The shape of the weight matrix with its padding, for an input that is like this.
Shape padded_matrix(const conv_rules::Window& window, const MemoryConfig& input_memory, Layout input_layout,
                    DataType input_dtype, const Conv2dConfig& config, bool in_l1, const DeviceHandle& device);

}  // namespace ttnn::conv_program
