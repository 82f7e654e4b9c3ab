// Rounding between the steps of an operation that stores intermediate tensors.
#pragma once

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// The values as a tile tensor of this dtype holds them.
Array rounded(const Array& array, DataType dtype);

}  // namespace ttnn::reference
