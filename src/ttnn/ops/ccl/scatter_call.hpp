// The primitive behind everything that sums up what chips hold and leaves each a slice of it.
#pragma once

#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn::ccl {

struct ScatterCall {
    std::string_view op;
    std::string_view primitive;
    Tensor input;
    int64_t dim = 0;
    std::optional<int64_t> cluster_axis{};
    std::optional<MemoryConfig> memory_config{};
    std::string_view output_argument = "output_tensor";
    std::optional<Tensor> output{};
    std::optional<int64_t> links{};
};

inline Shape scattered_shape(const ScatterCall& call) {
    const uint32_t chips = group_size(call.input, mesh_axis(call.op, call.input, call.cluster_axis));
    const size_t dim = checked_dim(call.op, "dim", call.input, call.dim);
    check_divisible(call.op, call.input.logical_shape(), dim, chips);
    return cut(call.input.logical_shape(), dim, chips);
}

inline void check_scatter(const ScatterCall& call) {
    check_whole(call.op, "input_tensor", call.input);
    const Shape shape = scattered_shape(call);
    check_at_launch([&] { check_output(call.op, call.output_argument, call.output, call.input, shape); });
}

// `more` lists the arguments of the primitive behind its tensor and dimension.
inline Tensor reduce_and_scatter(const ScatterCall& call, FunctionRef<void(ArgumentList&)> more = no_arguments) {
    const auto axis = mesh_axis(call.op, call.input, call.cluster_axis);
    const size_t dim = checked_dim(call.op, "dim", call.input, call.dim);
    const Groups groups = groups_of(call.input, axis);
    const auto program = [&](Program& p, std::span<const Tensor>) { link_buffers(p, call.input, call.links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::sum_and_scatter(inputs[0], outputs[0], dim, groups);
    };
    const auto along = static_cast<int64_t>(dim);
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.input).add(along).add(call.cluster_axis).add(call.output).add(call.memory_config);
        more(list);
    };
    Tensor result =
        launch({.name = call.primitive,
                .inputs = {&call.input, 1},
                .program = program,
                .kernel = kernel,
                .arguments = arguments,
                .whole_mesh = true},
               output_spec(call.input, scattered_shape(call), call.memory_config, call.output), call.output);
    place(result, call.input, axis, shard(dim));
    return result;
}

}  // namespace ttnn::ccl
