// Comparisons and logical functions of two operands: 1 or 0 in the dtype of the result.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

TTNN_OPERATION(eq, Binary<"ttnn.eq", BinaryOpType::EQ>);
TTNN_OPERATION(ne, Binary<"ttnn.ne", BinaryOpType::NE>);
TTNN_OPERATION(lt, Binary<"ttnn.lt", BinaryOpType::LT>);
TTNN_OPERATION(le, Binary<"ttnn.le", BinaryOpType::LE>);
TTNN_OPERATION(gt, Binary<"ttnn.gt", BinaryOpType::GT>);
TTNN_OPERATION(ge, Binary<"ttnn.ge", BinaryOpType::GE>);
TTNN_OPERATION(logical_and, Binary<"ttnn.logical_and", BinaryOpType::LOGICAL_AND>);
TTNN_OPERATION(logical_or, Binary<"ttnn.logical_or", BinaryOpType::LOGICAL_OR>);
TTNN_OPERATION(logical_xor, Binary<"ttnn.logical_xor", BinaryOpType::LOGICAL_XOR>);

}  // namespace ttnn
