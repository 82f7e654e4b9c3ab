// Softmax and normalisation of rows of numbers. Inside a row everything runs in fp64 and is rounded to fp32 at the end.
#pragma once

#include <cstddef>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// out = softmax(in * scale + mask) of one row; `mask` may be null. `stable` subtracts the greatest element first. `out`
// may be `in`.
// Rows of a width that are worth a thread, where a row is normalised.
size_t rows_for_a_thread(size_t width);

void softmax_row(const float* in, const float* mask, size_t count, double scale, bool stable, float* out);

// The same over the middle of outer x count x inner numbers, without mask.
void softmax(const float* in, size_t outer, size_t count, size_t inner, bool stable, float* out);

struct NormRow {
    const float* weight = nullptr;  // `count` numbers each, or null
    const float* bias = nullptr;
    double epsilon = 0;
    bool center = true;  // layer norm; false: rms norm
};
// out = (x - mean) / sqrt(var + epsilon) * weight + bias for x = in + residual; without centering the mean of squares
// takes the place of the variance. `residual` may be null.
void normalize_row(const float* in, const float* residual, size_t count, const NormRow& norm, float* out);

struct RowSums {
    double sum = 0;
    double squares = 0;
};
// Sums of x - center and of its square for x = in + residual; `residual` may be null.
RowSums row_sums(const float* in, const float* residual, size_t count, double center);
// out = (x - mean) * factor * weight + bias, with what is in `norm` but for the epsilon. `out` may be `in`.
void scale_row(const float* in, size_t count, double mean, double factor, const NormRow& norm, float* out);

// Sums of a matrix's columns, of the elements' distances from the columns' centers. Both are added to.
void add_column_sums(const float* in, size_t rows, size_t columns, const double* centers, double* sums,
                     double* squares);
// out = (x - mean) * factor + bias with a mean, a factor and a bias for each column.
void scale_columns(const float* in, size_t rows, size_t columns, const double* means, const double* factors,
                   const double* biases, float* out);

}  // namespace ttnn::compute
