// Special functions that the C library does not have, in double: accurate enough to round once to fp32.
#pragma once

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

double log_gamma(double x);             // ln |gamma(x)|; std::lgamma without its global sign
double digamma(double x);               // poles at 0, -1, -2, ... give NaN, 0 gives -/+inf
double polygamma(int order, double x);  // order >= 1
double multigamma_log(double x);        // ln of the multivariate gamma function of order 4
double inverse_erf(double x);           // +-1 give +-inf, beyond them NaN
double bessel_i0(double x);
double bessel_i1(double x);

}  // namespace ttnn::compute
