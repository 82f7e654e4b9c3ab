// Softmax of attention scores: scaled by the width of a head, with a mask.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/normalization/softmax_rules.hpp"

namespace ttnn {

namespace attention {
struct SoftmaxParams {
    Tensor input_tensor{};
    std::optional<int64_t> head_size{};
    std::optional<Tensor> attention_mask{};
    SoftmaxProgramConfig program_config{};
    std::optional<bool> causal_mask = false;
    std::optional<MemoryConfig> memory_config{};
};

// What both operations declare behind their input.
inline constexpr FieldList softmax_fields{
    kw<&SoftmaxParams::head_size>("width of a head: scores are divided by its root"),
    kw<&SoftmaxParams::attention_mask>(
        "added to the scaled scores: [N, 1, 1, W], row-major [N, 1, W/32, 32], or [N, 1, H, W]"),
    kw<&SoftmaxParams::program_config>("how a sharded input is cut; the form that makes a result does without"),
    kw<&SoftmaxParams::causal_mask>("the mask has a row for every row of the scores")};
}  // namespace attention

struct AttentionSoftmax {
    static constexpr std::string_view name = "ttnn.transformer.attention_softmax";
    static constexpr std::string_view doc = "softmax(scores / sqrt(head_size) + mask) over the last dimension.";
    using Params = attention::SoftmaxParams;
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{
            arg<&Params::input_tensor>("tile tensor [N, C, H, W]: FLOAT32, BFLOAT16 or BFLOAT8_B").also("tensor")} +
        attention::softmax_fields + FieldList{kw<&Params::memory_config>("default: of the input")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct AttentionSoftmaxInPlace {
    static constexpr std::string_view name = "ttnn.transformer.attention_softmax_";
    static constexpr std::string_view doc = "attention_softmax, written into its input; a mask is needed.";
    using Params = attention::SoftmaxParams;
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tile tensor [N, C, H, W]: FLOAT32, BFLOAT16 or BFLOAT8_B")
                      .also("tensor")
                      .mutates()} +
        attention::softmax_fields + FieldList{kw<&Params::memory_config>("no effect")};
    static constexpr Tolerance tolerance{.ulp_float32 = 2};

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<AttentionSoftmax> attention_softmax{};
inline constexpr Op<AttentionSoftmaxInPlace> attention_softmax_{};
}  // namespace transformer

TTNN_DECLARATION(AttentionSoftmax);
TTNN_DECLARATION(AttentionSoftmaxInPlace);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/normalize.hpp"
#include "ttnn/reference/rounding.hpp"

namespace ttnn {

namespace reference {
inline Array attention_softmax(const attention::SoftmaxParams& params) {
    const double root = params.head_size ? std::sqrt(static_cast<double>(*params.head_size)) : 1.0;
    if (params.attention_mask) {
        return masked_softmax(params.input_tensor, 1.0 / root, params.attention_mask,
                              params.causal_mask.value_or(false));
    }
    // The scaled scores are a tensor of their own.
    const Array scaled = map(values(params.input_tensor), [&](double score) { return score / root; });
    return softmax(rounded(scaled, params.input_tensor.dtype()), -1);
}
}  // namespace reference

inline std::vector<reference::Array> AttentionSoftmax::reference(const Params& params) {
    return {reference::attention_softmax(params)};
}
inline std::vector<reference::Array> AttentionSoftmaxInPlace::reference(const Params& params) {
    return {reference::attention_softmax(params)};
}

}  // namespace ttnn

#else

#include <cmath>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/normalization/softmax_program.hpp"

namespace ttnn {

namespace attention {
inline double softmax_scale(const SoftmaxParams& params) {
    return params.head_size ? 1.0 / std::sqrt(static_cast<double>(*params.head_size)) : 1.0;
}

// With a mask, which the kernel does without the greatest score.
inline softmax_rules::Arguments masked_softmax(std::string_view op, bool in_place, const SoftmaxParams& params) {
    softmax_rules::Arguments args{.op = op, .input = params.input_tensor};
    args.scale = softmax_scale(params);
    args.mask = params.attention_mask;
    args.mask_form = softmax_rules::mask_form(params.attention_mask, params.causal_mask.value_or(false));
    args.in_place = in_place;
    args.numeric_stable = false;
    if (in_place) {
        args.program_config = params.program_config;
    } else {
        args.memory_config = params.memory_config;
    }
    return args;
}

inline void check_head_size(std::string_view op, const SoftmaxParams& params) {
    require(!params.head_size || *params.head_size > 0, "{}: argument 'head_size' must be positive, got {}", op,
            params.head_size.value_or(0));
}

inline Domain domain_of_softmax(std::string_view field) {
    return field == "attention_mask" ? Domain::mask() : Domain::real(-4.0, 4.0);
}
}  // namespace attention

inline void AttentionSoftmax::validate(const Params& params) {
    attention::check_head_size(name, params);
    if (params.attention_mask) {
        softmax_program::validate(attention::masked_softmax(name, false, params));
    }
}
inline void AttentionSoftmaxInPlace::validate(const Params& params) {
    attention::check_head_size(name, params);
    require(params.attention_mask.has_value(), "{}: argument 'attention_mask' is needed", name);
    softmax_program::validate(attention::masked_softmax(name, true, params));
}

inline Tensor AttentionSoftmax::run(const Params& params) {
    if (params.attention_mask) {
        return softmax_program::run(attention::masked_softmax(name, false, params));
    }
    const Tensor scaled = multiply(params.input_tensor, attention::softmax_scale(params));
    softmax_rules::Arguments args{.op = name, .input = scaled};
    args.memory_config = params.memory_config.value_or(params.input_tensor.memory_config());
    softmax_program::validate(args);
    return softmax_program::run(args);
}
inline Tensor AttentionSoftmaxInPlace::run(const Params& params) {
    return softmax_program::run(attention::masked_softmax(name, true, params));
}

inline Domain AttentionSoftmax::domain(const Params&, std::string_view field) {
    return attention::domain_of_softmax(field);
}
inline Domain AttentionSoftmaxInPlace::domain(const Params&, std::string_view field) {
    return attention::domain_of_softmax(field);
}

inline void AttentionSoftmax::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 3, 40, 70})});
    make.add(Params{.input_tensor = make.tensor({1, 2, 64, 96}), .head_size = 64, .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96}),
                    .head_size = 48,
                    .attention_mask = make.interleaved({2, 1, 1, 96}, DataType::BFLOAT16, Layout::TILE)});
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96}),
                    .head_size = 16,
                    .attention_mask = make.interleaved({2, 1, 64, 96}, DataType::BFLOAT16, Layout::TILE),
                    .causal_mask = true});
}

inline void AttentionSoftmaxInPlace::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 2, 64, 96}),
                    .attention_mask = make.interleaved({2, 1, 1, 96}, DataType::BFLOAT16, Layout::TILE)});
    make.add(Params{.input_tensor = make.tensor({1, 2, 40, 64}),
                    .head_size = 64,
                    .attention_mask = make.interleaved({1, 1, 40, 64}, DataType::BFLOAT16, Layout::TILE),
                    .causal_mask = true});
}

}  // namespace ttnn

#endif
