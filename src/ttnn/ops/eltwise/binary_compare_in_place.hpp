// Comparisons and logical functions that write 1 or 0 into their first operand and return it.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

TTNN_OPERATION(eq_, InPlaceBinary<"ttnn.eq_", BinaryOpType::EQ>);
TTNN_OPERATION(ne_, InPlaceBinary<"ttnn.ne_", BinaryOpType::NE>);
TTNN_OPERATION(lt_, InPlaceBinary<"ttnn.lt_", BinaryOpType::LT>);
TTNN_OPERATION(le_, InPlaceBinary<"ttnn.le_", BinaryOpType::LE>);
TTNN_OPERATION(gt_, InPlaceBinary<"ttnn.gt_", BinaryOpType::GT>);
TTNN_OPERATION(ge_, InPlaceBinary<"ttnn.ge_", BinaryOpType::GE>);
TTNN_OPERATION(logical_and_, InPlaceBinary<"ttnn.logical_and_", BinaryOpType::LOGICAL_AND>);
TTNN_OPERATION(logical_or_, InPlaceBinary<"ttnn.logical_or_", BinaryOpType::LOGICAL_OR>);
TTNN_OPERATION(logical_xor_, InPlaceBinary<"ttnn.logical_xor_", BinaryOpType::LOGICAL_XOR>);

}  // namespace ttnn
