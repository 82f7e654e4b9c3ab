// Functions of two operands with the long signature that are not plain arithmetic.
#pragma once

#include "ttnn/ops/eltwise/binary_family.hpp"

namespace ttnn {

TTNN_OPERATION(squared_difference, Binary<"ttnn.squared_difference", BinaryOpType::SQUARED_DIFFERENCE>);
TTNN_OPERATION(bias_gelu, Binary<"ttnn.bias_gelu", BinaryOpType::BIAS_GELU>);
TTNN_OPERATION(ldexp, Binary<"ttnn.ldexp", BinaryOpType::LDEXP>);
TTNN_OPERATION(logaddexp, Binary<"ttnn.logaddexp", BinaryOpType::LOGADDEXP>);
TTNN_OPERATION(logaddexp2, Binary<"ttnn.logaddexp2", BinaryOpType::LOGADDEXP2>);
TTNN_OPERATION(xlogy, Binary<"ttnn.xlogy", BinaryOpType::XLOGY>);

}  // namespace ttnn
