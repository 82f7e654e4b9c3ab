// rotary_embedding_llama: pairs of neighbouring columns turned by angles.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/rotary/rotary_rules.hpp"

namespace ttnn {

struct RotaryEmbeddingLlama {
    static constexpr std::string_view name = "ttnn.experimental.rotary_embedding_llama";
    static constexpr std::string_view doc =
        "x * cos + (x @ T) * sin, where T has the transformation matrix on every 32 columns.";
    struct Params {
        Tensor input_tensor{};
        Tensor cos_cache{};
        Tensor sin_cache{};
        Tensor trans_mat{};
        bool is_decode_mode = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tile tensor [batch, heads, rows, width], for decoding [1, users, heads, width]"),
        arg<&Params::cos_cache>("[1, 1 or heads, at least rows, width], for decoding [1, users, 1, width]"),
        arg<&Params::sin_cache>("as the cosines"),
        arg<&Params::trans_mat>("[1, 1, 32, 32], for decoding one below the other for every user"),
        kw<&Params::is_decode_mode>("one row for each user: all tensors are height sharded, a user on each core"),
        kw<&Params::memory_config>("default: the input's"),
        kw<&Params::compute_kernel_config>(rotary::compute_doc)};
    static constexpr Tolerance tolerance = rotary::close;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct RotaryEmbeddingLlamaFusedQk {
    static constexpr std::string_view name = "ttnn.experimental.rotary_embedding_llama_fused_qk";
    static constexpr std::string_view doc =
        "rotary_embedding_llama of queries and keys at once, while decoding: both are turned.";
    struct Params {
        Tensor q_input_tensor{};
        Tensor k_input_tensor{};
        Tensor cos_cache{};
        Tensor sin_cache{};
        Tensor trans_mat{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = std::tuple<Tensor, Tensor>;
    static constexpr FieldList fields{
        arg<&Params::q_input_tensor>("[1, users, heads, width], height sharded, a user on each core"),
        arg<&Params::k_input_tensor>("[1, users, heads, width], on other cores"),
        arg<&Params::cos_cache>("[1, 2 users, 1, width]: those of the queries, then those of the keys"),
        arg<&Params::sin_cache>("as the cosines"),
        arg<&Params::trans_mat>("32 x 32 matrices one below the other, one on each core"),
        kw<&Params::compute_kernel_config>(rotary::compute_doc)};
    static constexpr Tolerance tolerance = rotary::close;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<RotaryEmbeddingLlama> rotary_embedding_llama{};
inline constexpr Op<RotaryEmbeddingLlamaFusedQk> rotary_embedding_llama_fused_qk{};
}  // namespace experimental
TTNN_DECLARATION(RotaryEmbeddingLlama);
TTNN_DECLARATION(RotaryEmbeddingLlamaFusedQk);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/rotary.hpp"

namespace ttnn {

namespace rotary {

// Of users from number `first` of the tables on.
inline reference::Array turned_users(const Tensor& input, const Tensor& cosines, const Tensor& sines,
                                     const Tensor& matrices, size_t first) {
    const size_t heads = input.logical_shape()[2];
    const size_t rows = cosines.logical_shape()[2];
    return reference::turned_pairs(reference::values(input), reference::values(cosines), reference::values(sines),
                                   reference::values(matrices), [=](size_t row) {
                                       return reference::Turn{(first + row / heads) * rows, first + row / heads};
                                   });
}

}  // namespace rotary

inline std::vector<reference::Array> RotaryEmbeddingLlama::reference(const Params& params) {
    if (params.is_decode_mode) {
        return {rotary::turned_users(params.input_tensor, params.cos_cache, params.sin_cache, params.trans_mat, 0)};
    }
    const size_t rows = params.input_tensor.logical_shape()[2];
    const size_t heads = params.input_tensor.logical_shape()[1];
    const size_t stored = params.cos_cache.logical_shape()[2];
    const bool own_table = params.cos_cache.logical_shape()[1] != 1;
    return {reference::turned_pairs(reference::values(params.input_tensor), reference::values(params.cos_cache),
                                    reference::values(params.sin_cache), reference::values(params.trans_mat),
                                    [=](size_t row) {
                                        const size_t table = own_table ? row / rows % heads : 0;
                                        return reference::Turn{table * stored + row % rows, 0};
                                    })};
}

inline std::vector<reference::Array> RotaryEmbeddingLlamaFusedQk::reference(const Params& params) {
    const size_t users = params.q_input_tensor.logical_shape()[1];
    return {rotary::turned_users(params.q_input_tensor, params.cos_cache, params.sin_cache, params.trans_mat, 0),
            rotary::turned_users(params.k_input_tensor, params.cos_cache, params.sin_cache, params.trans_mat, users)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/rotary.hpp"
#include "ttnn/op/program.hpp"

namespace ttnn {

namespace rotary {

inline void check_llama_tensor(std::string_view op, std::string_view argument, const Tensor& tensor) {
    check_rank(op, argument, tensor);
    check_layout(op, argument, tensor, Layout::TILE);
    check_dtype(op, argument, tensor, {DataType::BFLOAT16});
}

inline void check_llama_prefill(const RotaryEmbeddingLlama::Params& params) {
    constexpr std::string_view op = RotaryEmbeddingLlama::name;
    const Shape& input = params.input_tensor.logical_shape();
    const Shape& cosines = params.cos_cache.logical_shape();
    check_interleaved(op, "input_tensor", params.input_tensor);
    check_interleaved(op, "cos_cache", params.cos_cache);
    check_interleaved(op, "sin_cache", params.sin_cache);
    require(cosines[0] == 1 && (cosines[1] == 1 || cosines[1] == input[1]) && cosines[2] >= input[2] &&
                cosines[3] == input[3],
            "{}: argument 'cos_cache' must be [1, 1 or {}, at least {}, {}], got {}", op, input[1], input[2], input[3],
            cosines);
    const Shape& matrix = params.trans_mat.logical_shape();
    require(matrix == Shape({1, 1, tile_size, tile_size}), "{}: argument 'trans_mat' must be [1, 1, 32, 32], got {}",
            op, matrix);
}

inline void check_llama_decode(const RotaryEmbeddingLlama::Params& params) {
    constexpr std::string_view op = RotaryEmbeddingLlama::name;
    const Shape& input = params.input_tensor.logical_shape();
    const Shape& cosines = params.cos_cache.logical_shape();
    require(input[0] == 1, "{}: argument 'input_tensor' must be [1, users, heads, width] for decoding, got {}", op,
            input);
    check_height_sharded(op, "input_tensor", params.input_tensor);
    check_height_sharded(op, "cos_cache", params.cos_cache);
    check_height_sharded(op, "sin_cache", params.sin_cache);
    check_height_sharded(op, "trans_mat", params.trans_mat);
    const uint32_t cores = params.input_tensor.device()->full_grid().num_cores();
    require(input[1] <= cores, "{}: argument 'input_tensor' has {} users, but there are {} cores", op, input[1], cores);
    require(cosines[1] == input[1] && cosines[3] == input[3] && cosines[2] <= tile_size,
            "{}: argument 'cos_cache' must be [1, {}, 1, {}], got {}", op, input[1], input[3], cosines);
    check_matrices(op, params.trans_mat, input[1]);
}

inline void check_llama(const RotaryEmbeddingLlama::Params& params) {
    constexpr std::string_view op = RotaryEmbeddingLlama::name;
    check_llama_tensor(op, "input_tensor", params.input_tensor);
    check_llama_tensor(op, "cos_cache", params.cos_cache);
    check_llama_tensor(op, "sin_cache", params.sin_cache);
    check_llama_tensor(op, "trans_mat", params.trans_mat);
    check_head_dim(op, "input_tensor", params.input_tensor, params.compute_kernel_config);
    check_equal_shapes(op, params.cos_cache, params.sin_cache);
    params.is_decode_mode ? check_llama_decode(params) : check_llama_prefill(params);
    const TensorMemoryLayout own = params.input_tensor.memory_config().memory_layout();
    require(!params.memory_config || params.memory_config->memory_layout() == own,
            "{}: argument 'memory_config' must be {}, as the input is, got {}", op, own,
            params.memory_config.value_or(MemoryConfig()));
}

// Tiles that go through the buffers of a core, which keeps the tables while it works on all heads of its rows, or loads
// them again where that is too much.
inline void declare_prefill(Program& program, const RotaryEmbeddingLlama::Params& params, const Tensor& output) {
    const Tensor& input = params.input_tensor;
    const Shape& shape = input.padded_shape();
    const uint64_t wide = tile_columns(input);
    const uint64_t cores = program.full_grid().num_cores();
    const uint64_t batches = std::clamp<uint64_t>(shape[0], 1, cores);
    const uint64_t tile_rows_per_batch = shape[2] / tile_size;
    const uint64_t parts = std::clamp<uint64_t>(tile_rows_per_batch, 1, cores / batches);
    const uint64_t rows = std::max<uint64_t>(div_up(tile_rows_per_batch, parts), 1);
    const bool reload = rows * shape[1] > 8;
    const uint64_t factor = reload ? 1 : rows;
    const uint64_t bytes = tile_bytes(input);
    program.circular_buffer(program.full_grid(), 2 * wide * factor * bytes);
    program.circular_buffer(program.full_grid(), 2 * wide * factor * bytes);
    program.circular_buffer(program.full_grid(), 2 * wide * factor * bytes);
    program.circular_buffer(program.full_grid(), bytes);  // the matrix
    for (int i = 0; i < 3; ++i) {
        program.circular_buffer(program.full_grid(), wide * bytes);
    }
    program.circular_buffer(program.full_grid(), 2 * wide * tile_bytes(output));
}

// Everything lies on the cores already, but for what is in between.
inline void declare_decode(Program& program, std::span<const Tensor> sharded, const CoreRangeSet& cores,
                           uint64_t bytes) {
    for (const Tensor& tensor : sharded) {
        program.global_circular_buffer(tensor, shard_bytes(tensor));
    }
    for (int i = 0; i < 3; ++i) {
        program.circular_buffer(cores, bytes);
    }
}

}  // namespace rotary

inline void RotaryEmbeddingLlama::validate(const Params& params) {
    check_at_launch([&] { rotary::check_llama(params); });
}

inline Tensor RotaryEmbeddingLlama::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Tensor tensors[] = {input, params.cos_cache, params.sin_cache, params.trans_mat};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        if (!params.is_decode_mode) {
            return rotary::declare_prefill(p, params, outputs[0]);
        }
        const Tensor sharded[] = {input, params.cos_cache, params.sin_cache, params.trans_mat, outputs[0]};
        rotary::declare_decode(p, sharded, input.memory_config().shard_spec()->grid,
                               tile_columns(input) * rotary::tile_bytes(input));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        if (params.is_decode_mode) {
            compute::rotate_users(inputs[0], inputs[1], inputs[2], inputs[3], 0, outputs[0]);
        } else {
            compute::rotate_rows(inputs[0], inputs[1], inputs[2], inputs[3], outputs[0]);
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.cos_cache).add(params.sin_cache).add(params.trans_mat).add(params.is_decode_mode);
        list.add(params.memory_config).add(params.compute_kernel_config);
    };
    const MemoryConfig config = params.memory_config.value_or(input.memory_config());
    const MemoryConfig& own = input.memory_config();
    return launch({"ttnn::prim::rotary_embedding_llama", tensors, program, kernel, arguments},
                  TensorSpec(input.logical_shape(), input.dtype(), Layout::TILE,
                             config.is_sharded() && !config.shard_spec() && own.shard_spec()
                                 ? config.with_shard_spec(own.shard_spec())
                                 : config));
}

inline void RotaryEmbeddingLlama::cases(CaseMaker& make) {
    const bool decode = make.memory() == MemoryKind::HEIGHT_SHARDED;
    if (decode) {  // four cores
        make.add(Params{make.tensor({1, 4, 8, 64}), make.tensor({1, 4, 1, 64}), make.tensor({1, 4, 1, 64}),
                        make.tensor({1, 1, 128, 32}), true});
        make.add(Params{make.tensor({1, 3, 1, 128}), make.tensor({1, 3, 32, 128}), make.tensor({1, 3, 32, 128}),
                        make.tensor({1, 1, 96, 32}), true});
        return;
    }
    const auto table = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(
        Params{make.tensor({1, 2, 64, 64}), table({1, 1, 128, 64}), table({1, 1, 128, 64}), table({1, 1, 32, 32})});
    make.add(Params{make.tensor({2, 3, 40, 32}), table({1, 3, 64, 32}), table({1, 3, 64, 32}), table({1, 1, 32, 32}),
                    false, l1_memory_config()});
    make.add(
        Params{make.tensor({1, 1, 33, 256}), table({1, 1, 33, 256}), table({1, 1, 33, 256}), table({1, 1, 32, 32})});
}

inline void RotaryEmbeddingLlamaFusedQk::validate(const Params& params) {
    check_at_launch([&] {
        const Tensor& q = params.q_input_tensor;
        const Tensor& k = params.k_input_tensor;
        const std::pair<std::string_view, const Tensor&> tensors[] = {{"q_input_tensor", q},
                                                                      {"k_input_tensor", k},
                                                                      {"cos_cache", params.cos_cache},
                                                                      {"sin_cache", params.sin_cache},
                                                                      {"trans_mat", params.trans_mat}};
        for (const auto& [argument, tensor] : tensors) {
            rotary::check_rank(name, argument, tensor);
            check_dtype(name, argument, tensor, {DataType::BFLOAT16});
            check_layout(name, argument, tensor, argument == "trans_mat" ? Layout::TILE : q.layout());
            rotary::check_height_sharded(name, argument, tensor);
        }
        const Shape& queries = q.logical_shape();
        const Shape& keys = k.logical_shape();
        require(
            queries[0] == 1 && keys[0] == 1 && queries[1] == keys[1] && queries[3] == keys[3] &&
                queries[1] <= tile_size,
            "{}: arguments 'q_input_tensor' and 'k_input_tensor' must be [1, users, heads, width] with the same users, "
            "up to {}, and width, got {} and {}",
            name, tile_size, queries, keys);
        rotary::check_head_dim(name, "q_input_tensor", q, params.compute_kernel_config);
        const CoreRangeSet& first = q.memory_config().shard_spec()->grid;
        const CoreRangeSet& second = k.memory_config().shard_spec()->grid;
        require(!first.intersects(second), "{}: queries and keys must lie on different cores, got {} and {}", name,
                first, second);
        rotary::check_equal_shapes(name, params.cos_cache, params.sin_cache);
        const Shape& cosines = params.cos_cache.logical_shape();
        require(cosines[1] == 2 * queries[1] && cosines[3] == queries[3],
                "{}: argument 'cos_cache' must be [1, {}, 1, {}], got {}", name, 2 * queries[1], queries[3], cosines);
        rotary::check_matrices(name, params.trans_mat, 2 * queries[1]);
    });
}

inline std::tuple<Tensor, Tensor> RotaryEmbeddingLlamaFusedQk::run(const Params& params) {
    const Tensor& q = params.q_input_tensor;
    const Tensor& k = params.k_input_tensor;
    const Tensor tensors[] = {q, k, params.cos_cache, params.sin_cache, params.trans_mat};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const Tensor sharded[] = {q, k, params.cos_cache, params.sin_cache, params.trans_mat, outputs[0], outputs[1]};
        const CoreRangeSet cores = q.memory_config().shard_spec()->grid.merge(k.memory_config().shard_spec()->grid);
        const uint64_t wide = div_up<uint64_t>(q.padded_shape()[3], tile_size);
        rotary::declare_decode(p, sharded, cores, wide * rotary::tile_bytes(params.trans_mat));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::rotate_users(inputs[0], inputs[2], inputs[3], inputs[4], 0, outputs[0]);
        compute::rotate_users(inputs[1], inputs[2], inputs[3], inputs[4], inputs[0].logical_shape()[1], outputs[1]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(q).add(k).add(params.cos_cache).add(params.sin_cache).add(params.trans_mat);
        list.add(params.compute_kernel_config);
    };
    const OutputSlot slots[] = {{.spec = q.spec()}, {.spec = k.spec()}};
    const std::vector<Tensor> results =
        launch({"ttnn::prim::rotary_embedding_llama_fused_qk", tensors, program, kernel, arguments}, slots);
    return {results[0], results[1]};
}

namespace rotary {

// For cases: users on a row of cores, or several rows of them.
inline Tensor on_cores(const CaseMaker& make, const Shape& shape, uint32_t first_row, uint32_t rows) {
    const uint32_t users = static_cast<uint32_t>(shape.volume() / (uint64_t{shape[2]} * shape[3]));
    const uint32_t height = shape[1] == 1 ? tile_size : round_up(shape[2], tile_size);
    const uint32_t count = shape[1] == 1 ? shape[2] / tile_size : users;
    const CoreRangeSet cores(CoreRange({0, first_row}, {count / rows - 1, first_row + rows - 1}));
    const MemoryConfig config(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1, ShardSpec{cores, {height, shape[3]}});
    return Tensor::allocate_on_device(TensorSpec(shape, make.dtype(), make.layout(), config), make.device());
}

}  // namespace rotary

inline void RotaryEmbeddingLlamaFusedQk::cases(CaseMaker& make) {
    make.only_if(make.layout() == Layout::TILE);
    make.add(Params{rotary::on_cores(make, {1, 4, 8, 64}, 0, 1), rotary::on_cores(make, {1, 4, 2, 64}, 1, 1),
                    rotary::on_cores(make, {1, 8, 1, 64}, 0, 2), rotary::on_cores(make, {1, 8, 1, 64}, 0, 2),
                    rotary::on_cores(make, {1, 1, 256, 32}, 0, 2)});
}

}  // namespace ttnn

#endif
