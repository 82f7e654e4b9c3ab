// Unary functions of the hardware over runs of numbers; operations and fused activations share them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ttnn/compute/guard.hpp"
#include "ttnn/op/unary_op_type.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn::compute {

// values[i] = op(values[i]) in fp32, in place; parameters as unary_parameters() reads them. Approximation flags
// are ignored: the accurate function is computed. ALT_COMPLEX_ROTATE90 takes numbers in pairs, so count must be even.
// Throws for types that are not functions of an element (TYPECAST, BITCAST, DROPOUT, TILED_PROD, ...) or that are only
// defined for integers (BITWISE_*, shifts).
void apply_unary(const UnaryWithParam& op, float* values, size_t count);
// The same where the result is going to be rounded to `result`; honours what the table says about single dtypes
// (+inf instead of NaN outside the domain of atanh; the truncated hardmish).
void apply_unary(const UnaryWithParam& op, DataType result, float* values, size_t count);

// For integer tensors, as 32-bit patterns; arithmetic wraps around. Throws for functions without an integer form.
void apply_unary_bits(const UnaryWithParam& op, DataType dtype, uint32_t* values, size_t count);

// The parts of apply_unary: functions that need no transcendental mathematics, the few that networks are full of (as
// vector code), and the rest. They return false for types of the other parts.
bool apply_unary_arithmetic(UnaryOpType type, float a, float b, float* values, size_t count);
bool apply_unary_exponential(UnaryOpType type, float* values, size_t count);
bool apply_unary_transcendental(UnaryOpType type, float a, float b, float* values, size_t count);

}  // namespace ttnn::compute
