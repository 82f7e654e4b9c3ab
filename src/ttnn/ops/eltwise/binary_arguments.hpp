// BinaryArguments: what the parameters of every binary operation come down to, for kernels and references alike.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "ttnn/op/binary_op_type.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace ttnn {

// Borrows everything from the parameters it was made of.
struct BinaryArguments {
    std::string_view op;  // "ttnn.add", for messages
    BinaryOpType type = BinaryOpType::ADD;
    const Tensor* a = nullptr;
    const Tensor* b = nullptr;  // nullptr: the scalar
    Scalar scalar{};
    std::optional<DataType> dtype{};
    const MemoryConfig* memory_config = nullptr;
    const Tensor* output = nullptr;
    std::span<const UnaryWithParam> activations{};
    std::span<const UnaryWithParam> a_activations{};
    std::span<const UnaryWithParam> b_activations{};
    const CoreRangeSet* cores = nullptr;  // sub_core_grids
    std::array<double, 3> extra{};        // alpha; or rtol, atol, equal_nan
    std::string_view a_name = "input_tensor_a";
    std::string_view b_name = "input_tensor_b";

    // A tensor-or-scalar parameter as the second operand.
    void set_second(const TensorOrScalar& operand) {
        if (const auto* tensor = std::get_if<Tensor>(&operand)) {
            b = tensor;
        } else if (const auto* whole = std::get_if<int64_t>(&operand)) {
            scalar = *whole;
        } else {
            scalar = std::get<double>(operand);
        }
    }
};

template <class T>
const T* pointer_to(const std::optional<T>& value) {
    return value ? &*value : nullptr;
}

inline bool is_whole(const Scalar& scalar) {
    const double number = as_double(scalar);
    return std::trunc(number) == number && std::isfinite(number);
}

// A number as an operand of integers: truncated, as the hardware's argument packing does. Anything but a number is 0.
inline int64_t as_integer(const Scalar& scalar) {
    if (const auto* whole = std::get_if<int64_t>(&scalar)) {
        return *whole;
    }
    constexpr double limit = 9e18;
    const double number = std::get<double>(scalar);
    return std::isnan(number) ? 0 : static_cast<int64_t>(std::clamp(number, -limit, limit));
}

// Integers stay exact and wrap when every tensor holds integers; only true division leaves them.
inline bool computes_in_integers(const BinaryArguments& call) {
    return call.type != BinaryOpType::DIV && is_integer(call.a->dtype()) &&
           (call.b == nullptr || is_integer(call.b->dtype()));
}

// The dtype of a new output: the first operand's, except that int32 / int32 is a true quotient.
inline DataType default_output_dtype(const BinaryArguments& call) {
    const bool int32_quotient = call.type == BinaryOpType::DIV && call.a->dtype() == DataType::INT32 &&
                                (call.b == nullptr || call.b->dtype() == DataType::INT32);
    return int32_quotient ? DataType::FLOAT32 : call.a->dtype();
}

}  // namespace ttnn
