// unary_chain: several unary functions in one kernel.
#pragma once

#include <vector>

#include "ttnn/op/op.hpp"
#include "ttnn/ops/eltwise/unary_fill.hpp"

namespace ttnn {

struct UnaryChain {
    static constexpr std::string_view name = "ttnn.unary_chain";
    static constexpr std::string_view doc = "Applies unary functions left to right; only the result is rounded.";
    struct Params {
        Tensor input_tensor{};
        std::vector<UnaryWithParam> ops_chain{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{
        arg<&Params::input_tensor>("tensor on a device"),
        arg<&Params::ops_chain>("functions with their parameters; TYPECAST or BITCAST only as the last"),
        kw<&Params::memory_config>("default: the input's; its memory layout must match"),
        kw<&Params::output_tensor>("preallocated output").mutates()};
    // Each function rounds to fp32, and the next may magnify what was lost.
    static constexpr Tolerance tolerance{.ulp_float32 = 4, .ulp_bfloat16 = 1, .ulp_block_float = 1};

    static Domain domain(const Params&, std::string_view) { return Domain::real(0.25, 4.0); }
    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(unary_chain, UnaryChain);

// A cast takes the dtype as its last parameter, after the input's when both are given.
inline bool is_cast(UnaryOpType type) { return type == UnaryOpType::TYPECAST || type == UnaryOpType::BITCAST; }
inline DataType cast_target(const UnaryWithParam& cast) {
    return cast.params.empty() ? DataType::INVALID : static_cast<DataType>(static_cast<int>(cast.params.back()));
}

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>

#include "ttnn/reference/unary.hpp"

inline std::vector<ttnn::reference::Array> ttnn::UnaryChain::reference(const Params& params) {
    DataType dtype = params.output_tensor ? params.output_tensor->dtype() : params.input_tensor.dtype();
    reference::Array values = reference::values(params.input_tensor);
    for (const UnaryWithParam& op : params.ops_chain) {
        if (op.op_type == UnaryOpType::TYPECAST) {
            dtype = cast_target(op);
            values = is_integer(dtype) ? reference::map(values, [](double x) { return std::trunc(x); }) : values;
        } else if (op.op_type == UnaryOpType::BITCAST) {
            values = reference::map(values, [&](double x) { return reinterpreted(x, dtype, cast_target(op)); });
        } else {
            const bool last = &op == &params.ops_chain.back();
            values = reference::unary(op, last || is_integer(dtype) ? dtype : DataType::FLOAT32, values);
        }
    }
    return {values};
}

#else

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/unary.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn {

inline void check_chain_cast(const UnaryChain::Params& params, const UnaryWithParam& cast) {
    const std::string_view name = UnaryChain::name;
    require(&cast == &params.ops_chain.back(), "{}: {} may only be the last function of 'ops_chain'", name,
            cast.op_type);
    const DataType target = cast_target(cast);
    require(static_cast<uint8_t>(target) < static_cast<uint8_t>(DataType::INVALID),
            "{}: {} needs the number of a dtype as its last parameter", name, cast.op_type);
    if (cast.op_type == UnaryOpType::BITCAST) {
        check_bitcast(name, params.input_tensor.dtype(), target);
    }
    require(!params.output_tensor || params.output_tensor->dtype() == target,
            "{}: argument 'output_tensor' must have dtype {}, got {}", name, target,
            params.output_tensor ? params.output_tensor->dtype() : target);
}

inline void UnaryChain::validate(const Params& params) {
    require(!params.ops_chain.empty(), "{}: argument 'ops_chain' must not be empty", name);
    const compute::UnaryCall call = compute::unary_call(name, params);
    for (const UnaryWithParam& op : params.ops_chain) {
        is_cast(op.op_type) ? check_chain_cast(params, op) : compute::validate_unary_function(call, op);
    }
    compute::validate_unary_placement(call, is_cast(params.ops_chain.back().op_type));
}

// The result of a typecast at the end: floats are cut by the encoder, integers converted by value.
inline void run_chain_with_typecast(const Tensor& input, std::span<const UnaryWithParam> functions, Tensor& result) {
    if (is_floating(input.dtype()) || functions.empty()) {
        compute::map(input, result, [&](float* values, size_t count) {
            for (const UnaryWithParam& function : functions) {
                compute::apply_unary(function, values, count);
            }
        });
        return;
    }
    Dense<uint32_t> bits = read<uint32_t>(input);
    for (const UnaryWithParam& function : functions) {
        compute::apply_unary_bits(function, input.dtype(), bits.data(), bits.size());
    }
    if (is_integer(result.dtype())) {
        write<uint32_t>(result, bits.span());
        return;
    }
    Dense<float> values(bits.size());
    for (size_t i = 0; i < bits.size(); ++i) {
        values[i] = input.dtype() == DataType::INT32 ? static_cast<float>(static_cast<int32_t>(bits[i]))
                                                     : static_cast<float>(bits[i]);
    }
    write<float>(result, values.span());
}

inline Tensor UnaryChain::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const UnaryWithParam& last = params.ops_chain.back();
    if (!is_cast(last.op_type)) {
        return compute::run_unary(call, params.ops_chain);
    }
    const std::span<const UnaryWithParam> functions(params.ops_chain.data(), params.ops_chain.size() - 1);
    const TensorSpec output = compute::unary_output_spec(call, params.input_tensor.logical_shape(), cast_target(last));
    return compute::launch_unary(call, output, [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        // Before a bitcast the result still has the input's dtype.
        Tensor target = last.op_type == UnaryOpType::TYPECAST
                            ? outputs[0]
                            : outputs[0].view_as(outputs[0].spec().with_dtype(inputs[0].dtype()));
        run_chain_with_typecast(inputs[0], functions, target);
    });
}

inline void UnaryChain::cases(CaseMaker& make) {
    using Type = UnaryOpType;
    const Tensor input = make.tensor({1, 1, 64, 96});
    make.add(Params{.input_tensor = input, .ops_chain = {Type::SQRT, Type::SIGMOID}});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66}),
                    .ops_chain = {{Type::MUL_UNARY_SFPU, {0.5F}}, {Type::ADD_UNARY_SFPU, {1.0F}}, Type::RSQRT}});
    make.add(Params{
        .input_tensor = input, .ops_chain = {Type::SQUARE, Type::NEZ}, .output_tensor = make.tensor({1, 1, 64, 96})});
    make.add(Params{.input_tensor = input, .ops_chain = {Type::NEG, {Type::TYPECAST, {7.0F}}}});
    make.add(Params{.input_tensor = input, .ops_chain = {Type::SQUARE, {Type::TYPECAST, {1.0F}}}});
    const float bits = make.dtype() == DataType::FLOAT32 ? 7.0F : 6.0F;  // INT32 or UINT16
    make.add(Params{.input_tensor = input, .ops_chain = {Type::NEG, {Type::BITCAST, {bits}}}});
}

}  // namespace ttnn

#endif
