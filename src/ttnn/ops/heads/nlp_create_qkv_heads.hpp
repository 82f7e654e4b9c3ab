// nlp_create_qkv_heads and its boltz form: heads of queries, keys and values out of one fused row, or two.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

namespace heads {
template <class Params>
inline constexpr FieldList create_fields{
    kwreq<&Params::num_heads>("heads of queries"),
    kw<&Params::num_kv_heads>("heads of keys and of values, default: num_heads"),
    kw<&Params::transpose_k_heads>("whether the columns of keys come before their rows"),
    kw<&Params::memory_config>(memory_doc), kw<&Params::output_tensors>(outputs_doc).mutates()};
}  // namespace heads

struct NlpCreateQkvHeads {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads";
    static constexpr std::string_view doc =
        "Heads of queries, keys and values out of rows that have all of them side by side; rows sharded over cores "
        "have "
        "the heads of each core together.";
    struct Params {
        Tensor input{};
        std::optional<Tensor> input_kv{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        bool transpose_k_heads = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input>("tile tensor [batch, 1, rows, (q + 2 kv) heads], or q heads beside input_kv"),
                  opt<&Params::input_kv>("tile tensor [batch, 1, rows, 2 kv heads]: keys, then values")} +
        heads::create_fields<Params>;
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct NlpCreateQkvHeadsBoltz {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads_boltz";
    static constexpr std::string_view doc = "nlp_create_qkv_heads for square inputs: heads stand in front.";
    struct Params {
        Tensor input{};
        std::optional<Tensor> input_kv{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        bool transpose_k_heads = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input>("tile tensor [1, n, n, (q + 2 kv) heads], or q heads beside input_kv"),
                  opt<&Params::input_kv>("tile tensor [1, n, n, 2 kv heads]: keys, then values")} +
        heads::create_fields<Params>;
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpCreateQkvHeads> nlp_create_qkv_heads{};
inline constexpr Op<NlpCreateQkvHeadsBoltz> nlp_create_qkv_heads_boltz{};
}  // namespace experimental
TTNN_DECLARATION(NlpCreateQkvHeads);
TTNN_DECLARATION(NlpCreateQkvHeadsBoltz);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/heads.hpp"

namespace ttnn {

namespace heads {

// By the layouts of rows: queries | keys | values; or by groups on cores: queries of a group, its key, its value; or
// the same without queries in a tensor beside. `in_front`: heads take the first dimension instead of the second.
template <class Params>
std::vector<reference::Array> created(const Params& params, bool in_front) {
    const size_t q = static_cast<size_t>(params.num_heads);
    const size_t kv = static_cast<size_t>(params.num_kv_heads.value_or(params.num_heads));
    const bool apart = params.input_kv.has_value();
    const bool grouped = params.input.is_sharded();
    // What fills the last tiles counts where heads come in front.
    const auto numbers = [&](const Tensor& tensor) {
        return in_front ? reference::padded_values(tensor) : reference::values(tensor);
    };
    const reference::Array rows = numbers(params.input);
    const reference::Array other = apart ? numbers(*params.input_kv) : rows;
    const size_t dim = rows.shape.from_end(0) / (apart ? q : q + 2 * kv);
    const auto own = static_cast<uint32_t>((dim + 31) / 32 * 32);
    const auto query = [=](size_t head) {
        return grouped && !apart ? (head / (q / kv) * (q / kv + 2) + head % (q / kv)) * dim : head * dim;
    };
    const auto key_or_value = [=](size_t head, size_t which) {
        if (grouped) {
            return (apart ? 2 * head + which : head * (q / kv + 2) + q / kv + which) * dim;
        }
        return ((apart ? 0 : q) + which * kv + head) * dim;
    };
    const size_t batches = in_front ? 1 : rows.shape[0];
    Shape shape = rows.shape;
    shape[in_front ? 0 : 1] = static_cast<uint32_t>(q);
    shape[3] = own;
    Shape small = shape;
    small[in_front ? 0 : 1] = static_cast<uint32_t>(kv);
    Shape keys = small;
    if (params.transpose_k_heads) {
        keys = in_front ? Shape{small[0], own, small[1], small[2]} : Shape{small[0], small[1], own, small[2]};
    }
    return {
        reference::split_heads(rows, {batches, q, dim, query}, shape),
        reference::split_heads(
            other, {batches, kv, dim, [=](size_t head) { return key_or_value(head, 0); }, params.transpose_k_heads},
            keys),
        reference::split_heads(other, {batches, kv, dim, [=](size_t head) { return key_or_value(head, 1); }}, small)};
}

}  // namespace heads

inline std::vector<reference::Array> NlpCreateQkvHeads::reference(const Params& params) {
    return heads::created(params, false);
}
inline std::vector<reference::Array> NlpCreateQkvHeadsBoltz::reference(const Params& params) {
    return heads::created(params, true);
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/heads/split_program.hpp"

namespace ttnn {

namespace heads {

template <class Params>
Counts created_counts(std::string_view op, const Params& params) {
    check_rank(op, "input", params.input, 4);
    const bool apart = params.input_kv.has_value();
    const Counts counts = counts_of(op, "input", params.input, params.num_heads, params.num_kv_heads, apart);
    if (apart) {
        check_rank(op, "input_kv", *params.input_kv, 4);
        require(head_dim_of(op, "input_kv", *params.input_kv, 2 * uint64_t{counts.kv}) == counts.head_dim,
                "{}: argument 'input_kv' must have heads as wide as those of the input, {} columns", op,
                counts.head_dim);
    }
    return counts;
}

// Heads of a group lie on one core.
template <class Params>
void check_created_shards(std::string_view op, const Params& params, const Counts& counts, const MemoryConfig& output) {
    const Tensor& input = params.input;
    const ShardSpec& shards = *input.memory_config().shard_spec();
    const uint32_t cores = input.device()->full_grid().num_cores();
    const bool apart = params.input_kv.has_value();
    require(
        shards.orientation == ShardOrientation::ROW_MAJOR && shards.shape[0] == input.spec().physical_shape().height,
        "{}: argument 'input' must be cut along its width, row by row, got {}", op, input.memory_config());
    require(output.is_sharded() && output.memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
            "{}: argument 'memory_config' must be height or block sharded as the input is sharded, got {}", op, output);
    require(counts.q <= cores && counts.q % shards.num_cores() == 0 && counts.q % counts.kv == 0 &&
                counts.kv % shards.num_cores() == 0,
            "{}: argument 'num_heads': {} and {} heads cannot be dealt evenly to {} cores", op, counts.q, counts.kv,
            shards.num_cores());
    const uint32_t group = counts.q / counts.kv + (apart ? 0 : 2);
    require(shards.shape[1] == group * counts.head_dim,
            "{}: argument 'input' must have shards of {} heads, got {} columns", op, group, shards.shape[1]);
    require(!params.transpose_k_heads, "{}: argument 'transpose_k_heads' must be false for a sharded input", op);
    require(!apart || (params.input_kv->memory_config().shard_spec() &&
                       params.input_kv->memory_config().shard_spec()->grid == shards.grid &&
                       params.input_kv->memory_config().shard_spec()->shape[1] == 2 * counts.head_dim),
            "{}: argument 'input_kv' must be sharded over the cores of the input, a key and a value on each", op);
}

template <class Params>
void check_created(std::string_view op, const Params& params, const Counts& counts) {
    const Tensor& input = params.input;
    const MemoryConfig& output = params.memory_config ? *params.memory_config : input.memory_config();
    check_tiles(op, "input", input);
    if (params.input_kv) {
        const Tensor& other = *params.input_kv;
        check_tiles(op, "input_kv", other, {input.dtype()});
        Shape expected = input.padded_shape();
        expected[3] = other.padded_shape()[3];
        require(other.padded_shape() == expected, "{}: argument 'input_kv' must have the rows of the input {}, got {}",
                op, input.padded_shape(), other.padded_shape());
        require(!other.is_sharded() || input.is_sharded(), "{}: argument 'input_kv' is sharded, but the input is not",
                op);
    }
    if (input.memory_config().shard_spec()) {
        check_created_shards(op, params, counts, output);
    } else {
        check_interleaved_output(op, output);
    }
}

// What the result of `heads` heads lies in: one on each core.
inline MemoryConfig created_config(const Tensor& input, const MemoryConfig& config, uint32_t heads, uint32_t head_dim) {
    if (!config.is_sharded()) {
        return config;
    }
    const CoreRangeSet cores = num_cores_to_corerangeset(heads, input.device()->compute_grid(), true);
    return MemoryConfig(config.memory_layout(), config.buffer_type(), ShardSpec{cores, {tile_size, head_dim}});
}

// Rows of queries, of keys, of values: whether they lie in groups and in which input.
template <class Params>
std::array<Part, 3> created_parts(const Params& params, const Counts& counts, uint64_t batches,
                                  const std::array<Shape, 3>& shapes) {
    const Tensor& input = params.input;
    const bool apart = params.input_kv.has_value();
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const uint64_t dim = counts.head_dim;
    std::array<Part, 3> parts;
    if (input.is_sharded()) {
        const uint64_t per_group = counts.q / counts.kv;
        const uint64_t group = per_group + 2;
        parts[0].columns =
            apart ? in_line(batches, counts.q, dim, 0) : in_groups(batches, counts.kv, per_group, dim, group, 0);
        for (const uint64_t i : {1, 2}) {
            parts[i].columns = apart ? in_groups(batches, counts.kv, 1, dim, 2, i - 1)
                                     : in_groups(batches, counts.kv, 1, dim, group, per_group + i - 1);
        }
    } else {
        const uint64_t before = apart ? 0 : counts.q;
        parts[0].columns = in_line(batches, counts.q, dim, 0);
        parts[1].columns = in_line(batches, counts.kv, dim, before);
        parts[2].columns = in_line(batches, counts.kv, dim, before + counts.kv);
    }
    parts[1].transposed = params.transpose_k_heads;
    for (size_t i = 0; i < parts.size(); ++i) {
        parts[i].source = apart && i > 0 ? 1 : 0;
        parts[i].spec =
            spec(input, shapes[i], created_config(input, config, i == 0 ? counts.q : counts.kv, counts.head_dim));
    }
    return parts;
}

template <class Params>
Three run_created(std::string_view primitive, const Params& params, const Counts& counts, uint64_t batches,
                  const std::array<Shape, 3>& shapes) {
    const Tensor& input = params.input;
    const Tensor tensors[] = {input, params.input_kv.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        if (input.is_sharded()) {
            return shard_buffers(p, outputs);
        }
        constexpr uint64_t buffered = 4;  // tiles
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(input), 1));
        p.circular_buffer(cores, buffered * tile_bytes(input));
        for (int i = 0; params.transpose_k_heads && i < 2; ++i) {
            p.circular_buffer(cores, buffered * tile_bytes(input));
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.input_kv).add(params.num_heads).add(params.num_kv_heads);
        list.add(params.transpose_k_heads).add(params.memory_config).add(params.output_tensors);
    };
    return run({.primitive = primitive,
                .inputs = tensors,
                .parts = created_parts(params, counts, batches, shapes),
                .outputs = params.output_tensors,
                .program = program,
                .arguments = arguments});
}

inline std::array<Shape, 3> created_shapes(const NlpCreateQkvHeads::Params& params, const Counts& counts) {
    const Shape& rows = params.input.logical_shape();
    const Shape values{rows[0], counts.kv, rows[2], counts.padded_dim()};
    const Shape keys = params.transpose_k_heads ? Shape{rows[0], counts.kv, counts.padded_dim(), rows[2]} : values;
    return {Shape{rows[0], counts.q, rows[2], counts.padded_dim()}, keys, values};
}
inline std::array<Shape, 3> created_shapes(const NlpCreateQkvHeadsBoltz::Params& params, const Counts& counts) {
    const Shape& rows = params.input.padded_shape();
    const Shape values{counts.kv, rows[1], rows[2], counts.padded_dim()};
    const Shape keys = params.transpose_k_heads ? Shape{counts.kv, counts.padded_dim(), rows[1], rows[2]} : values;
    return {Shape{counts.q, rows[1], rows[2], counts.padded_dim()}, keys, values};
}

inline NlpCreateQkvHeadsBoltz::Params with_padding(NlpCreateQkvHeadsBoltz::Params params) {
    params.input = with_padding(params.input);
    if (params.input_kv) {
        params.input_kv = with_padding(*params.input_kv);
    }
    return params;
}

}  // namespace heads

inline void NlpCreateQkvHeads::validate(const Params& params) {
    const heads::Counts counts = heads::created_counts(name, params);
    heads::check_outputs(name, params.output_tensors, heads::created_shapes(params, counts), params.input.dtype());
    check_at_launch([&] {
        heads::check_one_row(name, "input", params.input);
        heads::check_created(name, params, counts);
    });
}
inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeads::run(const Params& params) {
    const heads::Counts counts = heads::created_counts(name, params);
    return heads::run_created("ttnn::prim::nlp_create_qkv_heads", params, counts, params.input.logical_shape()[0],
                              heads::created_shapes(params, counts));
}

inline void NlpCreateQkvHeadsBoltz::validate(const Params& params) {
    const heads::Counts counts = heads::created_counts(name, params);
    const Shape& shape = params.input.logical_shape();
    require(shape[0] == 1 && shape[1] == shape[2], "{}: argument 'input' must be [1, n, n, width], got {}", name,
            shape);
    heads::check_outputs(name, params.output_tensors, heads::created_shapes(params, counts), params.input.dtype());
    check_at_launch([&] { heads::check_created(name, params, counts); });
}
inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeadsBoltz::run(const Params& params) {
    const heads::Counts counts = heads::created_counts(name, params);
    return heads::run_created("ttnn::prim::nlp_create_qkv_heads_boltz", heads::with_padding(params), counts, 1,
                              heads::created_shapes(params, counts));
}

inline void NlpCreateQkvHeads::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(
        Params{.input = make.tensor({2, 1, 64, 512}), .num_heads = 4, .num_kv_heads = 2, .transpose_k_heads = false});
    make.add(Params{.input = make.tensor({1, 1, 40, 288}), .num_heads = 3, .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({2, 1, 33, 96}), .num_heads = 2, .transpose_k_heads = false});
    make.add(
        Params{.input = make.tensor({1, 1, 32, 256}),
               .input_kv = plain({1, 1, 32, 128}),
               .num_heads = 4,
               .num_kv_heads = 1,
               .transpose_k_heads = false,
               .output_tensors = std::vector{plain({1, 4, 32, 64}), plain({1, 1, 32, 64}), plain({1, 1, 32, 64})}});
    if (make.memory() == MemoryKind::WIDTH_SHARDED) {  // four cores
        const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
        make.add(Params{.input = make.tensor({1, 1, 32, 1024}),
                        .num_heads = 8,
                        .num_kv_heads = 4,
                        .transpose_k_heads = false,
                        .memory_config = config});
        make.add(Params{.input = make.tensor({1, 1, 32, 512}),
                        .input_kv = make.tensor({1, 1, 32, 512}),
                        .num_heads = 8,
                        .num_kv_heads = 4,
                        .transpose_k_heads = false,
                        .memory_config = config});
    }
}

inline void NlpCreateQkvHeadsBoltz::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 64, 64, 384}), .num_heads = 2, .transpose_k_heads = false});
    make.add(Params{.input = make.tensor({1, 32, 32, 192}), .num_heads = 2, .num_kv_heads = 2});
    make.add(
        Params{.input = make.tensor({1, 33, 33, 128}), .num_heads = 2, .num_kv_heads = 1, .transpose_k_heads = false});
    make.add(Params{.input = make.tensor({1, 33, 33, 192}), .num_heads = 2});
}

}  // namespace ttnn

#endif
