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

// A product of two matrices: its sums, and the sums of the magnitudes of its terms.
struct Product {
    const double* left;
    const double* right;
    double* sums;
    double* magnitudes;
    size_t rows, inner, columns;
};

// Some columns of the sums of one row, with the next four terms, or with one. Terms are added one after the other:
// the result is that of the plain loop.
void add_four_terms(const Product& product, size_t row, size_t k, size_t begin, size_t end) {
    const double* factors = product.left + row * product.inner + k;
    const double* terms = product.right + k * product.columns;
    double* sums = product.sums + row * product.columns;
    double* magnitudes = product.magnitudes + row * product.columns;
    const size_t next = product.columns;
    for (size_t column = begin; column < end; ++column) {
        const double first = factors[0] * terms[column];
        const double second = factors[1] * terms[column + next];
        const double third = factors[2] * terms[column + 2 * next];
        const double fourth = factors[3] * terms[column + 3 * next];
        sums[column] = sums[column] + first + second + third + fourth;
        magnitudes[column] += std::abs(first) + std::abs(second) + std::abs(third) + std::abs(fourth);
    }
}

void add_term(const Product& product, size_t row, size_t k, size_t begin, size_t end) {
    const double factor = product.left[row * product.inner + k];
    const double* terms = product.right + k * product.columns;
    for (size_t column = begin; column < end; ++column) {
        const double term = factor * terms[column];
        product.sums[row * product.columns + column] += term;
        product.magnitudes[row * product.columns + column] += std::abs(term);
    }
}

// In blocks of the right matrix that stay in the cache while all rows of the left one pass: large matrices would
// otherwise be read from memory once per row.
void add_products(const Product& product) {
    constexpr size_t wide = 512;
    constexpr size_t deep = 64;
    for (size_t begin = 0; begin < product.columns; begin += wide) {
        const size_t end = std::min(begin + wide, product.columns);
        for (size_t first = 0; first < product.inner; first += deep) {
            const size_t last = std::min(first + deep, product.inner);
            for (size_t row = 0; row < product.rows; ++row) {
                size_t k = first;
                for (; k + 4 <= last; k += 4) {
                    add_four_terms(product, row, k, begin, end);
                }
                for (; k < last; ++k) {
                    add_term(product, row, k, begin, end);
                }
            }
        }
    }
}

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
    if (shared && batches > 0) {
        add_products({left.values.data(), right.values.data(), result.values.data(), result.slack.data(),
                      batches * rows, inner, columns});
    }
    for (size_t batch = 0; batch < batches && !shared; ++batch) {
        add_products({left.values.data() + batch * rows * inner, right.values.data() + batch * inner * columns,
                      result.values.data() + batch * matrix, result.slack.data() + batch * matrix, rows, inner,
                      columns});
    }
    const double error = fp32_sum_error(inner);
    for (double& slack : result.slack) {
        slack *= error;
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
