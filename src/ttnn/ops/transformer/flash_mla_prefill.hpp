// Latent attention of many queries: the values are the first columns of the keys, or a tensor with heads of its own.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

namespace attention {
// What both forms declare behind their values.
template <class Params>
inline constexpr auto mla_fields =
    FieldList{kw<&Params::attn_mask>("[1 or batch, 1 or heads, queries, keys], added to the scores; in DRAM"),
              kw<&Params::is_causal>("a query sees no later keys; not together with a mask"),
              kw<&Params::scale>(scale_doc)} +
    config_fields<Params>;

template <class Params>
Prefill mla_call(const Params& p) {
    return {.op = "ttnn.transformer.flash_mla_prefill",
            .q = p.input_tensor_q,
            .k = p.input_tensor_k,
            .mask = p.attn_mask,
            .is_causal = p.is_causal,
            .scale = p.scale,
            .memory_config = p.memory_config,
            .program_config = p.program_config,
            .compute_kernel_config = p.compute_kernel_config};
}
}  // namespace attention

struct FlashMlaPrefill {
    static constexpr std::string_view name = "ttnn.transformer.flash_mla_prefill";
    static constexpr std::string_view doc =
        "scaled_dot_product_attention where the first columns of the keys are the values.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        int64_t head_dim_v = 0;
        std::optional<Tensor> attn_mask{};
        bool is_causal = true;
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields = FieldList{arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
                                             arg<&Params::input_tensor_k>("[batch, key heads, keys, width]"),
                                             arg<&Params::head_dim_v>("columns of the keys that are values")} +
                                   attention::mla_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        attention::Prefill call = attention::mla_call(p);
        call.head_dim_v = p.head_dim_v;
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct FlashMlaPrefillOfValues {
    static constexpr std::string_view name = "ttnn.transformer.flash_mla_prefill";
    static constexpr std::string_view doc =
        "scaled_dot_product_attention with values of another width and other heads.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        std::optional<Tensor> attn_mask{};
        bool is_causal = true;
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
                  arg<&Params::input_tensor_k>("[batch, key heads, keys, width]"),
                  arg<&Params::input_tensor_v>("[batch, value heads, keys, its own width]")} +
        attention::mla_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        attention::Prefill call = attention::mla_call(p);
        call.v = p.input_tensor_v;
        call.head_dim_v = p.input_tensor_v.logical_shape().from_end(0);
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Overloads<FlashMlaPrefill, FlashMlaPrefillOfValues> flash_mla_prefill{};
}  // namespace transformer

TTNN_DECLARATION(FlashMlaPrefill);
TTNN_DECLARATION(FlashMlaPrefillOfValues);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/attention.hpp"

namespace ttnn {

inline std::vector<reference::Array> FlashMlaPrefill::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}
inline std::vector<reference::Array> FlashMlaPrefillOfValues::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

inline void FlashMlaPrefill::validate(const Params& params) { attention::validate(arguments(params)); }
inline void FlashMlaPrefillOfValues::validate(const Params& params) { attention::validate(arguments(params)); }

inline Tensor FlashMlaPrefill::run(const Params& params) { return attention::run(arguments(params)); }
inline Tensor FlashMlaPrefillOfValues::run(const Params& params) { return attention::run(arguments(params)); }

inline Domain FlashMlaPrefill::domain(const Params&, std::string_view field) {
    return field == "attn_mask" ? Domain::mask() : attention::domain_of_operand(field);
}
inline Domain FlashMlaPrefillOfValues::domain(const Params&, std::string_view field) {
    return field == "attn_mask" ? Domain::mask() : attention::domain_of_operand(field);
}

inline void FlashMlaPrefill::cases(CaseMaker& make) {
    const Tensor q = make.tensor({1, 4, 70, 96});
    const Tensor k = make.tensor({1, 1, 70, 96});
    make.add(Params{.input_tensor_q = q, .input_tensor_k = k, .head_dim_v = 64});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = make.tensor({1, 2, 40, 96}),
                    .head_dim_v = 32,
                    .attn_mask = make.interleaved({1, 1, 70, 40}, make.dtype(), Layout::TILE),
                    .is_causal = false,
                    .scale = 0.25,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(64, 32)});
}

inline void FlashMlaPrefillOfValues::cases(CaseMaker& make) {
    const Tensor q = make.tensor({2, 4, 70, 96});
    const Tensor k = make.tensor({2, 1, 70, 96});
    make.add(Params{.input_tensor_q = q, .input_tensor_k = k, .input_tensor_v = make.tensor({2, 4, 70, 64})});
    make.add(
        Params{.input_tensor_q = q, .input_tensor_k = k, .input_tensor_v = make.tensor({2, 2, 70, 32}), .scale = 0.2});
}

}  // namespace ttnn

#endif
