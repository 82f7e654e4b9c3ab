#include "ttnn/reference/unary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ttnn/core/error.hpp"

namespace ttnn::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double positive_part(double x) { return std::isnan(x) ? x : std::max(x, 0.0); }
double negative_part(double x) { return std::isnan(x) ? x : std::min(x, 0.0); }
double limited(double x, double low, double high) { return std::isnan(x) ? x : std::min(std::max(x, low), high); }
double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double log_one_plus_exp(double x) { return x > 700 ? x : std::log1p(std::exp(x)); }

double bessel(double order, double x) {
    if (std::isnan(x)) {
        return x;
    }
    // Beyond 100 both are larger than every fp32 number, and the library gives up.
    return std::abs(x) > 100 ? infinity : std::cyl_bessel_i(order, std::abs(x));
}

double rounded(double x, int decimals) {
    // The scaled number is an fp32 number by definition: that decides what a tie is.
    const auto scale = static_cast<float>(std::pow(10.0, std::abs(decimals)));
    const auto single = static_cast<float>(x);
    return decimals >= 0 ? std::nearbyint(static_cast<double>(single * scale)) / scale
                         : std::nearbyint(static_cast<double>(single / scale)) * scale;
}

double divided(double value, double x, int rounding) {
    // Only the fp32 quotient decides where it is cut.
    const double quotient = rounding == 0 ? value / x : static_cast<double>(static_cast<float>(value / x));
    if (rounding == 1) {
        return std::trunc(quotient);
    }
    return rounding == 2 ? std::floor(quotient) : quotient;
}

double logit(double x, double eps) {
    const double z = eps < 0 ? x : limited(x, eps, 1 - eps);
    return std::log(z) - std::log1p(-z);
}

double xielu(double x, double positive, double negative) {
    return x > 0 ? positive * x * x + 0.5 * x : negative * std::expm1(std::min(x, -1e-6)) - negative * x + 0.5 * x;
}

double shrunk(double x, double lambda) {
    if (std::isnan(x)) {
        return 0;
    }
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : 0;
}

double floored_remainder(double x, double divisor) { return x - divisor * std::floor(x / divisor); }

// Rounded toward zero to 8 significant bits.
double truncated_to_bfloat16(double x) {
    if (x == 0 || !std::isfinite(x)) {
        return x;
    }
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::trunc(std::ldexp(fraction, 8)), exponent - 8);
}

double test(UnaryOpType type, double x, double a) {
    switch (type) {
        case UnaryOpType::EQZ:
        case UnaryOpType::LOGICAL_NOT_UNARY: return x == 0;
        case UnaryOpType::NEZ: return x != 0;
        case UnaryOpType::GTZ: return x > 0;
        case UnaryOpType::LTZ: return x < 0;
        case UnaryOpType::GEZ: return x >= 0;
        case UnaryOpType::LEZ: return x <= 0;
        case UnaryOpType::UNARY_NE: return x != a;
        case UnaryOpType::UNARY_EQ: return x == a;
        case UnaryOpType::UNARY_GT: return x > a;
        case UnaryOpType::UNARY_LT: return x < a;
        case UnaryOpType::UNARY_GE: return x >= a;
        case UnaryOpType::UNARY_LE: return x <= a;
        case UnaryOpType::SIGNBIT: return std::signbit(x);
        case UnaryOpType::ISINF: return std::isinf(x);
        case UnaryOpType::ISPOSINF: return std::isinf(x) && x > 0;
        case UnaryOpType::ISNEGINF: return std::isinf(x) && x < 0;
        case UnaryOpType::ISNAN: return std::isnan(x);
        case UnaryOpType::ISFINITE: return std::isfinite(x);
        default: fail("{} has no reference for one element", type);
    }
}

double integer_function(UnaryOpType type, double x, double a, double b) {
    const auto bits = static_cast<int64_t>(x);
    const auto other = static_cast<int64_t>(a);
    switch (type) {
        case UnaryOpType::BITWISE_NOT: return static_cast<double>(~bits);
        case UnaryOpType::BITWISE_AND: return static_cast<double>(bits & other);
        case UnaryOpType::BITWISE_OR: return static_cast<double>(bits | other);
        case UnaryOpType::BITWISE_XOR: return static_cast<double>(bits ^ other);
        case UnaryOpType::LEFT_SHIFT: return x * std::exp2(a);
        case UnaryOpType::RIGHT_SHIFT: return std::floor(x / std::exp2(a));
        case UnaryOpType::RSUB: return a - x;
        case UnaryOpType::ADD_UNARY_SFPU: return x + a;
        case UnaryOpType::SUB_UNARY_SFPU: return x - a;
        case UnaryOpType::MUL_UNARY_SFPU: return x * a;
        case UnaryOpType::DIV_UNARY_SFPU: return x / a;
        case UnaryOpType::FMOD: return std::fmod(x, a);
        case UnaryOpType::REMAINDER: return floored_remainder(x, a);
        case UnaryOpType::MAXIMUM: return std::isnan(x) ? x : std::max(x, a);
        case UnaryOpType::MINIMUM: return std::isnan(x) ? x : std::min(x, a);
        case UnaryOpType::WHERE_TSS: return x != 0 ? a : b;
        case UnaryOpType::FILL: return a;
        default: return test(type, x, a);
    }
}

double activation(UnaryOpType type, double x, double a, double b) {
    switch (type) {
        case UnaryOpType::RELU: return positive_part(x);
        case UnaryOpType::RELU6: return limited(x, 0, 6);
        case UnaryOpType::RELU_MAX: return std::isnan(x) ? x : positive_part(std::min(x, a));
        case UnaryOpType::RELU_MIN: return std::isnan(x) ? x : std::max(x, a);
        case UnaryOpType::LEAKY_RELU:
        case UnaryOpType::PRELU_SFPU: return positive_part(x) + a * negative_part(x);
        case UnaryOpType::ELU: return x >= 0 ? x : a * std::expm1(x);
        case UnaryOpType::CELU: return x > 0 ? x : a * std::expm1(x / a);  // positive x whatever alpha is
        case UnaryOpType::SELU: return a * (positive_part(x) + negative_part(b * std::expm1(x)));
        case UnaryOpType::GELU: return x * std::erfc(static_cast<long double>(-x) / std::sqrt(2.0L)) / 2;
        case UnaryOpType::SIGMOID: return sigmoid(x);
        case UnaryOpType::SILU: return x * sigmoid(x);
        case UnaryOpType::MISH: return x * std::tanh(log_one_plus_exp(x));
        case UnaryOpType::HARDMISH: return x * limited(x + 2.8, 0, 5) / 5;
        case UnaryOpType::HARDSIGMOID: return limited(x / 6 + 0.5, 0, 1);
        case UnaryOpType::HARDSWISH: return x * limited(x / 6 + 0.5, 0, 1);
        case UnaryOpType::HARDTANH:
        case UnaryOpType::CLAMP_TSS: return limited(x, a, b);
        case UnaryOpType::HARDSHRINK: return std::abs(x) <= a ? 0 : x;
        case UnaryOpType::SOFTSHRINK: return shrunk(x, a);
        case UnaryOpType::TANHSHRINK: return static_cast<double>(x - std::tanh(static_cast<long double>(x)));
        case UnaryOpType::SOFTSIGN: return x / (1 + std::abs(x));
        case UnaryOpType::SOFTPLUS: return a * x > b ? x : log_one_plus_exp(a * x) / a;
        case UnaryOpType::LOGSIGMOID: return x < -700 ? x : -std::log1p(std::exp(-x));
        case UnaryOpType::LOGIT: return logit(x, a);
        case UnaryOpType::XIELU: return xielu(x, a, b);
        case UnaryOpType::THRESHOLD: return x <= a ? b : x;
        case UnaryOpType::HEAVISIDE: return x == 0 ? a : x > 0;
        default: return integer_function(type, x, a, b);
    }
}

Array rotated(const Array& input) {
    Array result(input.shape);
    for (size_t i = 0; i + 1 < input.values.size(); i += 2) {
        result.values[i] = -input.values[i + 1];
        result.values[i + 1] = input.values[i];
    }
    return result;
}

}  // namespace

double unary(const UnaryWithParam& op, double x) {
    const auto parameters = unary_parameters(op);
    const double a = parameters[0];
    const double b = parameters[1];
    switch (op.op_type) {
        case UnaryOpType::IDENTITY: return x;
        case UnaryOpType::NEG: return -x;
        case UnaryOpType::ABS:
        case UnaryOpType::ABS_INT32: return std::abs(x);
        case UnaryOpType::SIGN: return x > 0 ? 1 : x < 0 ? -1 : 0;
        case UnaryOpType::SQUARE: return x * x;
        case UnaryOpType::SQRT: return std::sqrt(x);
        case UnaryOpType::RSQRT: return 1 / std::sqrt(x);
        case UnaryOpType::CBRT: return std::cbrt(x);
        case UnaryOpType::RECIP: return 1 / x;
        case UnaryOpType::EXP: return std::exp(x);
        case UnaryOpType::EXP2: return std::exp2(x);
        case UnaryOpType::EXPM1: return std::expm1(x);
        case UnaryOpType::LOG: return std::log(x);
        case UnaryOpType::LOG2: return std::log2(x);
        case UnaryOpType::LOG10: return std::log10(x);
        case UnaryOpType::LOG1P: return std::log1p(x);
        case UnaryOpType::POWER:
        case UnaryOpType::POWER_ITERATIVE: return std::pow(x, a);
        case UnaryOpType::RPOW: return std::pow(a, x);
        case UnaryOpType::SIN: return std::sin(x);
        case UnaryOpType::COS: return std::cos(x);
        case UnaryOpType::TAN: return std::tan(x);
        case UnaryOpType::ASIN: return std::asin(x);
        case UnaryOpType::ACOS: return std::acos(x);
        case UnaryOpType::ATAN: return std::atan(x);
        case UnaryOpType::SINH: return std::sinh(x);
        case UnaryOpType::COSH: return std::cosh(x);
        case UnaryOpType::TANH: return std::tanh(x);
        case UnaryOpType::ASINH: return std::asinh(x);
        case UnaryOpType::ACOSH: return std::acosh(x);
        case UnaryOpType::ATANH: return std::atanh(x);
        case UnaryOpType::ERF: return std::erf(x);
        case UnaryOpType::ERFC: return std::erfc(x);
        case UnaryOpType::ERFINV: return inverse_erf(x);
        case UnaryOpType::I0: return bessel(0, x);
        case UnaryOpType::I1: return std::copysign(bessel(1, x), x);
        case UnaryOpType::LGAMMA: return log_gamma(x);
        case UnaryOpType::FLOOR: return std::floor(x);
        case UnaryOpType::CEIL: return std::ceil(x);
        case UnaryOpType::TRUNC: return std::trunc(x);
        case UnaryOpType::FRAC: return x - std::trunc(x);
        case UnaryOpType::ROUND: return rounded(x, static_cast<int>(a));
        case UnaryOpType::RDIV: return divided(a, x, static_cast<int>(b));
        default: return activation(op.op_type, x, a, b);
    }
}

double unary(const UnaryWithParam& op, DataType result, double x) {
    const double y = unary(op, x);
    if (op.op_type == UnaryOpType::ATANH && result != DataType::FLOAT32) {
        return std::isnan(y) || std::abs(x) == 1 ? infinity : y;
    }
    return op.op_type == UnaryOpType::HARDMISH && result == DataType::BFLOAT16 ? truncated_to_bfloat16(y) : y;
}

Array unary(const UnaryWithParam& op, DataType result, const Array& input) {
    if (op.op_type == UnaryOpType::ALT_COMPLEX_ROTATE90) {
        return rotated(input);
    }
    return mapped(input, [op, result](double x) { return wrap_to(result, unary(op, result, x)); });
}

}  // namespace ttnn::reference
