// Functions that the hardware has no unary type for: gamma derivatives and conversions of angles. The original composes
// them of many primitives; here each is one.
#pragma once

#include <vector>

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

enum class SpecialFunction : uint8_t { DIGAMMA, POLYGAMMA, MULTIGAMMALN, DEG2RAD, RAD2DEG };

// Digamma and polygamma follow torch, not the truncated series of the hardware (11 terms; a series with wrong signs),
// which agrees with torch only by correlation.
constexpr std::string_view special_doc(SpecialFunction function) {
    switch (function) {
        case SpecialFunction::DIGAMMA: return "Logarithmic derivative of the gamma function, x > 0.";
        case SpecialFunction::POLYGAMMA: return "k-th derivative of digamma, x > 0.";
        case SpecialFunction::MULTIGAMMALN: return "Logarithm of the multivariate gamma function of order 4, x > 1.5.";
        case SpecialFunction::DEG2RAD: return "Degrees to radians.";
        case SpecialFunction::RAD2DEG: return "Radians to degrees.";
    }
    return "";
}

constexpr Domain special_domain(SpecialFunction function) {
    switch (function) {
        case SpecialFunction::DIGAMMA: return Domain::real(0.1, 20.0);
        case SpecialFunction::POLYGAMMA: return Domain::real(0.5, 10.0);
        case SpecialFunction::MULTIGAMMALN: return Domain::real(1.6, 20.0);
        default: return Domain::real(-360.0, 360.0);
    }
}

struct SpecialCompositeForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
};
struct SpecialStandardForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
};
struct PolygammaForm {
    struct Params {
        Tensor input_tensor{};
        int64_t k = 1;
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::k>("order of the derivative, 1 to 10"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match")};
};

template <FixedString Name, SpecialFunction Function, class Form>
struct SpecialOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = special_doc(Function);
    using Params = typename Form::Params;
    using Result = Tensor;
    static constexpr auto fields = Form::fields;
    static constexpr Tolerance tolerance{.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static Domain domain(const Params&, std::string_view) { return special_domain(Function); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

using MultigammaLog = SpecialOperation<"ttnn.multigammaln", SpecialFunction::MULTIGAMMALN, SpecialCompositeForm>;

TTNN_OPERATION(digamma, SpecialOperation<"ttnn.digamma", SpecialFunction::DIGAMMA, SpecialCompositeForm>);
TTNN_OPERATION(polygamma, SpecialOperation<"ttnn.polygamma", SpecialFunction::POLYGAMMA, PolygammaForm>);
TTNN_OPERATION(multigammaln, MultigammaLog);
TTNN_OPERATION(deg2rad, SpecialOperation<"ttnn.deg2rad", SpecialFunction::DEG2RAD, SpecialStandardForm>);
TTNN_OPERATION(rad2deg, SpecialOperation<"ttnn.rad2deg", SpecialFunction::RAD2DEG, SpecialStandardForm>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/unary.hpp"

namespace ttnn {

inline double special_reference(SpecialFunction function, int order, double x) {
    switch (function) {
        case SpecialFunction::DIGAMMA: return reference::digamma(x);
        case SpecialFunction::POLYGAMMA: return reference::polygamma(order, x);
        case SpecialFunction::MULTIGAMMALN: {
            double sum = 3.0 * std::log(std::acos(-1.0));  // p (p - 1) / 4 ln(pi) with p = 4
            for (int i = 0; i < 4; ++i) {
                sum += reference::log_gamma(x - 0.5 * i);
            }
            return sum;
        }
        case SpecialFunction::DEG2RAD: return x / 180.0 * std::acos(-1.0);
        case SpecialFunction::RAD2DEG: return x * 180.0 / std::acos(-1.0);
    }
    return 0.0;
}

template <FixedString Name, SpecialFunction Function, class Form>
std::vector<reference::Array> SpecialOperation<Name, Function, Form>::reference(const Params& params) {
    int order = 0;
    if constexpr (requires { params.k; }) {
        order = static_cast<int>(params.k);
    }
    return {reference::map(reference::values(params.input_tensor),
                           [&](double x) { return special_reference(Function, order, x); })};
}

}  // namespace ttnn

#else

#include <numbers>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/special_functions.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn {

inline double special_value(SpecialFunction function, int order, double x) {
    switch (function) {
        case SpecialFunction::DIGAMMA: return compute::digamma(x);
        case SpecialFunction::POLYGAMMA: return compute::polygamma(order, x);
        case SpecialFunction::MULTIGAMMALN: return compute::multigamma_log(x);
        case SpecialFunction::DEG2RAD: return x * (std::numbers::pi / 180.0);
        case SpecialFunction::RAD2DEG: return x * (180.0 / std::numbers::pi);
    }
    return 0.0;
}

template <FixedString Name, SpecialFunction Function, class Form>
void SpecialOperation<Name, Function, Form>::validate(const Params& params) {
    compute::check_floating(name, params.input_tensor);
    compute::validate_unary_placement(compute::unary_call(name, params));
    if constexpr (requires { params.k; }) {
        require(params.k >= 1 && params.k <= 10, "{}: argument 'k' must be from 1 to 10, got {}", name, params.k);
    }
}

template <FixedString Name, SpecialFunction Function, class Form>
Tensor SpecialOperation<Name, Function, Form>::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const Tensor& input = params.input_tensor;
    int order = 0;
    if constexpr (requires { params.k; }) {
        order = static_cast<int>(params.k);
    }
    const TensorSpec output =
        compute::unary_output_spec(call, input.logical_shape(), compute::unary_output_dtype(call, input.dtype()));
    // In double: sums of logarithms cancel near their zeros.
    return compute::launch_unary(call, output, [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        compute::map(inputs[0], outputs[0], [&](float* values, size_t count) {
            for (size_t i = 0; i < count; ++i) {
                values[i] = static_cast<float>(special_value(Function, order, values[i]));
            }
        });
    });
}

template <FixedString Name, SpecialFunction Function, class Form>
void SpecialOperation<Name, Function, Form>::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 32, 64})});
    make.add(Params{.input_tensor = make.tensor({2, 33, 35})});
    if constexpr (requires(Params params) { params.k; }) {
        make.add(Params{.input_tensor = make.tensor({32, 48}), .k = 2});
        make.add(Params{.input_tensor = make.tensor({32, 48}), .k = 10});
    }
    if constexpr (requires(Params params) { params.output_tensor; }) {
        make.add(Params{.input_tensor = make.tensor({32, 48}), .output_tensor = make.tensor({32, 48})});
    }
}

}  // namespace ttnn

#endif
