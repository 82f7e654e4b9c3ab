// Rotary embeddings by definition.
#pragma once

#include <functional>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// What a row of the input is turned by: a row of the tables, and which of the 32 x 32 matrices.
struct Turn {
    size_t table_row = 0;
    size_t matrix = 0;
};
// x * cos + (x @ matrix) * sin, the matrix on every 32 columns of a row.
Array turned_pairs(const Array& input, const Array& cosines, const Array& sines, const Array& matrices,
                   std::function<Turn(size_t row)> turn_of);

// The element that stands in place of an element of a row: the second half with the other sign, then the first half.
double half_turned(const Array& input, std::span<const uint32_t> index);

}  // namespace ttnn::reference
