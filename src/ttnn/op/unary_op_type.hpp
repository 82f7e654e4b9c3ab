// The unary functions the hardware knows, in the order that gives their values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ttnn/core/enum_text.hpp"

namespace ttnn {

// clang-format off
enum class UnaryOpType : uint8_t {
    EXP, RECIP, GELU, RELU, SQRT, SIGMOID, LOG, LOG1P, TANH, LOG2, LOG10, SIN, COS, COSH, SINH, ABS, ABS_INT32, SIGN,
    SQUARE, EQZ, NEZ, GTZ, LTZ, GEZ, LEZ, RELU_MAX, RELU_MIN, POWER, POWER_ITERATIVE, LEAKY_RELU, ELU, EXP2, HEAVISIDE,
    EXPM1, SIGNBIT, ASIN, ACOS, ACOSH, RSQRT, RELU6, ATAN, ASINH, ATANH, ERF, ERFC, ISINF, ISPOSINF, ISNEGINF, ISNAN,
    LOGICAL_NOT_UNARY, ISFINITE, ERFINV, I0, I1, TAN, RSUB, RDIV, SILU, SOFTPLUS, IDENTITY, NEG, ADD_UNARY_SFPU,
    SUB_UNARY_SFPU, MUL_UNARY_SFPU, DIV_UNARY_SFPU, UNARY_NE, UNARY_EQ, UNARY_GT, UNARY_LT, UNARY_GE, UNARY_LE,
    TILED_PROD, TYPECAST, BITCAST, BITWISE_XOR, BITWISE_NOT, BITWISE_AND, BITWISE_OR, RIGHT_SHIFT, FLOOR, CEIL, TRUNC,
    FRAC, ROUND, LEFT_SHIFT, REMAINDER, FMOD, DROPOUT, FILL, PRELU_SFPU, ZERO_POINT, ALT_COMPLEX_ROTATE90, MISH,
    HARDMISH, MAXIMUM, MINIMUM, TANHSHRINK, THRESHOLD, SOFTSHRINK, HARDSHRINK, HARDTANH, HARDSIGMOID, HARDSWISH,
    WHERE_TSS, SOFTSIGN, CELU, CLAMP_TSS, SELU, RPOW, CBRT, LOGSIGMOID, LOGIT, XIELU, LGAMMA,
};

namespace detail {
inline constexpr std::string_view unary_op_names[] = {
    "EXP", "RECIP", "GELU", "RELU", "SQRT", "SIGMOID", "LOG", "LOG1P", "TANH", "LOG2", "LOG10", "SIN", "COS", "COSH",
    "SINH", "ABS", "ABS_INT32", "SIGN", "SQUARE", "EQZ", "NEZ", "GTZ", "LTZ", "GEZ", "LEZ", "RELU_MAX", "RELU_MIN",
    "POWER", "POWER_ITERATIVE", "LEAKY_RELU", "ELU", "EXP2", "HEAVISIDE", "EXPM1", "SIGNBIT", "ASIN", "ACOS", "ACOSH",
    "RSQRT", "RELU6", "ATAN", "ASINH", "ATANH", "ERF", "ERFC", "ISINF", "ISPOSINF", "ISNEGINF", "ISNAN",
    "LOGICAL_NOT_UNARY", "ISFINITE", "ERFINV", "I0", "I1", "TAN", "RSUB", "RDIV", "SILU", "SOFTPLUS", "IDENTITY", "NEG",
    "ADD_UNARY_SFPU", "SUB_UNARY_SFPU", "MUL_UNARY_SFPU", "DIV_UNARY_SFPU", "UNARY_NE", "UNARY_EQ", "UNARY_GT",
    "UNARY_LT", "UNARY_GE", "UNARY_LE", "TILED_PROD", "TYPECAST", "BITCAST", "BITWISE_XOR", "BITWISE_NOT",
    "BITWISE_AND", "BITWISE_OR", "RIGHT_SHIFT", "FLOOR", "CEIL", "TRUNC", "FRAC", "ROUND", "LEFT_SHIFT", "REMAINDER",
    "FMOD", "DROPOUT", "FILL", "PRELU_SFPU", "ZERO_POINT", "ALT_COMPLEX_ROTATE90", "MISH", "HARDMISH", "MAXIMUM",
    "MINIMUM", "TANHSHRINK", "THRESHOLD", "SOFTSHRINK", "HARDSHRINK", "HARDTANH", "HARDSIGMOID", "HARDSWISH",
    "WHERE_TSS", "SOFTSIGN", "CELU", "CLAMP_TSS", "SELU", "RPOW", "CBRT", "LOGSIGMOID", "LOGIT", "XIELU", "LGAMMA"};

constexpr auto unary_op_members() {
    std::array<EnumMember<UnaryOpType>, std::size(unary_op_names)> members{};
    for (size_t i = 0; i < members.size(); ++i) {
        members[i] = {static_cast<UnaryOpType>(i), unary_op_names[i]};
    }
    return members;
}
}  // namespace detail

// clang-format on
static_assert(std::size(detail::unary_op_names) == static_cast<size_t>(UnaryOpType::LGAMMA) + 1);

template <>
struct EnumInfo<UnaryOpType> {
    static constexpr std::string_view type = "UnaryOpType";
    static constexpr auto members = detail::unary_op_members();
};

// A unary function with its parameters, as activation lists hold it.
struct UnaryWithParam {
    UnaryOpType op_type = UnaryOpType::IDENTITY;
    std::vector<float> params{};

    UnaryWithParam() = default;
    UnaryWithParam(UnaryOpType type) : op_type(type) {}  // NOLINT(google-explicit-constructor): as in the original
    UnaryWithParam(UnaryOpType type, std::vector<float> parameters) : op_type(type), params(std::move(parameters)) {}
    bool operator==(const UnaryWithParam&) const = default;
    std::string to_string() const;  // "UnaryWithParam(op_type=UnaryOpType::RELU)"
};

// The first two parameters of a function, defaults where they have one and 0 where there is none; throws
// an Error when a parameter without a default is missing. No function uses more than two.
std::array<float, 2> unary_parameters(const UnaryWithParam& op);

// Functions that an activation string may name ("relu", "gelu_approx", ...); throws an Error that lists them.
UnaryWithParam activation_from_name(std::string_view name);

}  // namespace ttnn
