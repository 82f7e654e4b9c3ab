// Rounding between the steps of an operation that stores intermediate tensors.
#pragma once

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// The values as a tile tensor of this dtype holds them.
// Distance between neighbouring numbers of the dtype at a magnitude.
double ulp_at(DataType dtype, double magnitude);

Array rounded(const Array& array, DataType dtype);

}  // namespace ttnn::reference
