// create_qkv_heads: heads of queries, keys and values out of block-sharded rows, fused or in two tensors.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

namespace heads {
template <class Params>
inline constexpr FieldList block_fields{
    kwreq<&Params::num_heads>("heads of queries"),
    kw<&Params::num_kv_heads>("heads of keys and of values, default: num_heads"),
    kw<&Params::transpose_k_heads>("whether the columns of keys come before their rows"),
    kw<&Params::memory_config>("height sharded, on the cores of the input"),
    kw<&Params::output_tensors>(outputs_doc).mutates()};
}  // namespace heads

struct CreateQkvHeads {
    static constexpr std::string_view name = "ttnn.experimental.create_qkv_heads";
    static constexpr std::string_view doc =
        "Heads out of block-sharded rows in which the queries that share a key stand before it and its value.";
    struct Params {
        Tensor input{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        bool transpose_k_heads = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input>("block-sharded tile tensor [batch, 1, rows, (q + 2 kv) heads]")} +
        heads::block_fields<Params>;
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct CreateQkvHeadsFromSeparateTensors {
    static constexpr std::string_view name = "ttnn.experimental.create_qkv_heads_from_separate_tensors";
    static constexpr std::string_view doc =
        "Heads out of block-sharded rows of queries and of rows in which each key stands before its value.";
    struct Params {
        Tensor input{};
        Tensor input_kv{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        bool transpose_k_heads = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr auto fields =
        FieldList{arg<&Params::input>("block-sharded tile tensor [batch, 1, rows, q heads]"),
                  arg<&Params::input_kv>("block-sharded tile tensor [batch, 1, rows, 2 kv heads]")} +
        heads::block_fields<Params>;
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<CreateQkvHeads> create_qkv_heads{};
inline constexpr Op<CreateQkvHeadsFromSeparateTensors> create_qkv_heads_from_separate_tensors{};
}  // namespace experimental
TTNN_DECLARATION(CreateQkvHeads);
TTNN_DECLARATION(CreateQkvHeadsFromSeparateTensors);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/heads.hpp"

namespace ttnn {

namespace heads {

inline reference::Array block_heads(const reference::Array& rows, size_t count, size_t dim,
                                    std::function<size_t(size_t)> column, bool transposed = false) {
    const auto heads = static_cast<uint32_t>(count);
    const auto columns = static_cast<uint32_t>(dim);
    const Shape shape = transposed ? Shape{rows.shape[0], heads, columns, rows.shape[2]}
                                   : Shape{rows.shape[0], heads, rows.shape[2], columns};
    return reference::split_heads(rows, {rows.shape[0], count, dim, std::move(column), transposed}, shape);
}

}  // namespace heads

inline std::vector<reference::Array> CreateQkvHeads::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input);
    const auto q = static_cast<size_t>(params.num_heads);
    const auto kv = static_cast<size_t>(params.num_kv_heads.value_or(params.num_heads));
    const size_t dim = rows.shape[3] / (q + 2 * kv);
    const size_t shared = q / kv;  // queries that have a key in common
    const auto query = [=](size_t head) { return (head / shared * (shared + 2) + head % shared) * dim; };
    const auto key = [=](size_t head) { return (head * (shared + 2) + shared) * dim; };
    const auto value = [=](size_t head) { return (head * (shared + 2) + shared + 1) * dim; };
    return {heads::block_heads(rows, q, dim, query), heads::block_heads(rows, kv, dim, key, params.transpose_k_heads),
            heads::block_heads(rows, kv, dim, value)};
}

inline std::vector<reference::Array> CreateQkvHeadsFromSeparateTensors::reference(const Params& params) {
    const reference::Array rows = reference::padded_values(params.input);
    const reference::Array pairs = reference::padded_values(params.input_kv);
    const auto q = static_cast<size_t>(params.num_heads);
    const auto kv = static_cast<size_t>(params.num_kv_heads.value_or(params.num_heads));
    const size_t dim = rows.shape[3] / q;
    return {heads::block_heads(rows, q, dim, [=](size_t head) { return head * dim; }),
            heads::block_heads(
                pairs, kv, dim, [=](size_t head) { return 2 * head * dim; }, params.transpose_k_heads),
            heads::block_heads(pairs, kv, dim, [=](size_t head) { return (2 * head + 1) * dim; })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/heads/split_program.hpp"

namespace ttnn {

namespace heads {

// Rows and columns of the cores that an input is cut over.
inline CoreCoord block_cores(const Tensor& input) {
    const ShardSpec& shards = *input.memory_config().shard_spec();
    const CoreCoord end = shards.grid.bounding_box().end;
    const CoreCoord cores{end.x + 1, end.y + 1};
    return shards.orientation == ShardOrientation::ROW_MAJOR ? cores : CoreCoord{cores.y, cores.x};
}

inline void check_block_input(std::string_view op, std::string_view argument, const Tensor& input) {
    check_tiles(op, argument, input);
    check_one_row(op, argument, input);
    require(input.memory_config().shard_spec() &&
                input.memory_config().memory_layout() == TensorMemoryLayout::BLOCK_SHARDED,
            "{}: argument '{}' must be block sharded, got {}", op, argument, input.memory_config());
    const CoreCoord cores = block_cores(input);
    require(input.padded_shape()[3] % (cores.x * tile_size) == 0,
            "{}: argument '{}' has rows of {} columns, which {} columns of cores cannot share in whole tiles", op,
            argument, input.padded_shape()[3], cores.x);
    require(input.padded_shape()[0] == cores.y,
            "{}: argument '{}' must have a batch for each of {} rows of cores, got {}", op, argument, cores.y,
            input.padded_shape()[0]);
}

inline MemoryConfig block_output(const Tensor& input, const std::optional<MemoryConfig>& given) {
    return given.value_or(input.memory_config());
}
inline void check_block_output(std::string_view op, const MemoryConfig& config) {
    require(config.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'memory_config' must be height sharded, got {}", op, config);
}

inline std::array<Shape, 3> block_shapes(const Tensor& input, const Tensor& keys, const Counts& counts,
                                         bool transposed) {
    const Shape& rows = input.padded_shape();
    const Shape values{keys.padded_shape()[0], counts.kv, keys.padded_shape()[2], counts.head_dim};
    return {Shape{rows[0], counts.q, rows[2], counts.head_dim},
            transposed ? Shape{values[0], values[1], values[3], values[2]} : values, values};
}

// The cores of the input, equally many rows of heads on each.
inline TensorSpec block_spec(const Tensor& input, const MemoryConfig& config, const Shape& shape) {
    const auto& shards = input.memory_config().shard_spec();
    if (!shards) {
        return spec(input, shape, MemoryConfig());  // is refused
    }
    const auto rows = static_cast<uint32_t>(shape.volume() / shape[3]);
    const ShardSpec own{shards->grid, {rows / std::max(shards->num_cores(), 1U), shape[3]}, shards->orientation};
    return spec(input, shape, config.with_shard_spec(own));
}

struct BlockCall {
    std::string_view primitive;
    std::span<const Tensor> inputs;
    const MemoryConfig config;
    const std::array<Shape, 3> shapes;
    std::array<compute::HeadColumns, 3> columns;
    bool transposed;
    const std::optional<std::vector<Tensor>>& outputs;
    FunctionRef<void(ArgumentList&)> arguments;
};

inline Three run_blocks(const BlockCall& call) {
    std::array<Part, 3> parts;
    for (size_t i = 0; i < parts.size(); ++i) {
        parts[i] = {.source = i > 0 ? call.inputs.size() - 1 : 0,
                    .columns = call.columns[i],
                    .transposed = i == 1 && call.transposed,
                    .spec = block_spec(call.inputs[0], call.config, call.shapes[i])};
    }
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        for (const Tensor& input : call.inputs) {
            movement::shard_buffer(p, input);
        }
        shard_buffers(p, outputs);
        if (call.transposed) {  // keys before they are turned
            p.circular_buffer(call.inputs[0].memory_config().shard_spec()->grid, shard_bytes(outputs[1]));
        }
    };
    return run({.primitive = call.primitive,
                .inputs = call.inputs,
                .parts = parts,
                .outputs = call.outputs,
                .program = program,
                .arguments = call.arguments});
}

inline Counts block_counts(const CreateQkvHeads::Params& params) {
    check_rank(CreateQkvHeads::name, "input", params.input, 4);
    return counts_of(CreateQkvHeads::name, "input", params.input, params.num_heads, params.num_kv_heads, false);
}
inline Counts block_counts(const CreateQkvHeadsFromSeparateTensors::Params& params) {
    constexpr std::string_view op = CreateQkvHeadsFromSeparateTensors::name;
    check_rank(op, "input", params.input, 4);
    check_rank(op, "input_kv", params.input_kv, 4);
    const Counts counts = counts_of(op, "input", params.input, params.num_heads, params.num_kv_heads, true);
    require(head_dim_of(op, "input_kv", params.input_kv, 2 * uint64_t{counts.kv}) == counts.head_dim,
            "{}: argument 'input_kv' must have heads as wide as those of the input, {} columns", op, counts.head_dim);
    return counts;
}

}  // namespace heads

inline void CreateQkvHeads::validate(const Params& params) {
    const heads::Counts counts = heads::block_counts(params);
    require(counts.q % counts.kv == 0, "{}: argument 'num_heads', {}, must be a multiple of 'num_kv_heads', {}", name,
            counts.q, counts.kv);
    heads::check_outputs(name, params.output_tensors,
                         heads::block_shapes(params.input, params.input, counts, params.transpose_k_heads),
                         params.input.dtype());
    check_at_launch([&] {
        heads::check_block_input(name, "input", params.input);
        heads::check_block_output(name, heads::block_output(params.input, params.memory_config));
    });
}

inline std::tuple<Tensor, Tensor, Tensor> CreateQkvHeads::run(const Params& params) {
    const heads::Counts counts = heads::block_counts(params);
    const Tensor input = heads::with_padding(params.input);
    const uint64_t batches = input.padded_shape()[0];
    const uint64_t shared = counts.q / counts.kv;
    const uint64_t group = shared + 2;
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input).add(params.num_heads).add(params.num_kv_heads).add(params.transpose_k_heads);
        list.add(params.memory_config).add(params.output_tensors);
    };
    return heads::run_blocks({.primitive = "ttnn::prim::create_qkv_heads",
                              .inputs = {&input, 1},
                              .config = heads::block_output(input, params.memory_config),
                              .shapes = heads::block_shapes(input, input, counts, params.transpose_k_heads),
                              .columns = {heads::in_groups(batches, counts.kv, shared, counts.head_dim, group, 0),
                                          heads::in_groups(batches, counts.kv, 1, counts.head_dim, group, shared),
                                          heads::in_groups(batches, counts.kv, 1, counts.head_dim, group, shared + 1)},
                              .transposed = params.transpose_k_heads,
                              .outputs = params.output_tensors,
                              .arguments = arguments});
}

inline void CreateQkvHeadsFromSeparateTensors::validate(const Params& params) {
    const heads::Counts counts = heads::block_counts(params);
    heads::check_outputs(name, params.output_tensors,
                         heads::block_shapes(params.input, params.input_kv, counts, params.transpose_k_heads),
                         params.input.dtype());
    check_at_launch([&] {
        heads::check_block_input(name, "input", params.input);
        heads::check_block_input(name, "input_kv", params.input_kv);
        check_dtype(name, "input_kv", params.input_kv, {params.input.dtype()});
        const uint32_t cores = heads::block_cores(params.input).x;
        require(counts.q % cores == 0 && counts.kv % cores == 0,
                "{}: arguments 'num_heads' and 'num_kv_heads', {} and {}, must be multiples of the {} columns of cores",
                name, counts.q, counts.kv, cores);
        const MemoryConfig config = heads::block_output(params.input, params.memory_config);
        heads::check_block_output(name, config);
    });
}

inline std::tuple<Tensor, Tensor, Tensor> CreateQkvHeadsFromSeparateTensors::run(const Params& params) {
    const heads::Counts counts = heads::block_counts(params);
    const Tensor inputs[] = {heads::with_padding(params.input), heads::with_padding(params.input_kv)};
    const uint64_t batches = inputs[0].padded_shape()[0];
    const auto arguments = [&](ArgumentList& list) {
        list.add(params.input).add(params.input_kv).add(params.num_heads).add(params.num_kv_heads);
        list.add(params.transpose_k_heads).add(params.memory_config).add(params.output_tensors);
    };
    return heads::run_blocks({.primitive = "ttnn::prim::create_qkv_heads_from_separate_tensors",
                              .inputs = inputs,
                              .config = heads::block_output(inputs[0], params.memory_config),
                              .shapes = heads::block_shapes(inputs[0], inputs[1], counts, params.transpose_k_heads),
                              .columns = {heads::in_line(batches, counts.q, counts.head_dim, 0),
                                          heads::in_groups(batches, counts.kv, 1, counts.head_dim, 2, 0),
                                          heads::in_groups(batches, counts.kv, 1, counts.head_dim, 2, 1)},
                              .transposed = params.transpose_k_heads,
                              .outputs = params.output_tensors,
                              .arguments = arguments});
}

// Block-sharded tensors of cases lie on 2 x 2 cores.
inline void CreateQkvHeads::cases(CaseMaker& make) {
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    make.add(Params{.input = make.tensor({2, 1, 64, 256}), .num_heads = 4, .num_kv_heads = 2, .memory_config = config});
    make.add(Params{
        .input = make.tensor({2, 1, 32, 384}), .num_heads = 2, .transpose_k_heads = false, .memory_config = config});
}

inline void CreateQkvHeadsFromSeparateTensors::cases(CaseMaker& make) {
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    make.add(Params{.input = make.tensor({2, 1, 64, 256}),
                    .input_kv = make.tensor({2, 1, 32, 256}),
                    .num_heads = 4,
                    .num_kv_heads = 2,
                    .memory_config = config});
    make.add(Params{.input = make.tensor({2, 1, 32, 128}),
                    .input_kv = make.tensor({2, 1, 96, 256}),
                    .num_heads = 2,
                    .transpose_k_heads = false,
                    .memory_config = config});
}

}  // namespace ttnn

#endif
