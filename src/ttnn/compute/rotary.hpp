// Kernels of rotary embeddings: rows turned by angles whose cosines and sines are given.
#pragma once

#include <cstdint>
#include <optional>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// out = x * cos + (x @ matrix) * sin with the 32 x 32 matrix on every 32 columns. x [batch, heads, rows, width]; row r
// of every head has row r of the tables [1, 1 or heads, at least rows, width].
void rotate_rows(const Tensor& input, const Tensor& cosines, const Tensor& sines, const Tensor& matrix, Tensor& output);
// x [1, users, heads, width]; user u has the first row of number `first` + u of the tables [1, users, rows, width], and
// that matrix of those that stand one below the other.
void rotate_users(const Tensor& input, const Tensor& cosines, const Tensor& sines, const Tensor& matrices,
                  uint64_t first, Tensor& output);

// out = x * cos + h(x) * sin where h is the second half with the other sign, then the first; padding included. Every
// row has its row of the tables, or all have row `only`.
void rotate_halves(const Tensor& input, const Tensor& cosines, const Tensor& sines, std::optional<uint64_t> only,
                   Tensor& output);
// h(x) alone.
void swap_halves(const Tensor& input, Tensor& output);

}  // namespace ttnn::compute
