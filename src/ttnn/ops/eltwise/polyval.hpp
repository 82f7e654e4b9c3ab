// polyval: a polynomial of every element.
#pragma once

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Polyval {
    static constexpr std::string_view name = "ttnn.polyval";
    static constexpr std::string_view doc = "The polynomial with the given coefficients, highest power first.";
    struct Params {
        Tensor input_tensor_a{};
        std::vector<double> coeffs{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("floating tensor on a device"),
                                      arg<&Params::coeffs>("at least one; a single one gives a constant tensor"),
                                      kw<&Params::memory_config>("default: the input's")};
    // Horner's scheme runs in fp64; the result is rounded once.
    static constexpr Tolerance tolerance{.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(polyval, Polyval);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/array.hpp"

inline std::vector<ttnn::reference::Array> ttnn::Polyval::reference(const Params& params) {
    const auto power_sum = [&](double x) {
        double value = 0;
        for (size_t i = 0; i < params.coeffs.size(); ++i) {
            const auto power = static_cast<double>(params.coeffs.size() - 1 - i);
            value += static_cast<double>(static_cast<float>(params.coeffs[i])) * std::pow(x, power);
        }
        return value;
    };
    return {reference::map(reference::values(params.input_tensor_a), power_sum)};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/op/support.hpp"

namespace ttnn {

inline void Polyval::validate(const Params& params) {
    require(!params.coeffs.empty(), "{}: argument 'coeffs' must hold at least one coefficient", name);
    check_at_launch([&] {
        check_dtype(name, "input_tensor_a", params.input_tensor_a,
                    {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B});
    });
}

inline Tensor Polyval::run(const Params& params) {
    const Tensor& input = params.input_tensor_a;
    const MemoryConfig& config = output_memory_config(params.memory_config, std::nullopt, input);
    const TensorSpec output(input.logical_shape(), input.dtype(), input.layout(), config);
    const auto program = [&](Program& p, std::span<const Tensor> outputs) {
        const CoreRangeSet cores = p.split(input.spec().num_pages());
        p.circular_buffer(cores, 2 * page_bytes(input));
        p.circular_buffer(cores, 2 * page_bytes(outputs[0]));
    };
    const auto horner = [&](float* values, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            double value = 0;
            for (const double coefficient : params.coeffs) {
                value = value * static_cast<double>(values[i]) + static_cast<double>(static_cast<float>(coefficient));
            }
            values[i] = static_cast<float>(value);
        }
    };
    const auto kernel = [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::map(inputs[0], outputs[0], horner);
    };
    return launch({"ttnn::prim::unary", {&input, 1}, program, kernel}, output);
}

inline void Polyval::cases(CaseMaker& make) {
    make.add(Params{.input_tensor_a = make.tensor({1, 2, 33, 64}), .coeffs = {2.0, -1.0, 0.5, 3.0}});
    make.add(Params{.input_tensor_a = make.tensor({64, 96}), .coeffs = {1.5, 0.0}});
    make.add(Params{.input_tensor_a = make.tensor({32, 64}), .coeffs = {0.75}});
}

}  // namespace ttnn

#endif
