// The primitive behind everything that gathers: all_gather and its many asynchronous forms.
#pragma once

#include "ttnn/compute/collectives.hpp"
#include "ttnn/ops/ccl/rules.hpp"

namespace ttnn::ccl {

struct GatherCall {
    std::string_view op;
    std::string_view primitive;
    Tensor input;
    int64_t dim = 0;
    std::optional<int64_t> cluster_axis{};
    std::optional<MemoryConfig> memory_config{};
    std::string_view output_argument = "output_tensor";
    std::optional<Tensor> output{};
    std::optional<int64_t> links{};
    bool reversed = false;  // the last chip's part comes first
};

inline Shape gathered_shape(const GatherCall& call) {
    const uint32_t chips = group_size(call.input, mesh_axis(call.op, call.input, call.cluster_axis));
    return grown(call.input.logical_shape(), checked_dim(call.op, "dim", call.input, call.dim), chips);
}

inline void check_gather(const GatherCall& call) {
    check_whole(call.op, "input_tensor", call.input);
    const Shape shape = gathered_shape(call);
    check_at_launch([&] { check_output(call.op, call.output_argument, call.output, call.input, shape); });
}

// `more` lists the arguments of the primitive behind its tensor and dimension.
inline Tensor gather(const GatherCall& call, FunctionRef<void(ArgumentList&)> more = no_arguments) {
    const auto axis = mesh_axis(call.op, call.input, call.cluster_axis);
    const size_t dim = checked_dim(call.op, "dim", call.input, call.dim);
    Groups groups = groups_of(call.input, axis);
    if (call.reversed) {
        std::ranges::for_each(groups, [](std::vector<uint32_t>& group) { std::ranges::reverse(group); });
    }
    const auto program = [&](Program& p, std::span<const Tensor>) { link_buffers(p, call.input, call.links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::gather(inputs[0], outputs[0], dim, groups);
    };
    const auto along = static_cast<int64_t>(dim);
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.input).add(along).add(call.cluster_axis).add(call.output).add(call.memory_config);
        more(list);
    };
    Tensor result = launch({.name = call.primitive,
                            .inputs = {&call.input, 1},
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           output_spec(call.input, gathered_shape(call), call.memory_config, call.output), call.output);
    place(result, call.input, axis, replicate);
    return result;
}

}  // namespace ttnn::ccl
