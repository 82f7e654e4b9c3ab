// experimental.convert_to_chw and experimental.convert_to_hwc: channels last to channels first and back, in shards.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct ConvertToChw {
    static constexpr std::string_view name = "ttnn.experimental.convert_to_chw";
    static constexpr std::string_view doc =
        "[1, 1, H * W, C] in height shards of tiles becomes [1, 1, C, H * W] in width shards of rows on the same "
        "cores.";
    struct Params {
        Tensor input{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("HEIGHT_SHARDED, TILE; C up to 32, H * W a multiple of 32").also("input_tensor"),
        kw<&Params::dtype>("BFLOAT16 or FLOAT32; default: the input's, BFLOAT16 for block floats")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ConvertToHwc {
    static constexpr std::string_view name = "ttnn.experimental.convert_to_hwc";
    static constexpr std::string_view doc =
        "[1, B, C, H * W] in width shards of rows becomes [1, 1, B * H * W, C] in height shards of rows; C grows with "
        "zeros to what rows are aligned to.";
    struct Params {
        Tensor input{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("WIDTH_SHARDED, ROW_MAJOR").also("input_tensor"),
        kw<&Params::memory_config>("HEIGHT_SHARDED; default: the cores of an input in L1"),
        kw<&Params::dtype>("BFLOAT16 or FLOAT32; default: the input's")};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<ConvertToChw> convert_to_chw{};
inline constexpr Op<ConvertToHwc> convert_to_hwc{};
}  // namespace experimental
TTNN_DECLARATION(ConvertToChw);
TTNN_DECLARATION(ConvertToHwc);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> ConvertToChw::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    return {reference::generated({1, 1, input.shape[3], input.shape[2]}, [&](std::span<const uint32_t> index) {
        const uint32_t source[] = {0, 0, index[3], index[2]};
        return input.at(source);
    })};
}

inline std::vector<reference::Array> ConvertToHwc::reference(const Params& params) {
    const reference::Array input = reference::values(params.input);
    const uint32_t pixels = input.shape[3];
    const DataType dtype = params.dtype.value_or(params.input.dtype());
    const uint32_t alignment = dtype == DataType::FLOAT32 ? 4 : 8;
    const uint32_t channels = (input.shape[2] + alignment - 1) / alignment * alignment;
    const Shape shape{1, 1, input.shape[1] * pixels, channels};
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        const uint32_t source[] = {0, index[2] / pixels, index[3], index[2] % pixels};
        return index[3] < input.shape[2] ? input.at(source) : 0.0;
    })};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

namespace pool {

inline DataType converted_dtype(const Tensor& input, std::optional<DataType> given) {
    return given.value_or(is_block_float(input.dtype()) ? DataType::BFLOAT16 : input.dtype());
}

inline void check_converted_dtype(std::string_view op, std::optional<DataType> dtype) {
    require(!dtype || *dtype == DataType::BFLOAT16 || *dtype == DataType::FLOAT32,
            "{}: argument 'dtype' must be BFLOAT16 or FLOAT32, got {}", op, dtype.value_or(DataType::BFLOAT16));
}

inline void check_sharded_as(std::string_view op, const Tensor& input, TensorMemoryLayout memory_layout) {
    require(input.memory_config().memory_layout() == memory_layout && input.memory_config().shard_spec(),
            "{}: argument 'input' must be {}, got {}", op, memory_layout, input.memory_config().memory_layout());
}

// The shards of input and output, and a tile on its way.
inline void convert_program(Program& program, const Tensor& input, const Tensor& output) {
    movement::shard_buffer(program, input);
    program.circular_buffer(output.memory_config().shard_spec()->grid, 2 * Tile().bytes(output.dtype()));
    movement::shard_buffer(program, output);
}

inline Shape hwc_shape(const ConvertToHwc::Params& params) {
    const Shape& shape = params.input.logical_shape();
    const DataType dtype = converted_dtype(params.input, params.dtype);
    return {1, 1, shape[1] * shape[3], round_up(shape[2], static_cast<uint32_t>(16 / element_size(dtype)))};
}

inline MemoryConfig hwc_config(const ConvertToHwc::Params& params) {
    const Shape shape = hwc_shape(params);
    const auto shards_over = [&](const CoreRangeSet& grid, ShardOrientation orientation) {
        return MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                            ShardSpec{grid, {div_up(shape[2], grid.num_cores()), shape[3]}, orientation});
    };
    const ShardSpec& own = *params.input.memory_config().shard_spec();
    if (!params.memory_config) {
        return shards_over(own.grid, own.orientation);
    }
    const MemoryConfig& given = *params.memory_config;
    return given.shard_spec() || given.nd_shard_spec() ? given : shards_over(own.grid, own.orientation);
}

}  // namespace pool

inline void ConvertToChw::validate(const Params& params) {
    const Tensor& input = params.input;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1 && shape[1] == 1 && shape[3] > 0 && shape[3] <= tile_size &&
                shape[2] > 0 && shape[2] % tile_size == 0,
            "{}: argument 'input' must be [1, 1, H * W, C] with H * W a multiple of 32 and C up to 32, got {}", name,
            shape);
    pool::check_converted_dtype(name, params.dtype);
    pool::check_sharded_as(name, input, TensorMemoryLayout::HEIGHT_SHARDED);
    check_at_launch([&] {
        check_layout(name, "input", input, Layout::TILE);
        check_dtype(name, "input", input, {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B});
    });
}

inline Tensor ConvertToChw::run(const Params& params) {
    const Tensor& input = params.input;
    const Shape& own = input.logical_shape();
    const Shape shape{1, 1, own[3], own[2]};
    const ShardSpec& shards = *input.memory_config().shard_spec();
    const MemoryConfig config(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                              ShardSpec{shards.grid, {own[3], shards.shape[0]}, shards.orientation});
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        pool::convert_program(p, input, outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& source = inputs[0].logical_shape();
        const std::array<size_t, 4> order{0, 1, 3, 2};
        compute::walk(inputs[0], compute::permuted(source, order), outputs[0]);
    };
    return launch({"ttnn::prim::convert_to_chw", {&input, 1}, program, kernel},
                  TensorSpec(shape, pool::converted_dtype(input, params.dtype), Layout::ROW_MAJOR, config));
}

inline void ConvertToChw::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 1, 256, 5})});
    make.add(Params{.input = make.tensor({1, 1, 128, 32})});
    make.add(Params{.input = make.tensor({1, 1, 160, 16}), .dtype = DataType::BFLOAT16});
    make.add(Params{.input = make.tensor({1, 1, 160, 3}), .dtype = DataType::FLOAT32});
}

inline void ConvertToHwc::validate(const Params& params) {
    const Tensor& input = params.input;
    const Shape& shape = input.logical_shape();
    require(shape.rank() == 4 && shape[0] == 1 && shape.volume() != 0,
            "{}: argument 'input' must be [1, B, C, H * W] with elements, got {}", name, shape);
    pool::check_converted_dtype(name, params.dtype);
    pool::check_sharded_as(name, input, TensorMemoryLayout::WIDTH_SHARDED);
    require(params.memory_config || input.memory_config().is_l1(),
            "{}: argument 'memory_config' is needed for an input in DRAM", name);
    require(!params.memory_config || params.memory_config->memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
            "{}: argument 'memory_config' must be HEIGHT_SHARDED, got {}", name,
            params.memory_config.value_or(MemoryConfig()).memory_layout());
    check_at_launch([&] {
        check_layout(name, "input", input, Layout::ROW_MAJOR);
        check_dtype(name, "input", input, {DataType::BFLOAT16, DataType::FLOAT32});
    });
}

inline Tensor ConvertToHwc::run(const Params& params) {
    const Tensor& input = params.input;
    const Shape shape = pool::hwc_shape(params);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        pool::convert_program(p, input, outputs[0]);
    };
    const auto kernel = [](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& source = inputs[0].logical_shape();
        const uint64_t channels = source[2];
        const uint64_t pixels = source[3];
        const uint64_t row = outputs[0].logical_shape()[3];
        compute::Walk way;
        way.dims = {{source[1], channels * pixels, pixels * row}, {pixels, 1, row}, {channels, pixels, 1}};
        compute::walk(inputs[0], way, outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(params.memory_config).add(params.dtype); };
    return launch(
        {"ttnn::prim::convert_to_hwc", {&input, 1}, program, kernel, arguments},
        TensorSpec(shape, pool::converted_dtype(input, params.dtype), Layout::ROW_MAJOR, pool::hwc_config(params)));
}

inline void ConvertToHwc::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 1, 3, 64})});
    make.add(Params{.input = make.tensor({1, 2, 16, 128})});
    make.add(Params{.input = make.tensor({1, 1, 5, 96}), .dtype = DataType::FLOAT32});
    make.add(Params{.input = make.tensor({1, 1, 11, 64}),
                    .memory_config = MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
                                                  ShardSpec{CoreRangeSet(CoreRange({0, 0}, {1, 0})), {32, 16}})});
}

}  // namespace ttnn

#endif
