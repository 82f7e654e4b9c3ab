// slice_write: a tensor written into a box of another one.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct SliceWrite {
    static constexpr std::string_view name = "ttnn.experimental.slice_write";
    static constexpr std::string_view doc = "output[start:end:step] = input, in place; returns the output.";
    struct Params {
        Tensor input_tensor{};
        Tensor output_tensor{};
        std::vector<int64_t> start{};
        std::vector<int64_t> end{};
        std::vector<int64_t> step{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("as many elements as the box, in its order"),
        arg<&Params::output_tensor>("written into and returned; interleaved, or N-D shards").mutates(),
        arg<&Params::start>("first index per dimension, negative from the end").also("starts"),
        arg<&Params::end>("index after the last one per dimension, negative from the end").also("ends"),
        arg<&Params::step>("distance of indices per dimension").also("steps")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<SliceWrite> slice_write{};
}
TTNN_DECLARATION(SliceWrite);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

// Index by index along each dimension, the last fastest, as nested loops would write it.
inline std::vector<ttnn::reference::Array> ttnn::SliceWrite::reference(const Params& params) {
    auto output = reference::values(params.output_tensor);
    const auto input = reference::values(params.input_tensor);
    const size_t rank = output.shape.rank();
    const auto bound = [&](int64_t given, size_t dim) {
        return given < 0 ? given + int64_t{output.shape[static_cast<int64_t>(dim)]} : given;
    };
    size_t taken = 0;
    std::vector<uint32_t> index(rank);
    const std::function<void(size_t)> loop = [&](size_t dim) {
        if (dim == rank) {
            output.at(index) = input.values[taken++];
            return;
        }
        for (int64_t i = bound(params.start[dim], dim); i < bound(params.end[dim], dim); i += params.step[dim]) {
            index[dim] = static_cast<uint32_t>(i);
            loop(dim + 1);
        }
    };
    loop(0);
    return {output};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/copy.hpp"
#include "ttnn/ops/data_movement/nd_shards.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/slice.hpp"

namespace ttnn {

namespace movement {

// The box of the output that is written.
inline Box box_of(const SliceWrite::Params& params) {
    return box_of(SliceWrite::name, params.output_tensor.logical_shape(), params.start, params.end, params.step);
}

// Everything that is there, then the input over it.
inline std::array<compute::Walk, 2> write_walks(const Shape& target, const Box& box) {
    const auto nowhere = Shape::filled(target.rank(), 0);
    compute::Walk written = compute::placed(box.shape, target, box.starts.view());
    for (size_t i = 0; i < written.dims.size(); ++i) {
        written.dims[i].to_stride *= box.steps[static_cast<int64_t>(i)];
    }
    return {compute::placed(target, target, nowhere.view()), std::move(written)};
}

}  // namespace movement

inline void SliceWrite::validate(const Params& params) {
    const Tensor& input = params.input_tensor;
    const Tensor& output = params.output_tensor;
    const auto box = movement::box_of(params);
    require(input.logical_volume() == box.shape.volume(),
            "{}: argument 'input_tensor' {} must have as many elements as the box {} that it is written into", name,
            input.logical_shape(), box.shape);
    check_at_launch([&] {
        check_layout(name, "input_tensor", input, output.layout());
        check_dtype(name, "input_tensor", input, {output.dtype()});
        movement::check_interleaved_or_nd(name, "output_tensor", output);
    });
}

inline Tensor SliceWrite::run(const Params& params) {
    const Tensor& input = params.input_tensor;
    const auto box = movement::box_of(params);
    if (box.shape.volume() == 0) {
        return params.output_tensor;
    }
    if (movement::lies_in_nd_shards(params.output_tensor)) {
        Params outside = params;
        outside.output_tensor = movement::out_of_nd_shards(params.output_tensor);
        return copy(run(outside), params.output_tensor);
    }
    const auto program = [&](Program& p, std::span<const Tensor>) { movement::buffer_for(p, input, input); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const std::array<Tensor, 2> layers{outputs[0], inputs[0]};
        compute::walk(layers, movement::write_walks(outputs[0].logical_shape(), box), outputs[0]);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(input).add(params.output_tensor).add(params.start).add(params.end).add(params.step);
    };
    return launch({"ttnn::prim::slice_write", {&input, 1}, program, kernel, arguments}, params.output_tensor.spec(),
                  params.output_tensor);
}

inline void SliceWrite::cases(CaseMaker& make) {
    const auto target = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{make.tensor({1, 2, 32, 64}), target({1, 4, 64, 64}), {0, 1, 32, 0}, {1, 3, 64, 64}, {1, 1, 1, 1}});
    make.add(Params{make.tensor({2, 5, 48}), target({3, 20, 48}), {1, 3, 0}, {3, 8, 48}, {1, 1, 1}});
    make.add(Params{make.tensor({2, 4, 16}), target({4, 10, 80}), {0, 1, 0}, {4, -1, 80}, {2, 2, 5}});
    make.add(Params{make.tensor({1, 1, 20, 32}), target({2, 2, 10, 32}), {0, 1, 0, 0}, {2, 2, 10, 32}, {1, 1, 1, 1}});
    make.add(Params{target({32, 64}), make.tensor({64, 64}), {32, 0}, {64, 64}, {1, 1}});
}

}  // namespace ttnn

#endif
