// apply_unary for integer tensors.
#include <algorithm>

#include "ttnn/compute/unary.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/core/vector_clones.hpp"

namespace ttnn::compute {
namespace {

template <class F>
TTNN_ALWAYS_INLINE void each(uint32_t* values, size_t count, F function) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = function(values[i]);
    }
}

uint32_t flag(bool condition) { return condition ? 1 : 0; }
int32_t value_of(uint32_t bits) { return static_cast<int32_t>(bits); }

// Functions whose meaning depends on the sign; unsigned types have none, and UINT8/UINT16 patterns are never negative.
TTNN_VECTOR_CLONES bool apply_signed(UnaryOpType type, uint32_t* values, size_t count) {
    switch (type) {
        case UnaryOpType::ABS:
        case UnaryOpType::ABS_INT32:
            each(values, count, [](uint32_t x) { return value_of(x) < 0 ? -x : x; });
            return true;
        case UnaryOpType::NEG: each(values, count, [](uint32_t x) { return -x; }); return true;
        case UnaryOpType::GTZ: each(values, count, [](uint32_t x) { return flag(value_of(x) > 0); }); return true;
        case UnaryOpType::LTZ:
        case UnaryOpType::SIGNBIT: each(values, count, [](uint32_t x) { return x >> 31; }); return true;
        case UnaryOpType::GEZ: each(values, count, [](uint32_t x) { return ~x >> 31; }); return true;
        case UnaryOpType::LEZ: each(values, count, [](uint32_t x) { return flag(value_of(x) <= 0); }); return true;
        case UnaryOpType::RELU: each(values, count, [](uint32_t x) { return value_of(x) < 0 ? 0 : x; }); return true;
        default: return false;
    }
}

TTNN_VECTOR_CLONES bool apply_any_integer(UnaryOpType type, int64_t parameter, uint32_t* values, size_t count) {
    const auto p = static_cast<uint32_t>(parameter);
    switch (type) {
        case UnaryOpType::IDENTITY: return true;
        case UnaryOpType::EQZ:
        case UnaryOpType::LOGICAL_NOT_UNARY: each(values, count, [](uint32_t x) { return flag(x == 0); }); return true;
        case UnaryOpType::NEZ: each(values, count, [](uint32_t x) { return flag(x != 0); }); return true;
        case UnaryOpType::SQUARE: each(values, count, [](uint32_t x) { return x * x; }); return true;
        case UnaryOpType::FILL: each(values, count, [=](uint32_t) { return p; }); return true;
        case UnaryOpType::BITWISE_NOT: each(values, count, [](uint32_t x) { return ~x; }); return true;
        case UnaryOpType::BITWISE_AND: each(values, count, [=](uint32_t x) { return x & p; }); return true;
        case UnaryOpType::BITWISE_OR: each(values, count, [=](uint32_t x) { return x | p; }); return true;
        case UnaryOpType::BITWISE_XOR: each(values, count, [=](uint32_t x) { return x ^ p; }); return true;
        case UnaryOpType::UNARY_EQ: each(values, count, [=](uint32_t x) { return flag(x == p); }); return true;
        case UnaryOpType::UNARY_NE: each(values, count, [=](uint32_t x) { return flag(x != p); }); return true;
        case UnaryOpType::ADD_UNARY_SFPU: each(values, count, [=](uint32_t x) { return x + p; }); return true;
        case UnaryOpType::SUB_UNARY_SFPU: each(values, count, [=](uint32_t x) { return x - p; }); return true;
        case UnaryOpType::MUL_UNARY_SFPU: each(values, count, [=](uint32_t x) { return x * p; }); return true;
        case UnaryOpType::RSUB: each(values, count, [=](uint32_t x) { return p - x; }); return true;
        default: return false;
    }
}

// Comparisons with a number and shifts, by value: int32 as signed, the others as unsigned numbers.
template <class Integer>
bool apply_ordered(UnaryOpType type, int64_t a, int64_t b, uint32_t* values, size_t count) {
    const auto number = [](uint32_t bits) { return static_cast<int64_t>(static_cast<Integer>(bits)); };
    const auto apply = [&](auto function) {
        each(values, count, [&](uint32_t x) { return static_cast<uint32_t>(function(number(x))); });
        return true;
    };
    const auto inside = [=](int64_t x) { return x < a ? a : x; };
    switch (type) {
        case UnaryOpType::UNARY_GT: return apply([=](int64_t x) { return int64_t{x > a}; });
        case UnaryOpType::UNARY_LT: return apply([=](int64_t x) { return int64_t{x < a}; });
        case UnaryOpType::UNARY_GE: return apply([=](int64_t x) { return int64_t{x >= a}; });
        case UnaryOpType::UNARY_LE: return apply([=](int64_t x) { return int64_t{x <= a}; });
        case UnaryOpType::RELU_MIN:
        case UnaryOpType::MAXIMUM: return apply(inside);
        case UnaryOpType::MINIMUM: return apply([=](int64_t x) { return x > a ? a : x; });
        case UnaryOpType::RELU_MAX:
            return apply([=](int64_t x) { return std::clamp<int64_t>(x, 0, std::max<int64_t>(a, 0)); });
        case UnaryOpType::CLAMP_TSS: return apply([=](int64_t x) { return inside(x) > b ? b : inside(x); });
        case UnaryOpType::LEFT_SHIFT: return apply([=](int64_t x) { return a > 31 ? 0 : x << a; });
        case UnaryOpType::RIGHT_SHIFT: return apply([=](int64_t x) { return x >> (a > 31 ? 31 : a); });
        default: return false;
    }
}

}  // namespace

void apply_unary_bits(const UnaryWithParam& op, DataType dtype, uint32_t* values, size_t count) {
    const auto parameters = unary_parameters(op);
    const auto a = static_cast<int64_t>(parameters[0]);
    const auto b = static_cast<int64_t>(parameters[1]);
    const bool is_signed = dtype == DataType::INT32;
    const bool known =
        apply_any_integer(op.op_type, a, values, count) ||
        (is_signed ? apply_signed(op.op_type, values, count) || apply_ordered<int32_t>(op.op_type, a, b, values, count)
                   : apply_ordered<uint32_t>(op.op_type, a, b, values, count));
    require(known, "{} is not defined for {}", op.op_type, dtype);
}

}  // namespace ttnn::compute
