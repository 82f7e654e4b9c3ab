// addmm: a product added to a tensor.
#pragma once

#include "ttnn/ops/matmul/matmul.hpp"

namespace ttnn {

struct Addmm {
    static constexpr std::string_view name = "ttnn.addmm";
    static constexpr std::string_view doc = "beta * input + alpha * (mat1 @ mat2).";
    struct Params {
        Tensor input_tensor{};
        Tensor mat1_tensor{};
        Tensor mat2_tensor{};
        double alpha = 1.0;
        double beta = 1.0;
        std::optional<MemoryConfig> memory_config{};
        std::optional<DataType> dtype{};
        std::optional<MatmulProgramConfig> program_config{};
        std::optional<ComputeKernelConfig> compute_kernel_config{};
        std::optional<CoreGrid> core_grid{};
        std::optional<Tile> output_tile{};
        std::optional<Tensor> optional_output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tile tensor that broadcasts to the product"),
                                      arg<&Params::mat1_tensor>("first factor, as in matmul"),
                                      arg<&Params::mat2_tensor>("second factor, as in matmul"),
                                      kw<&Params::alpha>("factor of the product"),
                                      kw<&Params::beta>("factor of the input; 0 leaves it out"),
                                      kw<&Params::memory_config>("default: DRAM interleaved"),
                                      kw<&Params::dtype>("of the result, default: of mat1"),
                                      kw<&Params::program_config>("as in matmul"),
                                      kw<&Params::compute_kernel_config>("precision, no effect on results here"),
                                      kw<&Params::core_grid>("as in matmul"),
                                      kw<&Params::output_tile>("tile shape of the result"),
                                      kw<&Params::optional_output_tensor>("written and returned").mutates()};
    // fp32 sums of up to 128 products of numbers below 1; products and sums are stored in between.
    static constexpr Tolerance tolerance{.absolute = 3e-5};

    static Matmul::Params product(const Params& p) {
        return {.input_tensor_a = p.mat1_tensor,
                .input_tensor_b = p.mat2_tensor,
                .memory_config = p.memory_config,
                .dtype = p.dtype,
                .program_config = p.program_config,
                .compute_kernel_config = p.compute_kernel_config,
                .core_grid = p.core_grid,
                .output_tile = p.output_tile,
                .optional_output_tensor = p.optional_output_tensor};
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(addmm, Addmm);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/rounding.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Addmm::reference(const Params& params) {
    const Matmul::Params call = product(params);
    const DataType dtype = matmul_rules::result_dtype(Matmul::arguments(call));
    const auto scaled = [](const reference::Array& array, double factor, DataType stored) {
        const auto single = static_cast<double>(static_cast<float>(factor));
        return reference::rounded(reference::map(array, [&](double x) { return x * single; }), stored);
    };
    reference::Array result = reference::rounded(
        reference::matmul(reference::values(params.mat1_tensor), reference::values(params.mat2_tensor)), dtype);
    if (params.alpha != 1.0) {
        result = scaled(result, params.alpha, dtype);
    }
    if (params.beta != 0.0) {
        const reference::Array input =
            scaled(reference::values(params.input_tensor), params.beta, params.input_tensor.dtype());
        result = reference::zip(result, input, [](double x, double y) { return x + y; });
    }
    return {result};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/ops/eltwise/binary.hpp"

namespace ttnn {

inline bool broadcasts_to(const Shape& from, const Shape& to) {
    bool fits = from.rank() <= to.rank();
    for (size_t i = 0; fits && i < from.rank(); ++i) {
        fits = from.from_end(i) == 1 || from.from_end(i) == to.from_end(i);
    }
    return fits;
}

// Callers match this text and that about the input's shape.
inline void check_addmm_dtype(std::string_view argument, const Tensor& tensor) {
    const DataType dtype = tensor.dtype();
    require(dtype == DataType::BFLOAT16 || dtype == DataType::FLOAT32 || dtype == DataType::BFLOAT8_B,
            "{}: only ttnn.bfloat16, ttnn.float32 and ttnn.bfloat8_b types are supported, but argument '{}' has {}",
            Addmm::name, argument, dtype);
}

inline void Addmm::validate(const Params& params) {
    check_addmm_dtype("input_tensor", params.input_tensor);
    check_addmm_dtype("mat1_tensor", params.mat1_tensor);
    check_addmm_dtype("mat2_tensor", params.mat2_tensor);
    check_layout(name, "input_tensor", params.input_tensor, Layout::TILE);
    require(params.alpha != 0.0, "{}: alpha parameter cannot be 0", name);
    const Matmul::Params call = product(params);
    const matmul_rules::Arguments arguments = Matmul::arguments(call);
    matmul_rules::check_inner(arguments);
    const Shape shape = matmul_rules::dims_of(arguments).output;
    if (params.beta == 0.0) {  // the input is left out
        return;
    }
    const Shape& own = params.input_tensor.logical_shape();
    require(broadcasts_to(own, shape),
            "{}: input_tensor must have shape matching one of result of mat1_tensor @ mat2_tensor, {}, or broadcast to "
            "it, got {}",
            name, shape, own);
}

inline Tensor Addmm::run(const Params& params) {
    Tensor result = matmul.with(product(params));
    if (params.alpha != 1.0) {
        result = multiply(result, params.alpha, {.output_tensor = result});
    }
    if (params.beta == 0.0) {
        return result;
    }
    const Tensor input = params.beta == 1.0 ? params.input_tensor : multiply(params.input_tensor, params.beta);
    return add(result, input, {.output_tensor = result});
}

inline void Addmm::cases(CaseMaker& make) {
    const auto plain = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    make.add(
        Params{.input_tensor = make.tensor({64, 96}), .mat1_tensor = plain({64, 32}), .mat2_tensor = plain({32, 96})});
    make.add(Params{.input_tensor = plain({1, 40}),
                    .mat1_tensor = make.tensor({33, 65}),
                    .mat2_tensor = plain({65, 40}),
                    .alpha = 0.5,
                    .beta = 2.0});
    make.add(Params{.input_tensor = plain({32, 32}),
                    .mat1_tensor = make.tensor({32, 64}),
                    .mat2_tensor = plain({64, 32}),
                    .alpha = 2.0,
                    .beta = 0.0,
                    .optional_output_tensor = make.interleaved({32, 32}, DataType::BFLOAT16, Layout::TILE)});
}

}  // namespace ttnn

#endif
