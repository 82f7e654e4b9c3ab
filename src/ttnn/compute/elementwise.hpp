// Elementwise kernels over packed tensors: decode to fp32 (or 32-bit patterns), compute, round back.
//
// Where all tensors store their elements in the same order, the work runs over the packed bytes as they lie, padding
// included; otherwise over logical rows with NumPy broadcasting.
#pragma once

#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// out = function(in), `count` elements at a time, in place.
void map(const Tensor& input, Tensor& output, FunctionRef<void(float* values, size_t count)> function);
void map_bits(const Tensor& input, Tensor& output, FunctionRef<void(uint32_t* values, size_t count)> function);

// out = function(inputs...), rows of equal length.
using RowFunction = FunctionRef<void(const float* const* inputs, float* output, size_t count)>;
using BitRowFunction = FunctionRef<void(const uint32_t* const* inputs, uint32_t* output, size_t count)>;
void zip(std::span<const Tensor> inputs, Tensor& output, RowFunction function);
void zip_bits(std::span<const Tensor> inputs, Tensor& output, BitRowFunction function);

// True when equal positions in the packed bytes hold equal logical elements.
bool same_storage_order(const Tensor& a, const Tensor& b);

}  // namespace ttnn::compute
