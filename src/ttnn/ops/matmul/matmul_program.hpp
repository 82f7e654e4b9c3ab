// Runs a product: one primitive, and the operations around it that it does not do itself.
#pragma once

#include "ttnn/ops/matmul/matmul_rules.hpp"

namespace ttnn::matmul_program {

// The checked arguments of matmul or linear.
Tensor run(const matmul_rules::Arguments& args);

// The operation that users would call for the function; writes into `output` where there is one.
Tensor activated(const Tensor& tensor, const UnaryWithParam& activation, const std::optional<Tensor>& output);

}  // namespace ttnn::matmul_program
