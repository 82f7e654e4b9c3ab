// add, subtract, multiply, div and rsub: the arithmetic of two tensors or a tensor and a number.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct Subtract : Binary<"ttnn.subtract", BinaryOpType::SUB> {
    static constexpr std::string_view aliases[] = {"ttnn.sub"};
};

// As the long signature, with a flag that only concerns the hardware's precision.
struct Multiply {
    static constexpr std::string_view name = "ttnn.multiply";
    static constexpr std::string_view doc = doc_of(BinaryOpType::MUL);
    static constexpr std::string_view aliases[] = {"ttnn.mul"};
    struct Params {
        Tensor input_tensor_a{};
        TensorOrScalar input_tensor_b{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::vector<UnaryWithParam> activations{};
        std::vector<UnaryWithParam> input_tensor_a_activations{};
        std::vector<UnaryWithParam> input_tensor_b_activations{};
        std::optional<bool> use_legacy{};
        bool fast_and_approximate_mode = false;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>(binary_doc::b).also("value"),
                                      kw<&Params::fast_and_approximate_mode>(binary_doc::no_effect),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::MUL);

    static BinaryArguments arguments(const Params& params) { return binary_arguments(name, BinaryOpType::MUL, params); }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

struct Div {
    static constexpr std::string_view name = "ttnn.div";
    static constexpr std::string_view doc =
        "a / b, as IEEE has it; floored or truncated when rounding_mode says so. INT32 / INT32 gives FLOAT32 unless "
        "rounded.";
    static constexpr std::string_view aliases[] = {"ttnn.divide"};
    struct Params {
        Tensor input_tensor_a{};
        TensorOrScalar input_tensor_b{};
        bool fast_and_approximate_mode = false;
        std::optional<std::string> rounding_mode{};
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::vector<UnaryWithParam> activations{};
        std::vector<UnaryWithParam> input_tensor_a_activations{};
        std::vector<UnaryWithParam> input_tensor_b_activations{};
        std::optional<bool> use_legacy{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>(binary_doc::b).also("value"),
                                      kw<&Params::fast_and_approximate_mode>(binary_doc::no_effect),
                                      kw<&Params::rounding_mode>("None, \"floor\" or \"trunc\""),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activations>(binary_doc::pre),
                                      kw<&Params::input_tensor_b_activations>(binary_doc::pre),
                                      kw<&Params::use_legacy>(binary_doc::no_effect),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = tolerance_of(BinaryOpType::DIV);

    static BinaryArguments arguments(const Params& params);
    static void validate(const Params& params);
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
};

inline BinaryArguments Div::arguments(const Params& params) {
    const BinaryOpType type = !params.rounding_mode              ? BinaryOpType::DIV
                              : *params.rounding_mode == "floor" ? BinaryOpType::DIV_FLOOR
                                                                 : BinaryOpType::DIV_TRUNC;
    return binary_arguments(name, type, params);
}

inline Domain Multiply::domain(const Params& params, std::string_view field) {
    const bool second = field == "input_tensor_b";
    return binary_domain(BinaryOpType::MUL, second,
                         second ? dtype_of(params.input_tensor_b) : params.input_tensor_a.dtype());
}

inline Domain Div::domain(const Params& params, std::string_view field) {
    const bool second = field == "input_tensor_b";
    return binary_domain(BinaryOpType::DIV, second,
                         second ? dtype_of(params.input_tensor_b) : params.input_tensor_a.dtype());
}

TTNN_OPERATION(add, Binary<"ttnn.add", BinaryOpType::ADD>);
TTNN_OPERATION(subtract, Subtract);
TTNN_OPERATION(multiply, Multiply);
TTNN_OPERATION(div, Div);
TTNN_OPERATION(rsub, Binary<"ttnn.rsub", BinaryOpType::RSUB>);

inline constexpr const auto& sub = subtract;
inline constexpr const auto& mul = multiply;
inline constexpr const auto& divide = div;

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::Multiply::reference(const Params& params) {
    return reference::binary(arguments(params));
}

inline std::vector<ttnn::reference::Array> ttnn::Div::reference(const Params& params) {
    return reference::binary(arguments(params));
}

#else

namespace ttnn {

inline void Div::validate(const Params& params) {
    require(!params.rounding_mode || *params.rounding_mode == "floor" || *params.rounding_mode == "trunc",
            "{}: Incorrect rounding mode (expected None, 'trunc', or 'floor'), got '{}'", name,
            params.rounding_mode.value_or(""));
}

inline void Multiply::cases(CaseMaker& make) {
    binary_cases<Params>(make, BinaryOpType::MUL);
    make.only_if(make.floating());
    Params gated{};
    gated.input_tensor_a = make.tensor({1, 1, 32, 96});
    gated.input_tensor_b = make.tensor({1, 1, 32, 96});
    gated.input_tensor_a_activations = {UnaryOpType::RELU};
    gated.fast_and_approximate_mode = true;
    make.add(gated);
}

inline void Div::cases(CaseMaker& make) {
    binary_cases<Params>(make, BinaryOpType::DIV);
    for (const char* mode : {"floor", "trunc"}) {
        Params params{};
        params.input_tensor_a = make.tensor({2, 32, 64});
        params.input_tensor_b = make.tensor({2, 32, 64});
        params.rounding_mode = mode;
        make.add(params);
        params.input_tensor_b = -3.0;
        make.add(params);
    }
}

}  // namespace ttnn

#endif
