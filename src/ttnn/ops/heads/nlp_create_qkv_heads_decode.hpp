// nlp_create_qkv_heads_decode: heads of queries, keys and values of one token for each user, one user on each core.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/heads/heads_rules.hpp"

namespace ttnn {

struct NlpCreateQkvHeadsDecode {
    static constexpr std::string_view name = "ttnn.experimental.nlp_create_qkv_heads_decode";
    static constexpr std::string_view doc =
        "Heads of queries, keys and values out of one row for each user, height sharded with one user on each core.";
    struct Params {
        Tensor input_tensor{};
        int64_t num_heads = 0;
        std::optional<int64_t> num_kv_heads{};
        std::optional<bool> overlap_qk_coregrid = true;
        std::optional<Tensor> batch_offset{};
        std::optional<int64_t> slice_size{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<std::vector<Tensor>> output_tensors{};
    };
    using Result = std::tuple<Tensor, Tensor, Tensor>;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor [1, 1, users, (q + 2 kv) heads], interleaved or width sharded"),
        kwreq<&Params::num_heads>("heads of queries"),
        kw<&Params::num_kv_heads>("heads of keys and of values, default: num_heads"),
        kw<&Params::output_tensors>(heads::outputs_doc).mutates(),
        kw<&Params::overlap_qk_coregrid>("whether keys lie on the cores of the queries"),
        kw<&Params::batch_offset>("one integer: the first user; with slice_size"),
        kw<&Params::slice_size>("how many users to take; with batch_offset"),
        kw<&Params::memory_config>("height sharded; its cores, default: the first ones of the device")};
    static constexpr Tolerance tolerance = heads::exact;

    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<NlpCreateQkvHeadsDecode> nlp_create_qkv_heads_decode{};
}
TTNN_DECLARATION(NlpCreateQkvHeadsDecode);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::NlpCreateQkvHeadsDecode::reference(const Params& params) {
    const reference::Array rows = reference::values(params.input_tensor);
    const auto q = static_cast<uint32_t>(params.num_heads);
    const auto kv = static_cast<uint32_t>(params.num_kv_heads.value_or(params.num_heads));
    const uint32_t dim = rows.shape[3] / (q + 2 * kv);
    const auto users = static_cast<uint32_t>(params.slice_size.value_or(rows.shape[2]));
    const auto first =
        static_cast<uint32_t>(params.batch_offset ? reference::values(*params.batch_offset).values[0] : 0.0);
    const auto part = [&](uint32_t before, uint32_t count) {
        return reference::generated({1, users, count, dim}, [&](std::span<const uint32_t> at) {
            return rows.at(std::vector<uint32_t>{0, 0, first + at[1], (before + at[2]) * dim + at[3]});
        });
    };
    return {part(0, q), part(q, kv), part(q + kv, kv)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace heads {

inline Counts decode_counts(const NlpCreateQkvHeadsDecode::Params& params) {
    constexpr std::string_view op = NlpCreateQkvHeadsDecode::name;
    check_rank(op, "input_tensor", params.input_tensor, 4);
    return counts_of(op, "input_tensor", params.input_tensor, params.num_heads, params.num_kv_heads, false);
}

inline uint32_t decode_users(const NlpCreateQkvHeadsDecode::Params& params) {
    const uint32_t all = params.input_tensor.logical_shape()[2];
    return params.slice_size ? static_cast<uint32_t>(std::clamp<int64_t>(*params.slice_size, 1, all)) : all;
}

inline std::array<Shape, 3> decode_shapes(const NlpCreateQkvHeadsDecode::Params& params, const Counts& counts) {
    const uint32_t users = decode_users(params);
    const Shape keys{1, users, counts.kv, counts.head_dim};
    return {Shape{1, users, counts.q, counts.head_dim}, keys, keys};
}

inline MemoryConfig decode_config(const NlpCreateQkvHeadsDecode::Params& params) {
    return params.memory_config.value_or(MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1));
}
inline CoreRangeSet decode_cores(const NlpCreateQkvHeadsDecode::Params& params) {
    const MemoryConfig config = decode_config(params);
    return config.shard_spec() ? config.shard_spec()->grid : params.input_tensor.device()->full_grid();
}

inline void check_decode_slice(const NlpCreateQkvHeadsDecode::Params& params) {
    constexpr std::string_view op = NlpCreateQkvHeadsDecode::name;
    const int64_t users = params.input_tensor.logical_shape()[2];
    require(params.batch_offset.has_value() == params.slice_size.has_value(),
            "{}: arguments 'batch_offset' and 'slice_size' must be given together", op);
    require(!params.slice_size || (*params.slice_size >= 1 && *params.slice_size <= users),
            "{}: argument 'slice_size' must be between 1 and {} users, got {}", op, users,
            params.slice_size.value_or(0));
    if (params.batch_offset) {
        check_dtype(op, "batch_offset", *params.batch_offset, {DataType::UINT32, DataType::INT32});
        require(params.batch_offset->logical_volume() == 1, "{}: argument 'batch_offset' must hold one number, got {}",
                op, params.batch_offset->logical_volume());
    }
}

inline void check_decode(const NlpCreateQkvHeadsDecode::Params& params, const Counts& counts) {
    constexpr std::string_view op = NlpCreateQkvHeadsDecode::name;
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.logical_shape();
    check_tiles(op, "input_tensor", input, {DataType::FLOAT32, DataType::BFLOAT16});
    require(
        shape[0] == 1 && shape[1] == 1 && shape[2] <= tile_size && counts.head_dim % tile_size == 0,
        "{}: argument 'input_tensor' must be [1, 1, users, width] with up to {} users and heads of whole tiles, got {}",
        op, tile_size, shape);
    require(counts.q <= tile_size && counts.q >= counts.kv,
            "{}: argument 'num_heads' must be between 'num_kv_heads', {}, and {}, got {}", op, counts.kv, tile_size,
            counts.q);
    const MemoryConfig output = decode_config(params);
    require(output.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'memory_config' must be height sharded, got {}", op, output);
    const bool overlap = params.overlap_qk_coregrid.value_or(true);
    const uint32_t wanted = decode_users(params) * (overlap ? 1 : 2);
    const uint32_t cores = decode_cores(params).num_cores();
    require(wanted <= cores, "{}: argument 'memory_config' has {} cores, but {} are needed", op, cores, wanted);
    const auto& shards = input.memory_config().shard_spec();
    require(
        !input.is_sharded() || (shards && input.memory_config().memory_layout() == TensorMemoryLayout::WIDTH_SHARDED &&
                                shards->orientation == ShardOrientation::ROW_MAJOR),
        "{}: argument 'input_tensor' must be interleaved or width sharded, got {}", op, input.memory_config());
    require(overlap || !shards || counts.head_dim % shards->shape[1] == 0,
            "{}: argument 'overlap_qk_coregrid' is false: shards of the input must not hold parts of two heads", op);
}

inline TensorSpec decode_spec(const NlpCreateQkvHeadsDecode::Params& params, const Shape& shape, uint32_t skipped) {
    const CoreRangeSet cores = first_cores(decode_cores(params), skipped, shape[1]);
    const ShardSpec shards{cores, {round_up(shape[2], tile_size), shape[3]}};
    return spec(params.input_tensor, shape, decode_config(params).with_shard_spec(shards));
}

}  // namespace heads

inline void NlpCreateQkvHeadsDecode::validate(const Params& params) {
    const heads::Counts counts = heads::decode_counts(params);
    heads::check_outputs(name, params.output_tensors, heads::decode_shapes(params, counts),
                         params.input_tensor.dtype());
    check_at_launch([&] {
        heads::check_decode_slice(params);
        heads::check_decode(params, counts);
    });
}

inline std::tuple<Tensor, Tensor, Tensor> NlpCreateQkvHeadsDecode::run(const Params& params) {
    const heads::Counts counts = heads::decode_counts(params);
    const Tensor& input = params.input_tensor;
    const std::array<Shape, 3> shapes = heads::decode_shapes(params, counts);
    const bool overlap = params.overlap_qk_coregrid.value_or(true);
    std::vector<OutputSlot> slots;
    for (size_t i = 0; i < shapes.size(); ++i) {
        slots.push_back(
            {.spec = heads::decode_spec(params, shapes[i], i == 1 && !overlap ? shapes[i][1] : 0),
             .preallocated = params.output_tensors ? std::optional((*params.output_tensors)[i]) : std::nullopt});
    }
    const Tensor tensors[] = {input, params.batch_offset.value_or(Tensor())};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        for (const Tensor& output : outputs) {
            movement::shard_buffer(p, output);
        }
        if (params.batch_offset) {
            p.circular_buffer(outputs[0].memory_config().shard_spec()->grid, 32);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& rows = inputs[0].logical_shape();
        const double first = inputs[1] ? read<double>(inputs[1])[0] : 0.0;
        const uint32_t users = shapes[0][1];
        require(first >= 0 && first + users <= rows[2],
                "{}: argument 'batch_offset' holds {}, but {} users from there on are not all among {}", name, first,
                users, rows[2]);
        const uint64_t before[] = {0, counts.q, uint64_t{counts.q} + counts.kv};
        for (size_t i = 0; i < outputs.size(); ++i) {
            const uint64_t own = uint64_t{i == 0 ? counts.q : counts.kv} * counts.head_dim;
            compute::walk(inputs[0],
                          {.dims = {{users, rows[3], own}, {own, 1, 1}},
                           .from = static_cast<uint64_t>(first) * rows[3] + before[i] * counts.head_dim},
                          outputs[i]);
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.num_heads).add(params.num_kv_heads).add(params.overlap_qk_coregrid);
        list.add(params.batch_offset).add(params.slice_size).add(params.memory_config).add(params.output_tensors);
    };
    const std::vector<Tensor> results =
        launch({"ttnn::prim::nlp_create_qkv_heads_decode", tensors, program, kernel, arguments}, slots);
    return {results[0], results[1], results[2]};
}

inline Domain NlpCreateQkvHeadsDecode::domain(const Params& params, std::string_view field) {
    if (field == "batch_offset") {
        const int64_t users = params.input_tensor.logical_shape().from_end(1);
        return Domain::integer(0, static_cast<double>(users - params.slice_size.value_or(users)));
    }
    return Domain::real(-1.0, 1.0);
}

inline void NlpCreateQkvHeadsDecode::cases(CaseMaker& make) {
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1);
    make.add(Params{
        .input_tensor = make.tensor({1, 1, 32, 384}), .num_heads = 4, .num_kv_heads = 1, .memory_config = config});
    make.add(Params{.input_tensor = make.tensor({1, 1, 7, 192}), .num_heads = 1});
    make.add(Params{.input_tensor = make.tensor({1, 1, 4, 256}),
                    .num_heads = 4,
                    .num_kv_heads = 2,
                    .overlap_qk_coregrid = false,
                    .memory_config = config.with_shard_spec(
                        ShardSpec{CoreRangeSet(CoreRange({1, 1}, {3, 3})), {tile_size, tile_size}})});
    make.add(Params{.input_tensor = make.tensor({1, 1, 16, 256}),
                    .num_heads = 2,
                    .num_kv_heads = 1,
                    .batch_offset = make.interleaved({1}, DataType::UINT32, Layout::ROW_MAJOR),
                    .slice_size = 5,
                    .memory_config = config});
}

}  // namespace ttnn

#endif
