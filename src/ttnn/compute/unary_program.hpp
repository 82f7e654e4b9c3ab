// How every unary operation checks its arguments, states its output and runs: one `ttnn::prim::unary`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ttnn/compute/guard.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/op/unary_op_type.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// The arguments that unary operations have in common, borrowed from their parameters.
struct UnaryCall {
    std::string_view op;  // "ttnn.exp", for messages
    const Tensor& input;
    const std::optional<MemoryConfig>& memory_config;
    const std::optional<Tensor>& output_tensor;
    const std::optional<CoreRangeSet>& sub_core_grids;
};

template <class Params>
UnaryCall unary_call(std::string_view op, const Params& params) {
    static const std::optional<Tensor> no_output;
    static const std::optional<CoreRangeSet> all_cores;
    const std::optional<Tensor>* output = &no_output;
    const std::optional<CoreRangeSet>* cores = &all_cores;
    if constexpr (requires { params.output_tensor; }) {
        output = &params.output_tensor;
    }
    if constexpr (requires { params.sub_core_grids; }) {
        cores = &params.sub_core_grids;
    }
    return {op, params.input_tensor, params.memory_config, *output, *cores};
}

// Memory layouts of input, memory_config and preallocated output agree; the latter has the result's shape and layout,
// and its dtype may differ from an integer input's only where the operation `casts`.
void validate_unary_placement(const UnaryCall& call, bool casts = false);
// The dtype is one the function is defined for, and its parameters are in range.
void validate_unary_function(const UnaryCall& call, const UnaryWithParam& function);
// The argument is a floating-point tensor.
void check_floating(std::string_view op, const Tensor& input);

// By logical shape (as the original did up to the end of 2025), so with the default alignment.
TensorSpec unary_output_spec(const UnaryCall& call, const Shape& shape, DataType dtype);
// The preallocated output's dtype, else `otherwise`.
DataType unary_output_dtype(const UnaryCall& call, DataType otherwise);

// Runs the kernel as one primitive. `more_inputs` come after call.input among the kernel's inputs; `scratch` asks for
// the third buffer of hardshrink and logit; `functions` is what the trace shows.
Tensor launch_unary(const UnaryCall& call, const TensorSpec& output, Kernel kernel,
                    std::span<const Tensor> more_inputs = {}, bool scratch = false,
                    std::span<const UnaryWithParam> functions = {});
// Functions applied left to right in fp32 (or to integers), rounded once to the output's dtype.
Tensor run_unary(const UnaryCall& call, std::span<const UnaryWithParam> functions);

}  // namespace ttnn::compute
