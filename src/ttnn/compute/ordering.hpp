// Orders the rows of a tensor: whole rows, or their first places. Equal numbers keep the order they have in the row,
// and NaN counts as the greatest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// The places of the first elements of a row in order, as many as `places` has room for. `keys` is room for as many
// numbers as the row has.
void first_places(std::span<const float> row, bool descending, std::span<uint64_t> keys, std::span<uint32_t> places);
void first_places(std::span<const uint32_t> row, bool descending, std::span<uint64_t> keys, std::span<uint32_t> places);

// Rows of `input` in order, into rows of `values` that may be shorter or longer; `places` gets where each number was,
// or what `numbers` holds there (no tensor: the place itself). Columns from `real` on are padding and follow behind;
// where the result is longer, so do numbers that stand behind all others.
void order_rows(const Tensor& input, const Tensor& numbers, size_t real, bool descending, Tensor& values,
                Tensor& places);

}  // namespace ttnn::compute
