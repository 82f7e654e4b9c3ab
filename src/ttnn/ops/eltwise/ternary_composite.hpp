// The composite that the ternary operations share: layouts, broadcasting and output rules around ttnn::prim::ternary.
#pragma once

#include <array>
#include <string_view>

#include "ttnn/compute/guard.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace ttnn {

// Borrows everything from the parameters it was made of. An operand is a tensor or, where that is nullptr, a number.
struct TernaryArguments {
    std::string_view op;  // "ttnn.addcmul", for messages
    std::array<const Tensor*, 3> operands{};
    std::array<Scalar, 3> scalars{};
    std::array<std::string_view, 3> names{};
    DataType dtype = DataType::INVALID;  // of a new output
    const MemoryConfig* memory_config = nullptr;
    const Tensor* output = nullptr;
    const CoreRangeSet* cores = nullptr;
    // The first operand is only compared with 0 and may have any dtype; the result is always in TILE.
    bool mixed_condition = false;
    bool tilizes = false;  // takes ROW_MAJOR operands and gives ROW_MAJOR back when all are

    void set(size_t index, const TensorOrScalar& operand) {
        if (const auto* tensor = std::get_if<Tensor>(&operand)) {
            operands[index] = tensor;
        } else if (const auto* whole = std::get_if<int64_t>(&operand)) {
            scalars[index] = *whole;
        } else {
            scalars[index] = std::get<double>(operand);
        }
    }
};

// Rows of three operands each, numbers spread; exactly one of the two is called, by the output's dtype: integers that
// come from integer operands are computed exactly.
struct TernaryKernel {
    FunctionRef<void(const float* const* from, float* to, size_t count)> floats;
    FunctionRef<void(const uint32_t* const* from, uint32_t* to, size_t count)> integers;
};

Tensor run_ternary(const TernaryArguments& call, const TernaryKernel& kernel);

// Throws unless the tensors among the operands are all floating or, if `int32_too`, all INT32.
void check_ternary_dtypes(const TernaryArguments& call, bool int32_too);

}  // namespace ttnn
