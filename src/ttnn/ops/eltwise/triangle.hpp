// tril and triu: the part of each matrix on one side of a diagonal, zeros elsewhere.
#pragma once

#include <vector>

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

template <FixedString Name, bool Lower>
struct Triangle {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = Lower ? "The elements on and below a diagonal of the last two dimensions."
                                                  : "The elements on and above a diagonal of the last two dimensions.";
    struct Params {
        Tensor input_tensor{};
        int64_t diagonal = 0;
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor of rank 2 or more"),
                                      kw<&Params::diagonal>("0 the main diagonal, positive above it"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(tril, Triangle<"ttnn.tril", true>);
TTNN_OPERATION(triu, Triangle<"ttnn.triu", false>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/array.hpp"

template <ttnn::FixedString Name, bool Lower>
std::vector<ttnn::reference::Array> ttnn::Triangle<Name, Lower>::reference(const Params& params) {
    reference::Array result = reference::values(params.input_tensor);
    reference::for_each_index(result.shape, [&](std::span<const uint32_t> index) {
        const auto row = static_cast<int64_t>(index[index.size() - 2]);
        const auto column = static_cast<int64_t>(index[index.size() - 1]);
        const bool kept = Lower ? column - row <= params.diagonal : column - row >= params.diagonal;
        result.at(index) *= kept ? 1.0 : 0.0;
    });
    return {result};
}

#else

#include <algorithm>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn {

template <FixedString Name, bool Lower>
void Triangle<Name, Lower>::validate(const Params& params) {
    require(params.input_tensor.logical_shape().rank() >= 2,
            "{}: argument 'input_tensor' must have a rank of 2 or more, got {}", name,
            params.input_tensor.logical_shape());
    compute::check_floating(name, params.input_tensor);
    compute::validate_unary_placement(compute::unary_call(name, params));
}

template <FixedString Name, bool Lower>
Tensor Triangle<Name, Lower>::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const Shape& shape = params.input_tensor.logical_shape();
    const auto width = static_cast<int64_t>(shape[-1]);
    const auto height = static_cast<int64_t>(shape[-2]);
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        Dense<float> values = read<float>(inputs[0]);
        const int64_t rows = width == 0 ? 0 : static_cast<int64_t>(values.size()) / width;
        for (int64_t row = 0; row < rows; ++row) {
            // tril keeps the columns before the edge, triu those from it on.
            const int64_t edge = row % height + params.diagonal + (Lower ? 1 : 0);
            const int64_t split = std::clamp<int64_t>(edge, 0, width);
            float* at = values.data() + row * width;
            // The original multiplies with a mask of zeros and ones, so NaN stays NaN.
            for (int64_t column = Lower ? split : 0; column < (Lower ? width : split); ++column) {
                at[column] *= 0.0F;
            }
        }
        write<float>(outputs[0], values.span());
    };
    return compute::launch_unary(call, compute::unary_output_spec(call, shape, params.input_tensor.dtype()), kernel);
}

template <FixedString Name, bool Lower>
void Triangle<Name, Lower>::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66}), .diagonal = 3});
    make.add(Params{.input_tensor = make.tensor({50, 40}), .diagonal = -5});
    make.add(Params{.input_tensor = make.tensor({32, 64}), .diagonal = 100});
}

}  // namespace ttnn

#endif
