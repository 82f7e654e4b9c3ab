// Forms of nlp_create_qkv_heads for single models, with their numbers of heads: falcon7b, vit, segformer and the form
// for BERT large.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

struct NlpCreateQkvHeadsFalcon7b {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads_falcon7b";
    static constexpr std::string_view doc = "71 heads of queries, one of keys and one of values, 64 columns each.";
    struct Params {
        Tensor input{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{arg<&Params::input>("tile tensor [batch, 1, rows, 4672]"),
                                      kw<&Params::memory_config>(heads::memory_doc)};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct NlpCreateQkvHeadsVit {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads_vit";
    static constexpr std::string_view doc = "12 heads of queries, of keys and of values, 64 columns each.";
    struct Params {
        Tensor input{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{arg<&Params::input>("tile tensor [batch, 1, rows, 2304]"),
                                      kw<&Params::memory_config>(heads::memory_doc),
                                      kw<&Params::output_tensors>(heads::outputs_doc).mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct NlpCreateQkvHeadsSegformer {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads_segformer";
    static constexpr std::string_view doc =
        "Heads of 32 columns. Three tensors of the same shape, of which only the first one is filled.";
    struct Params {
        Tensor input{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{arg<&Params::input>("tile tensor [batch, 1, rows, 32 heads]"),
                                      kw<&Params::memory_config>(heads::memory_doc),
                                      kw<&Params::output_tensors>(heads::outputs_doc).mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct SplitFusedHeads {
    static constexpr std::string_view name = "ttnn.experimental.split_query_key_value_and_split_heads";
    static constexpr std::string_view doc =
        "16 heads of queries, keys and values of BERT large, 64 columns each; the columns of keys come before their "
        "rows.";
    struct Params {
        Tensor input_tensor{};
        CoreCoord compute_with_storage_grid_size{};
        std::optional<MemoryConfig> memory_config{};
        int64_t num_heads = 16;
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor [batch, 1, 384, 3072]"),
        arg<&Params::compute_with_storage_grid_size>("cores to use"), kw<&Params::memory_config>(heads::memory_doc),
        kw<&Params::num_heads>("heads of each kind"), kw<&Params::output_tensors>(heads::outputs_doc).mutates()};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpCreateQkvHeadsFalcon7b> nlp_create_qkv_heads_falcon7b{};
inline constexpr Op<NlpCreateQkvHeadsVit> nlp_create_qkv_heads_vit{};
inline constexpr Op<NlpCreateQkvHeadsSegformer> nlp_create_qkv_heads_segformer{};
inline constexpr Op<SplitFusedHeads> split_query_key_value_and_split_heads{};
}  // namespace experimental
TTNN_DECLARATION(NlpCreateQkvHeadsFalcon7b);
TTNN_DECLARATION(NlpCreateQkvHeadsVit);
TTNN_DECLARATION(NlpCreateQkvHeadsSegformer);
TTNN_DECLARATION(SplitFusedHeads);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/heads.hpp"

namespace ttnn {

namespace heads {

// The result that has `count` heads from the one at `before` on.
inline reference::Array fixed_heads(const reference::Array& rows, uint32_t before, uint32_t count, uint32_t dim,
                                    bool transposed = false) {
    const uint32_t batches = rows.shape[0];
    const uint32_t length = rows.shape[2];
    const Shape shape = transposed ? Shape{batches, count, dim, length} : Shape{batches, count, length, dim};
    return reference::split_heads(
        rows, {batches, count, dim, [=](size_t head) { return (before + head) * dim; }, transposed}, shape);
}

}  // namespace heads

inline std::vector<reference::Array> NlpCreateQkvHeadsFalcon7b::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input);
    return {heads::fixed_heads(rows, 0, 71, 64), heads::fixed_heads(rows, 71, 1, 64),
            heads::fixed_heads(rows, 72, 1, 64)};
}
inline std::vector<reference::Array> NlpCreateQkvHeadsVit::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input);
    return {heads::fixed_heads(rows, 0, 12, 64), heads::fixed_heads(rows, 12, 12, 64),
            heads::fixed_heads(rows, 24, 12, 64)};
}
inline std::vector<reference::Array> NlpCreateQkvHeadsSegformer::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input);
    const reference::Array first = heads::fixed_heads(rows, 0, rows.shape[3] / 32, 32);
    const auto untouched = [&](size_t i) {
        return params.output_tensors ? reference::values((*params.output_tensors)[i]) : reference::Array(first.shape);
    };
    return {first, untouched(1), untouched(2)};
}
inline std::vector<reference::Array> SplitFusedHeads::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input_tensor);
    return {heads::fixed_heads(rows, 0, 16, 64), heads::fixed_heads(rows, 16, 16, 64, true),
            heads::fixed_heads(rows, 32, 16, 64)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/heads/split_program.hpp"

namespace ttnn {

namespace heads {

// A form with its numbers of heads; results have whole tiles, so the rows that fill the input's last ones become part
// of them.
struct Fixed {
    std::string_view op;
    std::string_view argument;
    std::string_view primitive;
    const Tensor& input;
    const std::optional<MemoryConfig>& memory_config;
    const std::optional<std::vector<Tensor>>& outputs;
    uint32_t q;
    uint32_t kv;
    uint32_t head_dim;
    bool transpose_k = false;
    bool only_first = false;
};

inline std::array<Shape, 3> fixed_shapes(const Fixed& call) {
    const Shape& rows = call.input.padded_shape();
    const Shape values{rows[0], call.kv, rows[2], call.head_dim};
    const Shape keys = call.transpose_k ? Shape{rows[0], call.kv, call.head_dim, rows[2]} : values;
    return {Shape{rows[0], call.q, rows[2], call.head_dim}, keys, values};
}

inline void check_fixed(const Fixed& call) {
    check_rank(call.op, call.argument, call.input, 4);
    const Shape& rows = call.input.padded_shape();
    const uint32_t width = (call.only_first ? call.q : call.q + 2 * call.kv) * call.head_dim;
    require(rows[1] == 1 && rows[3] == width, "{}: argument '{}' must be [batch, 1, rows, {}], got {}", call.op,
            call.argument, width, rows);
    check_outputs(call.op, call.outputs, fixed_shapes(call), call.input.dtype());
    check_at_launch([&] {
        check_tiles(call.op, call.argument, call.input);
        check_interleaved(call.op, call.argument, call.input);
        check_interleaved_output(call.op, call.memory_config.value_or(call.input.memory_config()));
    });
}

inline Three run_fixed(const Fixed& call) {
    const Shape& rows = call.input.padded_shape();
    const MemoryConfig config = call.memory_config.value_or(call.input.memory_config());
    const std::array<Shape, 3> shapes = fixed_shapes(call);
    const uint32_t before[] = {0, call.q, call.q + call.kv};
    std::array<Part, 3> parts;
    for (size_t i = 0; i < parts.size(); ++i) {
        parts[i] = {.columns = in_line(rows[0], i == 0 ? call.q : call.kv, call.head_dim, before[i]),
                    .transposed = i == 1 && call.transpose_k,
                    .filled = i == 0 || !call.only_first,
                    .spec = spec(call.input, shapes[i], config)};
    }
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(call.input), 1));
        const uint64_t tiles = call.only_first ? 1 : tile_columns(call.input);
        p.circular_buffer(cores, 2 * tiles * tile_bytes(call.input));
    };
    const auto arguments = [&](ArgumentList& list) { list.add(call.input).add(call.memory_config).add(call.outputs); };
    // Rows of padding count as rows here.
    const Tensor whole = call.input.logical_shape() == rows
                             ? call.input
                             : call.input.view_as(spec(call.input, rows, call.input.memory_config()));
    return run({.primitive = call.primitive,
                .inputs = {&whole, 1},
                .parts = parts,
                .outputs = call.outputs,
                .program = program,
                .arguments = arguments});
}

inline const std::optional<std::vector<Tensor>> no_outputs{};

inline Fixed fixed(const NlpCreateQkvHeadsFalcon7b::Params& p) {
    return {.op = NlpCreateQkvHeadsFalcon7b::name,
            .argument = "input",
            .primitive = "ttnn::prim::nlp_create_qkv_heads_falcon7b",
            .input = p.input,
            .memory_config = p.memory_config,
            .outputs = no_outputs,
            .q = 71,
            .kv = 1,
            .head_dim = 64};
}
inline Fixed fixed(const NlpCreateQkvHeadsVit::Params& p) {
    return {.op = NlpCreateQkvHeadsVit::name,
            .argument = "input",
            .primitive = "ttnn::prim::nlp_create_qkv_heads_vit",
            .input = p.input,
            .memory_config = p.memory_config,
            .outputs = p.output_tensors,
            .q = 12,
            .kv = 12,
            .head_dim = 64};
}
inline Fixed fixed(const NlpCreateQkvHeadsSegformer::Params& p) {
    const uint32_t heads = std::max(p.input.padded_shape().from_end(0) / 32, 1U);
    return {.op = NlpCreateQkvHeadsSegformer::name,
            .argument = "input",
            .primitive = "ttnn::prim::nlp_create_qkv_heads_segformer",
            .input = p.input,
            .memory_config = p.memory_config,
            .outputs = p.output_tensors,
            .q = heads,
            .kv = heads,
            .head_dim = 32,
            .only_first = true};
}
inline Fixed fixed(const SplitFusedHeads::Params& p) {
    return {.op = SplitFusedHeads::name,
            .argument = "input_tensor",
            .primitive = "ttnn::prim::split_query_key_value_and_split_heads",
            .input = p.input_tensor,
            .memory_config = p.memory_config,
            .outputs = p.output_tensors,
            .q = 16,
            .kv = 16,
            .head_dim = 64,
            .transpose_k = true};
}

}  // namespace heads

inline void NlpCreateQkvHeadsFalcon7b::validate(const Params& params) { heads::check_fixed(heads::fixed(params)); }
inline void NlpCreateQkvHeadsVit::validate(const Params& params) { heads::check_fixed(heads::fixed(params)); }
inline void NlpCreateQkvHeadsSegformer::validate(const Params& params) { heads::check_fixed(heads::fixed(params)); }
inline void SplitFusedHeads::validate(const Params& params) {
    heads::check_fixed(heads::fixed(params));
    check_at_launch([&] {
        const CoreCoord& grid = params.compute_with_storage_grid_size;
        const CoreCoord own = params.input_tensor.device()->compute_grid();
        require(params.input_tensor.padded_shape()[2] == 384, "{}: argument 'input_tensor' must have 384 rows, got {}",
                name, params.input_tensor.padded_shape()[2]);
        require(params.num_heads == 16, "{}: argument 'num_heads' must be 16, got {}", name, params.num_heads);
        heads::check_tiles(name, "input_tensor", params.input_tensor, {DataType::BFLOAT16, DataType::BFLOAT8_B});
        require(
            grid.x >= 1 && grid.y >= 1 && grid.x <= own.x && grid.y <= own.y,
            "{}: argument 'compute_with_storage_grid_size' must lie in the {} x {} cores of the device, got {} x {}",
            name, own.x, own.y, grid.x, grid.y);
    });
}

inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeadsFalcon7b::run(const Params& params) {
    return heads::run_fixed(heads::fixed(params));
}
inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeadsVit::run(const Params& params) {
    return heads::run_fixed(heads::fixed(params));
}
inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeadsSegformer::run(const Params& params) {
    return heads::run_fixed(heads::fixed(params));
}
inline std::tuple<Tensor, Tensor, Tensor> SplitFusedHeads::run(const Params& params) {
    return heads::run_fixed(heads::fixed(params));
}

inline void NlpCreateQkvHeadsFalcon7b::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 1, 32, 4672})});
    make.add(Params{.input = make.tensor({2, 1, 20, 4672}), .memory_config = l1_memory_config()});
}
inline void NlpCreateQkvHeadsVit::cases(CaseMaker& make) { make.add(Params{.input = make.tensor({2, 1, 64, 2304})}); }
inline void NlpCreateQkvHeadsSegformer::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 1, 64, 96})});
    const auto plain = [&] { return make.interleaved({2, 2, 32, 32}, make.dtype(), make.layout()); };
    make.add(Params{.input = make.tensor({2, 1, 32, 64}), .output_tensors = std::vector{plain(), plain(), plain()}});
}
inline void SplitFusedHeads::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 384, 3072}), .compute_with_storage_grid_size = {8, 7}});
}

}  // namespace ttnn

#endif
