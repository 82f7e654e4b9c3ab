#include "ttnn/reference/binary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ttnn/core/error.hpp"
#include "ttnn/reference/unary.hpp"

namespace ttnn::reference {
namespace {

double truth(bool value) { return value ? 1.0 : 0.0; }

double floored_remainder(double a, double b) { return a - b * std::floor(a / b); }
double truncated_remainder(double a, double b) { return a - b * std::trunc(a / b); }

// Euclid by subtraction of multiples, on magnitudes.
double greatest_divisor(double a, double b) {
    a = std::abs(a);
    b = std::abs(b);
    while (b != 0) {
        const double rest = truncated_remainder(a, b);
        a = b;
        b = rest;
    }
    return a;
}

double least_multiple(double a, double b) { return a == 0 || b == 0 ? 0.0 : std::abs(a * b) / greatest_divisor(a, b); }

// A rounding mode works on the quotient as a 32-bit float; of integers on the exact one.
double quotient(double a, double b, bool whole) {
    return whole ? a / b : static_cast<double>(static_cast<float>(a / b));
}

double normal_probability(double x) { return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2)); }

bool is_close(double a, double b, const std::array<double, 3>& extra) {
    const bool equal_nan = extra[2] != 0;
    if (equal_nan && std::isnan(a) && std::isnan(b)) {
        return true;
    }
    if (!equal_nan) {
        a = std::isnan(a) ? 1.0 : a;
        b = std::isnan(b) ? 0.0 : b;
    }
    return a == b || std::abs(a - b) <= extra[1] + extra[0] * std::abs(b);
}

double stepped(double a, double b) {
    const double eps = std::ldexp(1.0, -23);
    return a + (a > b ? eps : 0.0) - (a < b ? eps : 0.0);
}

int64_t bits(double value) { return static_cast<int64_t>(value); }

Array activated(Array values, std::span<const UnaryWithParam> activations, bool whole) {
    for (const UnaryWithParam& activation : activations) {
        values = mapped(values, [activation](double x) { return unary(activation, x); });
    }
    return whole && !activations.empty() ? mapped(values, [](double x) { return std::trunc(x); }) : values;
}

Array second_operand(const BinaryArguments& call) {
    if (call.b != nullptr) {
        return values(*call.b);
    }
    // A scalar reaches the hardware as a 32-bit number: of integers, truncated; else a float.
    const double number = as_double(call.scalar);
    if (computes_in_integers(call)) {
        const bool is_signed = call.a->dtype() == DataType::INT32;
        return Array(Shape{}, {wrap_to(is_signed ? DataType::INT32 : DataType::UINT32, std::trunc(number))});
    }
    return Array(Shape{}, {static_cast<double>(static_cast<float>(number))});
}

}  // namespace

double binary(const BinaryArguments& call, double a, double b, bool whole) {
    using enum BinaryOpType;
    switch (call.type) {
        case ADD: return a + b;
        case SUB: return a - b;
        case RSUB: return b - a;
        case MUL: return a * b;
        case GT: return truth(a > b);
        case LT: return truth(a < b);
        case LE: return truth(a <= b);
        case GE: return truth(a >= b);
        case EQ: return truth(a == b);
        case NE: return truth(a != b);
        case SQUARED_DIFFERENCE: return a * a - 2 * a * b + b * b;
        case BIAS_GELU: return (a + b) * normal_probability(a + b);
        case LOGADDEXP: return std::log(std::exp(a) + std::exp(b));
        case LOGADDEXP2: return std::log2(std::exp2(a) + std::exp2(b));
        case LOGICAL_AND: return truth(a != 0 && b != 0);
        case LOGICAL_OR: return truth(a != 0 || b != 0);
        case LOGICAL_XOR: return truth((a == 0) != (b == 0));
        case LDEXP: return a * std::pow(2.0, b);
        case DIV: return a / b;
        case DIV_FLOOR: return std::floor(quotient(a, b, whole));
        case DIV_TRUNC: return std::trunc(quotient(a, b, whole));
        case DIV_NO_NAN: return b == 0 ? 0.0 : a / b;
        case POWER: return std::pow(a, b);
        case RPOWER: return std::pow(b, a);
        case BITWISE_XOR: return static_cast<double>(bits(a) ^ bits(b));
        case BITWISE_AND: return static_cast<double>(bits(a) & bits(b));
        case BITWISE_OR: return static_cast<double>(bits(a) | bits(b));
        case LEFT_SHIFT: return a * std::pow(2.0, b);
        case RIGHT_SHIFT: return std::floor(wrap_to(DataType::INT32, a) / std::pow(2.0, b));
        case LOGICAL_RIGHT_SHIFT: return std::floor(wrap_to(DataType::UINT32, a) / std::pow(2.0, b));
        case MAXIMUM: return std::isnan(a) || a > b ? a : b;
        case MINIMUM: return std::isnan(a) || a < b ? a : b;
        case GCD: return greatest_divisor(a, b);
        case LCM: return least_multiple(a, b);
        case XLOGY: return a == 0 && !std::isnan(b) ? 0.0 : a * std::log(b);
        case FMOD: return truncated_remainder(a, b);
        case REMAINDER: return floored_remainder(a, b);
        case HYPOT: return std::hypot(a, b);
        case ATAN2: return a == 0 && b == 0 ? 0.0 : std::atan2(a, b);
        case NEXTAFTER: return stepped(a, b);
        case ADDALPHA: return a + call.extra[0] * b;
        case SUBALPHA: return a - call.extra[0] * b;
        case ISCLOSE: return truth(is_close(a, b, call.extra));
        case PRELU: return std::max(a, 0.0) + b * std::min(a, 0.0);
    }
    fail("no reference for {}", call.type);
}

double saturate_to(DataType dtype, double value) {
    double low = 0;
    double high = 0;
    switch (dtype) {
        case DataType::INT32: low = -2147483648.0, high = 2147483647.0; break;
        case DataType::UINT32: high = 4294967295.0; break;
        case DataType::UINT16: high = 65535.0; break;
        case DataType::UINT8: high = 255.0; break;
        default: return value;
    }
    return std::isnan(value) ? 0.0 : std::clamp(std::trunc(value), low, high);
}

Outputs binary(const BinaryArguments& call) {
    const bool whole = computes_in_integers(call);
    const Array a = activated(values(*call.a), call.a_activations, whole);
    const Array b = activated(second_operand(call), call.b_activations, whole);
    const DataType dtype =
        call.output != nullptr ? call.output->dtype() : call.dtype.value_or(default_output_dtype(call));
    // What these two make of numbers is +inf in BFLOAT16 where IEEE has NaN.
    const bool infinite =
        dtype == DataType::BFLOAT16 && (call.type == BinaryOpType::DIV || call.type == BinaryOpType::REMAINDER);
    Array result = zipped(a, b, [call, whole, infinite](double x, double y) {
        const double value = binary(call, x, y, whole);
        return infinite && y == 0 && std::isnan(value) && !std::isnan(x) ? HUGE_VAL : value;
    });
    if (whole) {
        const DataType width = is_integer(dtype) ? dtype : call.a->dtype();
        result = mapped(result, [width](double x) { return wrap_to(width, x); });
    }
    result = activated(std::move(result), call.activations, false);
    if (is_integer(dtype)) {
        result = mapped(result, [dtype](double x) { return saturate_to(dtype, x); });
    }
    if (call.output != nullptr) {  // may differ by leading ones
        result.shape = call.output->logical_shape();
    }
    if (!is_integer(dtype)) {
        result.functions =
            static_cast<double>(call.activations.size() + call.a_activations.size() + call.b_activations.size());
    }
    return {std::move(result)};
}

}  // namespace ttnn::reference
