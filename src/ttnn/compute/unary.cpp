#include "ttnn/compute/unary.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "ttnn/core/error.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

template <class F>
TTNN_ALWAYS_INLINE void each(float* values, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = function(values[i]);
    }
}

float flag(bool condition) { return condition ? 1.0F : 0.0F; }

// Comparisons are written so that NaN passes through where torch lets it.
float clamp(float x, float low, float high) {
    const float raised = x < low ? low : x;
    return raised > high ? high : raised;
}

float softshrink(float x, float lambda) { return x > lambda ? x - lambda : x < -lambda ? x + lambda : 0.0F; }

float remainder(float x, float divisor) {
    const float rest = std::fmod(x, divisor);
    return rest != 0.0F && (rest < 0.0F) != (divisor < 0.0F) ? rest + divisor : rest;
}

float power(float x, float exponent) { return std::pow(x, exponent); }

void rotate_pairs(float* values, size_t count) {
    require(count % 2 == 0, "{} takes an even number of elements, got {}", UnaryOpType::ALT_COMPLEX_ROTATE90, count);
    for (size_t i = 0; i < count; i += 2) {
        const float real = values[i];
        values[i] = -values[i + 1];
        values[i + 1] = real;
    }
}

// Half to even at 10^-decimals, with the scaled number in fp32 as torch has it.
void round_decimals(int decimals, float* values, size_t count) {
    const auto power_of_ten = static_cast<float>(std::pow(10.0, std::abs(decimals)));
    if (decimals >= 0) {
        each(values, count, [=](float x) { return std::nearbyint(x * power_of_ten) / power_of_ten; });
    } else {
        each(values, count, [=](float x) { return std::nearbyint(x / power_of_ten) * power_of_ten; });
    }
}

void divide_by(float value, int rounding, float* values, size_t count) {
    switch (rounding) {
        case 1: return each(values, count, [=](float x) { return std::trunc(value / x); });
        case 2: return each(values, count, [=](float x) { return std::floor(value / x); });
        default: return each(values, count, [=](float x) { return value / x; });
    }
}

TTNN_VECTOR_CLONES bool apply_tests(UnaryOpType type, float a, float* values, size_t count) {
    switch (type) {
        case UnaryOpType::EQZ:
        case UnaryOpType::LOGICAL_NOT_UNARY: each(values, count, [](float x) { return flag(x == 0.0F); }); return true;
        case UnaryOpType::NEZ: each(values, count, [](float x) { return flag(x != 0.0F); }); return true;
        case UnaryOpType::GTZ: each(values, count, [](float x) { return flag(x > 0.0F); }); return true;
        case UnaryOpType::LTZ: each(values, count, [](float x) { return flag(x < 0.0F); }); return true;
        case UnaryOpType::GEZ: each(values, count, [](float x) { return flag(x >= 0.0F); }); return true;
        case UnaryOpType::LEZ: each(values, count, [](float x) { return flag(x <= 0.0F); }); return true;
        case UnaryOpType::UNARY_NE: each(values, count, [=](float x) { return flag(x != a); }); return true;
        case UnaryOpType::UNARY_EQ: each(values, count, [=](float x) { return flag(x == a); }); return true;
        case UnaryOpType::UNARY_GT: each(values, count, [=](float x) { return flag(x > a); }); return true;
        case UnaryOpType::UNARY_LT: each(values, count, [=](float x) { return flag(x < a); }); return true;
        case UnaryOpType::UNARY_GE: each(values, count, [=](float x) { return flag(x >= a); }); return true;
        case UnaryOpType::UNARY_LE: each(values, count, [=](float x) { return flag(x <= a); }); return true;
        case UnaryOpType::SIGNBIT:
            each(values, count, [](float x) { return static_cast<float>(std::bit_cast<uint32_t>(x) >> 31); });
            return true;
        case UnaryOpType::ISINF: each(values, count, [](float x) { return flag(std::isinf(x)); }); return true;
        case UnaryOpType::ISPOSINF: each(values, count, [](float x) { return flag(x == INFINITY); }); return true;
        case UnaryOpType::ISNEGINF: each(values, count, [](float x) { return flag(x == -INFINITY); }); return true;
        case UnaryOpType::ISNAN: each(values, count, [](float x) { return flag(std::isnan(x)); }); return true;
        case UnaryOpType::ISFINITE: each(values, count, [](float x) { return flag(std::isfinite(x)); }); return true;
        default: return false;
    }
}

// Pieces of straight lines, rounding and the four rules of arithmetic.
TTNN_VECTOR_CLONES bool apply_lines(UnaryOpType type, float a, float b, float* values, size_t count) {
    switch (type) {
        case UnaryOpType::IDENTITY: return true;
        case UnaryOpType::NEG: each(values, count, [](float x) { return -x; }); return true;
        case UnaryOpType::ABS:
        case UnaryOpType::ABS_INT32: each(values, count, [](float x) { return std::fabs(x); }); return true;
        case UnaryOpType::SIGN: each(values, count, [](float x) { return flag(x > 0) - flag(x < 0); }); return true;
        case UnaryOpType::SQUARE: each(values, count, [](float x) { return x * x; }); return true;
        case UnaryOpType::SQRT: each(values, count, [](float x) { return std::sqrt(x); }); return true;
        // In double: two roundings in fp32 would be up to 1.5 ULP.
        case UnaryOpType::RSQRT:
            each(values, count, [](float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); });
            return true;
        case UnaryOpType::RECIP: each(values, count, [](float x) { return 1.0F / x; }); return true;
        case UnaryOpType::RELU: each(values, count, [](float x) { return x < 0.0F ? 0.0F : x; }); return true;
        case UnaryOpType::RELU6: each(values, count, [](float x) { return clamp(x, 0.0F, 6.0F); }); return true;
        case UnaryOpType::RELU_MAX:
            each(values, count, [=](float x) { return x > a ? (a < 0.0F ? 0.0F : a) : (x < 0.0F ? 0.0F : x); });
            return true;
        case UnaryOpType::RELU_MIN:
        case UnaryOpType::MAXIMUM: each(values, count, [=](float x) { return x < a ? a : x; }); return true;
        case UnaryOpType::MINIMUM: each(values, count, [=](float x) { return x > a ? a : x; }); return true;
        case UnaryOpType::HARDTANH:
        case UnaryOpType::CLAMP_TSS: each(values, count, [=](float x) { return clamp(x, a, b); }); return true;
        case UnaryOpType::LEAKY_RELU:
        case UnaryOpType::PRELU_SFPU: each(values, count, [=](float x) { return x < 0.0F ? a * x : x; }); return true;
        case UnaryOpType::HEAVISIDE:
            each(values, count, [=](float x) { return x == 0.0F ? a : flag(x > 0.0F); });
            return true;
        case UnaryOpType::THRESHOLD: each(values, count, [=](float x) { return x <= a ? b : x; }); return true;
        case UnaryOpType::SOFTSHRINK: each(values, count, [=](float x) { return softshrink(x, a); }); return true;
        case UnaryOpType::HARDSHRINK:
            each(values, count, [=](float x) { return x >= -a && x <= a ? 0.0F : x; });
            return true;
        // x + 3 is exact near -3, where x / 6 + 0.5 would cancel.
        case UnaryOpType::HARDSIGMOID:
            each(values, count, [](float x) { return clamp(x + 3.0F, 0.0F, 6.0F) / 6.0F; });
            return true;
        case UnaryOpType::HARDSWISH:
            each(values, count, [](float x) { return x * clamp(x + 3.0F, 0.0F, 6.0F) / 6.0F; });
            return true;
        // In double, because 2.8 is not an fp32 number and the difference shows near x = -2.8.
        case UnaryOpType::HARDMISH:
            each(values, count, [](float x) {
                const double shifted = x + 2.8;
                return static_cast<float>(x * (shifted < 0.0 ? 0.0 : shifted > 5.0 ? 5.0 : shifted) / 5.0);
            });
            return true;
        case UnaryOpType::SOFTSIGN: each(values, count, [](float x) { return x / (1.0F + std::fabs(x)); }); return true;
        case UnaryOpType::FLOOR: each(values, count, [](float x) { return std::floor(x); }); return true;
        case UnaryOpType::CEIL: each(values, count, [](float x) { return std::ceil(x); }); return true;
        case UnaryOpType::TRUNC: each(values, count, [](float x) { return std::trunc(x); }); return true;
        case UnaryOpType::FRAC: each(values, count, [](float x) { return x - std::trunc(x); }); return true;
        case UnaryOpType::RSUB: each(values, count, [=](float x) { return a - x; }); return true;
        case UnaryOpType::ADD_UNARY_SFPU: each(values, count, [=](float x) { return x + a; }); return true;
        case UnaryOpType::SUB_UNARY_SFPU: each(values, count, [=](float x) { return x - a; }); return true;
        case UnaryOpType::MUL_UNARY_SFPU: each(values, count, [=](float x) { return x * a; }); return true;
        case UnaryOpType::DIV_UNARY_SFPU: each(values, count, [=](float x) { return x / a; }); return true;
        case UnaryOpType::WHERE_TSS: each(values, count, [=](float x) { return x != 0.0F ? a : b; }); return true;
        case UnaryOpType::FILL: each(values, count, [=](float) { return a; }); return true;
        default: return false;
    }
}

}  // namespace

bool apply_unary_arithmetic(UnaryOpType type, float a, float b, float* values, size_t count) {
    switch (type) {
        case UnaryOpType::RDIV: divide_by(a, static_cast<int>(b), values, count); return true;
        case UnaryOpType::ROUND: round_decimals(static_cast<int>(a), values, count); return true;
        case UnaryOpType::FMOD: each(values, count, [=](float x) { return std::fmod(x, a); }); return true;
        case UnaryOpType::REMAINDER: each(values, count, [=](float x) { return remainder(x, a); }); return true;
        case UnaryOpType::POWER:
        case UnaryOpType::POWER_ITERATIVE: each(values, count, [=](float x) { return power(x, a); }); return true;
        case UnaryOpType::RPOW: each(values, count, [=](float x) { return power(a, x); }); return true;
        case UnaryOpType::ALT_COMPLEX_ROTATE90: rotate_pairs(values, count); return true;
        default: return apply_tests(type, a, values, count) || apply_lines(type, a, b, values, count);
    }
}

void apply_unary(const UnaryWithParam& op, float* values, size_t count) {
    const auto [a, b] = unary_parameters(op);
    require(apply_unary_arithmetic(op.op_type, a, b, values, count) ||
                apply_unary_exponential(op.op_type, values, count) ||
                apply_unary_transcendental(op.op_type, a, b, values, count),
            "{} is not a function of a floating-point element", op.op_type);
}

void apply_unary(const UnaryWithParam& op, DataType result, float* values, size_t count) {
    apply_unary(op, values, count);
    if (op.op_type == UnaryOpType::ATANH && result != DataType::FLOAT32) {  // atanh(-1) is +inf as well
        each(values, count, [](float x) { return std::isnan(x) || x == -INFINITY ? INFINITY : x; });
    }
    if (op.op_type == UnaryOpType::HARDMISH && result == DataType::BFLOAT16) {
        each(values, count, [](float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xFFFF0000U); });
    }
}

}  // namespace ttnn::compute
