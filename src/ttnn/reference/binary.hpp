// References of the binary functions: fp64, integers exact within 2^53 and then wrapped to the output's dtype.
#pragma once

#include "ttnn/ops/eltwise/binary_arguments.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// One pair of numbers. `whole`: both are integers and the result is one.
double binary(const BinaryArguments& call, double a, double b, bool whole);

// The whole operation: activations, broadcasting, conversion to the output's dtype.
Outputs binary(const BinaryArguments& call);

// A float result as an integer dtype stores it: truncated, saturated, NaN -> 0. Other dtypes: unchanged.
double saturate_to(DataType dtype, double value);

}  // namespace ttnn::reference
