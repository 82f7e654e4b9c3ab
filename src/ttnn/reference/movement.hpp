// Vocabulary of the references of data-movement operations.
#pragma once

#include <algorithm>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// torch.reshape: the same elements in row-major order; one entry may be -1.
inline Array reshaped(const Array& input, std::vector<int64_t> dims) {
    int64_t known = 1;
    for (const int64_t dim : dims) {
        known *= dim == -1 ? 1 : dim;
    }
    if (known != 0) {
        std::ranges::replace(dims, int64_t{-1}, static_cast<int64_t>(input.values.size()) / known);
    }
    return {Shape::from_ints(dims), input.values};
}

// The array of this shape whose element at `index` is what `element` gives for it.
inline Array generated(const Shape& shape, const std::function<double(std::span<const uint32_t>)>& element) {
    Array result(shape);
    size_t at = 0;
    for_each_index(shape, [&](std::span<const uint32_t> index) { result.values[at++] = element(index); });
    return result;
}

// The array of this shape in which neighbours along dimension i of the input lie `steps[i]` elements apart. The input
// is read row by row.
inline Array scattered(const Array& input, const Shape& shape, const std::vector<size_t>& steps) {
    Array result(shape);
    if (input.values.empty()) {
        return result;
    }
    Shape rows = input.shape;
    rows[-1] = 1;
    std::vector<double> row(input.shape[-1]);
    size_t done = 0;
    double* to = result.values.data();
    for_each_index(rows, [&](std::span<const uint32_t> index) {
        input.values.read(done, row);
        done += row.size();
        size_t at = 0;
        for (size_t i = 0; i < index.size(); ++i) {
            at += index[i] * steps[i];
        }
        for (size_t i = 0; i < row.size(); ++i) {
            to[at + i * steps.back()] = row[i];
        }
    });
    return result;
}

inline size_t from_front(int64_t dim, size_t rank) {
    return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

}  // namespace ttnn::reference
