// The circular buffers of the primitives of convolutions.
#pragma once

#include "ttnn/op/program.hpp"
#include "ttnn/ops/conv/conv_rules.hpp"

namespace ttnn::conv_program {

// Whether partial sums are kept in fp32.
bool accumulates_fp32(const conv_rules::Arguments& args);

void declare_convolution(Program& program, const conv_rules::Arguments& args, const Tensor& input, const Tensor& weight,
                         const std::optional<Tensor>& bias, const Tensor& output);
void declare_halo(Program& program, const Tensor& input, const Tensor& output);

}  // namespace ttnn::conv_program
