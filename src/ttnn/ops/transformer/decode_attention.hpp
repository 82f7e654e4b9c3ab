// Attention of one query per head and batch to a cache that holds the keys and values of what came before.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

struct ScaledDotProductAttentionDecode {
    static constexpr std::string_view name = "ttnn.transformer.scaled_dot_product_attention_decode";
    static constexpr std::string_view doc = "Attention of one query per head and batch to a cache.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        bool is_causal = true;
        std::optional<Tensor> attn_mask{};
        std::vector<int64_t> cur_pos{};
        std::optional<Tensor> cur_pos_tensor{};
        std::optional<Tensor> attention_sink{};
        std::optional<double> scale{};
        std::optional<int64_t> sliding_window_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("[1, batch, heads, width], height sharded or in DRAM"),
                  arg<&Params::input_tensor_k>("tile tensor [batch, key heads, keys, width] in DRAM"),
                  arg<&Params::input_tensor_v>("as the keys"),
                  kw<&Params::cur_pos>("last key that each batch sees, -1: the batch is left out")} +
        attention::decode_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Decode arguments(const Params& p) {
        attention::Decode call = attention::decode_call(name, p);
        call.cur_pos = p.cur_pos;
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PagedScaledDotProductAttentionDecode {
    static constexpr std::string_view name = "ttnn.transformer.paged_scaled_dot_product_attention_decode";
    static constexpr std::string_view doc = "Attention of one query per head and batch to a paged cache.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        Tensor page_table_tensor{};
        bool is_causal = true;
        std::optional<Tensor> attn_mask{};
        std::optional<Tensor> cur_pos_tensor{};
        std::optional<Tensor> attention_sink{};
        std::optional<double> scale{};
        std::optional<int64_t> sliding_window_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("[1, batch, heads, width], height sharded or in DRAM"),
                  arg<&Params::input_tensor_k>("tile tensor [blocks, key heads, rows, width] in DRAM"),
                  arg<&Params::input_tensor_v>("as the keys"), arg<&Params::page_table_tensor>(attention::pages_doc)} +
        attention::decode_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Decode arguments(const Params& p) {
        attention::Decode call = attention::decode_call(name, p);
        call.page_table = p.page_table_tensor;
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<ScaledDotProductAttentionDecode> scaled_dot_product_attention_decode{};
inline constexpr Op<PagedScaledDotProductAttentionDecode> paged_scaled_dot_product_attention_decode{};
}  // namespace transformer

TTNN_DECLARATION(ScaledDotProductAttentionDecode);
TTNN_DECLARATION(PagedScaledDotProductAttentionDecode);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/attention.hpp"

namespace ttnn {

inline std::vector<reference::Array> ScaledDotProductAttentionDecode::reference(const Params& params) {
    return {reference::decode(arguments(params))};
}
inline std::vector<reference::Array> PagedScaledDotProductAttentionDecode::reference(const Params& params) {
    return {reference::decode(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

inline void ScaledDotProductAttentionDecode::validate(const Params& params) { attention::validate(arguments(params)); }
inline Tensor ScaledDotProductAttentionDecode::run(const Params& params) { return attention::run(arguments(params)); }
inline Domain ScaledDotProductAttentionDecode::domain(const Params& params, std::string_view field) {
    return attention::domain_of(arguments(params), field);
}

inline void PagedScaledDotProductAttentionDecode::validate(const Params& params) {
    attention::validate(arguments(params));
}
inline Tensor PagedScaledDotProductAttentionDecode::run(const Params& params) {
    return attention::run(arguments(params));
}
inline Domain PagedScaledDotProductAttentionDecode::domain(const Params& params, std::string_view field) {
    return attention::domain_of(arguments(params), field);
}

inline void ScaledDotProductAttentionDecode::cases(CaseMaker& make) {
    const auto cache = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const Tensor q = make.tensor({1, 3, 4, 64});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({3, 1, 96, 64}),
                    .input_tensor_v = cache({3, 1, 96, 64}),
                    .cur_pos = {95, 17, 0}});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({3, 2, 128, 64}),
                    .input_tensor_v = cache({3, 2, 128, 64}),
                    .cur_pos_tensor = make.interleaved({3}, DataType::INT32, Layout::ROW_MAJOR),
                    .attention_sink = make.interleaved({32, 32}, DataType::BFLOAT16, Layout::TILE),
                    .scale = 0.25,
                    .sliding_window_size = 40,
                    .program_config = attention::chunks(32, 64)});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({3, 1, 64, 64}),
                    .input_tensor_v = cache({3, 1, 64, 64}),
                    .is_causal = false,
                    .attn_mask = cache({3, 1, 4, 64}),
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(32, 32)});
    make.add(Params{.input_tensor_q = make.tensor({1, 2, 40, 32}),
                    .input_tensor_k = cache({2, 4, 64, 32}),
                    .input_tensor_v = cache({2, 4, 64, 32}),
                    .cur_pos = {63, -1}});
}

inline void PagedScaledDotProductAttentionDecode::cases(CaseMaker& make) {
    const auto cache = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const auto integers = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::INT32, Layout::ROW_MAJOR);
    };
    const Tensor q = make.tensor({1, 3, 8, 64});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({14, 2, 32, 64}),
                    .input_tensor_v = cache({14, 2, 32, 64}),
                    .page_table_tensor = integers({3, 4}),
                    .cur_pos_tensor = integers({3}),
                    .attention_sink = make.interleaved({32, 32}, DataType::BFLOAT16, Layout::TILE)});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({7, 1, 64, 64}),
                    .input_tensor_v = cache({7, 1, 64, 64}),
                    .page_table_tensor = integers({3, 5}),
                    .cur_pos_tensor = integers({3}),
                    .scale = 0.25,
                    .sliding_window_size = 70,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(0, 0)});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({6, 4, 32, 64}),
                    .input_tensor_v = cache({6, 4, 32, 64}),
                    .page_table_tensor = integers({3, 4}),
                    .is_causal = false,
                    .attn_mask = cache({3, 1, 8, 128}),
                    .program_config = attention::chunks(32, 128)});
}

}  // namespace ttnn

#endif
