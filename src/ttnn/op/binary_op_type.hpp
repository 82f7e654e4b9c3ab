// The binary functions the hardware knows, in the order that gives their values.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ttnn/core/enum_text.hpp"

namespace ttnn {

// clang-format off
// Members up to DIV have the documented values. The second operand of R-forms is the left one (RSUB is b - a).
enum class BinaryOpType : uint8_t {
    ADD, SUB, MUL, GT, LT, LE, GE, EQ, NE, SQUARED_DIFFERENCE, BIAS_GELU, LOGADDEXP, LOGICAL_AND, LOGICAL_OR,
    LOGICAL_XOR, LDEXP, LOGADDEXP2, DIV, DIV_FLOOR, DIV_TRUNC, DIV_NO_NAN, RSUB, POWER, RPOWER, BITWISE_XOR,
    BITWISE_AND, BITWISE_OR, LEFT_SHIFT, RIGHT_SHIFT, LOGICAL_RIGHT_SHIFT, MAXIMUM, MINIMUM, GCD, LCM, XLOGY, FMOD,
    REMAINDER, HYPOT, ATAN2, NEXTAFTER, ADDALPHA, SUBALPHA, ISCLOSE, PRELU,
};

namespace detail {
inline constexpr std::string_view binary_op_names[] = {
    "ADD", "SUB", "MUL", "GT", "LT", "LE", "GE", "EQ", "NE", "SQUARED_DIFFERENCE", "BIAS_GELU", "LOGADDEXP",
    "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR", "LDEXP", "LOGADDEXP2", "DIV", "DIV_FLOOR", "DIV_TRUNC", "DIV_NO_NAN",
    "RSUB", "POWER", "RPOWER", "BITWISE_XOR", "BITWISE_AND", "BITWISE_OR", "LEFT_SHIFT", "RIGHT_SHIFT",
    "LOGICAL_RIGHT_SHIFT", "MAXIMUM", "MINIMUM", "GCD", "LCM", "XLOGY", "FMOD", "REMAINDER", "HYPOT", "ATAN2",
    "NEXTAFTER", "ADDALPHA", "SUBALPHA", "ISCLOSE", "PRELU"};

constexpr auto binary_op_members() {
    std::array<EnumMember<BinaryOpType>, std::size(binary_op_names)> members{};
    for (size_t i = 0; i < members.size(); ++i) {
        members[i] = {static_cast<BinaryOpType>(i), binary_op_names[i]};
    }
    return members;
}
}  // namespace detail
// clang-format on
static_assert(std::size(detail::binary_op_names) == static_cast<size_t>(BinaryOpType::PRELU) + 1);
static_assert(static_cast<int>(BinaryOpType::DIV) == 17);

template <>
struct EnumInfo<BinaryOpType> {
    static constexpr std::string_view type = "BinaryOpType";
    static constexpr auto members = detail::binary_op_members();
};

}  // namespace ttnn
