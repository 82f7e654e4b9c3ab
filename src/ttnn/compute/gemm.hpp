// Matrix products on dense fp32 arrays; the BLAS library stays behind this header.
#pragma once

#include <cstddef>
#include <string>

#include "ttnn/compute/guard.hpp"

namespace ttnn::compute {

// Row-major products out[i] = op(a[i]) * op(b[i]); op(a) is m x k, op(b) is k x n.
struct GemmShape {
    size_t batches = 1;
    size_t m = 0;
    size_t n = 0;
    size_t k = 0;
    bool transpose_a = false;  // a is stored k x m
    bool transpose_b = false;  // b is stored n x k
    bool shared_b = false;     // one b for all batches
};

// fp32 products and sums. k = 0 gives zeros. Small products stay on the calling thread.
void gemm(const GemmShape& shape, const float* a, const float* b, float* out);

// The library that multiplies, with its version and the processor it chose its kernels for; loads it.
std::string blas_description();

// Adds a row of `columns` numbers to each of `rows` rows.
void add_row(float* values, const float* row, size_t rows, size_t columns);

}  // namespace ttnn::compute
