// padded_slice: a box of a tensor as row-major shards, with channels up to the width of a shard.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct PaddedSlice {
    static constexpr std::string_view name = "ttnn.experimental.padded_slice";
    static constexpr std::string_view doc =
        "A slice as ROW_MAJOR shards whose rows may be wider than the slice; block floats become BFLOAT16.";
    static constexpr std::string_view aliases[] = {"ttnn.padded_slice"};
    struct Params {
        Tensor input_tensor{};
        std::vector<int64_t> padded_slice_start{};
        std::vector<int64_t> padded_slice_end{};
        std::optional<std::vector<int64_t>> padded_slice_step{};
        MemoryConfig memory_config{};
        std::optional<Tensor> output_tensor{};
        std::optional<Scalar> pad_value{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device, interleaved or in N-D shards"),
        arg<&Params::padded_slice_start>("first index per dimension, negative from the end"),
        arg<&Params::padded_slice_end>("index after the last one per dimension, negative from the end"),
        opt<&Params::padded_slice_step>("distance of indices per dimension; default 1"),
        kwreq<&Params::memory_config>("sharded; its shards may be wider than the slice"),
        kw<&Params::output_tensor>("written into and returned").mutates(),
        kw<&Params::pad_value>("fills what the shards are wider; default 0")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<PaddedSlice> padded_slice{};
}
TTNN_DECLARATION(PaddedSlice);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::PaddedSlice::reference(const Params& params) {
    const auto input = reference::values(params.input_tensor);
    const size_t rank = input.shape.rank();
    const auto step = params.padded_slice_step.value_or(std::vector<int64_t>(rank, 1));
    const auto from = [&](int64_t given, size_t dim) {
        return given < 0 ? given + int64_t{input.shape[static_cast<int64_t>(dim)]} : given;
    };
    Shape shape;
    for (size_t i = 0; i < rank; ++i) {
        const int64_t length = from(params.padded_slice_end[i], i) - from(params.padded_slice_start[i], i);
        shape.push_back(static_cast<uint32_t>((length + step[i] - 1) / step[i]));
    }
    return {reference::generated(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> source;
        for (size_t i = 0; i < rank; ++i) {
            source.push_back(static_cast<uint32_t>(from(params.padded_slice_start[i], i) + index[i] * step[i]));
        }
        return input.at(source);
    })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/slice.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"

namespace ttnn {

namespace movement {

inline Box box_of(const PaddedSlice::Params& params) {
    const Shape& own = params.input_tensor.logical_shape();
    return box_of(PaddedSlice::name, own, params.padded_slice_start, params.padded_slice_end,
                  params.padded_slice_step.value_or(std::vector<int64_t>(own.rank(), 1)));
}

}  // namespace movement

inline void PaddedSlice::validate(const Params& params) {
    const auto box = movement::box_of(params);
    require(box.shape.volume() != 0, "{}: the slice must have elements, got {}", name, box.shape);
    const MemoryConfig& config = params.memory_config;
    require(config.is_sharded() && (config.shard_spec() || config.nd_shard_spec()),
            "{}: argument 'memory_config' must be sharded and have a shard spec, got {}", name, config);
    check_at_launch([&] {
        movement::check_interleaved_or_nd(name, "input_tensor", params.input_tensor);
        if (params.output_tensor) {
            check_preallocated(name, "output_tensor", *params.output_tensor, box.shape);
            check_layout(name, "output_tensor", *params.output_tensor, Layout::ROW_MAJOR);
            check_dtype(name, "output_tensor", *params.output_tensor,
                        {movement::row_major_dtype(params.input_tensor.dtype())});
        }
    });
}

inline Tensor PaddedSlice::run(const Params& params) {
    const Tensor input = movement::out_of_nd_shards(params.input_tensor);
    const auto box = movement::box_of(params);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        if (input.layout() == Layout::TILE) {
            movement::buffer_for(p, input, input);
        }
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::walk(inputs[0],
                      compute::sliced(inputs[0].logical_shape(), box.shape, box.starts.view(), box.steps.view()),
                      outputs[0]);
        if (params.pad_value && movement::has_padding(outputs[0])) {
            compute::refill(outputs[0], outputs[0], as_double(*params.pad_value));
        }
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(box.starts).add(box.shape).add(box.steps).add(params.memory_config);
        list.add(params.output_tensor).add(params.pad_value);
    };
    return launch(
        {"ttnn::prim::padded_slice", {&input, 1}, program, kernel, arguments},
        TensorSpec(box.shape, movement::row_major_dtype(input.dtype()), Layout::ROW_MAJOR, params.memory_config),
        params.output_tensor);
}

inline void PaddedSlice::cases(CaseMaker& make) {
    const auto shards = [](TensorMemoryLayout layout, CoreCoord cores, std::array<uint32_t, 2> shard) {
        return MemoryConfig(layout, BufferType::L1,
                            ShardSpec{CoreRangeSet(CoreRange({0, 0}, {cores.x - 1, cores.y - 1})), shard});
    };
    // 2 x 5 x 8 positions over four cores.
    make.add(Params{.input_tensor = make.tensor({2, 9, 8, 12}),
                    .padded_slice_start = {0, 2, 0, 0},
                    .padded_slice_end = {2, 7, 8, 12},
                    .memory_config = shards(TensorMemoryLayout::HEIGHT_SHARDED, {4, 1}, {20, 16}),
                    .pad_value = Scalar(3.0)});
    make.add(Params{.input_tensor = make.tensor({1, 6, 6, 64}),
                    .padded_slice_start = {0, 1, 0, 0},
                    .padded_slice_end = {1, 5, -1, 64},
                    .memory_config = shards(TensorMemoryLayout::BLOCK_SHARDED, {2, 2}, {10, 32})});
    make.add(Params{.input_tensor = make.tensor({1, 4, 8, 40}),
                    .padded_slice_start = {0, 0, 0, 8},
                    .padded_slice_end = {1, 4, 8, 40},
                    .padded_slice_step = std::vector<int64_t>{1, 2, 1, 1},
                    .memory_config = shards(TensorMemoryLayout::WIDTH_SHARDED, {2, 1}, {16, 16})});
}

}  // namespace ttnn

#endif
