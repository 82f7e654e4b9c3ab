// Binary functions over runs of numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/compute/guard.hpp"
#include "ttnn/op/binary_op_type.hpp"

namespace ttnn::compute {

// out = op(a, b), element by element. `out` may be `a` or `b`. Comparisons give 1 or 0. `params` holds what the
// function takes besides its operands: ADDALPHA and SUBALPHA alpha; ISCLOSE rtol, atol and 1 for equal NaN. Functions
// that only exist for integers throw.
void apply_binary(BinaryOpType op, const float* a, const float* b, float* out, size_t count,
                  const double* params = nullptr);

// The same for 32-bit patterns of integers, wrapping. `is_signed` tells what the patterns mean. Functions that only
// exist for floating numbers throw.
void apply_binary(BinaryOpType op, bool is_signed, const uint32_t* a, const uint32_t* b, uint32_t* out, size_t count,
                  const double* params = nullptr);

}  // namespace ttnn::compute
