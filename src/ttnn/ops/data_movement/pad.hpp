// pad: the tensor inside a larger one.
#pragma once

#include <limits>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Pad {
    static constexpr std::string_view name = "ttnn.pad";
    static constexpr std::string_view doc =
        "Pads a tensor with (before, after) elements of a value per dimension. In TILE on a device only at the end of "
        "dimensions.";
    struct Params {
        Tensor input_tensor{};
        Padding padding{};
        double value = 0.0;
        bool use_multicore = true;
        std::optional<MemoryConfig> memory_config{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device or on the host"),
                                      arg<&Params::padding>("(before, after) per dimension; missing leading ones: 0"),
                                      arg<&Params::value>("value of the new elements"),
                                      kw<&Params::use_multicore>("no effect here"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct PadToShape {
    static constexpr std::string_view name = "ttnn.pad";
    static constexpr std::string_view doc = "Places a rank-4 tensor at a start index inside a larger one.";
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> output_padded_shape{};
        std::vector<int64_t> input_tensor_start{};
        double value = 0.0;
        bool use_multicore = false;
        std::optional<MemoryConfig> memory_config{};
        std::optional<CoreRangeSet> sub_core_grids{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("rank-4 tensor on a device or on the host"),
                                      arg<&Params::output_padded_shape>("shape of the result, 4 entries"),
                                      arg<&Params::input_tensor_start>("where the input begins in it, 4 entries"),
                                      arg<&Params::value>("value of the new elements"),
                                      kw<&Params::use_multicore>("no effect here"),
                                      kw<&Params::memory_config>("default: the input's"),
                                      kw<&Params::sub_core_grids>("cores to use")};
    static constexpr Tolerance tolerance = Pad::tolerance;
    static constexpr bool host_inputs = true;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

inline constexpr Overloads<Pad, PadToShape> pad{};
TTNN_DECLARATION(Pad);
TTNN_DECLARATION(PadToShape);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

namespace ttnn {

inline std::vector<reference::Array> Pad::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const size_t missing = input.shape.rank() - params.padding.size();
    Shape shape = input.shape;
    for (size_t i = 0; i < params.padding.size(); ++i) {
        shape[static_cast<int64_t>(missing + i)] += static_cast<uint32_t>(params.padding[i][0] + params.padding[i][1]);
    }
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source(index.begin(), index.end());
        for (size_t i = 0; i < index.size(); ++i) {
            const int64_t before = i < missing ? 0 : params.padding[i - missing][0];
            const int64_t at = int64_t{index[i]} - before;
            if (at < 0 || at >= int64_t{input.shape[static_cast<int64_t>(i)]}) {
                return params.value;
            }
            source[i] = static_cast<uint32_t>(at);
        }
        return input.at(source);
    })};
}

inline std::vector<reference::Array> PadToShape::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    reference::Array output(Shape::from_ints(params.output_padded_shape), params.value);
    reference::for_each_index(input.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> target(index.begin(), index.end());
        for (size_t i = 0; i < target.size(); ++i) {
            target[i] += static_cast<uint32_t>(params.input_tensor_start[i]);
        }
        output.at(target) = input.at(index);
    });
    return {output};
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/fill_implicit_tile_padding.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"
#include "ttnn/ops/data_movement/view.hpp"
#include "ttnn/ops/sharding/to_memory_config.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn {

namespace movement {

// One pad, both forms brought together.
struct PadCall {
    const Tensor& input;
    Shape before;  // per dimension of the input
    Shape shape;   // of the result
    double value;
    const std::optional<MemoryConfig>& memory_config;
    bool chosen_cores = false;  // sub_core_grids
    bool multicore = true;

    bool nothing() const { return shape == input.logical_shape(); }
};

inline PadCall pad_call(const Pad::Params& params) {
    const Shape& own = params.input_tensor.logical_shape();
    require(params.padding.size() <= own.rank(),
            "{}: argument 'padding' has {} pairs, but the input has rank {}: padding len can't be larger than input "
            "tensor rank",
            Pad::name, params.padding.size(), own.rank());
    PadCall call{params.input_tensor, Shape::filled(own.rank(), 0), own,
                 params.value,        params.memory_config,         params.sub_core_grids.has_value(),
                 params.use_multicore};
    for (size_t i = 0; i < params.padding.size(); ++i) {
        const auto& [before, after] = params.padding[i];
        require(before >= 0 && after >= 0, "{}: argument 'padding' must not hold negative numbers, got ({}, {})",
                Pad::name, before, after);
        const auto at = static_cast<int64_t>(own.rank() - params.padding.size() + i);
        constexpr int64_t largest = std::numeric_limits<uint32_t>::max();
        require(before <= largest && after <= largest && before + after + own[at] <= largest,
                "{}: argument 'padding' ({}, {}) makes dimension {} larger than {}", Pad::name, before, after, at,
                largest);
        call.before[at] = static_cast<uint32_t>(before);
        call.shape[at] += static_cast<uint32_t>(before + after);
    }
    return call;
}

inline PadCall pad_call(const PadToShape::Params& params) {
    const Shape& own = params.input_tensor.logical_shape();
    require(
        own.rank() == 4 && params.output_padded_shape.size() == 4 && params.input_tensor_start.size() == 4,
        "{}: arguments 'output_padded_shape' and 'input_tensor_start' need 4 entries and an input of rank 4, got {}, "
        "{} and {}",
        PadToShape::name, params.output_padded_shape.size(), params.input_tensor_start.size(), own.rank());
    PadCall call{params.input_tensor,
                 Shape::from_ints(params.input_tensor_start),
                 Shape::from_ints(params.output_padded_shape),
                 params.value,
                 params.memory_config,
                 params.sub_core_grids.has_value(),
                 params.use_multicore};
    for (int64_t i = 0; i < 4; ++i) {
        require(uint64_t{call.before[i]} + own[i] <= call.shape[i],
                "{}: argument 'output_padded_shape' {} has no room for the input {} at {}", PadToShape::name,
                call.shape, own, call.before);
    }
    return call;
}

// N-D shards are padded in interleaved memory.
inline bool leaves_nd_shards(const Tensor& input) { return input.memory_config().created_with_nd_shard_spec(); }

inline void check_pad(std::string_view op, const PadCall& call) {
    const Tensor& input = call.input;
    require(!call.chosen_cores || (!input.is_sharded() && call.multicore),
            "{}: argument 'sub_core_grids' cannot be used with {}", op,
            input.is_sharded() ? "a sharded input" : "use_multicore=False");
    if (input.layout() == Layout::TILE) {
        check_dtype(op, "input_tensor", input,
                    {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16,
                     DataType::BFLOAT8_B});
        require(std::ranges::all_of(call.before, [](uint32_t dim) { return dim == 0; }),
                "{}: a tensor in TILE on a device cannot be padded in front, got {}: on device tile padding does not "
                "support front padding",
                op, call.before);
        if (!leaves_nd_shards(input)) {
            check_interleaved(op, "input_tensor", input);
        }
        return;
    }
    check_dtype(op, "input_tensor", input,
                {DataType::BFLOAT16, DataType::FLOAT32, DataType::INT32, DataType::UINT32, DataType::UINT16});
    if (input.is_sharded() && !leaves_nd_shards(input)) {
        const MemoryConfig& config = call.memory_config ? *call.memory_config : input.memory_config();
        require(input.memory_config().memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED &&
                    config.memory_layout() == TensorMemoryLayout::HEIGHT_SHARDED,
                "{}: a sharded input and its result must be HEIGHT_SHARDED, got {} and {}", op,
                input.memory_config().memory_layout(), config.memory_layout());
    }
}

inline void validate_pad(std::string_view op, const PadCall& call) {
    const Tensor& input = call.input;
    const size_t rank = call.shape.rank();
    for (size_t i = 0; rank > 4 && i < rank - 3; ++i) {
        require(call.shape[static_cast<int64_t>(i)] == input.logical_shape()[static_cast<int64_t>(i)],
                "{}: only the last 3 dimensions of a tensor of rank {} can be padded, got {} from {}", op, rank,
                call.shape, input.logical_shape());
    }
    if (input.is_on_device() && !call.nothing()) {
        check_at_launch([&] { check_pad(op, call); });
    }
}

inline Tensor pad_on_host(const PadCall& call) {
    const TensorSpec& spec = call.input.spec();
    const compute::Walk way = compute::placed(spec.logical_shape(), call.shape, call.before.view());
    return map_parts(call.input, [&](const Tensor& part) {
        Tensor output = Tensor::allocate_on_host(
            TensorSpec(call.shape, spec.dtype(), spec.layout(), spec.memory_config(), spec.tile()));
        compute::walk(part, way, output, call.value);
        return output;
    });
}

inline void pad_program(Program& program, const Tensor& input, const Tensor& output) {
    if (input.is_sharded()) {
        shard_buffer(program, input);
        shard_buffer(program, output);
        program.circular_buffer(output.memory_config().shard_spec()->grid, page_bytes(output));
        return;
    }
    const CoreRangeSet cores = program.split(output.spec().num_pages());
    const uint64_t alignment = program.device().alignment(output.memory_config().buffer_type());
    const uint64_t row = round_up<uint64_t>(page_bytes(output), alignment);
    program.circular_buffer(cores, capped(program, output, 2 * round_up<uint64_t>(page_bytes(input), alignment)));
    program.circular_buffer(cores, capped(program, output, 2 * row));
    program.circular_buffer(cores, capped(program, output, row));
}

inline Tensor pad_primitive(const Tensor& input, const Shape& before, const Shape& shape, double value,
                            const MemoryConfig& config) {
    const auto program = [&](Program& p, std::span<const Tensor> outputs) { pad_program(p, input, outputs[0]); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0], compute::placed(inputs[0].logical_shape(), shape, before.view()), outputs[0], value);
    };
    const Shape padded = default_padded(shape, input.layout(), input.spec().tile());
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(shape).add(before).add(value).add(config); };
    return launch({"ttnn::prim::pad", {&input, 1}, program, kernel, arguments},
                  TensorSpec::from_padded(shape, padded, input.dtype(), input.layout(), config, input.spec().tile()));
}

// The rows per core stay while all rows find room: more rows go to cores that were idle.
inline MemoryConfig padded_config(const PadCall& call) {
    MemoryConfig config = fitted_output_config(call.memory_config, call.input, call.shape);
    const auto& own = call.input.memory_config().shard_spec();
    const uint64_t rows = call.shape.volume() / std::max(call.shape.from_end(0), 1U);
    if (call.memory_config || !own || rows > uint64_t{own->shape[0]} * own->num_cores()) {
        return config;
    }
    ShardSpec spec = *own;
    spec.shape[1] = call.shape.from_end(0);
    return config.with_shard_spec(spec);
}

// The primitive works on four dimensions: lower ranks get leading ones, higher ones are folded.
inline Tensor pad_row_major(const PadCall& call) {
    const Shape shape = folded(call.shape, 4);
    Shape before = Shape::filled(4, 0);
    for (size_t i = 0; i < std::min<size_t>(call.before.rank(), 4); ++i) {
        before[static_cast<int64_t>(3 - i)] = call.before.from_end(i);
    }
    const Shape own = folded(call.input.logical_shape(), 4);
    const Tensor source = own == call.input.logical_shape() ? call.input : reshape(call.input, ints(own));
    const Tensor result = pad_primitive(source, before, shape, call.value, padded_config(call));
    return viewed(result, call.shape);
}

// Fills the hidden padding, counts it as elements, adds whole tiles, and hides what lies beyond the result. Block
// floats are padded as BFLOAT16, because a row of a tile shares exponents. Those of rank 4 and above whose padding was
// filled stay BFLOAT16, as on hardware.
inline Tensor pad_tiles(const PadCall& call) {
    const bool block_float = is_block_float(call.input.dtype());
    const bool filled = has_padding(call.input);
    Tensor tensor = block_float ? typecast(call.input, DataType::BFLOAT16) : call.input;
    tensor = fill_implicit_tile_padding(tensor, call.value);
    const Shape own = tensor.padded_shape();
    Shape padded = tile_padded(call.shape, tensor.spec().tile());
    for (const int64_t i : {-1, -2}) {
        padded[i] = std::max(padded[i], own[i]);
    }
    const MemoryConfig config = call.memory_config.value_or(call.input.memory_config());
    if (has_padding(tensor) && (padded != own || block_float)) {
        tensor = experimental::view(tensor, own, own);
    }
    if (padded != own) {
        tensor = pad_primitive(tensor, Shape::filled(own.rank(), 0), padded, call.value, config);
    } else if (!(tensor.memory_config() == config)) {
        tensor = to_memory_config(tensor, config);
    }
    if (block_float && !(filled && call.shape.rank() >= 4)) {
        tensor = typecast(tensor, call.input.dtype());
    }
    return experimental::view(tensor, call.shape, padded);
}

inline Tensor run_pad(const PadCall& call) {
    if (call.nothing()) {
        return call.input;
    }
    if (!call.input.is_on_device()) {
        return pad_on_host(call);
    }
    if (leaves_nd_shards(call.input)) {
        const MemoryConfig target = call.memory_config.value_or(call.input.memory_config());
        const std::optional<MemoryConfig> between(MemoryConfig(TensorMemoryLayout::INTERLEAVED, target.buffer_type()));
        const Tensor moved = to_memory_config(call.input, *between);
        return to_memory_config(run_pad({moved, call.before, call.shape, call.value, between}), target);
    }
    return call.input.layout() == Layout::TILE ? pad_tiles(call) : pad_row_major(call);
}

}  // namespace movement

inline void Pad::validate(const Params& params) { movement::validate_pad(name, movement::pad_call(params)); }
inline Tensor Pad::run(const Params& params) { return movement::run_pad(movement::pad_call(params)); }

inline void Pad::cases(CaseMaker& make) {
    make.add(Params{
        .input_tensor = make.tensor({1, 2, 33, 48}), .padding = {{0, 0}, {0, 1}, {0, 7}, {0, 16}}, .value = 2.0});
    make.add(Params{.input_tensor = make.tensor({64, 64}), .padding = {{0, 32}}, .value = 1.0});
    make.add(Params{.input_tensor = make.tensor({3, 40, 65}), .padding = {{0, 40}, {0, 0}}, .value = 0.0});
    make.add(Params{.input_tensor = make.tensor({2, 5, 48}), .padding = {{1, 0}, {2, 1}, {3, 5}}, .value = 4.0});
    make.add(
        Params{.input_tensor = make.tensor({2, 1, 2, 32, 32}), .padding = {{0, 1}, {0, 0}, {0, 32}}, .value = 1.0});
    make.add(Params{.input_tensor = make.tensor({1, 1, 4, 32}), .padding = {{0, 0}, {0, 0}}, .value = 1.0});
    if (!make.sharded()) {
        make.add(Params{.input_tensor = make.on_host({2, 33, 40}, make.dtype(), make.layout()),
                        .padding = {{0, 1}, {2, 3}, {1, 0}},
                        .value = 3.0});
    }
}

inline void PadToShape::validate(const Params& params) { movement::validate_pad(name, movement::pad_call(params)); }
inline Tensor PadToShape::run(const Params& params) { return movement::run_pad(movement::pad_call(params)); }

inline void PadToShape::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 30, 48}),
                    .output_padded_shape = {1, 2, 32, 64},
                    .input_tensor_start = {0, 0, 0, 0},
                    .value = 1.0});
    make.add(Params{.input_tensor = make.tensor({1, 1, 3, 16}),
                    .output_padded_shape = {2, 1, 8, 32},
                    .input_tensor_start = {1, 0, 2, 16},
                    .value = 5.0});
}

}  // namespace ttnn

#endif
