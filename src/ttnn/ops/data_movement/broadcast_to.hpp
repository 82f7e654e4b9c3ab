// broadcast_to: a tensor repeated along dimensions of size one and along new leading ones.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct BroadcastTo {
    static constexpr std::string_view name = "ttnn.experimental.broadcast_to";
    static constexpr std::string_view doc = "Repeats a tensor into a larger shape, like torch.broadcast_to.";
    struct Params {
        Tensor input{};
        Shape output_shape{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input>("TILE tensor of BFLOAT16 or FLOAT32, rank 4 or less").also("input_tensor"),
        arg<&Params::output_shape>("shape of the result, compared from the right"),
        kw<&Params::memory_config>("default: the input's, shards refitted"),
        kw<&Params::output>("written into and returned").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<BroadcastTo> broadcast_to{};
}
TTNN_DECLARATION(BroadcastTo);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/movement.hpp"

inline std::vector<ttnn::reference::Array> ttnn::BroadcastTo::reference(const Params& params) {
    auto input = reference::values(params.input);
    input.shape = input.shape.to_rank(params.output_shape.rank());
    return {reference::generated(
        params.output_shape, [&](std::span<const uint32_t> index) { return reference::broadcast_at(input, index); })};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/ops/data_movement/rules.hpp"

namespace ttnn {

inline void BroadcastTo::validate(const Params& params) {
    const Shape& own = params.input.logical_shape();
    const Shape& wanted = params.output_shape;
    require(wanted.rank() >= own.rank(), "{}: argument 'output_shape' {} must not have fewer dimensions than {}", name,
            wanted, own);
    for (size_t i = 0; i < own.rank(); ++i) {
        require(own.from_end(i) == wanted.from_end(i) || own.from_end(i) == 1,
                "{}: argument 'output_shape' {} can enlarge dimensions of size 1 only, the input is {}", name, wanted,
                own);
    }
    check_at_launch([&] {
        check_layout(name, "input", params.input, Layout::TILE);
        check_dtype(name, "input", params.input, {DataType::BFLOAT16, DataType::FLOAT32});
        require(wanted.rank() <= 4, "{}: argument 'output_shape' must have a rank of 4 or less, got {}", name, wanted);
        if (params.output) {
            check_preallocated(name, "output", *params.output, wanted);
            check_layout(name, "output", *params.output, Layout::TILE);
            check_dtype(name, "output", *params.output, {params.input.dtype()});
        }
    });
}

inline Tensor BroadcastTo::run(const Params& params) {
    const Tensor& input = params.input;
    const Shape& shape = params.output_shape;
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        movement::buffer_for(p, input, outputs[0]);
        movement::buffer_for(p, outputs[0], outputs[0]);
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        const Shape own = inputs[0].logical_shape().to_rank(shape.rank());
        compute::Walk way;
        uint64_t from = 1;
        uint64_t to = 1;
        for (size_t i = 0; i < shape.rank(); ++i) {
            way.dims.insert(way.dims.begin(), {shape.from_end(i), own.from_end(i) == shape.from_end(i) ? from : 0, to});
            from *= own.from_end(i);
            to *= shape.from_end(i);
        }
        compute::walk(inputs[0], way, outputs[0]);
    };
    const MemoryConfig config = params.output ? params.output->memory_config()
                                              : movement::fitted_output_config(params.memory_config, input, shape);
    const auto arguments = [&](ArgumentList& list) { list.add(input).add(shape).add(config).add(params.output); };
    return launch({"ttnn::prim::broadcast_to", {&input, 1}, program, kernel, arguments},
                  TensorSpec(shape, input.dtype(), input.layout(), config, input.spec().tile()), params.output);
}

inline void BroadcastTo::cases(CaseMaker& make) {
    make.add(Params{.input = make.tensor({1, 2, 1, 64}), .output_shape = {3, 2, 40, 64}});
    make.add(Params{.input = make.tensor({33, 1}), .output_shape = {2, 33, 65}, .memory_config = l1_memory_config()});
    make.add(Params{.input = make.tensor({1, 1}), .output_shape = {2, 2, 32, 32}});
    make.add(Params{.input = make.tensor({5, 32}), .output_shape = {5, 32}});
    const Shape shape{2, 1, 32, 96};
    make.add(Params{.input = make.tensor({1, 96}), .output_shape = shape, .output = make.tensor(shape)});
    if (!make.sharded()) {
        make.add(Params{.input = make.tensor({64}), .output_shape = {3, 64}});
    }
}

}  // namespace ttnn

#endif
