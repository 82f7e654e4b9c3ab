// transformer.split_query_key_value_and_split_heads and transformer.concatenate_heads: heads for inputs of three
// dimensions.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

struct SplitQueryKeyValueAndSplitHeads {
    static constexpr std::string_view name = "ttnn.transformer.split_query_key_value_and_split_heads";
    static constexpr std::string_view doc =
        "Heads of queries, keys and values out of rows that have all of them, or out of rows of queries and rows of "
        "keys and values.";
    struct Params {
        Tensor input_tensor{};
        std::optional<Tensor> kv_input_tensor{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        bool transpose_key = true;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [batch, rows, width]"),
                                      opt<&Params::kv_input_tensor>("keys, then values: [batch, rows, 2 kv heads]"),
                                      kwreq<&Params::num_heads>("heads of queries"),
                                      kw<&Params::num_kv_heads>("heads of keys and of values, default: num_heads"),
                                      kw<&Params::transpose_key>("whether the columns of keys come before their rows"),
                                      kw<&Params::memory_config>(heads::memory_doc)};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ConcatenateHeads {
    static constexpr std::string_view name = "ttnn.transformer.concatenate_heads";
    static constexpr std::string_view doc = "[batch, heads, rows, width] -> [batch, rows, heads * width].";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor [batch, heads, rows, width]"),
                                      kw<&Params::memory_config>(heads::memory_doc)};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace transformer {
inline constexpr Op<SplitQueryKeyValueAndSplitHeads> split_query_key_value_and_split_heads{};
inline constexpr Op<ConcatenateHeads> concatenate_heads{};
}  // namespace transformer
TTNN_DECLARATION(SplitQueryKeyValueAndSplitHeads);
TTNN_DECLARATION(ConcatenateHeads);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/heads.hpp"

namespace ttnn {

inline std::vector<reference::Array> SplitQueryKeyValueAndSplitHeads::reference(const Params& params) {
    const reference::Array rows = reference::values(params.input_tensor);
    const bool apart = params.kv_input_tensor.has_value();
    const reference::Array other = apart ? reference::values(*params.kv_input_tensor) : rows;
    const auto q = static_cast<uint32_t>(params.num_heads);
    const auto kv = static_cast<uint32_t>(params.num_kv_heads.value_or(params.num_heads));
    const bool grouped = params.input_tensor.is_sharded();
    const uint32_t dim = rows.shape[2] / (apart ? q : q + 2 * kv);
    const uint32_t batches = rows.shape[0];
    const uint32_t length = other.shape[1];
    const uint32_t shared = q / kv;
    const auto query = [=](size_t head) {
        return grouped && !apart ? (head / shared * (shared + 2) + head % shared) * dim : head * dim;
    };
    const auto other_column = [=](size_t head, size_t which) {
        if (grouped) {
            return (apart ? 2 * head + which : head * (shared + 2) + shared + which) * dim;
        }
        return ((apart ? 0 : q) + which * kv + head) * dim;
    };
    const Shape keys = params.transpose_key ? Shape{batches, kv, dim, length} : Shape{batches, kv, length, dim};
    return {
        reference::split_heads(rows, {batches, q, dim, query}, {batches, q, rows.shape[1], dim}),
        reference::split_heads(
            other, {batches, kv, dim, [=](size_t head) { return other_column(head, 0); }, params.transpose_key}, keys),
        reference::split_heads(other, {batches, kv, dim, [=](size_t head) { return other_column(head, 1); }},
                               {batches, kv, length, dim})};
}

inline std::vector<reference::Array> ConcatenateHeads::reference(const Params& params) {
    reference::Array rows = reference::joined_heads(reference::values(params.input_tensor));
    rows.shape = {rows.shape[0], rows.shape[2], rows.shape[3]};
    return {rows};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/heads/create_qkv_heads.hpp"
#include "ttnn/ops/heads/nlp_concat_heads.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads.hpp"
#include "ttnn/ops/heads/nlp_create_qkv_heads_fixed.hpp"

namespace ttnn {

namespace heads {

inline Tensor with_one_row(const Tensor& tensor) {
    const Shape& shape = tensor.logical_shape();
    return reshape(tensor, movement::ints({shape[0], 1, shape[1], shape[2]}));
}

// Sharded heads come with the rows that fill the last tiles; these are not part of the result.
inline Tensor with_rows(const Tensor& heads, size_t dim, uint32_t rows) {
    Shape shape = heads.logical_shape();
    if (shape[dim] == rows) {
        return heads;
    }
    shape[dim] = rows;
    return heads.view_as(spec(heads, shape, heads.memory_config()));
}
inline std::tuple<Tensor, Tensor, Tensor> with_rows(const std::tuple<Tensor, Tensor, Tensor>& heads,
                                                    const SplitQueryKeyValueAndSplitHeads::Params& params) {
    const auto& [q, k, v] = heads;
    const uint32_t rows = params.input_tensor.logical_shape()[1];
    const uint32_t kv_rows = params.kv_input_tensor.value_or(params.input_tensor).logical_shape()[1];
    return {with_rows(q, 2, rows), with_rows(k, params.transpose_key ? 3 : 2, kv_rows), with_rows(v, 2, kv_rows)};
}

inline bool is_falcon7b(const SplitQueryKeyValueAndSplitHeads::Params& params, const Tensor& input) {
    const Shape& shape = input.logical_shape();
    return params.num_heads == 71 && params.num_kv_heads.value_or(71) == 1 && shape[3] == 73 * 64 &&
           shape[2] % tile_size == 0;
}

}  // namespace heads

inline void SplitQueryKeyValueAndSplitHeads::validate(const Params& params) {
    const bool apart = params.kv_input_tensor.has_value();
    heads::check_rank(name, "input_tensor", params.input_tensor, 3);
    check_layout(name, "input_tensor", params.input_tensor, Layout::TILE);
    if (apart) {
        heads::check_rank(name, "kv_input_tensor", *params.kv_input_tensor, 3);
        check_layout(name, "kv_input_tensor", *params.kv_input_tensor, Layout::TILE);
    }
    require(!params.num_kv_heads || apart || !params.transpose_key,
            "{}: argument 'transpose_key' must be false with 'num_kv_heads' and one input", name);
    const heads::Counts counts =
        heads::counts_of(name, "input_tensor", params.input_tensor, params.num_heads, params.num_kv_heads, apart);
    require(counts.head_dim % tile_size == 0 &&
                params.input_tensor.logical_shape()[2] == params.input_tensor.padded_shape()[2],
            "{}: argument 'input_tensor' must have heads of whole tiles, got {} columns for each", name,
            counts.head_dim);
}

inline std::tuple<Tensor, Tensor, Tensor> SplitQueryKeyValueAndSplitHeads::run(const Params& params) {
    const Tensor input = heads::with_one_row(params.input_tensor);
    if (input.is_sharded() && params.kv_input_tensor) {
        return heads::with_rows(
            experimental::create_qkv_heads_from_separate_tensors(input, heads::with_one_row(*params.kv_input_tensor),
                                                                 {.num_heads = params.num_heads,
                                                                  .num_kv_heads = params.num_kv_heads,
                                                                  .transpose_k_heads = params.transpose_key,
                                                                  .memory_config = params.memory_config}),
            params);
    }
    if (input.is_sharded()) {
        return heads::with_rows(experimental::create_qkv_heads(input, {.num_heads = params.num_heads,
                                                                       .num_kv_heads = params.num_kv_heads,
                                                                       .transpose_k_heads = params.transpose_key,
                                                                       .memory_config = params.memory_config}),
                                params);
    }
    if (!params.kv_input_tensor && heads::is_falcon7b(params, input)) {
        return experimental::nlp_create_qkv_heads_falcon7b(input, {.memory_config = params.memory_config});
    }
    std::optional<Tensor> other;
    if (params.kv_input_tensor) {
        other = heads::with_one_row(*params.kv_input_tensor);
    }
    return experimental::nlp_create_qkv_heads(input, {.input_kv = other,
                                                      .num_heads = params.num_heads,
                                                      .num_kv_heads = params.num_kv_heads,
                                                      .transpose_k_heads = params.transpose_key,
                                                      .memory_config = params.memory_config});
}

inline void ConcatenateHeads::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    heads::check_rank(name, "input_tensor", input, 4);
    check_layout(name, "input_tensor", input, Layout::TILE);
    require(input.logical_shape()[3] % tile_size == 0 && input.logical_shape()[3] == input.padded_shape()[3],
            "{}: argument 'input_tensor' must have heads of whole tiles, got {} columns", name,
            input.logical_shape()[3]);
}
inline Tensor ConcatenateHeads::run(const Params& params) {
    const Tensor joined = experimental::nlp_concat_heads(params.input_tensor, {.memory_config = params.memory_config});
    const Shape& shape = joined.logical_shape();
    return reshape(joined, movement::ints({shape[0], shape[2], shape[3]}));
}

inline void SplitQueryKeyValueAndSplitHeads::cases(CaseMaker& make) {
    const std::optional<MemoryConfig> config =
        make.sharded() ? std::optional(MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)) : std::nullopt;
    make.add(Params{.input_tensor = make.tensor({2, 64, 384}), .num_heads = 2});
    make.add(Params{.input_tensor = make.tensor({1, 40, 192}), .num_heads = 2, .transpose_key = false});
    make.add(Params{.input_tensor = make.tensor({2, 32, 256}),
                    .num_heads = 2,
                    .num_kv_heads = 1,
                    .transpose_key = false,
                    .memory_config = config});
    make.add(Params{.input_tensor = make.tensor({2, 64, 128}),
                    .kv_input_tensor = make.tensor({2, 32, 256}),
                    .num_heads = 2,
                    .memory_config = config});
    make.add(Params{.input_tensor = make.tensor({2, 40, 384}), .num_heads = 2, .memory_config = config});
}
inline void ConcatenateHeads::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({2, 3, 64, 32})});
    make.add(Params{.input_tensor = make.tensor({1, 4, 50, 64}), .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
