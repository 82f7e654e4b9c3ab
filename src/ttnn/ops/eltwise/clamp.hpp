// clamp and clip: numbers kept between two bounds, which are numbers or tensors.
#pragma once

#include <vector>

#include "ttnn/op/fixed_string.hpp"
#include "ttnn/op/op.hpp"

namespace ttnn {

// `IntegerBounds`: whole bounds on an INT32 tensor stay whole and so does the result. Otherwise, and for float bounds,
// an INT32 tensor becomes FLOAT32 first.
template <FixedString Name, bool IntegerBounds, class Form>
struct ClampOperation {
    static constexpr std::string_view name = Name.view();
    static constexpr std::string_view doc = "min(max(x, min), max); at least one bound must be given.";
    using Params = typename Form::Params;
    using Result = Tensor;
    static constexpr auto fields = Form::fields;
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static Domain domain(const Params&, std::string_view field) {
        if (field == "min") {
            return Domain::real(-3.0, -1.0);
        }
        return field == "max" ? Domain::real(1.0, 3.0) : Domain::real(-8.0, 8.0);
    }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct ClampForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<TensorOrScalar> min{};
        std::optional<TensorOrScalar> max{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"), opt<&Params::min>("number or tensor; None: no lower bound"),
        opt<&Params::max>("number or tensor; None: no upper bound"), kw<&Params::memory_config>("default: the input's"),
        kw<&Params::output_tensor>("preallocated output").mutates()};
};
struct ClipForm {
    struct Params {
        Tensor input_tensor{};
        std::optional<TensorOrScalar> min{};
        std::optional<TensorOrScalar> max{};
        std::optional<MemoryConfig> memory_config{};
    };
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      opt<&Params::min>("number or tensor; None: no lower bound"),
                                      opt<&Params::max>("number or tensor; None: no upper bound"),
                                      kw<&Params::memory_config>("default: the input's")};
};

TTNN_OPERATION(clamp, ClampOperation<"ttnn.clamp", true, ClampForm>);
TTNN_OPERATION(clip, ClampOperation<"ttnn.clip", false, ClipForm>);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <algorithm>

#include "ttnn/reference/array.hpp"

template <ttnn::FixedString Name, bool IntegerBounds, class Form>
std::vector<ttnn::reference::Array> ttnn::ClampOperation<Name, IntegerBounds, Form>::reference(const Params& params) {
    reference::Array result = reference::values(params.input_tensor);
    const auto larger = [](double x, double bound) { return std::max(x, bound); };
    const auto smaller = [](double x, double bound) { return std::min(x, bound); };
    if (params.min) {
        result = reference::zip(result, reference::values(*params.min), larger);
    }
    if (params.max) {
        result = reference::zip(result, reference::values(*params.max), smaller);
    }
    return {result};
}

#else

#include <algorithm>
#include <limits>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/data_movement/typecast.hpp"

namespace ttnn {

inline bool is_tensor(const std::optional<TensorOrScalar>& bound) {
    return bound && std::holds_alternative<Tensor>(*bound);
}
inline bool is_fraction(const std::optional<TensorOrScalar>& bound) {
    return bound && std::holds_alternative<double>(*bound);
}
inline float clamp_bound(const std::optional<TensorOrScalar>& bound, float missing) {
    if (!bound) {
        return missing;
    }
    return std::holds_alternative<double>(*bound) ? static_cast<float>(std::get<double>(*bound))
                                                  : static_cast<float>(std::get<int64_t>(*bound));
}

template <FixedString Name, bool IntegerBounds, class Form>
void ClampOperation<Name, IntegerBounds, Form>::validate(const Params& params) {
    require(params.min || params.max, "{}: Only one of 'min' or 'max' can be None. Please provide one value or both",
            name);
    if (!is_tensor(params.min) && !is_tensor(params.max)) {
        check_dtype(name, "input_tensor", params.input_tensor,
                    {DataType::BFLOAT16, DataType::FLOAT32, DataType::BFLOAT8_B, DataType::BFLOAT4_B, DataType::INT32});
        compute::validate_unary_placement(compute::unary_call(name, params));
        return;
    }
    require((!params.min || is_tensor(params.min)) && (!params.max || is_tensor(params.max)),
            "{}: arguments 'min' and 'max' must both be tensors or both be numbers", name);
    compute::check_floating(name, params.input_tensor);
    for (const auto* bound : {&params.min, &params.max}) {
        require(!*bound || is_floating(std::get<Tensor>(**bound).dtype()),
                "{}: bounds that are tensors must have a floating-point dtype", name);
    }
}

// Whole bounds: in integers, a missing one is the largest magnitude that the hardware's compare takes.
inline void clamp_integers(const std::optional<TensorOrScalar>& min, const std::optional<TensorOrScalar>& max,
                           uint32_t* values, size_t count) {
    constexpr int64_t widest = 16775716;
    const int64_t low = min ? std::get<int64_t>(*min) : -widest;
    const int64_t high = max ? std::get<int64_t>(*max) : widest;
    for (size_t i = 0; i < count; ++i) {
        const int64_t raised = std::max<int64_t>(static_cast<int32_t>(values[i]), low);
        values[i] = static_cast<uint32_t>(std::min(raised, high));
    }
}

// The original goes through ge, le and where; one primitive here.
template <class Params>
Tensor clamp_by_tensors(const compute::UnaryCall& call, const Params& params) {
    const Tensor& input = params.input_tensor;
    std::vector<Tensor> operands{input};
    Shape shape = input.logical_shape();
    for (const auto* bound : {&params.min, &params.max}) {
        if (*bound) {
            operands.push_back(std::get<Tensor>(**bound));
            shape = broadcast(shape, operands.back().logical_shape());
        }
    }
    if (call.output_tensor) {
        check_preallocated(call.op, "output_tensor", *call.output_tensor, shape);
    }
    const bool has_min = params.min.has_value();
    const bool has_max = params.max.has_value();
    const TensorSpec output = compute::unary_output_spec(call, shape, compute::unary_output_dtype(call, input.dtype()));
    const auto row = [=](const float* const* rows, float* to, size_t count) {
        const float* low = has_min ? rows[1] : nullptr;
        const float* high = has_max ? rows[has_min ? 2 : 1] : nullptr;
        for (size_t i = 0; i < count; ++i) {
            float x = rows[0][i];
            x = low != nullptr && x < low[i] ? low[i] : x;
            to[i] = high != nullptr && x > high[i] ? high[i] : x;
        }
    };
    const std::span<const Tensor> bounds(operands.data() + 1, operands.size() - 1);
    return compute::launch_unary(
        call, output,
        [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) { compute::zip(inputs, outputs[0], row); },
        bounds);
}

template <FixedString Name, bool IntegerBounds, class Form>
Tensor ClampOperation<Name, IntegerBounds, Form>::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const Tensor& input = params.input_tensor;
    if (is_tensor(params.min) || is_tensor(params.max)) {
        return clamp_by_tensors(call, params);
    }
    const bool whole = IntegerBounds && !is_fraction(params.min) && !is_fraction(params.max);
    if (is_integer(input.dtype()) && whole) {
        const TensorSpec output = compute::unary_output_spec(call, input.logical_shape(), DataType::INT32);
        return compute::launch_unary(call, output, [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
            compute::map_bits(inputs[0], outputs[0], [&](uint32_t* values, size_t count) {
                clamp_integers(params.min, params.max, values, count);
            });
        });
    }
    const Tensor numbers = is_integer(input.dtype()) ? typecast(input, DataType::FLOAT32) : input;
    const UnaryWithParam function(UnaryOpType::CLAMP_TSS,
                                  {clamp_bound(params.min, std::numeric_limits<float>::lowest()),
                                   clamp_bound(params.max, std::numeric_limits<float>::max())});
    return compute::run_unary({name, numbers, call.memory_config, call.output_tensor, call.sub_core_grids},
                              {&function, 1});
}

template <FixedString Name, bool IntegerBounds, class Form>
void ClampOperation<Name, IntegerBounds, Form>::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .min = -2.5, .max = 3.0});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66}), .min = int64_t{-2}, .max = int64_t{3}});
    make.add(Params{.input_tensor = make.tensor({3, 2, 5, 30}), .max = 1.25});
    make.add(Params{.input_tensor = make.tensor({50, 40}), .min = int64_t{1}});
    make.add(Params{
        .input_tensor = make.tensor({2, 33, 66}), .min = make.tensor({2, 33, 66}), .max = make.tensor({2, 33, 66})});
    make.add(Params{.input_tensor = make.tensor({2, 32, 64}),
                    .max = make.interleaved({1, 64}, make.dtype(), make.layout())});
    if constexpr (requires(Params params) { params.output_tensor; }) {
        Params into{.input_tensor = make.tensor({32, 64}), .min = int64_t{-7}, .max = int64_t{7}};
        into.output_tensor = make.tensor({32, 64});
        make.add(into);
    }
}

}  // namespace ttnn

#endif
