// addcmul, addcdiv, lerp and mac: functions of three operands.
#pragma once

#include <cmath>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct AddScaledParams {
    Tensor input_a{};
    Tensor input_b{};
    Tensor input_c{};
    double value = 1.0;
    std::optional<MemoryConfig> memory_config{};
    std::optional<Tensor> output_tensor{};
};

inline constexpr FieldList add_scaled_fields{arg<&AddScaledParams::input_a>("tensor on a device in TILE"),
                                             arg<&AddScaledParams::input_b>("tensor that broadcasts with the others"),
                                             arg<&AddScaledParams::input_c>("tensor that broadcasts with the others"),
                                             kw<&AddScaledParams::value>("factor"),
                                             kw<&AddScaledParams::memory_config>("default: the first input's"),
                                             kw<&AddScaledParams::output_tensor>("preallocated result").mutates()};

// Computed in fp64 and rounded once.
inline constexpr Tolerance ternary_tolerance{.ulp_float32 = 1, .ulp_bfloat16 = 1, .ulp_block_float = 1};

struct Addcmul {
    static constexpr std::string_view name = "ttnn.addcmul";
    static constexpr std::string_view doc = "a + value * b * c";
    using Params = AddScaledParams;
    using Result = Tensor;
    static constexpr const auto& fields = add_scaled_fields;
    static constexpr Tolerance tolerance = ternary_tolerance;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Addcdiv {
    static constexpr std::string_view name = "ttnn.addcdiv";
    static constexpr std::string_view doc =
        "a + value * b / c; where c is 0 and the result is not FLOAT32: value * inf with the sign of b.";
    using Params = AddScaledParams;
    using Result = Tensor;
    static constexpr const auto& fields = add_scaled_fields;
    static constexpr Tolerance tolerance = ternary_tolerance;

    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static Domain domain(const Params&, std::string_view field) {
        return field == "input_c" ? Domain::real(0.5, 4) : Domain::real(-4, 4);
    }
    static void cases(CaseMaker& make);
};

struct Lerp {
    static constexpr std::string_view name = "ttnn.lerp";
    static constexpr std::string_view doc = "input + weight * (end - input)";
    struct Params {
        Tensor input{};
        Tensor end{};
        TensorOrScalar weight{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input>("floating tensor on a device"),
                                      arg<&Params::end>("tensor of the same dtype"),
                                      arg<&Params::weight>("tensor of the same dtype, or a number"),
                                      kw<&Params::memory_config>("default: the first input's"),
                                      kw<&Params::output_tensor>("preallocated result; BFLOAT16 for FLOAT32 inputs and "
                                                                 "the reverse are allowed")
                                          .mutates()};
    static constexpr Tolerance tolerance = ternary_tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Mac {
    static constexpr std::string_view name = "ttnn.mac";
    static constexpr std::string_view doc = "a * b + c, with two more tensors or two numbers.";
    struct Params {
        Tensor input_tensor_a{};
        TensorOrScalar input_tensor_b{};
        TensorOrScalar input_tensor_c{};
        std::optional<MemoryConfig> memory_config{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor_a>("tensor on a device"),
                                      arg<&Params::input_tensor_b>("tensor, or a number").also("value1"),
                                      arg<&Params::input_tensor_c>("tensor if b is one, else a number").also("value2"),
                                      kw<&Params::memory_config>("default: the first input's")};
    static constexpr Tolerance tolerance = ternary_tolerance;

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(addcmul, Addcmul);
TTNN_OPERATION(addcdiv, Addcdiv);
TTNN_OPERATION(lerp, Lerp);
TTNN_OPERATION(mac, Mac);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include "ttnn/reference/binary.hpp"

namespace ttnn {

namespace reference {
// Integers wrap, everything else is rounded by whoever compares.
inline Outputs ternary(const TensorOrScalar& a, const TensorOrScalar& b, const TensorOrScalar& c,
                       const std::optional<Tensor>& output, DataType dtype,
                       const std::function<double(double, double, double)>& function) {
    Array result = zip(values(a), values(b), values(c), function);
    const DataType stored = output ? output->dtype() : dtype;
    return {map(result, [&](double x) { return is_integer(stored) ? wrap_to(stored, x) : x; })};
}
}  // namespace reference

inline std::vector<reference::Array> Addcmul::reference(const Params& params) {
    const auto value = static_cast<double>(static_cast<float>(params.value));
    return reference::ternary(params.input_a, params.input_b, params.input_c, params.output_tensor,
                              params.input_a.dtype(),
                              [=](double a, double b, double c) { return std::fma(value * b, c, a); });
}

inline std::vector<reference::Array> Addcdiv::reference(const Params& params) {
    const auto value = static_cast<double>(static_cast<float>(params.value));
    return reference::ternary(params.input_a, params.input_b, params.input_c, params.output_tensor,
                              params.input_a.dtype(),
                              [=](double a, double b, double c) { return a + value * (b / c); });
}

inline std::vector<reference::Array> Lerp::reference(const Params& params) {
    return reference::ternary(params.input, params.end, params.weight, params.output_tensor, params.input.dtype(),
                              [](double from, double to, double weight) { return (1 - weight) * from + weight * to; });
}

inline std::vector<reference::Array> Mac::reference(const Params& params) {
    return reference::ternary(params.input_tensor_a, params.input_tensor_b, params.input_tensor_c, std::nullopt,
                              params.input_tensor_a.dtype(),
                              [](double a, double b, double c) { return std::fma(a, b, c); });
}

}  // namespace ttnn

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/ternary.hpp"
#include "ttnn/op/support.hpp"
#include "ttnn/ops/eltwise/ternary_composite.hpp"

namespace ttnn {

inline TernaryArguments add_scaled_arguments(std::string_view op, const AddScaledParams& params) {
    TernaryArguments call;
    call.op = op;
    call.operands = {&params.input_a, &params.input_b, &params.input_c};
    call.names = {"input_a", "input_b", "input_c"};
    call.dtype = params.input_a.dtype();
    call.memory_config = params.memory_config ? &*params.memory_config : nullptr;
    call.output = params.output_tensor ? &*params.output_tensor : nullptr;
    return call;
}

// For operations that accept floating operands only.
inline constexpr auto no_integers = [](const uint32_t* const*, uint32_t*, size_t) {
    fail("this function has no form for integers");
};

inline Tensor Addcmul::run(const Params& params) {
    const TernaryArguments call = add_scaled_arguments(name, params);
    check_ternary_dtypes(call, true);
    require(params.input_a.dtype() != DataType::INT32 || params.value == std::trunc(params.value),
            "{}: argument 'value' must be a whole number for INT32 tensors, got {}", name, params.value);
    const auto value = static_cast<double>(static_cast<float>(params.value));
    return run_ternary(call, {[&](const float* const* from, float* to, size_t count) {
                                  compute::add_product(from[0], from[1], from[2], value, to, count);
                              },
                              [&](const uint32_t* const* from, uint32_t* to, size_t count) {
                                  const auto factor = static_cast<uint32_t>(static_cast<int64_t>(value));
                                  compute::add_product(from[0], from[1], from[2], factor, to, count);
                              }});
}

inline Tensor Addcdiv::run(const Params& params) {
    const TernaryArguments call = add_scaled_arguments(name, params);
    check_ternary_dtypes(call, false);
    const auto value = static_cast<double>(static_cast<float>(params.value));
    const bool infinite = (params.output_tensor ? params.output_tensor->dtype() : call.dtype) != DataType::FLOAT32;
    return run_ternary(call, {[&](const float* const* from, float* to, size_t count) {
                                  compute::add_quotient(from[0], from[1], from[2], value, infinite, to, count);
                              },
                              no_integers});
}

inline void Lerp::validate(const Params& params) {
    const DataType dtype = params.input.dtype();
    require(params.end.dtype() == dtype, "{}: argument 'end' must have the dtype of 'input', {}, got {}", name,
            member_name(dtype), member_name(params.end.dtype()));
    if (const auto* weight = std::get_if<Tensor>(&params.weight)) {
        require(static_cast<bool>(*weight), "{}: argument 'weight' holds no tensor", name);
        require(weight->dtype() == dtype, "{}: argument 'weight' must have the dtype of 'input', {}, got {}", name,
                member_name(dtype), member_name(weight->dtype()));
    }
    if (params.output_tensor) {
        const DataType out = params.output_tensor->dtype();
        const bool wide = dtype == DataType::FLOAT32 || dtype == DataType::BFLOAT16;
        require(out == dtype || (wide && (out == DataType::FLOAT32 || out == DataType::BFLOAT16)),
                "{}: argument 'output_tensor' must have dtype {}, got {}", name,
                wide ? "FLOAT32 or BFLOAT16" : member_name(dtype), member_name(out));
    }
}

inline Tensor Lerp::run(const Params& params) {
    TernaryArguments call;
    call.op = name;
    call.operands = {&params.input, &params.end, nullptr};
    call.set(2, params.weight);
    call.names = {"input", "end", "weight"};
    call.dtype = params.input.dtype();
    call.memory_config = params.memory_config ? &*params.memory_config : nullptr;
    call.output = params.output_tensor ? &*params.output_tensor : nullptr;
    call.tilizes = true;
    check_ternary_dtypes(call, false);
    return run_ternary(call, {[](const float* const* from, float* to, size_t count) {
                                  compute::interpolate(from[0], from[1], from[2], to, count);
                              },
                              no_integers});
}

inline void Mac::validate(const Params& params) {
    require(
        std::holds_alternative<Tensor>(params.input_tensor_b) == std::holds_alternative<Tensor>(params.input_tensor_c),
        "{}: arguments 'input_tensor_b' and 'input_tensor_c' must be two tensors or two numbers", name);
}

inline Tensor Mac::run(const Params& params) {
    TernaryArguments call;
    call.op = name;
    call.operands[0] = &params.input_tensor_a;
    call.set(1, params.input_tensor_b);
    call.set(2, params.input_tensor_c);
    call.names = {"input_tensor_a", "input_tensor_b", "input_tensor_c"};
    call.dtype = params.input_tensor_a.dtype();
    call.memory_config = params.memory_config ? &*params.memory_config : nullptr;
    call.tilizes = true;
    check_ternary_dtypes(call, true);
    return run_ternary(call, {[](const float* const* from, float* to, size_t count) {
                                  compute::multiply_add(from[0], from[1], from[2], to, count);
                              },
                              [](const uint32_t* const* from, uint32_t* to, size_t count) {
                                  compute::multiply_add(from[0], from[1], from[2], to, count);
                              }});
}

// Calls `add_case(a, b, c)` for triples of tensors; only the first is sharded.
template <class Add>
void for_each_triple(const CaseMaker& make, Add add_case) {
    const auto other = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), make.layout()); };
    add_case(make.tensor({1, 1, 64, 96}), make.tensor({1, 1, 64, 96}), make.tensor({1, 1, 64, 96}));
    add_case(make.tensor({33, 65}), other({33, 65}), other({33, 65}));
    add_case(make.tensor({2, 3, 32, 40}), other({1, 3, 32, 1}), other({1, 1, 1, 40}));
    add_case(make.tensor({2, 64, 32}), other({64, 32}), other({32}));
    if (!make.sharded()) {
        add_case(make.tensor({1, 1, 1, 64}), other({1, 3, 33, 1}), other({2, 1, 1, 64}));
    }
}

inline void add_scaled_cases(CaseMaker& make) {
    for_each_triple(make, [&](const Tensor& a, const Tensor& b, const Tensor& c) {
        make.add(AddScaledParams{.input_a = a, .input_b = b, .input_c = c});
        make.add(AddScaledParams{.input_a = a, .input_b = b, .input_c = c, .value = -2.0});
    });
    const Tensor a = make.tensor({64, 64});
    make.add(AddScaledParams{.input_a = a, .input_b = a, .input_c = a, .value = 0.3});
    AddScaledParams into{.input_a = a, .input_b = make.tensor({64, 64}), .input_c = make.tensor({64, 64})};
    into.output_tensor = make.tensor({64, 64});
    make.add(into);
}

inline void Addcmul::cases(CaseMaker& make) { add_scaled_cases(make); }
inline void Addcdiv::cases(CaseMaker& make) { add_scaled_cases(make); }

inline void Lerp::cases(CaseMaker& make) {
    for_each_triple(make, [&](const Tensor& a, const Tensor& b, const Tensor& c) {
        make.add(Params{.input = a, .end = b, .weight = c});
    });
    make.add(Params{.input = make.tensor({64, 64}), .end = make.tensor({64, 64}), .weight = 0.75});
    Params into{.input = make.tensor({64, 64}), .end = make.tensor({64, 64}), .weight = int64_t{2}};
    into.output_tensor = make.tensor({64, 64}, DataType::FLOAT32);
    make.add(into);
}

inline void Mac::cases(CaseMaker& make) {
    for_each_triple(make, [&](const Tensor& a, const Tensor& b, const Tensor& c) {
        make.add(Params{.input_tensor_a = a, .input_tensor_b = b, .input_tensor_c = c});
    });
    make.add(Params{.input_tensor_a = make.tensor({64, 64}), .input_tensor_b = 2.0, .input_tensor_c = -3.0});
}

}  // namespace ttnn

#endif
