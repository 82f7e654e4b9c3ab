// tilize and its relatives with padding: row-major to tiles.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

namespace movement {
// What the forms declare alike about their result.
template <class Params>
inline constexpr FieldList tilize_fields{kw<&Params::memory_config>("default: the input's"),
                                         kw<&Params::dtype>("another floating dtype for a floating input"),
                                         kw<&Params::use_multicore>("no effect here")};
}  // namespace movement

struct Tilize {
    static constexpr std::string_view name = "ttnn.tilize";
    static constexpr std::string_view doc = "Brings a tile-aligned ROW_MAJOR tensor into TILE layout.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        bool use_multicore = true;
        bool use_low_perf = false;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("ROW_MAJOR tensor on a device")} + movement::tilize_fields<Params> +
        FieldList{kw<&Params::use_low_perf>("no effect here"), kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct TilizeWithValPadding {
    static constexpr std::string_view name = "ttnn.tilize_with_val_padding";
    static constexpr std::string_view doc =
        "Brings a ROW_MAJOR tensor into TILE layout; a value fills the hidden padding up to the given shape.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> output_tensor_shape{};
        Scalar pad_value = 0.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        bool use_multicore = true;
    };
    using Result = Tensor;
    static constexpr auto fields =
        FieldList{arg<&Params::input_tensor>("tensor on a device; TILE ones are returned as they are"),
                  arg<&Params::output_tensor_shape>("padded shape of the result"),
                  arg<&Params::pad_value>("value of the padding")} +
        movement::tilize_fields<Params>;
    static constexpr Tolerance tolerance = Tilize::tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct TilizeWithZeroPadding {
    static constexpr std::string_view name = "ttnn.tilize_with_zero_padding";
    static constexpr std::string_view doc =
        "Brings a ROW_MAJOR tensor into TILE layout; zeros fill the hidden padding up to whole tiles.";
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> output_dtype{};
        bool use_multicore = true;
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device; TILE ones are returned as they are"),
        kw<&Params::memory_config>("default: the input's"),
        kw<&Params::output_dtype>("another floating dtype for a floating input"),
        kw<&Params::use_multicore>("no effect here"), kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = Tilize::tolerance;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(tilize, Tilize);
TTNN_OPERATION(tilize_with_val_padding, TilizeWithValPadding);
TTNN_OPERATION(tilize_with_zero_padding, TilizeWithZeroPadding);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> Tilize::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}
inline std::vector<reference::Array> TilizeWithValPadding::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}
inline std::vector<reference::Array> TilizeWithZeroPadding::reference(const Params& params) {
    return {reference::values(params.input_tensor)};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace movement {

inline void validate_tilize(std::string_view op, const Tensor& input, std::optional<DataType> dtype) {
    check_dtype(op, "input_tensor", input,
                {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16});
    require(!dtype || *dtype == input.dtype() || (is_floating(*dtype) && is_floating(input.dtype())),
            "{}: argument 'dtype' must be {} or, for a floating input, another floating type, got {}", op,
            input.dtype(), dtype.value_or(input.dtype()));
}

// The config of a padded result: 2-D shards grow to whole tiles and, across the way they are cut, with the tensor.
inline MemoryConfig padded_shards(const MemoryConfig& config, const Shape& padded) {
    if (!config.is_sharded() || !config.shard_spec() || config.created_with_nd_shard_spec() || padded.volume() == 0) {
        return config;
    }
    ShardSpec spec = *config.shard_spec();
    const uint32_t width = padded.from_end(0);
    const auto height = static_cast<uint32_t>(padded.volume() / std::max(width, 1U));
    require(spec.num_cores() != 0, "the shard spec of {} has no cores", config);
    spec.shape = {round_up(spec.shape[0], tile_size), round_up(spec.shape[1], tile_size)};
    if (config.memory_layout() == TensorMemoryLayout::WIDTH_SHARDED) {
        spec.shape[0] = height;
        spec.shape[1] = std::max(spec.shape[1], round_up(div_up(width, spec.num_cores()), tile_size));
    } else if (config.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED) {
        spec.shape[0] = std::max(spec.shape[0], round_up(div_up(height, spec.num_cores()), tile_size));
        spec.shape[1] = width;
    }
    return config.with_shard_spec(spec);
}

// Where a result goes that nobody gave a place: N-D shards of rows that are no tiles grow to whole ones.
inline MemoryConfig tilized_config(const Tensor& input, const std::optional<MemoryConfig>& given, const Shape& padded) {
    const MemoryConfig& own = input.memory_config();
    if (given || !own.created_with_nd_shard_spec()) {
        return padded_shards(given.value_or(own), padded);
    }
    NdShardSpec spec = *own.nd_shard_spec();
    spec.shard_shape = tile_padded(spec.shard_shape);
    return MemoryConfig(own.buffer_type(), std::move(spec));
}

inline Tensor tilize_primitive(std::string_view primitive, const Tensor& input, const Shape& padded,
                               const std::optional<MemoryConfig>& memory_config, std::optional<DataType> dtype,
                               double pad) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        if (input.memory_config().shard_spec()) {
            shard_buffer(p, input);
            shard_buffer(p, outputs[0]);
            return;
        }
        const CoreRangeSet cores = p.split(std::max<uint64_t>(tile_rows(outputs[0]), 1));
        const uint64_t in_tile = Tile().bytes(input.dtype());
        const uint64_t tiles = tiles_at_once(p, tile_columns(outputs[0]), in_tile + page_bytes(outputs[0]));
        p.circular_buffer(cores, tiles * in_tile);
        p.circular_buffer(cores, tiles * page_bytes(outputs[0]));
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::transfer(inputs[0], outputs[0], pad);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(padded).add(pad).add(memory_config).add(dtype);
    };
    return launch({primitive, {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(input.logical_shape(), padded, dtype.value_or(input.dtype()), Layout::TILE,
                                          tilized_config(input, memory_config, padded)));
}

}  // namespace movement

namespace movement {

inline void check_tilize(const Tilize::Params& params) {
    const std::string_view name = Tilize::name;
    const Tensor& input = params.input_tensor;
    check_layout(name, "input_tensor", input, Layout::ROW_MAJOR);
    validate_tilize(name, input, params.dtype);
    const Shape& padded = input.padded_shape();
    require(tile_aligned(padded) && padded.volume() % Tile().num_elements() == 0,
            "{}: the last two dimensions of argument 'input_tensor' must be multiples of {}, got {}; "
            "ttnn.tilize_with_zero_padding pads them",
            name, tile_size, padded);
    if (input.is_sharded() && !input.memory_config().created_with_nd_shard_spec()) {
        const MemoryConfig& config = params.memory_config ? *params.memory_config : input.memory_config();
        require(input.memory_config().memory_layout() != TensorMemoryLayout::BLOCK_SHARDED,
                "{}: argument 'input_tensor' must be interleaved, HEIGHT_SHARDED or WIDTH_SHARDED, got BLOCK_SHARDED",
                name);
        require(config.memory_layout() == input.memory_config().memory_layout(),
                "{}: argument 'memory_config' has {}, but the sharded input has {}; they must match", name,
                config.memory_layout(), input.memory_config().memory_layout());
        require(!input.memory_config().shard_spec() ||
                    input.memory_config().shard_spec()->orientation == ShardOrientation::ROW_MAJOR,
                "{}: the shards of argument 'input_tensor' must have ROW_MAJOR orientation, got COL_MAJOR", name);
    }
}

}  // namespace movement

inline void Tilize::validate(const Params& params) {
    check_at_launch([&] { movement::check_tilize(params); });
}

inline Tensor Tilize::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    return movement::tilize_primitive("ttnn::prim::tilize", input, input.padded_shape(), params.memory_config,
                                      params.dtype, 0.0);
}

inline void Tilize::cases(CaseMaker& make) {
    make.only_if(make.layout() == Layout::ROW_MAJOR);
    make.add(Params{.input_tensor = make.tensor({1, 1, 128, 128})});
    make.add(Params{.input_tensor = make.tensor({2, 64, 96}), .memory_config = make.memory_config({2, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({33, 64})});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .dtype = DataType::BFLOAT8_B});
    make.add(Params{.input_tensor = make.tensor({96, 64}), .dtype = DataType::FLOAT32, .use_multicore = false});
}

inline void TilizeWithValPadding::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    if (input.layout() == Layout::TILE) {
        return;
    }
    check_at_launch([&] { movement::validate_tilize(name, input, params.dtype); });
    const Shape padded = Shape::from_ints(params.output_tensor_shape);
    require(padded.rank() == std::max<size_t>(input.logical_shape().rank(), 2),
            "{}: argument 'output_tensor_shape' must have the rank of the input (at least 2), got {} for {}", name,
            padded, input.logical_shape());
    require(movement::tile_aligned(padded),
            "{}: the last two dimensions of argument 'output_tensor_shape' must be multiples of {}, got {}", name,
            tile_size, padded);
    for (size_t i = 0; i < padded.rank(); ++i) {
        require(padded.from_end(i) >= input.logical_shape().from_end(i),
                "{}: argument 'output_tensor_shape' {} must not be smaller than the input {} in any dimension", name,
                padded, input.logical_shape());
    }
}

inline Tensor TilizeWithValPadding::run(const Params& params) {
    if (params.input_tensor.layout() == Layout::TILE) {
        return params.input_tensor;
    }
    return movement::tilize_primitive("ttnn::prim::tilize_with_val_padding", params.input_tensor,
                                      Shape::from_ints(params.output_tensor_shape), params.memory_config, params.dtype,
                                      as_double(params.pad_value));
}

inline void TilizeWithValPadding::cases(CaseMaker& make) {
    make.add(
        Params{.input_tensor = make.tensor({1, 1, 33, 65}), .output_tensor_shape = {1, 1, 64, 96}, .pad_value = 3.0});
    make.add(Params{.input_tensor = make.tensor({2, 64, 40}),
                    .output_tensor_shape = {2, 96, 128},
                    .pad_value = int64_t{1},
                    .memory_config = l1_memory_config()});
    make.add(Params{.input_tensor = make.tensor({32, 64}),
                    .output_tensor_shape = {32, 64},
                    .dtype = make.floating() ? std::optional(DataType::BFLOAT8_B) : std::nullopt});
}

inline Tensor TilizeWithZeroPadding::run(const Params& params) {
    return tilize_with_val_padding(
        params.input_tensor, movement::ints(movement::tile_padded(params.input_tensor.logical_shape())), Scalar(0.0),
        {.memory_config = params.memory_config, .dtype = params.output_dtype, .use_multicore = params.use_multicore});
}

inline void TilizeWithZeroPadding::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 2, 33, 65})});
    make.add(Params{.input_tensor = make.tensor({64, 64}), .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
