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
// The shapes of the input and of the index and source before dimensions were folded together: rows of the smaller stand
// at the front of every dimension of the larger.
struct ScatterShapes {
    Shape input;
    Shape index;
};
// output = input, then output[.., index[.., i]] takes source[.., i] in the order of i.
void scatter_columns(std::string_view op, const Tensor& input, const Tensor& index, const Tensor& source,
                     const ScatterShapes& shapes, ScatterMode mode, Tensor& output);

}  // namespace ttnn::compute
