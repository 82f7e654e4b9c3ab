// Binary operations that write into their first operand and return it.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct SubtractInPlace : InPlaceBinary<"ttnn.subtract_", BinaryOpType::SUB> {
    static constexpr std::string_view aliases[] = {"ttnn.sub_"};
};

// Parameters of the two that have the flag of their out-of-place forms.
struct FastInPlaceParams {
    Tensor input_a{};
    TensorOrScalar input_b{};
    bool fast_and_approximate_mode = false;
    std::vector<UnaryWithParam> activations{};
    std::vector<UnaryWithParam> input_tensor_a_activations{};
    std::vector<UnaryWithParam> input_tensor_b_activations{};
    std::optional<bool> use_legacy{};
    std::optional<CoreRangeSet> sub_core_grids{};
};

template <FixedString Name, FixedString Alias, BinaryOpType Type>
struct FastInPlaceBinary {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = doc_of(Type);
    static constexpr std::string_view aliases[] = {Alias.view()};
    using Params = FastInPlaceParams;
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_a>("tensor in TILE; holds the result afterwards").mutates(),
                                      arg<&Params::input_b>(binary_doc::b).also("value"),
                                      kw<&Params::fast_and_approximate_mode>(binary_doc::no_effect),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect),
                                      kw<&Params::sub_core_grids>("cores to use")};
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

TTNN_OPERATION(add_, InPlaceBinary<"ttnn.add_", BinaryOpType::ADD>);
TTNN_OPERATION(subtract_, SubtractInPlace);
TTNN_OPERATION(multiply_, FastInPlaceBinary<"ttnn.multiply_", "ttnn.mul_", BinaryOpType::MUL>);
TTNN_OPERATION(divide_, FastInPlaceBinary<"ttnn.divide_", "ttnn.div_", BinaryOpType::DIV>);
TTNN_OPERATION(rsub_, InPlaceBinary<"ttnn.rsub_", BinaryOpType::RSUB>);
TTNN_OPERATION(squared_difference_, InPlaceBinary<"ttnn.squared_difference_", BinaryOpType::SQUARED_DIFFERENCE>);
TTNN_OPERATION(bias_gelu_, InPlaceBinary<"ttnn.bias_gelu_", BinaryOpType::BIAS_GELU>);
TTNN_OPERATION(ldexp_, InPlaceBinary<"ttnn.ldexp_", BinaryOpType::LDEXP>);
TTNN_OPERATION(logaddexp_, InPlaceBinary<"ttnn.logaddexp_", BinaryOpType::LOGADDEXP>);
TTNN_OPERATION(logaddexp2_, InPlaceBinary<"ttnn.logaddexp2_", BinaryOpType::LOGADDEXP2>);

inline constexpr const auto& sub_ = subtract_;
inline constexpr const auto& mul_ = multiply_;
inline constexpr const auto& div_ = divide_;

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

template <ttnn::FixedString Name, ttnn::FixedString Alias, ttnn::BinaryOpType Type>
std::vector<ttnn::reference::Array> ttnn::FastInPlaceBinary<Name, Alias, Type>::reference(const Params& params) {
    return reference::binary(arguments(params));
}

#else

template <ttnn::FixedString Name, ttnn::FixedString Alias, ttnn::BinaryOpType Type>
void ttnn::FastInPlaceBinary<Name, Alias, Type>::cases(CaseMaker& make) {
    in_place_cases<Params>(make, Type);
}

#endif
