// dit_rms_norm_unary_fused: rms_norm with a function applied to its result.
#pragma once

#include "ttnn/ops/normalization/layer_norm.hpp"

namespace ttnn {

struct DitRmsNormUnaryFused {
    static constexpr std::string_view name = "ttnn.experimental.dit_rms_norm_unary_fused";
    static constexpr std::string_view doc = "activation(x / sqrt(mean(x^2) + epsilon) * weight + bias).";
    struct Params {
        Tensor input_tensor{};
        double epsilon = 1e-12;
        std::optional<Tensor> weight{};
        std::optional<Tensor> bias{};
        std::optional<Tensor> residual_input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<LayerNormProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Activation> activation{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor>("tile tensor: FLOAT32, BFLOAT16 or BFLOAT8_B"),
                                             kw<&Params::epsilon>("added to the mean of squares")} +
                                   norm_rules::norm_fields<Params> +
                                   FieldList{kw<&Params::activation>("function applied to the result, default: none")};
    // The function gets what was rounded to fp32.
    static constexpr Tolerance tolerance{.ulp_float32 = 8, .absolute = 1e-7};

    static norm_rules::Arguments arguments(const Params& p) {
        auto args = norm_rules::norm_arguments(name, false, p);
        if (p.activation) {
            const auto* text = std::get_if<std::string>(&*p.activation);
            args.activation = text != nullptr ? activation_from_name(*text) : std::get<UnaryWithParam>(*p.activation);
        }
        return args;
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<DitRmsNormUnaryFused> dit_rms_norm_unary_fused{};
}
TTNN_DECLARATION(DitRmsNormUnaryFused);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/unary.hpp"

inline std::vector<ttnn::reference::Array> ttnn::DitRmsNormUnaryFused::reference(const Params& params) {
    const norm_rules::Arguments args = arguments(params);
    const reference::Array normal = norm_rules::normalized(args);
    return {args.activation ? reference::unary(*args.activation, params.input_tensor.dtype(), normal) : normal};
}

#else

namespace ttnn {

inline void DitRmsNormUnaryFused::validate(const Params& params) { norm_rules::validate(arguments(params)); }
inline Tensor DitRmsNormUnaryFused::run(const Params& params) { return norm_rules::run(arguments(params)); }

inline void DitRmsNormUnaryFused::cases(CaseMaker& make) {
    const auto rows = [&](uint32_t width) {
        return make.interleaved({1, 1, width / tile_size, tile_size}, DataType::BFLOAT16, Layout::ROW_MAJOR);
    };
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 96}), .epsilon = 1e-5, .activation = Activation("silu")});
    make.add(Params{.input_tensor = make.tensor({64, 64}),
                    .epsilon = 1e-5,
                    .weight = rows(64),
                    .bias = rows(64),
                    .activation = Activation(UnaryWithParam(UnaryOpType::RELU))});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .residual_input_tensor = make.tensor({32, 64})});
}

}  // namespace ttnn

#endif
