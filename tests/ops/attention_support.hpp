// What the tests of attention share: tensors with chosen numbers, and attention by definition in plain loops.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "ops/math_support.hpp"

namespace ttnn::test {

using Numbers = std::vector<float>;

// Numbers in [-1, 1] that every dtype of attention holds exactly in BFLOAT16 (multiples of 1/8).
inline Numbers scattered(size_t count, uint32_t seed) {
    Numbers numbers(count);
    uint32_t state = seed;
    for (float& number : numbers) {
        state = state * 1664525U + 1013904223U;
        number = static_cast<float>(static_cast<int>(state >> 24U) % 17 - 8) / 8.0F;
    }
    return numbers;
}

// One head: `sees(i, j)` tells whether query i sees key j.
inline Numbers attention_by_definition(const Numbers& q, const Numbers& k, const Numbers& v, size_t width, double scale,
                                       const std::function<bool(size_t, size_t)>& sees) {
    const size_t keys = k.size() / width;
    const size_t value_width = v.size() / keys;
    Numbers result;
    for (size_t i = 0; i < q.size() / width; ++i) {
        std::vector<double> sums(value_width, 0.0);
        double total = 0;
        for (size_t j = 0; j < keys; ++j) {
            double score = 0;
            for (size_t c = 0; c < width; ++c) {
                score += static_cast<double>(q[i * width + c]) * k[j * width + c];
            }
            const double weight = sees(i, j) ? std::exp(score * scale) : 0.0;
            total += weight;
            for (size_t c = 0; c < value_width; ++c) {
                sums[c] += weight * v[j * value_width + c];
            }
        }
        for (const double sum : sums) {
            result.push_back(static_cast<float>(sum / total));
        }
    }
    return result;
}

// Rows of `width` equal numbers.
inline Numbers rows_of(const Numbers& numbers, size_t width) {
    Numbers result;
    for (const float number : numbers) {
        result.insert(result.end(), width, number);
    }
    return result;
}

// The first number of each row.
inline Numbers first_column(const Tensor& tensor) {
    const Numbers all = values_of(tensor);
    Numbers result;
    for (size_t i = 0; i < all.size(); i += tensor.logical_shape()[-1]) {
        result.push_back(all[i]);
    }
    return result;
}

}  // namespace ttnn::test
