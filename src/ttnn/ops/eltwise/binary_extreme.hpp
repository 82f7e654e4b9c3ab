// maximum and minimum of two operands.
#pragma once

#include <limits>
#include <utility>

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct ExtremeParams {
    Tensor input_tensor_a{};
    TensorOrScalar input_b{};
    std::optional<DataType> dtype{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
};

// The ints that an extreme with a tensor of this dtype takes: integers of 32 bits are compared exactly, the others as
// 32-bit floats.
constexpr std::pair<int64_t, int64_t> whole_numbers(DataType dtype) {
    switch (dtype) {
        case DataType::INT32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
        case DataType::UINT32: return {0, std::numeric_limits<uint32_t>::max()};
        default: return {-16777216, 16777216};
    }
}

template <FixedString Name, BinaryOpType Type>
struct Extreme {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    using Params = ExtremeParams;
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor_a>(binary_doc::a),
        arg<&Params::input_b>(
            "tensor that broadcasts with the first, or a number; an int must fit INT32 or UINT32, else be within "
            "+-16777216")
            .also("input_tensor_b"),
        kw<&Params::dtype>("of the result; ignored with a number"),
        kw<&Params::memory_config>(binary_doc::memory_config),
        kw<&Params::output_tensor>(binary_doc::output).mutates(),
        kw<&Params::activations>("functions applied to the result; ignored with a number"),
        kw<&Params::input_tensor_a_activations>("functions applied to the operand; ignored with a number"),
        kw<&Params::input_tensor_b_activations>(binary_doc::pre),
        kw<&Params::use_legacy>(binary_doc::no_effect)};
    static constexpr Tolerance tolerance = tolerance_of(Type);

    static BinaryArguments arguments(const Params& params) {
        BinaryArguments call = binary_arguments(name, Type, params);
        if (call.b == nullptr) {
            call.dtype.reset();
            call.activations = call.a_activations = call.b_activations = {};
        }
        return call;
    }
    static void validate(const Params& params) {
        if (const auto* whole = std::get_if<int64_t>(&params.input_b)) {
            const auto [lowest, highest] = whole_numbers(params.input_tensor_a.dtype());
            require(*whole >= lowest && *whole <= highest,
                    "{}: argument 'input_b' must be from {} to {} when it is an int and the tensor has {}, got {}",
                    name, lowest, highest, member_name(params.input_tensor_a.dtype()), *whole);
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

TTNN_OPERATION(maximum, Extreme<"ttnn.maximum", BinaryOpType::MAXIMUM>);
TTNN_OPERATION(minimum, Extreme<"ttnn.minimum", BinaryOpType::MINIMUM>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
std::vector<ttnn::reference::Array> ttnn::Extreme<Name, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

#else

template <ttnn::FixedString Name, ttnn::BinaryOpType Type>
void ttnn::Extreme<Name, Type>::cases(CaseMaker& make) {
    binary_cases<Params>(make, Type);
}

#endif
