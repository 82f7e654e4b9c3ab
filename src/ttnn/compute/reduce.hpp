// Reductions over dense arrays. Sums run in fp64, so that a result is rounded once, whatever the number of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/dense.hpp"
#include "ttnn/tensor/shape.hpp"

namespace ttnn::compute {

// A row-major array seen as outer x count x inner; `count` disappears.
struct ReduceShape {
    size_t outer = 1;
    size_t count = 1;
    size_t inner = 1;
    // Dimensions first..last (inclusive) of a shape.
    static ReduceShape of(const Shape& shape, size_t first, size_t last);
};

// out = factor * sum over count.
void reduce_sum(const float* in, const ReduceShape& shape, double factor, float* out);
void reduce_product(const float* in, const ReduceShape& shape, double factor, float* out);
// Greatest and least element; a NaN among them is the result.
void reduce_max(const float* in, const ReduceShape& shape, float* out);
void reduce_min(const float* in, const ReduceShape& shape, float* out);
// sum((x - mean)^2) / divisor, by rows: `in` is rows x count.
void row_variance(const float* in, size_t rows, size_t count, double divisor, float* out);

// 32-bit patterns: sums wrap around; greatest and least as int32 where `is_signed`.
void reduce_sum(const uint32_t* in, const ReduceShape& shape, uint32_t* out);
void reduce_max(const uint32_t* in, const ReduceShape& shape, bool is_signed, uint32_t* out);
void reduce_min(const uint32_t* in, const ReduceShape& shape, bool is_signed, uint32_t* out);

// A copy with the dimensions marked in `last` moved behind the others, both groups in order.
Dense<float> move_dims_last(const float* in, const Shape& shape, std::span<const uint8_t> last);

// Index of the first greatest element of each row.
void row_argmax(const float* in, size_t rows, size_t count, uint32_t* out);
void row_argmax(const uint32_t* in, size_t rows, size_t count, bool is_signed, uint32_t* out);

}  // namespace ttnn::compute
