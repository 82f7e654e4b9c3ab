// dit_minimal_matmul_addcmul_fused: the end of a block of a diffusion transformer, a gated product added to what came
// in.
#pragma once

#include "ttnn/ops/eltwise/ternary.hpp"
#include "ttnn/ops/matmul/minimal_matmul.hpp"

namespace ttnn {

struct DitMinimalMatmulAddcmulFused {
    static constexpr std::string_view name = "ttnn.experimental.dit_minimal_matmul_addcmul_fused";
    static constexpr std::string_view doc = "tensor1 + scalar * (input @ weight + bias) * tensor2.";
    struct Params {
        Tensor matmul_input_tensor{};
        Tensor matmul_weight_tensor{};
        double scalar = 1.0;
        Tensor addcmul_input_tensor1{};
        Tensor addcmul_input_tensor2{};
        std::optional<Tensor> bias_tensor{};
        std::optional<MinimalMatmulConfig> config{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::matmul_input_tensor>("tile tensor [..., m, k]"),
                                      arg<&Params::matmul_weight_tensor>("tile tensor [..., k, n], leading ones"),
                                      arg<&Params::scalar>("factor of the product"),
                                      arg<&Params::addcmul_input_tensor1>("tile tensor that the product is added to"),
                                      arg<&Params::addcmul_input_tensor2>("tile tensor that gates the product"),
                                      opt<&Params::bias_tensor>("tile tensor [..., 1, n], added to every row"),
                                      kw<&Params::config>("blocks and cores"),
                                      kw<&Params::memory_config>("default: of the first tensor"),
                                      kw<&Params::dtype>("of the product, default: of the first tensor"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here")};
    // fp32 sums of up to 128 products of numbers below 1; the product is stored in between.
    static constexpr Tolerance tolerance{.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1, .absolute = 3e-5};

    static MinimalMatmul::Params product(const Params& p) {
        return {.input_tensor = p.matmul_input_tensor,
                .weight_tensor = p.matmul_weight_tensor,
                .bias_tensor = p.bias_tensor,
                .config = p.config,
                .memory_config = p.memory_config,
                .dtype = p.dtype,
                .compute_kernel_config = p.compute_kernel_config};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

namespace experimental {
inline constexpr Op<DitMinimalMatmulAddcmulFused> dit_minimal_matmul_addcmul_fused{};
}
TTNN_DECLARATION(DitMinimalMatmulAddcmulFused);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/rounding.hpp"

inline std::vector<ttnn::reference::Array> ttnn::DitMinimalMatmulAddcmulFused::reference(const Params& params) {
    const DataType stored = params.dtype.value_or(params.matmul_input_tensor.dtype());
    const reference::Array sums = MinimalMatmul::reference(DitMinimalMatmulAddcmulFused::product(params))[0];
    const reference::Array product = reference::stored_between(sums, stored);
    const reference::Array base = reference::values(params.addcmul_input_tensor1);
    const reference::Array gate = reference::values(params.addcmul_input_tensor2);
    const auto scalar = static_cast<double>(static_cast<float>(params.scalar));
    std::vector<double> slack;
    reference::Array result = reference::generated(product.shape, [&](std::span<const uint32_t> index) {
        const double factor = scalar * reference::broadcast_at(gate, index);
        const double value = reference::broadcast_at(base, index) + factor * product.at(index);
        // What the product may be off by, and the rounding of a result that is then another.
        slack.push_back(std::abs(factor) * product.slack[product.offset(index)] +
                        reference::ulp_at(params.addcmul_input_tensor1.dtype(), std::abs(value)));
        return value;
    });
    result.slack = std::move(slack);
    return {result};
}

#else

#include "ttnn/check/case_maker.hpp"

namespace ttnn {

inline void DitMinimalMatmulAddcmulFused::validate(const Params& params) {
    minimal::check(minimal::call_of(name, product(params)));
    Shape shape = params.matmul_input_tensor.logical_shape();
    shape[-1] = params.matmul_weight_tensor.logical_shape()[-1];
    const auto check = [&](std::string_view argument, const Tensor& tensor) {
        const Shape& own = tensor.logical_shape();
        bool fits = own.rank() <= shape.rank();
        for (size_t i = 0; fits && i < own.rank(); ++i) {
            fits = own.from_end(i) == shape.from_end(i) || own.from_end(i) == 1;
        }
        require(fits, "{}: argument '{}' must have the product's {} or broadcast to it, got {}", name, argument, shape,
                own);
    };
    check("addcmul_input_tensor1", params.addcmul_input_tensor1);
    check("addcmul_input_tensor2", params.addcmul_input_tensor2);
}

inline Tensor DitMinimalMatmulAddcmulFused::run(const Params& params) {
    const Tensor gated = experimental::minimal_matmul.with(product(params));
    const std::optional<MemoryConfig> config(params.memory_config.value_or(params.matmul_input_tensor.memory_config()));
    return addcmul(params.addcmul_input_tensor1, gated, params.addcmul_input_tensor2,
                   {.value = params.scalar, .memory_config = config});
}

inline void DitMinimalMatmulAddcmulFused::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(Params{.matmul_input_tensor = plain({1, 1, 64, 96}),
                    .matmul_weight_tensor = make.tensor({96, 128}),
                    .scalar = 0.5,
                    .addcmul_input_tensor1 = plain({1, 1, 64, 128}),
                    .addcmul_input_tensor2 = plain({1, 1, 1, 128})});
    make.add(Params{.matmul_input_tensor = plain({1, 1, 33, 64}),
                    .matmul_weight_tensor = plain({64, 40}),
                    .scalar = -2.0,
                    .addcmul_input_tensor1 = plain({1, 1, 33, 40}),
                    .addcmul_input_tensor2 = plain({1, 1, 33, 40}),
                    .bias_tensor = plain({1, 40}),
                    .memory_config = l1_memory_config()});
}

}  // namespace ttnn

#endif
