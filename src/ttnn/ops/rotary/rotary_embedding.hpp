// rotary_embedding and rotate_half: the halves of rows turned against each other.
#pragma once

#include "ttnn/op/op.hpp"
#include "ttnn/ops/rotary/rotary_rules.hpp"

namespace ttnn {

struct RotaryEmbedding {
    static constexpr std::string_view name = "ttnn.experimental.rotary_embedding";
    static constexpr std::string_view doc =
        "x * cos + h(x) * sin, where h(x) is the second half of a row with the other sign, then its first half. The "
        "rows "
        "that fill the last tiles become part of the result.";
    struct Params {
        Tensor input_tensor{};
        Tensor cos_cache{};
        Tensor sin_cache{};
        std::optional<int64_t> token_index{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>(
            "tile tensor [batch, heads, rows, width], with a token index [1, heads, users, width]"),
        arg<&Params::cos_cache>("tile tensor [1, 1, at least rows, width]"),
        arg<&Params::sin_cache>("as the cosines"),
        opt<&Params::token_index>("row of the tables for all rows; default: each row has its own"),
        kw<&Params::memory_config>("default: the input's"),
        kw<&Params::compute_kernel_config>(rotary::compute_doc)};
    static constexpr Tolerance tolerance = rotary::close;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct RotateHalf {
    static constexpr std::string_view name = "ttnn.experimental.rotate_half";
    static constexpr std::string_view doc = "The second half of each row with the other sign, then its first half.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("interleaved tile tensor, its width a multiple of 64"),
                                      kw<&Params::memory_config>("default: the input's")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<RotaryEmbedding> rotary_embedding{};
inline constexpr Op<RotateHalf> rotate_half{};
}  // namespace experimental
TTNN_DECLARATION(RotaryEmbedding);
TTNN_DECLARATION(RotateHalf);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"
#include "ttnn/reference/rotary.hpp"

namespace ttnn {

inline std::vector<reference::Array> RotaryEmbedding::reference(const Params& params) {
    const reference::Array x = reference::padded_values(params.input_tensor);
    const reference::Array cosines = reference::padded_values(params.cos_cache);
    const reference::Array sines = reference::padded_values(params.sin_cache);
    return {reference::generated(x.shape, [&](std::span<const uint32_t> at) {
        const auto row = static_cast<uint32_t>(params.token_index.value_or(at[2]));
        const std::vector<uint32_t> place{0, 0, row, at[3]};
        return x.at(at) * cosines.at(place) + reference::half_turned(x, at) * sines.at(place);
    })};
}
inline std::vector<reference::Array> RotateHalf::reference(const Params& params) {
    const reference::Array x = reference::values(params.input_tensor);
    return {reference::generated(x.shape, [&](std::span<const uint32_t> at) { return reference::half_turned(x, at); })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/rotary.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace rotary {

inline void check_halves(std::string_view op, const Tensor& input) {
    check_layout(op, "input_tensor", input, Layout::TILE);
    check_dtype(op, "input_tensor", input, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    const uint32_t width = input.logical_shape()[-1];
    require(width > 0 && width % (2 * tile_size) == 0,
            "{}: argument 'input_tensor' must have rows of a multiple of {} columns, got {}", op, 2 * tile_size, width);
}

inline void check_tables(const RotaryEmbedding::Params& params) {
    constexpr std::string_view op = RotaryEmbedding::name;
    const Shape& input = params.input_tensor.padded_shape();
    const Shape& cosines = params.cos_cache.padded_shape();
    for (const Tensor& table : {params.cos_cache, params.sin_cache}) {
        check_rank(op, "cos_cache", table);
        check_layout(op, "cos_cache", table, Layout::TILE);
        check_dtype(op, "cos_cache", table, {DataType::FLOAT32, DataType::BFLOAT16, DataType::BFLOAT8_B});
    }
    check_equal_shapes(op, params.cos_cache, params.sin_cache);
    require(params.cos_cache.dtype() == params.sin_cache.dtype(),
            "{}: arguments 'cos_cache' and 'sin_cache' must have the same dtype, got {} and {}", op,
            params.cos_cache.dtype(), params.sin_cache.dtype());
    require(cosines[0] == 1 && cosines[1] == 1 && cosines[3] == input[3],
            "{}: argument 'cos_cache' must be [1, 1, rows, {}], got {}", op, input[3], cosines);
    if (params.token_index) {
        require(*params.token_index >= 0 && *params.token_index < cosines[2],
                "{}: argument 'token_index' must be a row of the tables (0 to {}), got {}", op, int64_t{cosines[2]} - 1,
                *params.token_index);
        require(input[0] == 1,
                "{}: argument 'input_tensor' must be [1, heads, users, width] with a token index, got {}", op, input);
    } else {
        require(cosines[2] >= input[2], "{}: argument 'cos_cache' must have at least {} rows, got {}", op, input[2],
                cosines[2]);
    }
}

inline void check_half_shards(std::string_view op, const Tensor& input, const MemoryConfig& output) {
    const auto& shards = input.memory_config().shard_spec();
    require(!shards || (input.memory_config().memory_layout() != TensorMemoryLayout::WIDTH_SHARDED &&
                        shards->shape[1] == input.padded_shape()[-1]),
            "{}: argument 'input_tensor' must have shards of whole rows, got {}", op, input.memory_config());
    require(output.memory_layout() != TensorMemoryLayout::WIDTH_SHARDED,
            "{}: argument 'memory_config' must not be width sharded, got {}", op, output);
}

// Sharded results without shards of their own lie as the input does, or in equal parts on as many cores as possible.
inline MemoryConfig halves_config(const RotaryEmbedding::Params& params) {
    const Tensor& input = params.input_tensor;
    MemoryConfig config = params.memory_config.value_or(input.memory_config());
    if (!config.is_sharded() || config.shard_spec()) {
        return config;
    }
    if (input.memory_config().shard_spec()) {
        return config.with_shard_spec(input.memory_config().shard_spec());
    }
    const auto rows = static_cast<uint32_t>(tile_rows(input));
    uint32_t cores = input.device()->full_grid().num_cores();
    while (cores > 1 && rows % cores != 0) {
        --cores;
    }
    return config.with_shard_spec(ShardSpec{num_cores_to_corerangeset(cores, input.device()->compute_grid(), true),
                                            {rows / cores * tile_size, input.padded_shape()[-1]}});
}

inline void declare_halves(Program& program, const RotaryEmbedding::Params& params, const Tensor& output) {
    const Tensor& input = params.input_tensor;
    const uint64_t wide = tile_columns(input);
    const uint64_t table = tile_bytes(params.cos_cache);
    const bool sharded = input.memory_config().shard_spec() && input.memory_config().is_l1();
    const CoreRangeSet cores = sharded ? input.memory_config().shard_spec()->grid
                                       : program.split(std::max<uint64_t>(tile_rows(input), 1), true);
    movement::buffer_for(program, input, input, 2 * wide);
    program.circular_buffer(cores, 2 * wide * tile_bytes(input));  // halves turned
    program.circular_buffer(cores, 2 * wide * table);
    program.circular_buffer(cores, 2 * wide * table);
    program.circular_buffer(cores, Tile().bytes(DataType::BFLOAT16));  // minus one
    for (int i = 0; i < 3; ++i) {
        program.circular_buffer(cores, tile_bytes(input));
    }
    movement::buffer_for(program, output, input, 2 * wide);
    if (params.token_index) {  // the row of the tables, on its own
        for (int i = 0; i < 4; ++i) {
            program.circular_buffer(cores, wide * table);
        }
    }
}

}  // namespace rotary

inline void RotaryEmbedding::validate(const Params& params) {
    rotary::check_rank(name, "input_tensor", params.input_tensor);
    check_at_launch([&] {
        rotary::check_halves(name, params.input_tensor);
        rotary::check_tables(params);
        rotary::check_half_shards(name, params.input_tensor,
                                  params.memory_config.value_or(params.input_tensor.memory_config()));
    });
}

inline Tensor RotaryEmbedding::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Tensor tensors[] = {input, params.cos_cache, params.sin_cache};
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        rotary::declare_halves(p, params, outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        std::optional<uint64_t> only;
        if (params.token_index) {
            only = static_cast<uint64_t>(*params.token_index);
        }
        compute::rotate_halves(inputs[0], inputs[1], inputs[2], only, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.cos_cache).add(params.sin_cache).add_at_run(params.token_index);
        list.add(params.memory_config).add(params.compute_kernel_config);
    };
    return launch({"ttnn::prim::rotary_embedding", tensors, program, kernel, arguments},
                  TensorSpec(input.padded_shape(), input.dtype(), Layout::TILE, rotary::halves_config(params)));
}

inline void RotateHalf::validate(const Params& params) {
    check_at_launch([&] {
        rotary::check_halves(name, params.input_tensor);
        check_interleaved(name, "input_tensor", params.input_tensor);
        const MemoryConfig output = params.memory_config.value_or(params.input_tensor.memory_config());
        require(output.interleaved(), "{}: argument 'memory_config' must be interleaved, got {}", name, output);
    });
}

inline Tensor RotateHalf::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor>) {
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(input), 1), true);
        const uint64_t half = std::max<uint64_t>(tile_columns(input), 2);  // of a row, doubled
        p.circular_buffer(cores, half * rotary::tile_bytes(input));
        p.circular_buffer(cores, half * rotary::tile_bytes(input));
        p.circular_buffer(cores, Tile().bytes(DataType::BFLOAT16));  // minus one
        p.circular_buffer(cores, half * rotary::tile_bytes(input));
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::swap_halves(inputs[0], outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(params.memory_config); };
    return launch({"ttnn::prim::rotate_half", {&input, 1}, program, kernel, arguments},
                  TensorSpec(input.logical_shape(), input.dtype(), Layout::TILE,
                             params.memory_config.value_or(input.memory_config())));
}

inline void RotaryEmbedding::cases(CaseMaker& make) {
    const auto table = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{make.tensor({2, 2, 64, 64}), table({1, 1, 128, 64}), table({1, 1, 128, 64})});
    make.add(Params{make.tensor({1, 3, 40, 128}), table({1, 1, 64, 128}), table({1, 1, 64, 128}), std::nullopt,
                    l1_memory_config()});
    make.add(Params{make.tensor({1, 4, 32, 64}), table({1, 1, 100, 64}), table({1, 1, 100, 64}), 77});
    make.add(Params{make.tensor({1, 4, 32, 64}), table({1, 1, 32, 64}), table({1, 1, 32, 64}), std::nullopt,
                    MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1)});
}
inline void RotateHalf::cases(CaseMaker& make) {
    make.add(Params{make.tensor({1, 2, 64, 128})});
    make.add(Params{make.tensor({3, 33, 64}), l1_memory_config()});
}

}  // namespace ttnn

#endif
