// What ttnn.bcast computes, and along which dimensions its second operand is spread.
#pragma once

#include "ttnn/core/enum_text.hpp"

namespace ttnn {

enum class BcastOpMath : uint8_t { ADD, SUB, MUL };
enum class BcastOpDim : uint8_t { H, W, HW };

template <>
struct EnumInfo<BcastOpMath> {
    static constexpr std::string_view type = "BcastOpMath";
    static constexpr EnumMember<BcastOpMath> members[] = {
        {BcastOpMath::ADD, "ADD"}, {BcastOpMath::SUB, "SUB"}, {BcastOpMath::MUL, "MUL"}};
};
template <>
struct EnumInfo<BcastOpDim> {
    static constexpr std::string_view type = "BcastOpDim";
    static constexpr EnumMember<BcastOpDim> members[] = {
        {BcastOpDim::H, "H"}, {BcastOpDim::W, "W"}, {BcastOpDim::HW, "HW"}};
};

}  // namespace ttnn
