// What the attention operations share: the arguments of a call, whichever operation it is of, and their documentation.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn::attention {

inline constexpr std::string_view scale_doc = "factor of the scores, default: 1 / sqrt(width of a query)";
inline constexpr std::string_view program_doc = "cores and chunks of queries and keys, no effect on results here";
inline constexpr std::string_view compute_doc = "precision, no effect on results here";
inline constexpr std::string_view memory_doc = "default: DRAM interleaved";
inline constexpr std::string_view pages_doc =
    "[batch, pages]: the block of the cache that holds each page of a batch's keys; row-major INT32";

// What every form declares at its end.
template <class Params>
inline constexpr FieldList config_fields{kw<&Params::memory_config>(memory_doc),
                                         kw<&Params::program_config>(program_doc),
                                         kw<&Params::compute_kernel_config>(compute_doc)};

// fp32 sums of values that cancel have no relative accuracy.
inline constexpr Tolerance tolerance{.absolute = 2e-5};

// Scores far enough from each other for weights that differ, and values around 0.
inline Domain domain_of_operand(std::string_view field) {
    const bool values = field.ends_with("_v");
    return values ? Domain::real(-1.0, 1.0) : Domain::real(-2.0, 2.0);
}
inline Domain domain_of_pages(const Tensor& cache) {
    return Domain::integer(0, static_cast<double>(cache.logical_shape()[0]) - 1);
}

// A program of chunks of queries and keys on a few cores, for cases.
inline SDPAProgramConfig chunks(int64_t queries, int64_t keys) {
    return {.compute_with_storage_grid_size = {4, 4}, .q_chunk_size = queries, .k_chunk_size = keys};
}

inline constexpr std::string_view mask_doc = "[batch, 1, heads, keys], added to the scores; only without is_causal";
inline constexpr std::string_view sink_doc =
    "[heads, 32], of which the first column counts: a score that takes its share and has no value";
inline constexpr std::string_view window_doc = "keys that a query sees, its own position included";
inline constexpr std::string_view position_doc =
    "last key that each batch sees, -1: the batch is left out; row-major INT32 [batch]";

// What the forms of one query per head declare alike.
template <class Params>
inline constexpr auto decode_fields = FieldList{kw<&Params::is_causal>("each batch sees the keys up to its position"),
                                                kw<&Params::attn_mask>(mask_doc),
                                                kw<&Params::cur_pos_tensor>(position_doc),
                                                kw<&Params::attention_sink>(sink_doc),
                                                kw<&Params::scale>(scale_doc),
                                                kw<&Params::sliding_window_size>(window_doc)} +
                                      config_fields<Params>;

// Many queries per head: [batch, heads, queries, width].
struct Prefill {
    std::string_view op;
    Tensor q{};
    Tensor k{};                 // [batch, key heads, keys, width]; paged: [blocks, key heads, rows, width]
    std::optional<Tensor> v{};  // none: the first columns of the keys
    std::optional<Tensor> mask{};
    bool is_causal = true;
    std::optional<double> scale{};
    std::optional<int64_t> sliding_window_size{};
    std::optional<Tensor> attention_sink{};
    std::optional<Tensor> page_table{};
    std::optional<int64_t> chunk_start_idx{};
    std::optional<Tensor> chunk_start_idx_tensor{};
    std::optional<Tensor> cu_window_seqlens{};
    std::optional<int64_t> head_dim_v{};  // of latent attention
    std::optional<MemoryConfig> memory_config{};
    std::optional<SDPAProgramConfig> program_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
};

// One query per head and batch: [1, batch, heads, width].
struct Decode {
    std::string_view op;
    Tensor q{};
    Tensor k{};
    std::optional<Tensor> v{};  // none: the first columns of the keys
    bool is_causal = true;
    std::optional<Tensor> mask{};
    std::vector<int64_t> cur_pos{};
    std::optional<Tensor> cur_pos_tensor{};
    std::optional<Tensor> page_table{};
    std::optional<Tensor> attention_sink{};
    std::optional<double> scale{};
    std::optional<int64_t> sliding_window_size{};
    std::optional<int64_t> head_dim_v{};  // of latent attention
    std::optional<MemoryConfig> memory_config{};
    std::optional<SDPAProgramConfig> program_config{};
    std::optional<ComputeKernelConfig> compute_kernel_config{};
};

// What all forms of one query per head have.
template <class Params>
Decode decode_call(std::string_view op, const Params& p) {
    return {.op = op,
            .q = p.input_tensor_q,
            .k = p.input_tensor_k,
            .v = p.input_tensor_v,
            .is_causal = p.is_causal,
            .mask = p.attn_mask,
            .cur_pos_tensor = p.cur_pos_tensor,
            .attention_sink = p.attention_sink,
            .scale = p.scale,
            .sliding_window_size = p.sliding_window_size,
            .memory_config = p.memory_config,
            .program_config = p.program_config,
            .compute_kernel_config = p.compute_kernel_config};
}

// Legal values of the arguments of a call.
inline Domain domain_of(const Decode& call, std::string_view field) {
    if (field == "page_table_tensor") {
        return domain_of_pages(call.k);
    }
    if (field == "cur_pos_tensor") {
        const double rows = call.k.logical_shape()[2];
        return Domain::integer(0, rows * (call.page_table ? call.page_table->logical_shape()[-1] : 1) - 1);
    }
    return field == "attn_mask" ? Domain::mask() : domain_of_operand(field);
}

}  // namespace ttnn::attention
