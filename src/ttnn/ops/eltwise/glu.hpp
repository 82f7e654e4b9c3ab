// glu, reglu, geglu and swiglu: the first half of the last dimension times an activation of the second.
#pragma once

#include <vector>

#include "ttnn/core/stop.hpp"
#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

template <FixedString Name, UnaryOpType Gate>
struct GatedLinearUnit {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = "a * gate(b), where a and b are the halves of the last dimension.";
    struct Params {
        Tensor input_tensor{};
        int64_t dim = -1;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("rank 4, half the last dimension a multiple of 32"),
                                      opt<&Params::dim>("-1 or 3"), kw<&Params::memory_config>("default: the input's")};
    // The gate's fp32 number and the product round once each.
    static constexpr Tolerance tolerance{.ulp_float32 = 2, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static Domain domain(const Params&, std::string_view) { return Domain::real(-6.0, 6.0); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(glu, GatedLinearUnit<"ttnn.glu", UnaryOpType::SIGMOID>);
TTNN_OPERATION(reglu, GatedLinearUnit<"ttnn.reglu", UnaryOpType::RELU>);
TTNN_OPERATION(geglu, GatedLinearUnit<"ttnn.geglu", UnaryOpType::GELU>);
TTNN_OPERATION(swiglu, GatedLinearUnit<"ttnn.swiglu", UnaryOpType::SILU>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/unary.hpp"

template <ttnn::FixedString Name, ttnn::UnaryOpType Gate>
std::vector<ttnn::reference::Array> ttnn::GatedLinearUnit<Name, Gate>::reference(const Params& params) {
    const reference::Array input = reference::values(params.input_tensor);
    Shape shape = input.shape;
    shape[-1] /= 2;
    reference::Array result(shape);
    reference::for_each_index(shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> second(index.begin(), index.end());
        second.back() += shape[-1];
        result.at(index) = input.at(index) * reference::unary(Gate, input.at(second));
    });
    return {result};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn {

template <FixedString Name, UnaryOpType Gate>
void GatedLinearUnit<Name, Gate>::validate(const Params& params) {
    const Shape& shape = params.input_tensor.logical_shape();
    require(shape.rank() == 4, "{}: argument 'input_tensor' must have rank 4, got {}", name, shape);
    require(params.dim == -1 || params.dim == 3, "{}: argument 'dim' must be -1 or 3, got {}", name, params.dim);
    require(shape[-1] % 64 == 0, "{}: half the last dimension of 'input_tensor' must be a multiple of 32, got {}", name,
            shape);
    compute::check_floating(name, params.input_tensor);
}

// The original slices, activates and multiplies; one primitive here.
template <FixedString Name, UnaryOpType Gate>
Tensor GatedLinearUnit<Name, Gate>::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    Shape shape = params.input_tensor.logical_shape();
    const size_t half = shape[-1] / 2;
    shape[-1] = static_cast<uint32_t>(half);
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Dense<float> values = read<float>(inputs[0]);
        Dense<float> result(shape.volume());
        for (size_t at = 0; at < result.size(); at += half) {
            checkpoint();
            const float* first = values.data() + 2 * at;
            float* gate = values.data() + 2 * at + half;
            compute::apply_unary(Gate, gate, half);
            for (size_t i = 0; i < half; ++i) {
                result[at + i] = first[i] * gate[i];
            }
        }
        write<float>(outputs[0], result.span());
    };
    return compute::launch_unary(call, compute::unary_output_spec(call, shape, params.input_tensor.dtype()), kernel);
}

template <FixedString Name, UnaryOpType Gate>
void GatedLinearUnit<Name, Gate>::cases(CaseMaker& make) {
    const auto add = [&](const Shape& input, int64_t dim) {
        Shape output = input;
        output[-1] /= 2;
        make.add(Params{.input_tensor = make.tensor(input), .dim = dim, .memory_config = make.memory_config(output)});
    };
    add({1, 1, 64, 128}, -1);
    add({2, 3, 33, 64}, 3);
    make.add(Params{.input_tensor = make.tensor({1, 2, 32, 256})});
}

}  // namespace ttnn

#endif
