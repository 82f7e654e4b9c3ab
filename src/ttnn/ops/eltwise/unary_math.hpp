// Powers, logarithms, trigonometry and other functions of one number that have no parameter.
#pragma once

#include "ttnn/ops/eltwise/unary_family.hpp"

namespace ttnn {

TTNN_OPERATION(exp, UnaryOperation<"ttnn.exp", UnaryOpType::EXP, ApproximateForm>);
TTNN_OPERATION(exp2, UnaryOperation<"ttnn.exp2", UnaryOpType::EXP2, StandardForm>);
TTNN_OPERATION(expm1, UnaryOperation<"ttnn.expm1", UnaryOpType::EXPM1, StandardForm>);
TTNN_OPERATION(log, UnaryOperation<"ttnn.log", UnaryOpType::LOG, ApproximateForm>);
TTNN_OPERATION(log2, UnaryOperation<"ttnn.log2", UnaryOpType::LOG2, ApproximateForm>);
TTNN_OPERATION(log10, UnaryOperation<"ttnn.log10", UnaryOpType::LOG10, ApproximateForm>);
TTNN_OPERATION(log1p, UnaryOperation<"ttnn.log1p", UnaryOpType::LOG1P, ApproximateForm>);
TTNN_OPERATION(sqrt, UnaryOperation<"ttnn.sqrt", UnaryOpType::SQRT, ApproximateForm>);
TTNN_OPERATION(rsqrt, UnaryOperation<"ttnn.rsqrt", UnaryOpType::RSQRT, ApproximateForm>);
TTNN_OPERATION(cbrt, UnaryOperation<"ttnn.cbrt", UnaryOpType::CBRT, StandardForm>);
TTNN_OPERATION(square, UnaryOperation<"ttnn.square", UnaryOpType::SQUARE, StandardForm>);
TTNN_OPERATION(sin, UnaryOperation<"ttnn.sin", UnaryOpType::SIN, StandardForm>);
TTNN_OPERATION(cos, UnaryOperation<"ttnn.cos", UnaryOpType::COS, StandardForm>);
TTNN_OPERATION(tan, UnaryOperation<"ttnn.tan", UnaryOpType::TAN, StandardForm>);
TTNN_OPERATION(asin, UnaryOperation<"ttnn.asin", UnaryOpType::ASIN, StandardForm>);
TTNN_OPERATION(acos, UnaryOperation<"ttnn.acos", UnaryOpType::ACOS, StandardForm>);
TTNN_OPERATION(atan, UnaryOperation<"ttnn.atan", UnaryOpType::ATAN, StandardForm>);
TTNN_OPERATION(sinh, UnaryOperation<"ttnn.sinh", UnaryOpType::SINH, CompositeForm>);
TTNN_OPERATION(cosh, UnaryOperation<"ttnn.cosh", UnaryOpType::COSH, CompositeForm>);
TTNN_OPERATION(tanh, UnaryOperation<"ttnn.tanh", UnaryOpType::TANH, TrailingApproximateForm>);
TTNN_OPERATION(asinh, UnaryOperation<"ttnn.asinh", UnaryOpType::ASINH, StandardForm>);
TTNN_OPERATION(acosh, UnaryOperation<"ttnn.acosh", UnaryOpType::ACOSH, StandardForm>);
TTNN_OPERATION(atanh, UnaryOperation<"ttnn.atanh", UnaryOpType::ATANH, CompositeForm>);
TTNN_OPERATION(erf, UnaryOperation<"ttnn.erf", UnaryOpType::ERF, ApproximateForm>);
TTNN_OPERATION(erfc, UnaryOperation<"ttnn.erfc", UnaryOpType::ERFC, ApproximateForm>);
TTNN_OPERATION(erfinv, UnaryOperation<"ttnn.erfinv", UnaryOpType::ERFINV, StandardForm>);
TTNN_OPERATION(i0, UnaryOperation<"ttnn.i0", UnaryOpType::I0, StandardForm>);
TTNN_OPERATION(i1, UnaryOperation<"ttnn.i1", UnaryOpType::I1, StandardForm>);
TTNN_OPERATION(lgamma, UnaryOperation<"ttnn.lgamma", UnaryOpType::LGAMMA, CompositeForm>);

}  // namespace ttnn
