#include "ttnn/compute/binary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "ttnn/core/error.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

template <class T, class F>
TTNN_ALWAYS_INLINE void loop(const T* a, const T* b, T* out, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = function(a[i], b[i]);
    }
}

// Cheap functions, one rounding each, so that every instruction set gives the same bits.
TTNN_VECTOR_CLONES
bool apply_simple(BinaryOpType op, const float* a, const float* b, float* out, size_t count) {
    using enum BinaryOpType;
    switch (op) {
        case ADD: loop(a, b, out, count, [](float x, float y) { return x + y; }); return true;
        case SUB: loop(a, b, out, count, [](float x, float y) { return x - y; }); return true;
        case RSUB: loop(a, b, out, count, [](float x, float y) { return y - x; }); return true;
        case MUL: loop(a, b, out, count, [](float x, float y) { return x * y; }); return true;
        case DIV: loop(a, b, out, count, [](float x, float y) { return x / y; }); return true;
        case DIV_NO_NAN: loop(a, b, out, count, [](float x, float y) { return y == 0 ? 0 : x / y; }); return true;
        case DIV_FLOOR: loop(a, b, out, count, [](float x, float y) { return std::floor(x / y); }); return true;
        case DIV_TRUNC: loop(a, b, out, count, [](float x, float y) { return std::trunc(x / y); }); return true;
        case GT: loop(a, b, out, count, [](float x, float y) { return x > y ? 1.0F : 0.0F; }); return true;
        case LT: loop(a, b, out, count, [](float x, float y) { return x < y ? 1.0F : 0.0F; }); return true;
        case LE: loop(a, b, out, count, [](float x, float y) { return x <= y ? 1.0F : 0.0F; }); return true;
        case GE: loop(a, b, out, count, [](float x, float y) { return x >= y ? 1.0F : 0.0F; }); return true;
        case EQ: loop(a, b, out, count, [](float x, float y) { return x == y ? 1.0F : 0.0F; }); return true;
        case NE: loop(a, b, out, count, [](float x, float y) { return x != y ? 1.0F : 0.0F; }); return true;
        case LOGICAL_AND:
            loop(a, b, out, count, [](float x, float y) { return (x != 0) & (y != 0) ? 1.0F : 0.0F; });
            return true;
        case LOGICAL_OR:
            loop(a, b, out, count, [](float x, float y) { return (x != 0) | (y != 0) ? 1.0F : 0.0F; });
            return true;
        case LOGICAL_XOR:
            loop(a, b, out, count, [](float x, float y) { return (x != 0) != (y != 0) ? 1.0F : 0.0F; });
            return true;
        case SQUARED_DIFFERENCE:
            loop(a, b, out, count, [](float x, float y) { return (x - y) * (x - y); });
            return true;
        // A NaN in either operand comes through, as torch does it.
        case MAXIMUM:
            loop(a, b, out, count, [](float x, float y) { return x != x ? x : (y > x || y != y) ? y : x; });
            return true;
        case MINIMUM:
            loop(a, b, out, count, [](float x, float y) { return x != x ? x : (y < x || y != y) ? y : x; });
            return true;
        case PRELU: loop(a, b, out, count, [](float x, float w) { return x >= 0 ? x : w * x; }); return true;
        case NEXTAFTER:
            loop(a, b, out, count, [](float x, float y) {
                constexpr float eps = std::numeric_limits<float>::epsilon();  // what device.sfpu_eps() says
                return x > y ? x + eps : x < y ? x - eps : x;
            });
            return true;
        default: return false;
    }
}

float floored_remainder(float x, float y) {
    const float rest = std::fmod(x, y);
    return rest != 0 && std::signbit(rest) != std::signbit(y) ? rest + y : rest;
}

float full_quadrant_angle(float y, float x) { return x == 0 && y == 0 ? 0.0F : std::atan2(y, x); }

// fp64 inside: sums that nearly cancel keep their accuracy, and a fp32 result is rounded once.
double log_of_sum(double x, double y) {
    return x == y ? x + std::numbers::ln2 : std::max(x, y) + std::log1p(std::exp(-std::abs(x - y)));
}
double log2_of_sum(double x, double y) {
    return x == y ? x + 1 : std::max(x, y) + std::log1p(std::exp2(-std::abs(x - y))) * std::numbers::log2e;
}
double gelu(double x) { return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2); }
double x_log_y(double x, double y) { return x == 0 && !std::isnan(y) ? 0.0 : x * std::log(y); }

double close(double x, double y, const double* params) {
    if (params[2] != 0 && std::isnan(x) && std::isnan(y)) {
        return 1;
    }
    if (params[2] == 0) {  // the hardware replaces NaN before it compares
        x = std::isnan(x) ? 1 : x;
        y = std::isnan(y) ? 0 : y;
    }
    return std::abs(x - y) <= params[1] + params[0] * std::abs(y) || x == y ? 1 : 0;
}

template <class T, class F>
void loop_wide(const T* a, const T* b, T* out, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<T>(function(static_cast<double>(a[i]), static_cast<double>(b[i])));
    }
}

// --- integers ----------------------------------------------------------------------------------------------------

// Quotients by zero follow what a float quotient saturates to: the end of the range on the dividend's side, 0 / 0 = 0.
int64_t quotient_by_zero(int64_t x, int64_t lowest, int64_t highest) { return x == 0 ? 0 : x < 0 ? lowest : highest; }

int64_t floored_quotient(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0); }

uint32_t shifted_left(uint32_t x, uint32_t by) { return by < 32 ? x << by : 0; }
uint32_t shifted_right(uint32_t x, uint32_t by) { return by < 32 ? x >> by : 0; }
// For UINT32 as well: the hardware knows no other shift of 32-bit numbers.
uint32_t shifted_right_signed(uint32_t x, uint32_t by) {
    return static_cast<uint32_t>(static_cast<int32_t>(x) >> std::min(by, 31U));
}

int64_t least_common_multiple(int64_t x, int64_t y) { return x == 0 || y == 0 ? 0 : std::abs(x / std::gcd(x, y) * y); }

// Functions of the bits alone.
bool apply_patterns(BinaryOpType op, const uint32_t* a, const uint32_t* b, uint32_t* out, size_t count) {
    using enum BinaryOpType;
    switch (op) {
        case ADD: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x + y; }); return true;
        case SUB: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x - y; }); return true;
        case RSUB: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return y - x; }); return true;
        case MUL: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x * y; }); return true;
        case SQUARED_DIFFERENCE:
            loop(a, b, out, count, [](uint32_t x, uint32_t y) { return (x - y) * (x - y); });
            return true;
        case EQ: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return uint32_t{x == y}; }); return true;
        case NE: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return uint32_t{x != y}; }); return true;
        case LOGICAL_AND:
            loop(a, b, out, count, [](uint32_t x, uint32_t y) { return uint32_t{(x != 0) && (y != 0)}; });
            return true;
        case LOGICAL_OR:
            loop(a, b, out, count, [](uint32_t x, uint32_t y) { return uint32_t{(x != 0) || (y != 0)}; });
            return true;
        case LOGICAL_XOR:
            loop(a, b, out, count, [](uint32_t x, uint32_t y) { return uint32_t{(x != 0) != (y != 0)}; });
            return true;
        case BITWISE_AND: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x & y; }); return true;
        case BITWISE_OR: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x | y; }); return true;
        case BITWISE_XOR: loop(a, b, out, count, [](uint32_t x, uint32_t y) { return x ^ y; }); return true;
        case LEFT_SHIFT: loop(a, b, out, count, shifted_left); return true;
        case RIGHT_SHIFT: loop(a, b, out, count, shifted_right_signed); return true;
        case LOGICAL_RIGHT_SHIFT: loop(a, b, out, count, shifted_right); return true;
        default: return false;
    }
}

// Functions of the values: Integer is int32_t or uint32_t.
template <class Integer>
bool apply_values(BinaryOpType op, const uint32_t* a, const uint32_t* b, uint32_t* out, size_t count) {
    using enum BinaryOpType;
    constexpr int64_t lowest = std::numeric_limits<Integer>::min();
    constexpr int64_t highest = std::numeric_limits<Integer>::max();
    const auto each = [&](auto function) {
        for (size_t i = 0; i < count; ++i) {
            const int64_t value = function(int64_t{static_cast<Integer>(a[i])}, int64_t{static_cast<Integer>(b[i])});
            out[i] = static_cast<uint32_t>(value);
        }
        return true;
    };
    switch (op) {
        case GT: return each([](int64_t x, int64_t y) { return int64_t{x > y}; });
        case LT: return each([](int64_t x, int64_t y) { return int64_t{x < y}; });
        case LE: return each([](int64_t x, int64_t y) { return int64_t{x <= y}; });
        case GE: return each([](int64_t x, int64_t y) { return int64_t{x >= y}; });
        case MAXIMUM: return each([](int64_t x, int64_t y) { return std::max(x, y); });
        case MINIMUM: return each([](int64_t x, int64_t y) { return std::min(x, y); });
        case GCD: return each([](int64_t x, int64_t y) { return std::gcd(x, y); });
        case LCM: return each(least_common_multiple);
        case DIV_FLOOR:
            return each([&](int64_t x, int64_t y) {
                return y == 0 ? quotient_by_zero(x, lowest, highest) : floored_quotient(x, y);
            });
        case DIV_TRUNC:
            return each([&](int64_t x, int64_t y) { return y == 0 ? quotient_by_zero(x, lowest, highest) : x / y; });
        case FMOD: return each([](int64_t x, int64_t y) { return y == 0 ? 0 : x % y; });
        case REMAINDER: return each([](int64_t x, int64_t y) { return y == 0 ? 0 : x - y * floored_quotient(x, y); });
        default: return false;
    }
}

}  // namespace

void apply_binary(BinaryOpType op, const float* a, const float* b, float* out, size_t count, const double* params) {
    using enum BinaryOpType;
    if (apply_simple(op, a, b, out, count)) {
        return;
    }
    switch (op) {
        case BIAS_GELU: return loop_wide(a, b, out, count, [](double x, double y) { return gelu(x + y); });
        case LOGADDEXP: return loop_wide(a, b, out, count, log_of_sum);
        case LOGADDEXP2: return loop_wide(a, b, out, count, log2_of_sum);
        case LDEXP: return loop_wide(a, b, out, count, [](double x, double y) { return x * std::exp2(y); });
        case POWER: return loop_wide(a, b, out, count, [](double x, double y) { return std::pow(x, y); });
        case RPOWER: return loop_wide(a, b, out, count, [](double x, double y) { return std::pow(y, x); });
        case XLOGY: return loop_wide(a, b, out, count, x_log_y);
        case HYPOT: return loop_wide(a, b, out, count, [](double x, double y) { return std::sqrt(x * x + y * y); });
        case ADDALPHA:
            return loop_wide(a, b, out, count, [alpha = params[0]](double x, double y) { return x + alpha * y; });
        case SUBALPHA:
            return loop_wide(a, b, out, count, [alpha = params[0]](double x, double y) { return x - alpha * y; });
        case ISCLOSE: return loop_wide(a, b, out, count, [&](double x, double y) { return close(x, y, params); });
        case ATAN2: return loop(a, b, out, count, full_quadrant_angle);
        case FMOD: return loop(a, b, out, count, [](float x, float y) { return std::fmod(x, y); });
        case REMAINDER: return loop(a, b, out, count, floored_remainder);
        default: fail("{} is not defined for floating-point numbers", op);
    }
}

void apply_binary(BinaryOpType op, bool is_signed, const uint32_t* a, const uint32_t* b, uint32_t* out, size_t count,
                  const double* params) {
    if (apply_patterns(op, a, b, out, count)) {
        return;
    }
    if (op == BinaryOpType::ADDALPHA || op == BinaryOpType::SUBALPHA) {
        const auto alpha = static_cast<uint32_t>(static_cast<int64_t>(params[0]));
        const uint32_t factor = op == BinaryOpType::ADDALPHA ? alpha : 0 - alpha;
        return loop(a, b, out, count, [factor](uint32_t x, uint32_t y) { return x + factor * y; });
    }
    const bool known =
        is_signed ? apply_values<int32_t>(op, a, b, out, count) : apply_values<uint32_t>(op, a, b, out, count);
    require(known, "{} is not defined for integers", op);
}

}  // namespace ttnn::compute
