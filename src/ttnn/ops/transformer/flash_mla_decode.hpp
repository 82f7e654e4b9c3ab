// Latent attention of one query per head and batch: the values are the first columns of the keys.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

namespace attention {
// What must be given comes behind the values, which need not be: so declarations cannot require it.
inline constexpr std::string_view value_width_doc = "width of a value; must be given";
}  // namespace attention

struct FlashMultiLatentAttentionDecode {
    static constexpr std::string_view name = "ttnn.transformer.flash_multi_latent_attention_decode";
    static constexpr std::string_view doc =
        "scaled_dot_product_attention_decode where the first columns of the keys are the values, unless others are "
        "given.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        std::optional<Tensor> input_tensor_v{};
        std::optional<int64_t> head_dim_v{};
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
                  opt<&Params::input_tensor_v>("[batch, key heads, keys, head_dim_v]"),
                  opt<&Params::head_dim_v>(attention::value_width_doc),
                  kw<&Params::cur_pos>("last key that each batch sees, -1: the batch is left out")} +
        attention::decode_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Decode arguments(const Params& p) {
        attention::Decode call = attention::decode_call(name, p);
        call.cur_pos = p.cur_pos;
        call.head_dim_v = p.head_dim_v;
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PagedFlashMultiLatentAttentionDecode {
    static constexpr std::string_view name = "ttnn.transformer.paged_flash_multi_latent_attention_decode";
    static constexpr std::string_view doc =
        "paged_scaled_dot_product_attention_decode where the first columns of the keys are the values, unless others "
        "are given.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        std::optional<Tensor> input_tensor_v{};
        std::optional<int64_t> head_dim_v{};
        std::optional<Tensor> page_table_tensor{};
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
                  opt<&Params::input_tensor_v>("[blocks, key heads, rows, head_dim_v]"),
                  opt<&Params::head_dim_v>(attention::value_width_doc),
                  opt<&Params::page_table_tensor>(
                      "[batch, pages]: the block of the cache that holds each page of a batch's keys; row-major INT32; "
                      "must be given")} +
        attention::decode_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Decode arguments(const Params& p) {
        attention::Decode call = attention::decode_call(name, p);
        call.page_table = p.page_table_tensor;
        call.head_dim_v = p.head_dim_v;
        return call;
    }
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<FlashMultiLatentAttentionDecode> flash_multi_latent_attention_decode{};
inline constexpr Op<PagedFlashMultiLatentAttentionDecode> paged_flash_multi_latent_attention_decode{};
}  // namespace transformer

TTNN_DECLARATION(FlashMultiLatentAttentionDecode);
TTNN_DECLARATION(PagedFlashMultiLatentAttentionDecode);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/attention.hpp"

namespace ttnn {

inline std::vector<reference::Array> FlashMultiLatentAttentionDecode::reference(const Params& params) {
    return {reference::decode(arguments(params))};
}
inline std::vector<reference::Array> PagedFlashMultiLatentAttentionDecode::reference(const Params& params) {
    return {reference::decode(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

inline void FlashMultiLatentAttentionDecode::validate(const Params& params) {
    require(params.head_dim_v.has_value(), "{}: argument 'head_dim_v' is missing", name);
    attention::validate(arguments(params));
}
inline Tensor FlashMultiLatentAttentionDecode::run(const Params& params) { return attention::run(arguments(params)); }
inline Domain FlashMultiLatentAttentionDecode::domain(const Params& params, std::string_view field) {
    return attention::domain_of(arguments(params), field);
}

inline void PagedFlashMultiLatentAttentionDecode::validate(const Params& params) {
    require(params.head_dim_v.has_value(), "{}: argument 'head_dim_v' is missing", name);
    require(params.page_table_tensor.has_value(), "{}: argument 'page_table_tensor' is missing", name);
    attention::validate(arguments(params));
}
inline Tensor PagedFlashMultiLatentAttentionDecode::run(const Params& params) {
    return attention::run(arguments(params));
}
inline Domain PagedFlashMultiLatentAttentionDecode::domain(const Params& params, std::string_view field) {
    return attention::domain_of(arguments(params), field);
}

inline void FlashMultiLatentAttentionDecode::cases(CaseMaker& make) {
    const auto cache = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    const Tensor q = make.tensor({1, 2, 16, 96});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({2, 1, 96, 96}),
                    .head_dim_v = 64,
                    .cur_pos_tensor = make.interleaved({2}, DataType::INT32, Layout::ROW_MAJOR),
                    .scale = 0.15});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = cache({2, 1, 64, 96}),
                    .input_tensor_v = cache({2, 1, 64, 32}),
                    .head_dim_v = 32,
                    .cur_pos = {40, 7},
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(32, 32)});
}

inline void PagedFlashMultiLatentAttentionDecode::cases(CaseMaker& make) {
    const auto integers = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::INT32, Layout::ROW_MAJOR);
    };
    make.add(Params{.input_tensor_q = make.tensor({1, 3, 16, 96}),
                    .input_tensor_k = make.interleaved({10, 1, 32, 96}, make.dtype(), Layout::TILE),
                    .head_dim_v = 64,
                    .page_table_tensor = integers({3, 4}),
                    .cur_pos_tensor = integers({3}),
                    .scale = 0.15});
    make.add(Params{.input_tensor_q = make.tensor({1, 2, 40, 64}),
                    .input_tensor_k = make.interleaved({5, 1, 64, 64}, make.dtype(), Layout::TILE),
                    .input_tensor_v = make.interleaved({5, 1, 64, 32}, make.dtype(), Layout::TILE),
                    .head_dim_v = 32,
                    .page_table_tensor = integers({2, 3}),
                    .cur_pos_tensor = integers({2}),
                    .sliding_window_size = 50,
                    .memory_config = l1_memory_config(),
                    .program_config = attention::chunks(0, 64)});
}

}  // namespace ttnn

#endif
