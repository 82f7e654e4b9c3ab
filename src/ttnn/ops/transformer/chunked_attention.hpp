// Attention of a chunk of a long sequence to a paged cache that holds what came before.
#pragma once

#include "ttnn/ops/transformer/attention_rules.hpp"

namespace ttnn {

struct ChunkedScaledDotProductAttention {
    static constexpr std::string_view name = "ttnn.transformer.chunked_scaled_dot_product_attention";
    static constexpr std::string_view doc =
        "Causal attention of queries that begin at a position of a sequence; its keys and values are in pages.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        Tensor input_tensor_v{};
        Tensor page_table_tensor{};
        std::optional<int64_t> chunk_start_idx{};
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<Tensor> chunk_start_idx_tensor{};  // in C++ an overload that takes it instead of the number
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
                  arg<&Params::input_tensor_k>("[blocks, key heads, rows, width]"),
                  arg<&Params::input_tensor_v>("as the keys"),
                  arg<&Params::page_table_tensor>(attention::pages_doc),
                  opt<&Params::chunk_start_idx>("position of the first query, a multiple of the program's chunks"),
                  kw<&Params::chunk_start_idx_tensor>("the same as an INT32 tensor of one number"),
                  kw<&Params::scale>(attention::scale_doc)} +
        attention::config_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        return {.op = name,
                .q = p.input_tensor_q,
                .k = p.input_tensor_k,
                .v = p.input_tensor_v,
                .scale = p.scale,
                .page_table = p.page_table_tensor,
                .chunk_start_idx = p.chunk_start_idx,
                .chunk_start_idx_tensor = p.chunk_start_idx_tensor,
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

struct ChunkedFlashMlaPrefill {
    static constexpr std::string_view name = "ttnn.transformer.chunked_flash_mla_prefill";
    static constexpr std::string_view doc =
        "chunked_scaled_dot_product_attention where the first columns of the keys are the values.";
    struct Params {
        Tensor input_tensor_q{};
        Tensor input_tensor_k{};
        int64_t head_dim_v = 0;
        Tensor page_table_tensor{};
        int64_t chunk_start_idx = 0;
        std::optional<double> scale{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<SDPAProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor_q>("tile tensor [batch, heads, queries, width]"),
                  arg<&Params::input_tensor_k>("[blocks, key heads, rows, width]"),
                  arg<&Params::head_dim_v>("columns of the keys that are values"),
                  arg<&Params::page_table_tensor>(attention::pages_doc),
                  arg<&Params::chunk_start_idx>("position of the first query, a multiple of the program's chunks"),
                  kw<&Params::scale>(attention::scale_doc)} +
        attention::config_fields<Params>;
    static constexpr Tolerance tolerance = attention::tolerance;

    static attention::Prefill arguments(const Params& p) {
        return {.op = name,
                .q = p.input_tensor_q,
                .k = p.input_tensor_k,
                .scale = p.scale,
                .page_table = p.page_table_tensor,
                .chunk_start_idx = p.chunk_start_idx,
                .head_dim_v = p.head_dim_v,
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
inline constexpr Op<ChunkedScaledDotProductAttention> chunked_scaled_dot_product_attention{};
inline constexpr Op<ChunkedFlashMlaPrefill> chunked_flash_mla_prefill{};
}  // namespace transformer

TTNN_DECLARATION(ChunkedScaledDotProductAttention);
TTNN_DECLARATION(ChunkedFlashMlaPrefill);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/attention.hpp"

namespace ttnn {

inline std::vector<reference::Array> ChunkedScaledDotProductAttention::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}
inline std::vector<reference::Array> ChunkedFlashMlaPrefill::reference(const Params& params) {
    return {reference::prefill(arguments(params))};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/transformer/attention_program.hpp"

namespace ttnn {

inline void ChunkedScaledDotProductAttention::validate(const Params& params) { attention::validate(arguments(params)); }
inline void ChunkedFlashMlaPrefill::validate(const Params& params) { attention::validate(arguments(params)); }

inline Tensor ChunkedScaledDotProductAttention::run(const Params& params) { return attention::run(arguments(params)); }
inline Tensor ChunkedFlashMlaPrefill::run(const Params& params) { return attention::run(arguments(params)); }

inline Domain ChunkedScaledDotProductAttention::domain(const Params& params, std::string_view field) {
    if (field == "chunk_start_idx_tensor") {
        const int64_t keys =
            int64_t{params.input_tensor_k.logical_shape()[2]} * params.page_table_tensor.logical_shape()[-1];
        return Domain::integer(0, static_cast<double>(keys - params.input_tensor_q.logical_shape()[2]));
    }
    return field == "page_table_tensor" ? attention::domain_of_pages(params.input_tensor_k)
                                        : attention::domain_of_operand(field);
}
inline Domain ChunkedFlashMlaPrefill::domain(const Params& params, std::string_view field) {
    return field == "page_table_tensor" ? attention::domain_of_pages(params.input_tensor_k)
                                        : attention::domain_of_operand(field);
}

inline void ChunkedScaledDotProductAttention::cases(CaseMaker& make) {
    const auto integers = [&](const Shape& shape) {
        return make.interleaved(shape, DataType::INT32, Layout::ROW_MAJOR);
    };
    const Tensor q = make.tensor({2, 4, 64, 64});
    const Tensor k = make.interleaved({12, 2, 32, 64}, make.dtype(), make.layout());
    const Tensor v = make.interleaved({12, 2, 32, 64}, make.dtype(), make.layout());
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = k,
                    .input_tensor_v = v,
                    .page_table_tensor = integers({2, 8}),
                    .chunk_start_idx = 128,
                    .program_config = attention::chunks(64, 64)});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = k,
                    .input_tensor_v = v,
                    .page_table_tensor = integers({2, 5}),
                    .chunk_start_idx = 0,
                    .scale = 0.25,
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor_q = q,
                    .input_tensor_k = k,
                    .input_tensor_v = v,
                    .page_table_tensor = integers({2, 8}),
                    .chunk_start_idx_tensor = integers({1})});
}

inline void ChunkedFlashMlaPrefill::cases(CaseMaker& make) {
    make.add(Params{.input_tensor_q = make.tensor({1, 4, 40, 96}),
                    .input_tensor_k = make.interleaved({9, 1, 64, 96}, make.dtype(), make.layout()),
                    .head_dim_v = 64,
                    .page_table_tensor = make.interleaved({1, 4}, DataType::INT32, Layout::ROW_MAJOR),
                    .chunk_start_idx = 96,
                    .scale = 0.125,
                    .program_config = attention::chunks(32, 32)});
}

}  // namespace ttnn

#endif
