// Scorecard: the verdict on an operation's output against its fp64 reference.
#pragma once

#include <string>

#include "ttnn/op/domain.hpp"
#include "ttnn/reference/array.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

struct Scorecard {
    bool pass = false;
    double pcc = 1.0;
    double max_ulp = 0.0;  // in the output's dtype; block floats: of the shared exponent
    double max_relative = 0.0;
    double max_absolute = 0.0;
    bool equal = false;  // every element after rounding the reference once
    std::string reason;  // why it does not pass
};

// PCC that every floating output must reach.
inline constexpr double required_pcc = 0.9999;

Scorecard compare(const reference::Array& expected, const Tensor& actual, const Tolerance& tolerance);

}  // namespace ttnn
