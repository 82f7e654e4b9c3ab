// What is behind everything that adds up the parts of chips and gives all of them the sum.
#pragma once

#include "ttnn/ops/ccl/gather_call.hpp"
#include "ttnn/ops/ccl/scatter_call.hpp"

namespace ttnn::ccl {

struct ReduceCall {
    std::string_view op;
    Tensor input;
    std::optional<int64_t> cluster_axis{};
    std::optional<MemoryConfig> memory_config{};
    std::optional<DataType> dtype{};
    std::optional<int64_t> links{};
    std::string_view scatter = "ttnn::prim::reduce_scatter";  // the primitives of a sum in two steps
    std::string_view gather = "ttnn::prim::all_gather";
};

inline void check_reduce(const ReduceCall& call) {
    check_whole(call.op, "input_tensor", call.input);
    mesh_axis(call.op, call.input, call.cluster_axis);
    const DataType dtype = call.dtype.value_or(call.input.dtype());
    require(is_floating(dtype) == is_floating(call.input.dtype()), "{}: argument 'dtype' is {}, the input is {}",
            call.op, dtype, call.input.dtype());
}

// Every chip of a group adds everything up.
inline Tensor reduce_at_once(const ReduceCall& call, FunctionRef<void(ArgumentList&)> more = no_arguments) {
    const auto axis = mesh_axis(call.op, call.input, call.cluster_axis);
    const Groups groups = groups_of(call.input, axis);
    const auto program = [&](Program& p, std::span<const Tensor>) { link_buffers(p, call.input, call.links); };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::sum(inputs[0], outputs[0], groups);
    };
    const auto arguments = [&](ArgumentList& list) {
        list.add(call.input).add(call.cluster_axis).add(call.memory_config).add(call.dtype);
        more(list);
    };
    const TensorSpec spec = output_spec(call.input, call.input.logical_shape(), call.memory_config, std::nullopt)
                                .with_dtype(call.dtype.value_or(call.input.dtype()));
    Tensor result = launch({.name = "ttnn::prim::all_reduce_async",
                            .inputs = {&call.input, 1},
                            .program = program,
                            .kernel = kernel,
                            .arguments = arguments,
                            .whole_mesh = true},
                           spec);
    place(result, call.input, axis, replicate);
    return result;
}

// The last dimension whose tiles the chips of a group can share; nothing where they cannot share any, or would have to
// cut one.
inline std::optional<size_t> shared_dim(const Tensor& input, uint32_t chips) {
    const Shape& shape = input.logical_shape();
    const Shape& padded = input.padded_shape();
    if (input.layout() != Layout::TILE || padded.rank() != shape.rank()) {
        return std::nullopt;
    }
    for (size_t dim = shape.rank(); dim-- > 0;) {
        const auto at = static_cast<int64_t>(dim);
        const size_t from_end = shape.rank() - 1 - dim;
        const uint32_t unit = from_end == 0   ? input.spec().tile().width()
                              : from_end == 1 ? input.spec().tile().height()
                                              : 1;
        if (padded[at] / unit % chips == 0) {
            return padded[at] == shape[at] ? std::optional(dim) : std::nullopt;
        }
    }
    return std::nullopt;
}

// Each chip adds up a slice and gathers the others; at once where nothing can be sliced.
inline Tensor reduce(const ReduceCall& call, FunctionRef<void(ArgumentList&)> more = no_arguments) {
    const auto dim = shared_dim(call.input, group_size(call.input, mesh_axis(call.op, call.input, call.cluster_axis)));
    if (!dim) {
        return reduce_at_once(call, more);
    }
    const MemoryConfig config =
        movement::fitted_output_config(call.memory_config, call.input, call.input.logical_shape());
    const Tensor slice = reduce_and_scatter({.op = call.op,
                                             .primitive = call.scatter,
                                             .input = call.input,
                                             .dim = static_cast<int64_t>(*dim),
                                             .cluster_axis = call.cluster_axis,
                                             .memory_config = between_steps(config),
                                             .links = call.links},
                                            more);
    return gather({.op = call.op,
                   .primitive = call.gather,
                   .input = slice,
                   .dim = static_cast<int64_t>(*dim),
                   .cluster_axis = call.cluster_axis,
                   .memory_config = config,
                   .links = call.links},
                  more);
}

}  // namespace ttnn::ccl
