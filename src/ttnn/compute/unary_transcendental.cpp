// The transcendental half of apply_unary. Functions of the C library that are good to 2 ULP in fp32 are used as they
// are; formulas of several steps run in double and are rounded once, because their cancellations (a logarithm of nearly
// one, x - tanh x) would cost digits in fp32.
#include <cmath>

#include "ttnn/compute/special_functions.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

template <class F>
TTNN_ALWAYS_INLINE void each(float* values, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = function(values[i]);
    }
}
template <class F>
TTNN_ALWAYS_INLINE void each_in_double(float* values, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(function(static_cast<double>(values[i])));
    }
}

// ln(1 + e^x) without overflow.
double softplus(double x) { return (x > 0.0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }

// The series where x and tanh x agree in most digits.
double tanhshrink(double x) {
    if (std::fabs(x) > 0.125) {
        return x - std::tanh(x);
    }
    const double s = x * x;
    constexpr double series[] = {-929569.0 / 638512875, 21844.0 / 6081075, -1382.0 / 155925, 62.0 / 2835,
                                 -17.0 / 315,           2.0 / 15,          -1.0 / 3};
    double value = 0.0;
    for (const double coefficient : series) {
        value = value * s + coefficient;
    }
    return -value * s * x;
}

double logit(double x, double eps) {
    double z = x;
    if (eps >= 0.0) {
        z = z < eps ? eps : z;
        z = z > 1.0 - eps ? 1.0 - eps : z;
    }
    return std::log(z / (1.0 - z));
}

double xielu(double x, double positive, double negative) {
    if (x > 0.0) {
        return x * (positive * x + 0.5);
    }
    return negative * (std::expm1(x < -1e-6 ? x : -1e-6) - x) + 0.5 * x;
}

double celu(double x, double alpha) { return x > 0.0 ? x : alpha * std::expm1(x / alpha); }

bool apply_library(UnaryOpType type, float* values, size_t count) {
    switch (type) {
        case UnaryOpType::EXP2: each(values, count, [](float x) { return std::exp2(x); }); return true;
        case UnaryOpType::EXPM1: each(values, count, [](float x) { return std::expm1(x); }); return true;
        case UnaryOpType::LOG: each(values, count, [](float x) { return std::log(x); }); return true;
        case UnaryOpType::LOG2: each(values, count, [](float x) { return std::log2(x); }); return true;
        case UnaryOpType::LOG10: each(values, count, [](float x) { return std::log10(x); }); return true;
        case UnaryOpType::LOG1P: each(values, count, [](float x) { return std::log1p(x); }); return true;
        case UnaryOpType::SIN: each(values, count, [](float x) { return std::sin(x); }); return true;
        case UnaryOpType::COS: each(values, count, [](float x) { return std::cos(x); }); return true;
        case UnaryOpType::TAN: each(values, count, [](float x) { return std::tan(x); }); return true;
        case UnaryOpType::ASIN: each(values, count, [](float x) { return std::asin(x); }); return true;
        case UnaryOpType::ACOS: each(values, count, [](float x) { return std::acos(x); }); return true;
        case UnaryOpType::ATAN: each(values, count, [](float x) { return std::atan(x); }); return true;
        case UnaryOpType::SINH: each(values, count, [](float x) { return std::sinh(x); }); return true;
        case UnaryOpType::COSH: each(values, count, [](float x) { return std::cosh(x); }); return true;
        case UnaryOpType::ASINH: each(values, count, [](float x) { return std::asinh(x); }); return true;
        case UnaryOpType::ACOSH: each(values, count, [](float x) { return std::acosh(x); }); return true;
        case UnaryOpType::ATANH: each(values, count, [](float x) { return std::atanh(x); }); return true;
        case UnaryOpType::ERF: each(values, count, [](float x) { return std::erf(x); }); return true;
        case UnaryOpType::CBRT: each(values, count, [](float x) { return std::cbrt(x); }); return true;
        default: return false;
    }
}

}  // namespace

bool apply_unary_transcendental(UnaryOpType type, float a, float b, float* values, size_t count) {
    const double p = a;
    const double q = b;
    const auto apply = [&](auto function) {
        each_in_double(values, count, function);
        return true;
    };
    switch (type) {
        case UnaryOpType::ERFC: return apply([](double x) { return std::erfc(x); });
        case UnaryOpType::ERFINV: return apply(inverse_erf);
        case UnaryOpType::I0: return apply(bessel_i0);
        case UnaryOpType::I1: return apply(bessel_i1);
        case UnaryOpType::LGAMMA: return apply(log_gamma);
        case UnaryOpType::LOGSIGMOID: return apply([](double x) { return -softplus(-x); });
        case UnaryOpType::TANHSHRINK: return apply(tanhshrink);
        case UnaryOpType::LOGIT: return apply([=](double x) { return logit(x, p); });
        case UnaryOpType::XIELU: return apply([=](double x) { return xielu(x, p, q); });
        case UnaryOpType::ELU: return apply([=](double x) { return x < 0.0 ? p * std::expm1(x) : x; });
        case UnaryOpType::CELU: return apply([=](double x) { return celu(x, p); });
        case UnaryOpType::SELU: return apply([=](double x) { return p * (x < 0.0 ? q * std::expm1(x) : x); });
        case UnaryOpType::SOFTPLUS: return apply([=](double x) { return p * x > q ? x : softplus(p * x) / p; });
        default: return apply_library(type, values, count);
    }
}

}  // namespace ttnn::compute
