#include "ttnn/reference/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ttnn/reference/rounding.hpp"
#include "ttnn/reference/unary.hpp"

namespace ttnn::reference {
namespace {

// Inserts a dimension of 1 at the front or at the back of a vector.
Array as_matrix(const Array& array, bool row) {
    if (array.shape.rank() > 1) {
        return array;
    }
    const uint32_t length = array.shape[0];
    return Array(row ? Shape{1, length} : Shape{length, 1}, array.values);
}

Shape result_shape(const Shape& a, const Shape& b, const Array& left, const Array& right) {
    std::vector<uint32_t> dims(left.shape.begin(), left.shape.end() - 2);
    if (a.rank() > 1) {
        dims.push_back(left.shape[-2]);
    }
    if (b.rank() > 1) {
        dims.push_back(right.shape[-1]);
    }
    return Shape(std::span<const uint32_t>(dims));
}

// How far an fp32 sum of so many products may be off, relative to the sum of their magnitudes: rounding errors add up
// like a random walk.
double fp32_sum_error(size_t terms) { return std::ldexp(2.0 + std::sqrt(static_cast<double>(terms)), -23); }

}  // namespace

Array transposed(const Array& array) {
    if (array.shape.rank() < 2) {
        return array;
    }
    Shape shape = array.shape;
    std::swap(shape[-1], shape[-2]);
    Array result(shape);
    for_each_index(array.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> swapped(index.begin(), index.end());
        std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
        result.at(swapped) = array.at(index);
    });
    return result;
}

Array matmul(const Array& a, const Array& b, bool transpose_a, bool transpose_b) {
    const Array left = as_matrix(transpose_a ? transposed(a) : a, true);
    const Array right = as_matrix(transpose_b ? transposed(b) : b, false);
    const size_t rows = left.shape[-2];
    const size_t inner = left.shape[-1];
    const size_t columns = right.shape[-1];
    Array result(result_shape(a.shape, b.shape, left, right));
    const size_t matrix = rows * columns;
    const size_t batches = matrix == 0 ? 0 : result.values.size() / matrix;
    const bool shared = right.values.size() <= inner * columns;
    result.slack.resize(result.values.size());
    const double error = fp32_sum_error(inner);
    // Row by row of the right matrix, which lies as it is read.
    for (size_t batch = 0; batch < batches; ++batch) {
        const double* matrix_b = right.values.data() + (shared ? 0 : batch * inner * columns);
        for (size_t i = 0; i < rows; ++i) {
            double* sums = result.values.data() + batch * matrix + i * columns;
            double* slacks = result.slack.data() + batch * matrix + i * columns;
            for (size_t k = 0; k < inner; ++k) {
                const double factor = left.values[(batch * rows + i) * inner + k];
                const double* row = matrix_b + k * columns;
                for (size_t column = 0; column < columns; ++column) {
                    const double product = factor * row[column];
                    sums[column] += product;
                    slacks[column] += error * std::abs(product);
                }
            }
        }
    }
    return result;
}

namespace {

// What a step stores for the next: a sum that lies near the middle of two numbers may go either way.
Array stored_between(const Array& array, DataType dtype) {
    Array result = rounded(array, dtype);
    result.slack = array.slack;
    const size_t width = std::max<size_t>(array.shape.from_end(0), 1);
    for (size_t i = 0; i < result.values.size(); ++i) {
        double magnitude = std::abs(array.values[i]);
        if (is_block_float(dtype)) {  // neighbours in the row share an exponent
            const size_t first = i - i % width + i % width / 16 * 16;
            for (size_t k = first; k < std::min(first + 16, i - i % width + width); ++k) {
                magnitude = std::max(magnitude, std::abs(array.values[k]));
            }
        }
        result.slack[i] = std::max(result.slack[i], ulp_at(dtype, magnitude));
    }
    return result;
}

Array activated(const LinearCall& call, const Array& array) {
    Array low = array;
    Array high = array;
    for (size_t i = 0; i < array.values.size(); ++i) {
        low.values[i] -= array.slack[i];
        high.values[i] += array.slack[i];
    }
    Array result = unary(*call.activation, call.dtype, array);
    low = unary(*call.activation, call.dtype, low);
    high = unary(*call.activation, call.dtype, high);
    result.slack.resize(result.values.size());
    for (size_t i = 0; i < result.values.size(); ++i) {
        const double middle = result.values[i];
        result.slack[i] = std::max(std::abs(low.values[i] - middle), std::abs(high.values[i] - middle));
    }
    return result;
}

}  // namespace

Array linear(const LinearCall& call) {
    const Array a = values(call.a);
    const Array b = values(call.b);
    const Array left = as_matrix(a, true);
    const Array right = as_matrix(b, false);
    // Vectors are products of matrices until the very end.
    Array result = matmul(left, right, call.transpose_a && a.shape.rank() > 1, call.transpose_b && b.shape.rank() > 1);
    if (call.bias) {
        const Array bias = values(*call.bias);
        result = call.round_before_bias ? stored_between(result, call.dtype) : result;
        for_each_index(result.shape, [&](std::span<const uint32_t> index) {
            // Only its first row counts, which may be wider than the result.
            result.at(index) += bias.values[index.back()];
        });
    }
    if (call.activation) {
        result = call.round_before_activation ? stored_between(result, call.dtype) : result;
        result = activated(call, result);
    }
    if (a.shape.rank() == 1 || b.shape.rank() == 1) {
        result = stored_between(result, call.dtype);
        result.shape = result_shape(a.shape, b.shape, left, right);
    }
    return result;
}

}  // namespace ttnn::reference
