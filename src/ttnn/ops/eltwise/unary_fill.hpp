// fill and bitcast: operations that look at the bits of an element rather than at its value.
#pragma once

#include <vector>

#include "ttnn/op/op.hpp"

namespace ttnn {

struct Fill {
    static constexpr std::string_view name = "ttnn.fill";
    static constexpr std::string_view doc = "A tensor like the input with every element fill_value.";
    struct Params {
        Tensor input_tensor{};
        Scalar fill_value{};
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("gives shape, dtype and layout"),
                                      arg<&Params::fill_value>("float or int"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

struct Bitcast {
    static constexpr std::string_view name = "ttnn.bitcast";
    static constexpr std::string_view doc = "The same bits read as another dtype of equal element size.";
    struct Params {
        Tensor input_tensor{};
        DataType dtype = DataType::INVALID;
        std::optional<MemoryConfig> memory_config{};
        std::optional<Tensor> output_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("tensor on a device"),
                                      arg<&Params::dtype>("dtype of the result, of the same element size"),
                                      kw<&Params::memory_config>("default: the input's; its memory layout must match"),
                                      kw<&Params::output_tensor>("preallocated output").mutates()};
    static constexpr Tolerance tolerance{.ulp_float32 = 0, .ulp_bfloat16 = 0, .ulp_block_float = 0};

    static void validate(const Params& params);
    static Result run(const Params& params);
    static std::vector<reference::Array> reference(const Params& params);
    static void cases(CaseMaker& make);
};

TTNN_OPERATION(fill, Fill);
TTNN_OPERATION(bitcast, Bitcast);

}  // namespace ttnn

#ifdef TTNN_REFERENCE_SIDE

#include <cmath>
#include <cstring>

#include "ttnn/reference/array.hpp"

namespace ttnn {

inline std::vector<reference::Array> Fill::reference(const Params& params) {
    const Tensor& like = params.output_tensor ? *params.output_tensor : params.input_tensor;
    const double value = as_double(params.fill_value);
    return {reference::Array(like.logical_shape(),
                             is_integer(like.dtype()) ? reference::wrap_to(like.dtype(), value) : value)};
}

// The number that an element of dtype `to` has when it holds the bits of `value` in dtype `from`.
inline double reinterpreted(double value, DataType from, DataType to) {
    const bool half = element_size(to) == 2;
    uint32_t bits = 0;
    if (is_floating(from)) {
        const auto single = static_cast<float>(value);
        std::memcpy(&bits, &single, sizeof(bits));
        bits = half ? (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 : bits;
    } else {
        bits = static_cast<uint32_t>(static_cast<int64_t>(value));
    }
    if (!is_floating(to)) {
        return reference::wrap_to(to, static_cast<double>(bits));
    }
    bits = half ? bits << 16 : bits;
    float single = 0;
    std::memcpy(&single, &bits, sizeof(bits));
    return static_cast<double>(single);
}

inline std::vector<reference::Array> Bitcast::reference(const Params& params) {
    const DataType from = params.input_tensor.dtype();
    const reference::Array input = reference::values(params.input_tensor);
    return {from == params.dtype ? input : reference::map(input, [&](double value) {
        return reinterpreted(value, from, params.dtype);
    })};
}

}  // namespace ttnn

#else

#include <algorithm>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/elementwise.hpp"
#include "ttnn/compute/unary_program.hpp"
#include "ttnn/core/error.hpp"

namespace ttnn {

inline void Fill::validate(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const auto value = static_cast<float>(as_double(params.fill_value));
    compute::validate_unary_function(call, UnaryWithParam(UnaryOpType::FILL, {value}));
    compute::validate_unary_placement(call);
}

inline Tensor Fill::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const Tensor& input = params.input_tensor;
    const TensorSpec output =
        compute::unary_output_spec(call, input.logical_shape(), compute::unary_output_dtype(call, input.dtype()));
    return compute::launch_unary(call, output, [&](std::span<const Tensor>, std::span<Tensor> outputs) {
        Tensor& result = outputs[0];
        const double value = as_double(params.fill_value);
        if (is_integer(result.dtype())) {
            // Through int64, so that all 32 bits of an integer arrive.
            const auto bits = static_cast<uint32_t>(std::holds_alternative<int64_t>(params.fill_value)
                                                        ? std::get<int64_t>(params.fill_value)
                                                        : static_cast<int64_t>(value));
            compute::map_bits(result, result, [=](uint32_t* at, size_t count) { std::fill_n(at, count, bits); });
        } else {
            compute::map(result, result,
                         [=](float* at, size_t count) { std::fill_n(at, count, static_cast<float>(value)); });
        }
    });
}

inline void Fill::cases(CaseMaker& make) {
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .fill_value = 7.5});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66}), .fill_value = int64_t{3}});
    make.add(Params{
        .input_tensor = make.tensor({32, 48}), .fill_value = int64_t{-1}, .output_tensor = make.tensor({32, 48})});
}

inline void check_bitcast(std::string_view op, DataType from, DataType to) {
    const bool plain = !is_block_float(from) && !is_block_float(to) && to != DataType::INVALID;
    require(from == to || (plain && element_size(from) == element_size(to)),
            "{}: the target dtype of a bitcast must have elements as large as those of the input ({}), got {}", op,
            from, to);
}

inline void Bitcast::validate(const Params& params) {
    check_bitcast(name, params.input_tensor.dtype(), params.dtype);
    require(!params.output_tensor || params.output_tensor->dtype() == params.dtype,
            "{}: argument 'output_tensor' must have dtype {}, got {}", name, params.dtype,
            params.output_tensor ? params.output_tensor->dtype() : params.dtype);
    compute::validate_unary_placement(compute::unary_call(name, params), true);
}

inline DataType unsigned_of_size(size_t bytes) {
    return bytes == 4 ? DataType::UINT32 : bytes == 2 ? DataType::UINT16 : DataType::UINT8;
}

inline Tensor Bitcast::run(const Params& params) {
    const compute::UnaryCall call = compute::unary_call(name, params);
    const TensorSpec output = compute::unary_output_spec(call, params.input_tensor.logical_shape(), params.dtype);
    return compute::launch_unary(call, output, [&](std::span<const Tensor> inputs, std::span<Tensor> outputs) {
        if (is_block_float(params.dtype)) {
            compute::map(inputs[0], outputs[0], [](float*, size_t) {});
            return;
        }
        // Both sides as unsigned numbers, so that no float conversion touches the bits of a NaN.
        const DataType carrier = unsigned_of_size(element_size(params.dtype));
        const Tensor from = inputs[0].view_as(inputs[0].spec().with_dtype(carrier));
        Tensor to = outputs[0].view_as(outputs[0].spec().with_dtype(carrier));
        compute::map_bits(from, to, [](uint32_t*, size_t) {});
    });
}

inline void Bitcast::cases(CaseMaker& make) {
    const auto partner = [&] {
        switch (make.dtype()) {
            case DataType::BFLOAT16: return DataType::UINT16;
            case DataType::UINT16: return DataType::BFLOAT16;
            case DataType::FLOAT32: return DataType::INT32;
            case DataType::INT32: return DataType::UINT32;
            case DataType::UINT32: return DataType::FLOAT32;
            default: return make.dtype();
        }
    }();
    make.add(Params{.input_tensor = make.tensor({1, 1, 64, 96}), .dtype = partner});
    make.add(Params{.input_tensor = make.tensor({2, 33, 66}), .dtype = partner});
    make.add(Params{
        .input_tensor = make.tensor({32, 48}), .dtype = partner, .output_tensor = make.tensor({32, 48}, partner)});
}

}  // namespace ttnn

#endif
