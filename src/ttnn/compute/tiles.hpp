// Kernels that move whole tiles, or single rows of them, between tile tensors; everything else stays as it is, to the
// last byte.
#pragma once

#include <cstdint>
#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/compute/movement.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Whether tiles of one can stand in the other as they are.
bool same_tiles(const Tensor& a, const Tensor& b);
// The walk over tiles: positions and strides count tiles in tensor order. Tiles of another dtype are rounded.
void copy_tiles(const Tensor& from, Tensor& to, const Walk& way);

// Writes numbers into a row of a tensor in 32 x 32 tiles and leaves its other rows alone. Rows are those of the padded
// shape, counted over all leading dimensions; as many numbers as the padded shape is wide.
void write_tile_row(Tensor& to, uint64_t row, std::span<const float> numbers);

}  // namespace ttnn::compute
