#include "ttnn/reference/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "ttnn/core/parallel.hpp"
#include "ttnn/core/vector_clones.hpp"
#include "ttnn/reference/in_blocks.hpp"
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

// Some rows of the left matrix and a panel of the right one, and the rows of the result that they add to: sums, and the
// sums of the magnitudes of their terms.
struct Block {
    const double* left;  // stride `inner`
    const double* panel;
    double* sums;
    double* magnitudes;
    size_t rows, inner, depth, columns;
};

// Some columns of one row with the next four terms, or with one. Terms are added one after the other: the result is
// that of the plain loop.
TTNN_ALWAYS_INLINE void add_four_terms(const Block& block, size_t row, size_t k, size_t begin, size_t end) {
    const double* factors = block.left + row * block.inner + k;
    const double* terms = block.panel + k * block.columns;
    double* sums = block.sums + row * block.columns;
    double* magnitudes = block.magnitudes + row * block.columns;
    const size_t next = block.columns;
    for (size_t column = begin; column < end; ++column) {
        const double first = factors[0] * terms[column];
        const double second = factors[1] * terms[column + next];
        const double third = factors[2] * terms[column + 2 * next];
        const double fourth = factors[3] * terms[column + 3 * next];
        sums[column] = sums[column] + first + second + third + fourth;
        magnitudes[column] += std::abs(first) + std::abs(second) + std::abs(third) + std::abs(fourth);
    }
}

TTNN_ALWAYS_INLINE void add_term(const Block& block, size_t row, size_t k, size_t begin, size_t end) {
    const double factor = block.left[row * block.inner + k];
    const double* terms = block.panel + k * block.columns;
    for (size_t column = begin; column < end; ++column) {
        const double term = factor * terms[column];
        block.sums[row * block.columns + column] += term;
        block.magnitudes[row * block.columns + column] += std::abs(term);
    }
}

// In pieces of the panel that stay in the cache while all rows pass: large matrices would otherwise be read from memory
// once per row.
TTNN_VECTOR_CLONES void add_block(const Block& block) {
    constexpr size_t wide = 512;
    constexpr size_t deep = 64;
    for (size_t begin = 0; begin < block.columns; begin += wide) {
        const size_t end = std::min(begin + wide, block.columns);
        for (size_t first = 0; first < block.depth; first += deep) {
            const size_t last = std::min(first + deep, block.depth);
            for (size_t row = 0; row < block.rows; ++row) {
                size_t k = first;
                for (; k + 4 <= last; k += 4) {
                    add_four_terms(block, row, k, begin, end);
                }
                for (; k < last; ++k) {
                    add_term(block, row, k, begin, end);
                }
            }
        }
    }
}

// One of two matrices: where its numbers are, and how many they are.
struct Matrix {
    const Values& values;
    size_t first, rows, columns;
};

// Adds the product of two matrices. Of a large operand only a part is held in fp64 at a time.
void add_product(const Matrix& left, const Matrix& right, double* sums, double* magnitudes) {
    constexpr size_t most_held = size_t{1} << 24;  // numbers
    const size_t inner = left.columns;
    const size_t row_step = std::clamp<size_t>(most_held / std::max<size_t>(inner, 1), 1, left.rows);
    const size_t depth_step = std::clamp<size_t>(most_held / right.columns / 4 * 4, 4, std::max<size_t>(inner, 4));
    std::vector<double> rows(row_step * inner);
    std::vector<double> panel(std::min(depth_step, inner) * right.columns);
    for (size_t row = 0; row < left.rows; row += row_step) {
        const size_t count = std::min(row_step, left.rows - row);
        left.values.read(left.first + row * inner, std::span(rows).first(count * inner));
        for (size_t k = 0; k < inner; k += depth_step) {
            const size_t depth = std::min(depth_step, inner - k);
            right.values.read(right.first + k * right.columns, std::span(panel).first(depth * right.columns));
            const size_t least = (size_t{1} << 18) / std::max<size_t>(depth * right.columns, 1) + 1;
            parallel(count, least, [&](size_t first, size_t last) {
                const size_t at = (row + first) * right.columns;
                add_block({rows.data() + first * inner + k, panel.data(), sums + at, magnitudes + at, last - first,
                           inner, depth, right.columns});
            });
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
    result.slack = Values(result.values.size(), 0.0);
    // Rows of all batches meet the same right matrix where it has no batches of its own.
    const bool shared = right.values.size() <= inner * columns;
    const size_t products = shared ? std::min<size_t>(batches, 1) : batches;
    const size_t product_rows = shared ? batches * rows : rows;
    for (size_t i = 0; i < products; ++i) {
        add_product({left.values, i * rows * inner, product_rows, inner},
                    {right.values, i * inner * columns, inner, columns}, result.values.data() + i * matrix,
                    result.slack.data() + i * matrix);
    }
    const double error = fp32_sum_error(inner);
    for (double& slack : result.slack) {
        slack *= error;
    }
    return result;
}

namespace {

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
    result.slack = Values(result.values.size(), 0.0);
    for (size_t i = 0; i < result.values.size(); ++i) {
        const double middle = result.values[i];
        result.slack[i] = std::max(std::abs(low.values[i] - middle), std::abs(high.values[i] - middle));
    }
    return result;
}

}  // namespace

namespace {

// The rest of the call, from the product on: `result` has whole rows.
Array finished(const LinearCall& call, Array result) {
    if (call.bias) {
        const Array bias = values(*call.bias);
        result = call.round_before_bias ? stored_between(result, call.dtype) : result;
        const size_t width = result.shape.from_end(0);
        for (size_t i = 0; i < result.values.size(); ++i) {
            result.values[i] +=
                bias.values[i % width];  // only its first row counts, which may be wider than the result
        }
    }
    if (call.activation) {
        result = call.round_before_activation ? stored_between(result, call.dtype) : result;
        result = activated(call, result);
    }
    return result;
}

RowBlocks rows_of_linear(const LinearCall& call, const Array& left, const Array& right) {
    const size_t inner = left.shape[-1];
    const auto make = [call, left, right, inner](size_t first, size_t count) {
        std::vector<double> numbers(count * inner);
        left.values.read(first * inner, numbers);
        const Array some({static_cast<uint32_t>(count), static_cast<uint32_t>(inner)}, std::move(numbers));
        return finished(call, matmul(some, right));
    };
    return {.rows = left.values.size() / inner,
            .width = right.shape[-1],
            .most_numbers = size_t{1} << 22,
            .slack = true,
            .make = make};
}

// Whether every row of the result comes from one row of the first operand and the one matrix of the second.
bool has_independent_rows(const LinearCall& call, const Array& left, const Array& right) {
    const bool one_matrix = right.values.size() == size_t{right.shape[-1]} * right.shape[-2];
    return one_matrix && !call.transpose_a && left.shape.rank() > 1 && !left.values.empty() && !right.values.empty();
}

}  // namespace

Array linear(const LinearCall& call) {
    const Array a = values(call.a);
    const Array b = values(call.b);
    const Array left = as_matrix(a, true);
    const Array right = as_matrix(b, false);
    const bool transpose_a = call.transpose_a && a.shape.rank() > 1;
    const bool transpose_b = call.transpose_b && b.shape.rank() > 1;
    constexpr size_t large = size_t{1} << 26;  // numbers
    const size_t rows = left.values.size() / std::max<size_t>(left.shape[-1], 1);
    const size_t columns = transpose_b ? right.shape[-2] : right.shape[-1];
    const bool vectors = a.shape.rank() == 1 || b.shape.rank() == 1;
    if (!vectors && rows * columns >= large && has_independent_rows(call, left, right)) {
        Shape shape = left.shape;
        shape[-1] = static_cast<uint32_t>(columns);
        return in_blocks(shape, rows_of_linear(call, left, transpose_b ? transposed(right) : right));
    }
    // Vectors are products of matrices until the very end.
    Array result = finished(call, matmul(left, right, transpose_a, transpose_b));
    if (vectors) {
        result = stored_between(result, call.dtype);
        result.shape = result_shape(a.shape, b.shape, left, right);
    }
    return result;
}

}  // namespace ttnn::reference
