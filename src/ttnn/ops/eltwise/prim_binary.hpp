// prim.binary: the device operation under add and its relatives, which is told the function.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

struct PrimBinary {
    static constexpr std::string_view name = "ttnn.prim.binary";
    static constexpr std::string_view doc = "What the named function makes of a and b.";
    struct Params {
        Tensor input_tensor_a{};
        Tensor input_tensor_b{};
        BinaryOpType binary_op_type = BinaryOpType::ADD;
        std::optional<DataType> dtype{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
        std::vector<UnaryWithParam> activations{};
        std::optional<UnaryWithParam> input_tensor_a_activation{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>(binary_doc::a),
                                      arg<&Params::input_tensor_b>("tensor that broadcasts with the first"),
                                      arg<&Params::binary_op_type>("function of two numbers"),
                                      kw<&Params::dtype>(binary_doc::dtype),
                                      kw<&Params::memory_config>(binary_doc::memory_config),
                                      kw<&Params::output_tensor>(binary_doc::output).mutates(),
                                      kw<&Params::activations>(binary_doc::post),
                                      kw<&Params::input_tensor_a_activation>("function applied to the first operand")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static void validate(const Params& params);
    static BinaryArguments arguments(const Params& params) {
        BinaryArguments call{.op = name, .type = params.binary_op_type, .a = &params.input_tensor_a};
        call.b = &params.input_tensor_b;
        call.dtype = params.dtype;
        call.memory_config = pointer_to(params.memory_config);
        call.output = pointer_to(params.output_tensor);
        call.activations = params.activations;
        if (params.input_tensor_a_activation) {
            call.a_activations = {&*params.input_tensor_a_activation, 1};
        }
        return call;
    }
    static Result run(const Params& params) { return run_binary(arguments(params)); }
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params& params, std::string_view field) {
        const bool second = field == "input_tensor_b";
        return binary_domain(params.binary_op_type, second,
                             second ? params.input_tensor_b.dtype() : params.input_tensor_a.dtype());
    }
    static void cases(CaseMaker& make);
};

namespace prim {
inline constexpr Op<PrimBinary> binary{};
}
TTNN_DECLARATION(PrimBinary);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

inline std::vector<ttnn::reference::Array> ttnn::PrimBinary::reference(const Params& params) {
    return reference::binary(arguments(params));
}

#else

namespace ttnn {

// What takes numbers besides its two operands has no place for them here.
inline void PrimBinary::validate(const Params& params) {
    using enum BinaryOpType;
    const BinaryOpType type = params.binary_op_type;
    require(type != ADDALPHA && type != SUBALPHA && type != ISCLOSE,
            "{}: argument 'binary_op_type' must be a function of two numbers, got {}", name, type);
}

inline void PrimBinary::cases(CaseMaker& make) {
    using enum BinaryOpType;
    const auto add = [&](BinaryOpType type, const Shape& a, const Shape& b) {
        make.add(Params{.input_tensor_a = make.tensor(a), .input_tensor_b = make.tensor(b), .binary_op_type = type});
    };
    for (const BinaryOpType type : {ADD, SUB, MUL, GT, EQ, LOGICAL_AND, SQUARED_DIFFERENCE, MAXIMUM, RSUB}) {
        add(type, {2, 1, 32, 64}, {2, 1, 32, 64});
    }
    for (const BinaryOpType type : {DIV, LDEXP, LOGADDEXP, BIAS_GELU}) {
        make.only_if(make.floating());
        add(type, {1, 2, 33, 64}, {1, 2, 33, 64});
    }
    make.only_if(!make.sharded());
    add(MUL, {1, 3, 64, 96}, {1, 1, 64, 1});
    make.add(Params{.input_tensor_a = make.tensor({64, 64}),
                    .input_tensor_b = make.tensor({1, 64}),
                    .binary_op_type = SUB,
                    .memory_config = l1_memory_config(),
                    .activations = {UnaryOpType::RELU},
                    .input_tensor_a_activation = UnaryOpType::ABS});
}

}  // namespace ttnn

#endif
