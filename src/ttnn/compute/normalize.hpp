// Softmax and normalisation of rows of numbers. Inside a row everything runs in fp64 and is rounded to fp32 at the end.
#pragma once

#include <cstddef>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// out = softmax(in * scale + mask) of one row; `mask` may be null. `stable` subtracts the greatest element first. `out`
// may be `in`.
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

}  // namespace ttnn::compute
