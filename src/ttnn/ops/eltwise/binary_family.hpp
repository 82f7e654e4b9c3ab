// What the declarations of binary operations share: parameters, documentation, input domains, tolerances and cases.
#pragma once

#include "ttnn/op/domain.hpp"
#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"
#include "ttnn/ops/eltwise/binary_arguments.hpp"

namespace ttnn {

// The long common signature. The order of members is that of C++ calls and format-1 traces.
struct BinaryParams {
    Tensor input_tensor_a{};
    TensorOrScalar input_tensor_b{};
    std::optional<DataType> dtype{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
    std::optional<CoreRangeSet> sub_core_grids{};
};

struct InPlaceParams {
    Tensor input_a{};
    TensorOrScalar input_b{};
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
    std::optional<CoreRangeSet> sub_core_grids{};
};

namespace binary_doc {
inline constexpr std::string_view a = "tensor on a device";
inline constexpr std::string_view b = "tensor that broadcasts with the first, or a number";
inline constexpr std::string_view dtype = "of the result; default: that of the first operand";
inline constexpr std::string_view memory_config = "default: follows the operands";
inline constexpr std::string_view output = "preallocated result";
inline constexpr std::string_view post = "functions applied to the result, left to right";
inline constexpr std::string_view pre = "functions applied to the operand, left to right";
inline constexpr std::string_view no_effect = "no effect on the result";
}  // namespace binary_doc

constexpr std::string_view doc_of(BinaryOpType type) {
    using enum BinaryOpType;
    switch (type) {
        case ADD: return "a + b";
        case SUB: return "a - b";
        case MUL: return "a * b";
        case GT: return "1 where a > b, else 0";
        case LT: return "1 where a < b, else 0";
        case LE: return "1 where a <= b, else 0";
        case GE: return "1 where a >= b, else 0";
        case EQ: return "1 where a == b, else 0";
        case NE: return "1 where a != b, else 0";
        case SQUARED_DIFFERENCE: return "(a - b)^2";
        case BIAS_GELU: return "gelu(a + b)";
        case LOGADDEXP: return "ln(e^a + e^b)";
        case LOGICAL_AND: return "1 where a and b are both not 0, else 0";
        case LOGICAL_OR: return "1 where a or b is not 0, else 0";
        case LOGICAL_XOR: return "1 where exactly one of a and b is not 0, else 0";
        case LDEXP: return "a * 2^b";
        case LOGADDEXP2: return "log2(2^a + 2^b)";
        case DIV: return "a / b";
        case DIV_FLOOR: return "floor(a / b)";
        case DIV_TRUNC: return "a / b, truncated";
        case DIV_NO_NAN: return "a / b, 0 where b is 0";
        case RSUB: return "b - a";
        case POWER: return "a^b";
        case RPOWER: return "b^a";
        case BITWISE_XOR: return "a ^ b, bit by bit";
        case BITWISE_AND: return "a & b, bit by bit";
        case BITWISE_OR: return "a | b, bit by bit";
        case LEFT_SHIFT: return "a shifted left by b bits (0 to 31)";
        case RIGHT_SHIFT:
            return "a shifted right by b bits (0 to 31); the highest bit of 32 is kept, of UINT32 as of INT32";
        case LOGICAL_RIGHT_SHIFT: return "the 32-bit pattern of a shifted right by b bits (0 to 31), filled with zeros";
        case MAXIMUM: return "the larger of a and b";
        case MINIMUM: return "the smaller of a and b";
        case GCD: return "greatest common divisor of two INT32 tensors, never negative";
        case LCM: return "least common multiple of two INT32 tensors with values within +-32767";
        case XLOGY: return "a * ln(b), 0 where a is 0 and b is a number";
        case FMOD: return "remainder of a / b with the sign of a";
        case REMAINDER: return "remainder of a / b with the sign of b";
        case HYPOT: return "sqrt(a^2 + b^2)";
        case ATAN2: return "angle of the point (b, a), -pi to pi; 0 at the origin";
        case NEXTAFTER: return "a plus the device's epsilon where a > b, minus it where a < b, else a";
        case ADDALPHA: return "a + alpha * b";
        case SUBALPHA: return "a - alpha * b";
        case ISCLOSE: return "1 where |a - b| <= atol + rtol * |b|, else 0";
        case PRELU: return "x where x >= 0, else weight * x";
    }
    return {};
}

// Legal values of the operands in cases. Integers take the whole range wherever fp64 can follow (wrapping included).
inline Domain binary_domain(BinaryOpType type, bool second, DataType dtype) {
    using enum BinaryOpType;
    const bool whole = is_integer(dtype);
    const bool is_signed = dtype == DataType::INT32 || !whole;
    const auto small = [&](double size) { return Domain::integer(is_signed ? -size : 0, size); };
    const auto whole_range = [&] {
        return dtype == DataType::INT32    ? Domain::integer(-2147483648.0, 2147483647.0)
               : dtype == DataType::UINT32 ? Domain::integer(0, 4294967295.0)
                                           : Domain::integer(0, 65535);
    };
    switch (type) {
        case GT:
        case LT:
        case LE:
        case GE:
        case EQ:
        case NE:
        case LOGICAL_AND:
        case LOGICAL_OR:
        case LOGICAL_XOR:
        case ISCLOSE: return small(2);  // ties and zeros must occur
        case ADD:
        case SUB:
        case RSUB:
        case MAXIMUM:
        case MINIMUM: return whole ? whole_range() : Domain::real(-4, 4);
        case BITWISE_AND:
        case BITWISE_OR:
        case BITWISE_XOR: return whole_range();
        case LEFT_SHIFT:
        case RIGHT_SHIFT:
        case LOGICAL_RIGHT_SHIFT: return second ? Domain::integer(0, 31) : whole_range();
        case MUL:
        case SQUARED_DIFFERENCE: return whole ? small(dtype == DataType::UINT16 ? 60000 : 90000) : Domain::real(-4, 4);
        case DIV:
        case DIV_FLOOR:
        case DIV_TRUNC:
        case FMOD:
        case REMAINDER:
            if (second) {
                return whole ? Domain::integer(1, 50) : Domain::real(0.5, 4);
            }
            return whole ? small(10000) : Domain::real(-20, 20);
        case DIV_NO_NAN: return small(2);
        case GCD: return small(1000);
        case LCM: return small(32767);
        case XLOGY: return second ? Domain::real(0.1, 8) : Domain::real(-4, 4);
        case POWER: return second ? Domain::real(-3, 3) : Domain::real(0.1, 4);
        case RPOWER: return Domain::real(-3, 3);
        case LDEXP:
        case LOGADDEXP:
        case LOGADDEXP2: return Domain::real(-4, 4);
        // Further left the reference's 1 + erf would cancel.
        case BIAS_GELU: return Domain::real(-2, 2);
        default: return whole ? small(1000) : Domain::real(-4, 4);
    }
}

constexpr Tolerance tolerance_of(BinaryOpType type) {
    using enum BinaryOpType;
    switch (type) {
        // Two roundings in fp32.
        case SQUARED_DIFFERENCE: return {.ulp_float32 = 2, .ulp_bfloat16 = 1, .ulp_block_float = 1};
        // Rounded once from a function that is not correctly rounded itself.
        case BIAS_GELU:
        case LOGADDEXP:
        case LOGADDEXP2:
        case LDEXP:
        case POWER:
        case RPOWER:
        case XLOGY:
        case HYPOT:
        case ADDALPHA:
        case SUBALPHA: return {.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1};
        case ATAN2: return {.ulp_float32 = 2, .ulp_bfloat16 = 1, .ulp_block_float = 1};
        // One correctly rounded operation, or exact.
        default: return {.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    }
}

// The dtype of a tensor-or-scalar parameter's tensor.
inline DataType dtype_of(const TensorOrScalar& operand) {
    const auto* tensor = std::get_if<Tensor>(&operand);
    return tensor != nullptr && *tensor ? tensor->dtype() : DataType::BFLOAT16;
}

// The part of the arguments that the long signature and its variants have in common.
template <class Params>
BinaryArguments binary_arguments(std::string_view op, BinaryOpType type, const Params& params) {
    BinaryArguments call;
    call.op = op;
    call.type = type;
    call.a = &params.input_tensor_a;
    if constexpr (requires { params.dtype; }) {
        call.dtype = params.dtype;
    }
    call.memory_config = pointer_to(params.memory_config);
    if constexpr (requires { params.output_tensor; }) {
        call.output = pointer_to(params.output_tensor);
    }
    if constexpr (requires { params.activations; }) {
        call.activations = params.activations;
        call.a_activations = params.input_tensor_a_activations;
        call.b_activations = params.input_tensor_b_activations;
    }
    if constexpr (requires { params.sub_core_grids; }) {
        call.cores = pointer_to(params.sub_core_grids);
    }
    if constexpr (requires { params.input_tensor_b.index(); }) {
        call.set_second(params.input_tensor_b);
    } else if constexpr (requires { params.input_tensor_b; }) {
        call.b = &params.input_tensor_b;
    } else {
        call.set_second(params.input_b);
        call.b_name = "input_b";
    }
    return call;
}

template <class Params>
BinaryArguments in_place_arguments(std::string_view op, BinaryOpType type, const Params& params) {
    BinaryArguments call;
    call.op = op;
    call.type = type;
    call.a = &params.input_a;
    call.a_name = "input_a";
    call.b_name = "input_b";
    call.output = &params.input_a;
    call.activations = params.activations;
    call.a_activations = params.input_tensor_a_activations;
    call.b_activations = params.input_tensor_b_activations;
    call.cores = pointer_to(params.sub_core_grids);
    call.set_second(params.input_b);
    return call;
}

// Members of the long signature, in Python order.
inline constexpr FieldList binary_fields{arg<&BinaryParams::input_tensor_a>(binary_doc::a),
                                         arg<&BinaryParams::input_tensor_b>(binary_doc::b).also("input_b"),
                                         kw<&BinaryParams::dtype>(binary_doc::dtype),
                                         kw<&BinaryParams::memory_config>(binary_doc::memory_config),
                                         kw<&BinaryParams::output_tensor>(binary_doc::output).mutates(),
                                         kw<&BinaryParams::activations>(binary_doc::post),
                                         kw<&BinaryParams::input_tensor_a_activations>(binary_doc::pre),
                                         kw<&BinaryParams::input_tensor_b_activations>(binary_doc::pre),
                                         kw<&BinaryParams::use_legacy>(binary_doc::no_effect),
                                         kw<&BinaryParams::sub_core_grids>("cores to use")};

inline constexpr FieldList in_place_fields{
    arg<&InPlaceParams::input_a>("tensor on a device in TILE; holds the result afterwards").mutates(),
    arg<&InPlaceParams::input_b>(binary_doc::b).also("value"),
    opt<&InPlaceParams::activations>(binary_doc::post),
    opt<&InPlaceParams::input_tensor_a_activations>(binary_doc::pre),
    opt<&InPlaceParams::input_tensor_b_activations>(binary_doc::pre),
    opt<&InPlaceParams::use_legacy>(binary_doc::no_effect),
    opt<&InPlaceParams::sub_core_grids>("cores to use")};

// Tensor run / reference of arguments, defined on their own side each.
Tensor run_binary(const BinaryArguments& call);
namespace reference {
std::vector<Array> binary(const BinaryArguments& call);
}

// An operation with the long signature.
template <FixedString Name, BinaryOpType Type>
struct Binary {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = BinaryParams;
    using Result = Tensor;
    static constexpr const auto& fields = binary_fields;
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, Type, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_tensor_b";
        return binary_domain(Type, second, second ? dtype_of(params.input_tensor_b) : params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

// An operation that writes into its first operand.
template <FixedString Name, BinaryOpType Type>
struct InPlaceBinary {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = InPlaceParams;
    using Result = Tensor;
    static constexpr const auto& fields = in_place_fields;
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return in_place_arguments(name, Type, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_b";
        return binary_domain(Type, second, second ? dtype_of(params.input_b) : params.input_a.dtype());
    }
    static void cases(CaseMaker& make);
};

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/binary.hpp"

namespace ttnn {

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> Binary<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

template <FixedString Name, BinaryOpType Type>
std::vector<reference::Array> InPlaceBinary<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

}  // namespace ttnn

#else

#include "ttnn/ops/eltwise/binary_cases.hpp"

namespace ttnn {

template <FixedString Name, BinaryOpType Type>
void Binary<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

template <FixedString Name, BinaryOpType Type>
void InPlaceBinary<Name, Type>::cases(CaseMaker& make) {
    in_place_cases<Params>(make, Type);
}

}  // namespace ttnn

#endif
