// Matrix products by definition.
#pragma once

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// torch.matmul of op(a) and op(b) where b's batch dimensions are those of a or all 1.
Array matmul(const Array& a, const Array& b, bool transpose_a = false, bool transpose_b = false);

// activation(op(a) * op(b) + bias).
struct LinearCall {
    Tensor a;
    Tensor b;
    std::optional<Tensor> bias{};
    bool transpose_a = false;
    bool transpose_b = false;
    std::optional<UnaryWithParam> activation{};
    DataType dtype = DataType::INVALID;  // of the result
    bool round_before_bias = false;      // the product, or the sum, is stored before it goes on
    bool round_before_activation = false;
};
Array linear(const LinearCall& call);

// A tensor whose last two dimensions are exchanged.
Array transposed(const Array& array);

}  // namespace ttnn::reference
