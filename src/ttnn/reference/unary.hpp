// References of the unary functions: one element in fp64, straight from their definitions.
#pragma once

#include "ttnn/op/unary_op_type.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// op(x); integers are passed as their values and results wrapped by the caller. Throws for types that are not functions
// of one element.
double unary(const UnaryWithParam& op, double x);
// The same where the table says something about the result's dtype: +inf for NaN outside the domain of acos, asin,
// acosh and atanh, and the truncated hardmish.
double unary(const UnaryWithParam& op, DataType result, double x);
// A whole array, ALT_COMPLEX_ROTATE90 included; integer results wrap around.
Array unary(const UnaryWithParam& op, DataType result, const Array& input);

double log_gamma(double x);
double digamma(double x);
double polygamma(int order, double x);
double inverse_erf(double x);

}  // namespace ttnn::reference
