// Attention of many queries: over whole sequences, and inside windows.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

struct ScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.scaled_dot_product_attention";
    static constexpr std::string_view doc = "softmax(scale * q k^T + mask) v for every head.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        std::optional<Tensor> attn_mask{};
        bool is_causal = true;
        std::optional<double> scale{};
        std::optional<int64_t> sliding_window_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> attention_sink{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{
            arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
            arg<&Params::input_tensor_k>("[batch, key heads, keys, width]; a head of keys serves several neighbours"),
            arg<&Params::input_tensor_v>("as the keys"),
            kw<&Params::attn_mask>("[1 or batch, 1 or heads, queries, keys], added to the scores; in DRAM"),
            kw<&Params::is_causal>("a query sees no later keys; not together with a mask"),
            kw<&Params::scale>(attention::scale_doc),
            kw<&Params::sliding_window_size>("keys that a causal query sees, itself included; else those around it")} +
        attention::config_fields<Params> +
        FieldList{kw<&Params::attention_sink>("[1, heads, 1, 1]: a score that takes its share and has no value")};
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        return {.op = name,
                .q = p.input_tensor_q,
                .k = p.input_tensor_k,
                .v = p.input_tensor_v,
                .mask = p.attn_mask,
                .is_causal = p.is_causal,
                .scale = p.scale,
                .sliding_window_size = p.sliding_window_size,
                .attention_sink = p.attention_sink,
                .memory_config = p.memory_config,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config};
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct WindowedScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.windowed_scaled_dot_product_attention";
    static constexpr std::string_view doc = "Attention of each query to the keys of its own window.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        Tensor cu_window_seqlens{};
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
                  arg<&Params::input_tensor_k>("[batch, key heads, keys, width]"),
                  arg<&Params::input_tensor_v>("as the keys"),
                  arg<&Params::cu_window_seqlens>("where windows begin and the last one ends: [0, w1, w1 + w2, ...], "
                                                  "row-major INT32 or UINT32"),
                  kw<&Params::scale>(attention::scale_doc)} +
        attention::config_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        return {.op = name,
                .q = p.input_tensor_q,
                .k = p.input_tensor_k,
                .v = p.input_tensor_v,
                .is_causal = false,
                .scale = p.scale,
                .cu_window_seqlens = p.cu_window_seqlens,
                .memory_config = p.memory_config,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config};
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<ScaledDotProductAttention> scaled_dot_product_attention{};
inline constexpr Op<WindowedScaledDotProductAttention> windowed_scaled_dot_product_attention{};
}  // namespace transformer

TTNN_DECLARATION(ScaledDotProductAttention);
TTNN_DECLARATION(WindowedScaledDotProductAttention);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/attention.hpp"

namespace ttnn {

inline std::vector<reference::Array> ScaledDotProductAttention::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}
inline std::vector<reference::Array> WindowedScaledDotProductAttention::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

inline void ScaledDotProductAttention::validate(const Params& params) { attention::validate(arguments(params)); }
inline void WindowedScaledDotProductAttention::validate(const Params& params) {
    attention::validate(arguments(params));
}

inline Tensor ScaledDotProductAttention::run(const Params& params) { return attention::run(arguments(params)); }
inline Tensor WindowedScaledDotProductAttention::run(const Params& params) { return attention::run(arguments(params)); }

inline Domain ScaledDotProductAttention::domain(const Params&, std::string_view field) {
    return field == "attn_mask" ? Domain::mask() : attention::domain_of_operand(field);
}
inline Domain WindowedScaledDotProductAttention::domain(const Params& params, std::string_view field) {
    return field == "cu_window_seqlens" ? Domain::integer(0, params.input_tensor_k.logical_shape()[2])
                                        : attention::domain_of_operand(field);
}

inline void ScaledDotProductAttention::cases(CaseMaker& make) {
    const auto mask = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const Tensor q = make.tensor({2, 4, 96, 64});
    const Tensor k = make.tensor({2, 2, 96, 64});
    const Tensor v = make.tensor({2, 2, 96, 64});
    make.add(Params{.input_tensor_q = q, .input_tensor_k = k, .input_tensor_v = v});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = k,
                    .input_tensor_v = v,
                    .scale = 0.5,
                    .sliding_window_size = 40,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(64, 32),
                    .attention_sink = mask({1, 4, 1, 1})});
    make.add(Params{
        .input_tensor_q = q, .input_tensor_k = k, .input_tensor_v = v, .is_causal = false, .sliding_window_size = 21});
    // Other lengths of queries and keys, and rows that are no whole tiles.
    const Tensor long_k = make.tensor({1, 3, 300, 32});
    const Tensor short_q = make.tensor({1, 3, 45, 32});
    make.add(Params{.input_tensor_q = short_q, .input_tensor_k = long_k, .input_tensor_v = long_k, .is_causal = false});
    for (const uint32_t heads : {1U, 3U}) {
        make.add(Params{.input_tensor_q = short_q,
                        .input_tensor_k = long_k,
                        .input_tensor_v = long_k,
                        .attn_mask = mask({1, heads, 45, 300}),
                        .is_causal = false,
                        .program_config = attention::chunks(32, 128)});
    }
    make.add(Params{.input_tensor_q = long_k, .input_tensor_k = long_k, .input_tensor_v = long_k});
}

inline void WindowedScaledDotProductAttention::cases(CaseMaker& make) {
    const auto bounds = [&](DataType dtype) { return make.interleaved({6}, dtype, Layout::ROW_MAJOR); };
    const Tensor k = make.tensor({1, 2, 150, 64});
    make.add(Params{.input_tensor_q = make.tensor({1, 4, 150, 64}),
                    .input_tensor_k = k,
                    .input_tensor_v = k,
                    .cu_window_seqlens = bounds(DataType::INT32)});
    make.add(Params{.input_tensor_q = k,
                    .input_tensor_k = k,
                    .input_tensor_v = make.tensor({1, 2, 150, 64}),
                    .cu_window_seqlens = bounds(DataType::UINT32),
                    .scale = 0.25,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(32, 64)});
}

}  // namespace ttnn

#endif
