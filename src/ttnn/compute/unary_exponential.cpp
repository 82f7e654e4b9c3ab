// The functions of apply_unary that networks spend their time in, all built on e^x. In double, so that the result is
// rounded once, and in short loops over a block of numbers without calls and branches, which become vector code. (In
// one loop the compiler follows the constant results beyond the clamps on paths of their own, and nothing is
// vectorised.)
#include <algorithm>
#include <bit>
#include <numbers>

#include "ttnn/compute/unary.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

constexpr size_t block_size = 512;
using Block = double[block_size];

template <size_t N>
TTNN_ALWAYS_INLINE double horner(const double (&coefficients)[N], double x) {
    double value = coefficients[0];
    for (size_t i = 1; i < N; ++i) {
        value = value * x + coefficients[i];
    }
    return value;
}

TTNN_ALWAYS_INLINE double magnitude(double x) { return x < 0.0 ? -x : x; }

// With x = k ln 2 + r: the series of e^r, good to 1e-15 for |r| <= ln 2 / 2, times 2^k. Adding 1.5 * 2^52 rounds to a
// whole number and leaves it in the low bits, from where it moves into the exponent. -708 <= x <= 710.
TTNN_ALWAYS_INLINE double exponential(double x) {
    constexpr double shift = 0x1.8p52;
    constexpr double ln2_high = 0x1.62e42fefa0000p-1;
    constexpr double ln2_low = 0x1.cf79abc9e3b39p-40;
    constexpr double series[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
    const double shifted = x * std::numbers::log2e + shift;
    const double k = shifted - shift;
    const double r = (x - k * ln2_high) - k * ln2_low;
    const uint64_t power = (std::bit_cast<uint64_t>(shifted) << 52) + std::bit_cast<uint64_t>(1.0);
    return horner(series, r) * std::bit_cast<double>(power);
}

// Below -708 the result is no longer a normal double, but also far below every fp32 number; at 710 k is 1024, whose
// exponent is that of infinity.
TTNN_ALWAYS_INLINE void exponentials(double* x, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double raised = x[i] < -708.0 ? -708.0 : x[i];
        x[i] = raised > 710.0 ? 710.0 : raised;
    }
    for (size_t i = 0; i < count; ++i) {
        x[i] = exponential(x[i]);
    }
}

// values[i] = result(x, exp(argument(x)))
template <class Argument, class Combine>
TTNN_ALWAYS_INLINE void through_exponential(float* values, size_t count, Argument argument, Combine result) {
    Block e;
    for (size_t i = 0; i < count; ++i) {
        e[i] = argument(static_cast<double>(values[i]));
    }
    exponentials(e, count);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(result(static_cast<double>(values[i]), e[i]));
    }
}

// x / 2 erfc(-x / sqrt 2) with erfc(z) = t exp(p(t) - z^2), t = 2 / (2 + z), z >= 0: p is a Chebyshev fit over
// 0 <= z <= 10.5 as a polynomial in the scaled t, good to 2e-12. Beyond, the tail is below every fp32 number.
TTNN_ALWAYS_INLINE void gelu(float* values, size_t count) {
    constexpr double fit[] = {8.2214876007163348e-8,   3.0798136575867948e-7,   -1.2676542666470739e-6,
                              -1.4745961344196776e-6,  9.4185831971207827e-6,   -2.9031038612039494e-6,
                              -4.5783065053279331e-5,  7.3491741767604209e-5,   0.00015469874300432867,
                              -0.00058713139862379525, -0.00026753224727285234, 0.0038771856122503749,
                              -0.0012306782851071379,  -0.030147660869357303,   0.016716057603132108,
                              0.57460997433436504,     -0.56315678559326515};
    constexpr double middle = 0.58;
    constexpr double half_width = 0.42;
    Block t;
    Block e;
    for (size_t i = 0; i < count; ++i) {
        const double z = magnitude(values[i]) * (std::numbers::sqrt2 / 2.0);
        t[i] = 2.0 / (2.0 + (z > 10.5 ? 10.5 : z));
        e[i] = z * z;
    }
    for (size_t i = 0; i < count; ++i) {
        e[i] = horner(fit, (t[i] - middle) / half_width) - e[i];
    }
    exponentials(e, count);
    for (size_t i = 0; i < count; ++i) {
        const double x = values[i];
        const double tail = t[i] * e[i];
        values[i] = static_cast<float>(0.5 * x * (x < 0.0 ? tail : 2.0 - tail));
    }
}

// With e = e^2x; the series where 1 - 2 / (e + 1) would cancel.
TTNN_ALWAYS_INLINE double tanh_of(double x, double e) {
    const double near_zero = x - x * x * x / 3.0;
    const double elsewhere = 1.0 - 2.0 / (e + 1.0);
    return magnitude(x) < 1e-3 ? near_zero : elsewhere;
}

// tanh(ln(1 + e)) is n / (n + 2) with n = e (e + 2); e is that of a number of at most 40, beyond which it is 1.
TTNN_ALWAYS_INLINE double mish_of(double x, double e) {
    const double n = e * (e + 2.0);
    return x * (n / (n + 2.0));
}

TTNN_VECTOR_CLONES bool apply_block(UnaryOpType type, float* values, size_t count) {
    const auto same = [](double x) { return x; };
    const auto negated = [](double x) { return -x; };
    switch (type) {
        case UnaryOpType::EXP:
            through_exponential(values, count, same, [](double, double e) { return e; });
            return true;
        case UnaryOpType::SIGMOID:
            through_exponential(values, count, negated, [](double, double e) { return 1.0 / (1.0 + e); });
            return true;
        case UnaryOpType::SILU:
            through_exponential(values, count, negated, [](double x, double e) { return x / (1.0 + e); });
            return true;
        case UnaryOpType::TANH:
            through_exponential(
                values, count, [](double x) { return 2.0 * x; }, [](double x, double e) { return tanh_of(x, e); });
            return true;
        case UnaryOpType::MISH:
            through_exponential(
                values, count, [](double x) { return x > 40.0 ? 40.0 : x; },
                [](double x, double e) { return mish_of(x, e); });
            return true;
        case UnaryOpType::GELU: gelu(values, count); return true;
        default: return false;
    }
}

}  // namespace

bool apply_unary_exponential(UnaryOpType type, float* values, size_t count) {
    bool known = count != 0 || apply_block(type, values, 0);
    for (size_t first = 0; first < count && known; first += block_size) {
        known = apply_block(type, values + first, std::min(block_size, count - first));
    }
    return known;
}

}  // namespace ttnn::compute
