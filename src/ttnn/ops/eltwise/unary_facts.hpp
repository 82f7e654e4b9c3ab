// What is known about each unary function: its formula for the documentation, where it is defined, and how close its
// kernel comes.
#pragma once

#include <string_view>

#include "ttnn/op/domain.hpp"
#include "ttnn/op/unary_op_type.hpp"

namespace ttnn {

constexpr std::string_view unary_doc(UnaryOpType type) {
    switch (type) {
        case UnaryOpType::EXP: return "e to the power of x.";
        case UnaryOpType::EXP2: return "2 to the power of x.";
        case UnaryOpType::EXPM1: return "e^x - 1, accurate near 0.";
        case UnaryOpType::LOG: return "Natural logarithm.";
        case UnaryOpType::LOG2: return "Logarithm to base 2.";
        case UnaryOpType::LOG10: return "Logarithm to base 10.";
        case UnaryOpType::LOG1P: return "ln(1 + x), accurate near 0.";
        case UnaryOpType::SQRT: return "Square root.";
        case UnaryOpType::RSQRT: return "1 / sqrt(x).";
        case UnaryOpType::CBRT: return "Cube root, with the sign of x.";
        case UnaryOpType::RECIP: return "1 / x.";
        case UnaryOpType::SQUARE: return "x * x.";
        case UnaryOpType::ABS: return "Absolute value.";
        case UnaryOpType::NEG: return "-x.";
        case UnaryOpType::SIGN: return "-1, 0 or 1.";
        case UnaryOpType::SIGNBIT: return "1 where the sign bit is set, else 0.";
        case UnaryOpType::SIN: return "Sine of radians.";
        case UnaryOpType::COS: return "Cosine of radians.";
        case UnaryOpType::TAN: return "Tangent of radians.";
        case UnaryOpType::ASIN: return "Inverse sine.";
        case UnaryOpType::ACOS: return "Inverse cosine.";
        case UnaryOpType::ATAN: return "Inverse tangent.";
        case UnaryOpType::SINH: return "Hyperbolic sine.";
        case UnaryOpType::COSH: return "Hyperbolic cosine.";
        case UnaryOpType::TANH: return "Hyperbolic tangent.";
        case UnaryOpType::ASINH: return "Inverse hyperbolic sine.";
        case UnaryOpType::ACOSH: return "Inverse hyperbolic cosine.";
        case UnaryOpType::ATANH: return "Inverse hyperbolic tangent.";
        case UnaryOpType::ERF: return "Error function.";
        case UnaryOpType::ERFC: return "1 - erf(x), accurate for large x.";
        case UnaryOpType::ERFINV: return "Inverse of the error function.";
        case UnaryOpType::I0: return "Modified Bessel function of the first kind, order 0.";
        case UnaryOpType::I1: return "Modified Bessel function of the first kind, order 1.";
        case UnaryOpType::LGAMMA: return "Logarithm of the absolute value of the gamma function.";
        case UnaryOpType::FLOOR: return "Largest whole number that is not greater.";
        case UnaryOpType::CEIL: return "Smallest whole number that is not less.";
        case UnaryOpType::TRUNC: return "Whole part.";
        case UnaryOpType::FRAC: return "x - trunc(x).";
        case UnaryOpType::ROUND: return "Rounds half to even at 10^-decimals.";
        case UnaryOpType::EQZ: return "1 where x == 0, else 0.";
        case UnaryOpType::NEZ: return "1 where x != 0, else 0.";
        case UnaryOpType::GTZ: return "1 where x > 0, else 0.";
        case UnaryOpType::LTZ: return "1 where x < 0, else 0.";
        case UnaryOpType::GEZ: return "1 where x >= 0, else 0.";
        case UnaryOpType::LEZ: return "1 where x <= 0, else 0.";
        case UnaryOpType::LOGICAL_NOT_UNARY: return "1 where x == 0, else 0.";
        case UnaryOpType::ISFINITE: return "1 where x is neither infinite nor NaN, else 0.";
        case UnaryOpType::ISINF: return "1 where x is infinite, else 0.";
        case UnaryOpType::ISNAN: return "1 where x is NaN, else 0.";
        case UnaryOpType::ISPOSINF: return "1 where x is +inf, else 0.";
        case UnaryOpType::ISNEGINF: return "1 where x is -inf, else 0.";
        case UnaryOpType::BITWISE_NOT: return "All bits of an int32 inverted.";
        case UnaryOpType::IDENTITY: return "A copy of the input.";
        case UnaryOpType::ALT_COMPLEX_ROTATE90: return "(-x[2i+1], x[2i]) for each pair of the last dimension.";
        case UnaryOpType::RELU: return "max(x, 0).";
        case UnaryOpType::RELU6: return "min(max(x, 0), 6).";
        case UnaryOpType::RELU_MAX: return "relu(min(x, upper_limit)).";
        case UnaryOpType::RELU_MIN: return "max(x, lower_limit).";
        case UnaryOpType::LEAKY_RELU: return "x where x >= 0, else negative_slope * x.";
        case UnaryOpType::ELU: return "x where x >= 0, else alpha * (e^x - 1).";
        case UnaryOpType::CELU: return "max(0, x) + min(0, alpha * (e^(x / alpha) - 1)).";
        case UnaryOpType::SELU: return "scale * (max(0, x) + min(0, alpha * (e^x - 1))).";
        case UnaryOpType::GELU: return "x times the normal distribution function of x.";
        case UnaryOpType::SILU: return "x * sigmoid(x).";
        case UnaryOpType::SIGMOID: return "1 / (1 + e^-x).";
        case UnaryOpType::MISH: return "x * tanh(ln(1 + e^x)).";
        case UnaryOpType::HARDMISH: return "x * clamp(x + 2.8, 0, 5) / 5; a bfloat16 result is truncated.";
        case UnaryOpType::HARDSIGMOID: return "clamp(x / 6 + 0.5, 0, 1).";
        case UnaryOpType::HARDSWISH: return "x * hardsigmoid(x).";
        case UnaryOpType::HARDTANH: return "clamp(x, min_val, max_val).";
        case UnaryOpType::HARDSHRINK: return "x where |x| > lambd, else 0.";
        case UnaryOpType::SOFTSHRINK: return "x moved toward 0 by lambd, 0 where it would cross.";
        case UnaryOpType::TANHSHRINK: return "x - tanh(x).";
        case UnaryOpType::SOFTSIGN: return "x / (1 + |x|).";
        case UnaryOpType::SOFTPLUS: return "ln(1 + e^(beta x)) / beta, x where beta x > threshold.";
        case UnaryOpType::LOGSIGMOID: return "ln(sigmoid(x)).";
        case UnaryOpType::LOGIT: return "ln(z / (1 - z)), z = x or x clamped to [eps, 1 - eps].";
        case UnaryOpType::XIELU:
            return "alpha_p x^2 + 0.5 x where x > 0, else alpha_n (expm1(min(x, -1e-6)) - x) + 0.5 x.";
        case UnaryOpType::THRESHOLD: return "x where x > threshold, else value.";
        case UnaryOpType::HEAVISIDE: return "0 where x < 0, value where x == 0, 1 where x > 0.";
        case UnaryOpType::RPOW: return "exponent to the power of x: the argument is the base.";
        case UnaryOpType::RDIV: return "value / x, rounded down or toward 0 if asked.";
        default: return "";
    }
}

// Inputs of the operation's own cases.
constexpr Domain unary_domain(UnaryOpType type) {
    switch (type) {
        case UnaryOpType::SQRT: return Domain::real(0.0, 100.0);
        case UnaryOpType::RSQRT:
        case UnaryOpType::LOG:
        case UnaryOpType::LOG2:
        case UnaryOpType::LOG10: return Domain::real(0.01, 100.0);
        case UnaryOpType::LOG1P: return Domain::real(-0.9, 100.0);
        case UnaryOpType::RECIP:
        case UnaryOpType::RDIV: return Domain::real(0.25, 4.0);
        case UnaryOpType::TAN: return Domain::real(-1.45, 1.45);
        case UnaryOpType::ASIN:
        case UnaryOpType::ACOS: return Domain::real(-1.0, 1.0);
        case UnaryOpType::ATANH:
        case UnaryOpType::ERFINV: return Domain::real(-0.99, 0.99);
        case UnaryOpType::ACOSH: return Domain::real(1.0, 100.0);
        case UnaryOpType::LGAMMA: return Domain::real(0.1, 20.0);
        case UnaryOpType::LOGIT: return Domain::real(0.01, 0.99);
        case UnaryOpType::ROUND:
        case UnaryOpType::FLOOR:
        case UnaryOpType::CEIL:
        case UnaryOpType::TRUNC: return Domain::real(-100.0, 100.0);
        // Twice the largest fp32 number: half of the inputs become infinite.
        case UnaryOpType::ISFINITE:
        case UnaryOpType::ISINF:
        case UnaryOpType::ISPOSINF:
        case UnaryOpType::ISNEGINF:
        case UnaryOpType::ISNAN: return Domain::special();
        // Zero has to occur.
        case UnaryOpType::EQZ:
        case UnaryOpType::NEZ:
        case UnaryOpType::GTZ:
        case UnaryOpType::LTZ:
        case UnaryOpType::GEZ:
        case UnaryOpType::LEZ:
        case UnaryOpType::LOGICAL_NOT_UNARY:
        case UnaryOpType::HEAVISIDE:
        case UnaryOpType::SIGN: return Domain::integer(-2, 2);
        default: return Domain::real(-8.0, 8.0);
    }
}

// Functions that only select, compare or cut give the reference's number exactly. The others are within 1 ULP when
// computed in double and within 3 where the C library's fp32 function is used.
constexpr Tolerance unary_tolerance(UnaryOpType type) {
    switch (type) {
        case UnaryOpType::ABS:
        case UnaryOpType::NEG:
        case UnaryOpType::SIGN:
        case UnaryOpType::SIGNBIT:
        case UnaryOpType::SQRT:
        case UnaryOpType::SQUARE:
        case UnaryOpType::RECIP:
        case UnaryOpType::FLOOR:
        case UnaryOpType::CEIL:
        case UnaryOpType::TRUNC:
        case UnaryOpType::FRAC:
        case UnaryOpType::EQZ:
        case UnaryOpType::NEZ:
        case UnaryOpType::GTZ:
        case UnaryOpType::LTZ:
        case UnaryOpType::GEZ:
        case UnaryOpType::LEZ:
        case UnaryOpType::LOGICAL_NOT_UNARY:
        case UnaryOpType::ISFINITE:
        case UnaryOpType::ISINF:
        case UnaryOpType::ISNAN:
        case UnaryOpType::ISPOSINF:
        case UnaryOpType::ISNEGINF:
        case UnaryOpType::BITWISE_NOT:
        case UnaryOpType::IDENTITY:
        case UnaryOpType::ALT_COMPLEX_ROTATE90:
        case UnaryOpType::RELU:
        case UnaryOpType::RELU6:
        case UnaryOpType::RELU_MAX:
        case UnaryOpType::RELU_MIN:
        case UnaryOpType::HARDTANH:
        case UnaryOpType::HARDSHRINK:
        case UnaryOpType::THRESHOLD:
        case UnaryOpType::HEAVISIDE: return {.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
        default: return {.ulp_float32 = 3, .ulp_bfloat16 = 1, .ulp_block_float = 1};
    }
}

}  // namespace ttnn
