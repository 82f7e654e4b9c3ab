// Activations without parameters.
#pragma once

#include "ttnn/ops/eltwise/unary_family.hpp"

namespace ttnn {

// The vector mode picks rows or columns of a tile's faces and the mode its precision: neither shows in the elements.
// AccurateWithFastExp runs NEG, EXP, ADD, RECIP as one chain in the original, which is one primitive as well.
struct SigmoidForm {
    struct Params {
        Tensor input_tensor{};
        int64_t vector_mode = 4;
        SigmoidMode mode = SigmoidMode::Accurate;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"),
        kw<&Params::vector_mode>("1 row, 2 column, 4 whole tile; no change of the result"),
        kw<&Params::mode>("does not change the result here"),
        kw<&Params::memory_config>("default: the input's; its memory layout must match"),
        kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
    static std::vector<Params> variants() { return {{.mode = SigmoidMode::FastApproximate}}; }
};
struct SigmoidAccurateForm {
    struct Params {
        Tensor input_tensor{};
        bool fast_and_approximate_mode = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      opt<&Params::fast_and_approximate_mode>("does not change the result here"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static UnaryWithParam function(UnaryOpType type, const Params&) { return type; }
};

TTNN_OPERATION(relu, UnaryOperation<"ttnn.relu", UnaryOpType::RELU, StandardForm>);
TTNN_OPERATION(relu6, UnaryOperation<"ttnn.relu6", UnaryOpType::RELU6, StandardForm>);
TTNN_OPERATION(gelu, UnaryOperation<"ttnn.gelu", UnaryOpType::GELU, ApproximateForm>);
TTNN_OPERATION(silu, UnaryOperation<"ttnn.silu", UnaryOpType::SILU, StandardForm>);
TTNN_OPERATION(swish, UnaryOperation<"ttnn.swish", UnaryOpType::SILU, StandardForm>);
TTNN_OPERATION(sigmoid, UnaryOperation<"ttnn.sigmoid", UnaryOpType::SIGMOID, SigmoidForm>);
TTNN_OPERATION(sigmoid_accurate, UnaryOperation<"ttnn.sigmoid_accurate", UnaryOpType::SIGMOID, SigmoidAccurateForm>);
TTNN_OPERATION(log_sigmoid, UnaryOperation<"ttnn.log_sigmoid", UnaryOpType::LOGSIGMOID, StandardForm>);
TTNN_OPERATION(mish, UnaryOperation<"ttnn.mish", UnaryOpType::MISH, ApproximateForm>);
TTNN_OPERATION(hardmish, UnaryOperation<"ttnn.hardmish", UnaryOpType::HARDMISH, StandardForm>);
TTNN_OPERATION(hardsigmoid, UnaryOperation<"ttnn.hardsigmoid", UnaryOpType::HARDSIGMOID, StandardForm>);
TTNN_OPERATION(hardswish, UnaryOperation<"ttnn.hardswish", UnaryOpType::HARDSWISH, StandardForm>);
TTNN_OPERATION(softsign, UnaryOperation<"ttnn.softsign", UnaryOpType::SOFTSIGN, StandardForm>);
TTNN_OPERATION(tanhshrink, UnaryOperation<"ttnn.tanhshrink", UnaryOpType::TANHSHRINK, TrailingApproximateForm>);

}  // namespace ttnn
