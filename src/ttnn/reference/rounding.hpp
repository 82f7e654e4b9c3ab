// Rounding between the steps of an operation that stores intermediate tensors.
#pragma once

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// Distance between neighbouring numbers of the dtype at a magnitude.
double ulp_at(DataType dtype, double magnitude);

// The values as a tile tensor of this dtype holds them.
Array rounded(const Array& array, DataType dtype);
// The same of what a step stores for the next: a sum that lies near the middle of two numbers may go either way.
Array stored_between(const Array& array, DataType dtype);

}  // namespace ttnn::reference
