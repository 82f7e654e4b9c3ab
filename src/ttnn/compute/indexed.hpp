// Elements of rows by their number: read (gather) and written (scatter).
#pragma once

#include <cstdint>
#include <string_view>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// What happens to an element that is written to.
enum class ScatterMode : uint8_t { REPLACE, ADD, MULTIPLY };

// In all of these the last dimension is the row, an index is a column, and one that no column has is an error of `op`.

// output[.., i] = input[.., index[.., i]]. Leading dimensions are equal.
void gather_columns(std::string_view op, const Tensor& input, const Tensor& index, Tensor& output);
// output = input, then output[.., index[.., i]] takes source[.., i] in the order of i. Rows of index and source are
// those at the front of every dimension.
void scatter_columns(std::string_view op, const Tensor& input, const Tensor& index, const Tensor& source,
                     ScatterMode mode, Tensor& output);

}  // namespace ttnn::compute
