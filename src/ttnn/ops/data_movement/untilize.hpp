// untilize and untilize_with_unpadding: tiles to row-major.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Untilize {
    static constexpr std::string_view name = "ttnn.untilize";
    static constexpr std::string_view doc =
        "Brings a TILE tensor into ROW_MAJOR layout; the padded shape stays, block floats become BFLOAT16.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        bool use_multicore = true;
        bool use_pack_untilize = true;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("TILE tensor on a device"), kw<&Params::memory_config>("default: the input's"),
        kw<&Params::use_multicore>("no effect here"), kw<&Params::use_pack_untilize>("no effect here"),
        kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct UntilizeWithUnpadding {
    static constexpr std::string_view name = "ttnn.untilize_with_unpadding";
    static constexpr std::string_view doc =
        "Brings a TILE tensor into ROW_MAJOR layout and crops it; block floats become BFLOAT16.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> output_tensor_end{};
        std::optional<MemoryConfig> memory_config{};
        bool use_multicore = true;
        bool use_pack_untilize = true;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("TILE tensor on a device"),
                                      arg<&Params::output_tensor_end>("last index of each dimension, inclusive"),
                                      kw<&Params::memory_config>("default: the input's, shards refitted"),
                                      kw<&Params::use_multicore>("no effect here"),
                                      kw<&Params::use_pack_untilize>("must be True for INT32 and UINT32"),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = Untilize::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(untilize, Untilize);
TTNN_OPERATION(untilize_with_unpadding, UntilizeWithUnpadding);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Untilize::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

inline std::vector<reference::Array> UntilizeWithUnpadding::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    if (input.shape.rank() > 4) {
        return {input};
    }
    Shape shape = input.shape;
    for (size_t i = 0; i < shape.rank(); ++i) {
        shape[static_cast<int64_t>(i)] = static_cast<uint32_t>(params.output_tensor_end[i] + 1);
    }
    return {reference::generated(shape, [&](auto index) { return input.at(index); })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

// Block floats exist in tiles only.
inline DataType row_major_dtype(DataType dtype) { return is_block_float(dtype) ? DataType::BFLOAT16 : dtype; }

inline void untilize_program(Program& program, const Tensor& input, const Tensor& output, bool doubled) {
    if (const auto& spec = input.memory_config().shard_spec()) {
        shard_buffer(program, input);
        if (output.is_sharded()) {
            shard_buffer(program, output);
        } else {
            const uint64_t blocks = div_up(spec->shape[0], tile_size);  // one above the other
            program.circular_buffer(spec->grid, (doubled && blocks > 1 ? 2 : 1) * div_up(spec->shape[1], tile_size) *
                                                    Tile().bytes(output.dtype()));
        }
        return;
    }
    const uint64_t rows = std::max<uint64_t>(tile_rows(input), 1);
    const CoreRangeSet cores = program.split(rows);
    const uint64_t factor = doubled && rows > cores.num_cores() ? 2 : 1;
    const uint64_t out_tile = Tile().bytes(output.dtype());
    const uint64_t tiles = tiles_at_once(program, tile_columns(input), factor * (page_bytes(input) + out_tile));
    program.circular_buffer(cores, factor * tiles * page_bytes(input));
    program.circular_buffer(cores, factor * tiles * out_tile);
}

inline Shape unpadded_shape(const UntilizeWithUnpadding::Params& params) {
    const Shape& logical = params.input_tensor.logical_shape();
    if (logical.rank() > 4) {
        return logical;  // the original looks at the argument up to rank 4 only
    }
    std::vector<int64_t> dims = params.output_tensor_end;
    for (int64_t& dim : dims) {
        ++dim;
    }
    return Shape::from_ints(dims);
}

// The config that an unpadded sharded result gets: whole tile rows per core, or all rows of the shard's width.
inline MemoryConfig unpadded_config(const UntilizeWithUnpadding::Params& params, const Shape& shape) {
    const Tensor& input = params.input_tensor;
    MemoryConfig config = params.memory_config.value_or(input.memory_config());
    if (!config.is_sharded() || !input.memory_config().shard_spec() || config.created_with_nd_shard_spec()) {
        return config;
    }
    ShardSpec spec = config.shard_spec() ? *config.shard_spec() : *input.memory_config().shard_spec();
    const auto rows = static_cast<uint32_t>(shape.volume() / std::max(shape.from_end(0), 1U));
    require(spec.num_cores() != 0, "the shard spec of {} has no cores", config);
    if (config.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED) {
        spec.shape = {round_up(div_up(rows, spec.num_cores()), tile_size), shape.from_end(0)};
    } else {
        spec.shape = {rows, input.memory_config().shard_spec()->shape[1]};
    }
    return config.with_shard_spec(spec);
}

// Shards that only an N-D spec describes may go to any sharded result whose shards hold rows of aligned length.
inline void check_shard_rows(const UntilizeWithUnpadding::Params& params, const MemoryConfig& config) {
    if (!config.is_sharded() || (!config.nd_shard_spec() && !config.shard_spec())) {
        return;
    }
    const uint32_t width =
        config.shard_spec() ? config.shard_spec()->shape[1] : config.nd_shard_spec()->shard_shape.from_end(0);
    const uint64_t bytes = uint64_t{width} * element_size(row_major_dtype(params.input_tensor.dtype()));
    const uint64_t alignment = params.input_tensor.device()->alignment(config.buffer_type());
    require(bytes % alignment == 0,
            "{}: argument 'memory_config': the rows of a shard must be a multiple of {} bytes long, got {} bytes",
            UntilizeWithUnpadding::name, alignment, bytes);
}

// Where the result may lie, given where the input does.
inline void check_unpadded_place(const UntilizeWithUnpadding::Params& params) {
    const std::string_view name = UntilizeWithUnpadding::name;
    const Tensor& input = params.input_tensor;
    const MemoryConfig& config = params.memory_config ? *params.memory_config : input.memory_config();
    require(input.is_sharded() || !config.is_sharded(),
            "{}: argument 'memory_config' must be interleaved for an interleaved input, got {}", name,
            config.memory_layout());
    if (input.is_sharded() && !input.memory_config().shard_spec()) {
        check_shard_rows(params, config);
        return;
    }
    require(!config.is_sharded() || config.memory_layout() == input.memory_config().memory_layout(),
            "{}: argument 'memory_config' has {}, but the input has {}; they must match, or the result be interleaved",
            name, config.memory_layout(), input.memory_config().memory_layout());
    require(!config.is_sharded() || config.memory_layout() != TensorMemoryLayout::BLOCK_SHARDED,
            "{}: the result of a BLOCK_SHARDED input must be interleaved; argument 'memory_config' says otherwise",
            name);
}

}  // namespace movement

inline void Untilize::validate(const Params& params) {
    check_at_launch([&] { check_layout(name, "input_tensor", params.input_tensor, Layout::TILE); });
}

inline Tensor Untilize::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::untilize_program(p, input, outputs[0], true);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0]);
    };
    return launch(
        {"ttnn::prim::untilize", {&input, 1}, program, kernel},
        TensorSpec::from_padded(input.logical_shape(), input.padded_shape(), movement::row_major_dtype(input.dtype()),
                                Layout::ROW_MAJOR, params.memory_config.value_or(input.memory_config())));
}

inline void Untilize::cases(CaseMaker& make) {
    make.only_if(make.layout() == Layout::TILE);
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 128})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 65})});
    make.add(Params{.input_tensor = make.tensor({96, 40}), .memory_config = l1_memory_config()});
}

inline void UntilizeWithUnpadding::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    check_at_launch([&] {
        check_layout(name, "input_tensor", input, Layout::TILE);
        require(params.use_pack_untilize || (input.dtype() != DataType::INT32 && input.dtype() != DataType::UINT32),
                "{}: argument 'use_pack_untilize' must be True for {}", name, input.dtype());
    });
    const Shape& padded = input.padded_shape();
    require(input.logical_shape().rank() > 4 || params.output_tensor_end.size() == padded.rank(),
            "{}: argument 'output_tensor_end' must have {} entries, got {}", name, padded.rank(),
            params.output_tensor_end.size());
    const Shape shape = movement::unpadded_shape(params);
    for (size_t i = 0; i < shape.rank(); ++i) {
        require(shape.from_end(i) <= padded.from_end(i),
                "{}: argument 'output_tensor_end' asks for {}, which exceeds the padded input {}", name, shape, padded);
    }
    check_at_launch([&] { movement::check_unpadded_place(params); });
}

inline Tensor UntilizeWithUnpadding::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Shape shape = movement::unpadded_shape(params);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::untilize_program(p, input, outputs[0], false);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        if (shape == inputs[0].logical_shape()) {
            compute::transfer(inputs[0], outputs[0]);
        } else {
            compute::transfer_padded(inputs[0], outputs[0]);
        }
    };
    return launch({"ttnn::prim::untilize_with_unpadding", {&input, 1}, program, kernel},
                  TensorSpec(shape, movement::row_major_dtype(input.dtype()), Layout::ROW_MAJOR,
                             movement::unpadded_config(params, shape)));
}

inline void UntilizeWithUnpadding::cases(CaseMaker& make) {
    make.only_if(make.layout() == Layout::TILE);
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 65}), .output_tensor_end = {0, 1, 32, 64}});
    make.add(Params{.input_tensor = make.tensor({64, 96}), .output_tensor_end = {39, 95}});
    make.add(Params{.input_tensor = make.tensor({2, 64, 96}),
                    .output_tensor_end = {1, 49, 63},
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({1, 2, 1, 40, 64}), .output_tensor_end = {0, 1, 0, 39, 63}});
}

}  // namespace ttnn

#endif
