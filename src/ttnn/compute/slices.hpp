// Copies of a tensor in which numbered slices of a dimension are replaced.
#pragma once

#include <cstddef>
#include <string_view>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// A number that no slice has is an error of `op`. Where one is named twice the last counts.

// Slice numbers[i] becomes slice i of `source`.
void replace_slices(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, const Tensor& source,
                    Tensor& output);
// Every element of slice numbers[i] becomes `value`.
void fill_slices(std::string_view op, const Tensor& input, size_t dim, const Tensor& numbers, double value,
                 Tensor& output);

}  // namespace ttnn::compute
