// Functions of integers: gcd, lcm, bitwise functions and shifts.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

// gcd and lcm: the long signature without numbers.
struct DivisorParams {
    Tensor input_tensor_a{};
    Tensor input_tensor_b{};
    std::optional<DataType> dtype{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
    std::optional<CoreRangeSet> sub_core_grids{};
};

template <FixedString Name, BinaryOpType Type>
struct Divisor {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = DivisorParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("INT32 tensor on a device"),
                                      arg<&Params::input_tensor_b>("INT32 tensor that broadcasts with the first"),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, Type, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view) {
        return binary_domain(Type, false, params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

struct BitwiseParams {
    Tensor input_tensor_a{};
    TensorOrScalar input_b{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
};

// Throws unless the second operand is a tensor or an int.
inline void check_whole_operand(std::string_view op, std::string_view argument, const TensorOrScalar& operand) {
    require(!std::holds_alternative<double>(operand), "{}: argument '{}' must be a Tensor or an int, got the float {}",
            op, argument, std::holds_alternative<double>(operand) ? std::get<double>(operand) : 0.0);
}

// Throws when a constant shift is out of range; the shifts in a tensor are the caller's promise.
inline void check_shift(std::string_view op, std::string_view argument, const TensorOrScalar& operand) {
    const auto* by = std::get_if<int64_t>(&operand);
    require(by == nullptr || (*by >= 0 && *by <= 31), "{}: argument '{}' must be between 0 and 31, got {}", op,
            argument, by == nullptr ? 0 : *by);
}

constexpr bool is_shift(BinaryOpType type) {
    return type == BinaryOpType::LEFT_SHIFT || type == BinaryOpType::RIGHT_SHIFT ||
           type == BinaryOpType::LOGICAL_RIGHT_SHIFT;
}

template <FixedString Name, BinaryOpType Type>
struct Bitwise {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = BitwiseParams;
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>("INT32, UINT32 or UINT16 tensor on a device"),
        arg<&Params::input_b>("tensor that broadcasts with the first, or an int").also("input_tensor_b"),
        kw<&Params::memory_config>(binary_doc::memory_config),
        kw<&Params::output_tensor>(binary_doc::output).mutates(),
        kw<&Params::activations>(binary_doc::post),
        kw<&Params::input_tensor_a_activations>(binary_doc::pre),
        kw<&Params::input_tensor_b_activations>(binary_doc::pre),
        kw<&Params::use_legacy>(binary_doc::no_effect)};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, Type, params); }
    static void validate(const Params& params) {
        check_whole_operand(name, "input_b", params.input_b);
        if constexpr (is_shift(Type)) {
            check_shift(name, "input_b", params.input_b);
        }
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_b";
        return binary_domain(Type, second, second ? dtype_of(params.input_b) : params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

struct LogicalRightShift {
    static constexpr std::string_view name = "ttnn.logical_right_shift";
    static constexpr std::string_view doc = doc_of(BinaryOpType::LOGICAL_RIGHT_SHIFT);
    struct Params {
        Tensor input_tensor_a{};
        TensorOrScalar input_tensor_b{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<bool> use_legacy{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("INT32, UINT32 or UINT16 tensor on a device"),
                                      arg<&Params::input_tensor_b>("tensor that broadcasts with the first, or an int"),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::use_legacy>(binary_doc::no_effect)};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::LOGICAL_RIGHT_SHIFT);

    static BinaryArguments arguments(const Params& params) {
        return binary_arguments(name, BinaryOpType::LOGICAL_RIGHT_SHIFT, params);
    }
    static void validate(const Params& params) {
        check_whole_operand(name, "input_tensor_b", params.input_tensor_b);
        check_shift(name, "input_tensor_b", params.input_tensor_b);
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        return binary_domain(BinaryOpType::LOGICAL_RIGHT_SHIFT, field == "input_tensor_b",
                             params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(gcd, Divisor<"ttnn.gcd", BinaryOpType::GCD>);
TTNN_OPERATION(lcm, Divisor<"ttnn.lcm", BinaryOpType::LCM>);
TTNN_OPERATION(bitwise_and, Bitwise<"ttnn.bitwise_and", BinaryOpType::BITWISE_AND>);
TTNN_OPERATION(bitwise_or, Bitwise<"ttnn.bitwise_or", BinaryOpType::BITWISE_OR>);
TTNN_OPERATION(bitwise_xor, Bitwise<"ttnn.bitwise_xor", BinaryOpType::BITWISE_XOR>);
TTNN_OPERATION(bitwise_left_shift, Bitwise<"ttnn.bitwise_left_shift", BinaryOpType::LEFT_SHIFT>);
TTNN_OPERATION(bitwise_right_shift, Bitwise<"ttnn.bitwise_right_shift", BinaryOpType::RIGHT_SHIFT>);
TTNN_OPERATION(logical_left_shift, Bitwise<"ttnn.logical_left_shift", BinaryOpType::LEFT_SHIFT>);
TTNN_OPERATION(logical_right_shift, LogicalRightShift);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
std::vector<ttnn::reference::Array> ttnn::Divisor<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
std::vector<ttnn::reference::Array> ttnn::Bitwise<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

inline std::vector<ttnn::reference::Array> ttnn::LogicalRightShift::reference(const Params& params) {
    return reference::binary(arguments(params));
}

#else

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
void ttnn::Divisor<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
void ttnn::Bitwise<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

inline void ttnn::LogicalRightShift::cases(CaseMaker& make) {
    binary_cases<Params>(make, BinaryOpType::LOGICAL_RIGHT_SHIFT);
}

#endif
