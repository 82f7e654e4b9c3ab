// Cases of binary operations for opcheck: broadcast forms, scalars, mixed dtypes, preallocated outputs, activations.
#pragma once

#include "ttnn/check/case_maker.hpp"
#include "ttnn/compute/guard.hpp"
#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

// A second operand without broadcasting surprises for every memory kind, and the broadcast forms of real models.
inline constexpr std::array<std::array<std::array<uint32_t, 4>, 2>, 5> broadcast_shapes{{
    {{{1, 1, 64, 96}, {1, 1, 64, 1}}},   // a column
    {{{1, 1, 64, 64}, {1, 1, 1, 64}}},   // a row
    {{{2, 3, 32, 40}, {1, 3, 32, 40}}},  // batches
    {{{1, 2, 33, 1}, {2, 1, 1, 33}}},    // both operands grow
    {{{1, 1, 32, 8}, {1, 1, 32, 1}}},
}};

inline Shape shape_of(const std::array<uint32_t, 4>& dims) { return Shape(std::span<const uint32_t>(dims)); }

// Calls `add_case(a, b)` for pairs of tensors. Sharded combinations keep the second operand interleaved where its shape
// differs, as models do.
template <class Add>
void for_each_pair(const CaseMaker& make, Add add_case) {
    add_case(make.tensor({1, 1, 64, 96}), make.tensor({1, 1, 64, 96}));
    add_case(make.tensor({33, 65}), make.tensor({33, 65}));
    const auto second = [&](const Shape& shape) {
        return make.sharded() ? make.interleaved(shape, make.dtype(), make.layout()) : make.tensor(shape);
    };
    for (const auto& [a, b] : broadcast_shapes) {
        add_case(make.tensor(shape_of(a)), second(shape_of(b)));
    }
    add_case(make.tensor({2, 64, 32}), second({64, 32}));
    add_case(make.tensor({32, 64}), second({64}));
    if (!make.sharded()) {
        add_case(make.tensor({64}), make.tensor({64}));
        add_case(make.tensor({2, 1, 2, 33, 34}), make.tensor({1, 3, 1, 33, 34}));
    }
}

// Scalars that suit the domain of the second operand, whole and fractional.
inline std::vector<Scalar> scalars_for(BinaryOpType type) {
    using enum BinaryOpType;
    switch (type) {
        case LEFT_SHIFT:
        case RIGHT_SHIFT:
        case LOGICAL_RIGHT_SHIFT: return {int64_t{0}, int64_t{5}, int64_t{31}};
        case BITWISE_AND:
        case BITWISE_OR:
        case BITWISE_XOR: return {int64_t{0x5a5a}, int64_t{7}};
        case SQUARED_DIFFERENCE:  // a negative one, wrapped, would leave the exact range of the reference
        case XLOGY: return {int64_t{2}, 1.702};
        case FMOD:
        case REMAINDER: return {int64_t{3}, 1.5, -1.5, int64_t{-7}};
        case RPOWER: return {2.5, 2.0};
        case DIV_FLOOR:
        case DIV_TRUNC:
        case DIV: return {int64_t{2}, -1.75};
        default: return {int64_t{1}, 0.25, -2.0};
    }
}

inline bool takes_mixed_floats(const CaseMaker& make) { return make.floating() && make.layout() == Layout::TILE; }

// For parameters with the long signature (or a part of it): names of the members decide what is tried.
template <class Params>
void binary_cases(CaseMaker& make, BinaryOpType type) {
    const auto add_case = [&](const Tensor& a, const auto& b, auto change) {
        Params params{};
        params.input_tensor_a = a;
        if constexpr (requires { params.input_tensor_b; }) {
            params.input_tensor_b = b;
        } else {
            params.input_b = b;
        }
        change(params);
        make.add(params);
    };
    const auto plain = [](Params&) {};
    for_each_pair(make, [&](const Tensor& a, const Tensor& b) { add_case(a, b, plain); });
    constexpr bool takes_scalar = requires(Params p) { p.input_tensor_b.index(); }
    || requires(Params p) { p.input_b; };
    const Tensor square = make.tensor({2, 1, 32, 64});
    if constexpr (takes_scalar) {
        for (const Scalar& scalar : scalars_for(type)) {
            std::visit([&](auto number) { add_case(square, TensorOrScalar(number), plain); }, scalar);
        }
    }
    if constexpr (requires(Params p) { p.output_tensor; }) {
        add_case(square, make.tensor({2, 1, 32, 64}), [&](Params& p) {
            p.output_tensor = make.tensor({2, 1, 32, 64});
        });
    }
    if constexpr (requires(Params p) { p.memory_config; }) {
        add_case(square, make.tensor({2, 1, 32, 64}), [](Params& p) { p.memory_config = l1_memory_config(); });
    }
    if (!takes_mixed_floats(make)) {
        return;
    }
    add_case(square, make.interleaved({2, 1, 32, 64}, DataType::BFLOAT8_B, Layout::TILE), plain);
    add_case(square, make.interleaved({2, 1, 32, 64}, DataType::FLOAT32, Layout::TILE), plain);
    if constexpr (requires(Params p) { p.dtype; }) {
        add_case(square, make.tensor({2, 1, 32, 64}), [](Params& p) { p.dtype = DataType::FLOAT32; });
    }
    if constexpr (requires(Params p) { p.activations; }) {
        add_case(square, make.tensor({2, 1, 32, 64}), [](Params& p) {
            p.activations = {UnaryOpType::RELU};
            p.input_tensor_a_activations = {UnaryOpType::ABS};
        });
    }
}

template <class Params>
void in_place_cases(CaseMaker& make, BinaryOpType type) {
    const auto add_case = [&](const Tensor& a, const TensorOrScalar& b,
                              const std::vector<UnaryWithParam>& activations = {}) {
        Params params{};
        params.input_a = a;
        params.input_b = b;
        params.activations = activations;
        make.add(params);
    };
    const auto second = [&](const Shape& shape) { return make.interleaved(shape, make.dtype(), Layout::TILE); };
    add_case(make.tensor({1, 1, 64, 96}), second({1, 1, 64, 96}));
    add_case(make.tensor({33, 65}), second({33, 65}));
    add_case(make.tensor({1, 1, 64, 64}), second({1, 1, 1, 64}));
    add_case(make.tensor({2, 3, 32, 40}), second({1, 3, 32, 40}));
    add_case(make.tensor({2, 32, 64}), second({64}));
    for (const Scalar& scalar : scalars_for(type)) {
        std::visit([&](auto number) { add_case(make.tensor({2, 1, 32, 64}), TensorOrScalar(number)); }, scalar);
    }
    if (make.floating()) {
        add_case(make.tensor({32, 64}), second({32, 64}), {UnaryOpType::RELU});
    }
}

}  // namespace ttnn
