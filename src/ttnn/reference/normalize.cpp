#include "ttnn/reference/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ttnn::reference {

namespace {

// log(sum_j exp(x_j)). An infinite maximum is the sum itself.
double log_of_exponential_sum(const std::vector<double>& numbers) {
    double most = -std::numeric_limits<double>::infinity();
    for (const double x : numbers) {
        if (std::isnan(x)) {
            return x;
        }
        most = std::max(most, x);
    }
    if (std::isinf(most)) {
        return most;
    }
    double sum = 0;
    for (const double x : numbers) {
        sum += std::exp(x - most);
    }
    return most + std::log(sum);
}

}  // namespace

// y_i = exp(x_i - log(sum_j exp(x_j))): in logarithms, without the kernel's quotient. Line by line, because a large
// array makes its numbers when they are asked for.
Array softmax(const Array& input, int64_t dim) {
    const size_t axis = input.shape.normalize_dim(dim, "softmax reference");
    size_t stride = 1;
    for (size_t i = axis + 1; i < input.shape.rank(); ++i) {
        stride *= input.shape[static_cast<int64_t>(i)];
    }
    Array result(input.shape);
    std::vector<double> line(input.shape[static_cast<int64_t>(axis)]);
    for (size_t i = 0; i < input.values.size(); ++i) {
        if (i / stride % line.size() != 0) {
            continue;  // not where a line begins
        }
        if (stride == 1) {
            input.values.read(i, line);
        } else {
            for (size_t j = 0; j < line.size(); ++j) {
                line[j] = input.values.held()[i + j * stride];
            }
        }
        const double sum = log_of_exponential_sum(line);
        for (size_t j = 0; j < line.size(); ++j) {
            result.values[i + j * stride] = std::exp(line[j] - sum);
        }
    }
    return result;
}

Array masked_softmax(const Tensor& input, const std::optional<double>& scale, const std::optional<Tensor>& mask,
                     bool mask_has_rows) {
    Array scaled = map(values(input), [&](double x) { return x * scale.value_or(1.0); });
    if (!mask) {
        return softmax(scaled, -1);
    }
    Array addend = values(*mask);
    const bool full = mask->is_sharded();
    const size_t width = scaled.shape.from_end(0);
    const size_t per_batch = addend.values.size() / addend.shape.from_end(3);
    for (size_t i = 0; i < scaled.values.size(); ++i) {
        const size_t column = i % width;
        const size_t row = i / width % scaled.shape.from_end(1);
        const size_t batch = i / width / scaled.shape.from_end(1) / scaled.shape.from_end(2);
        const size_t own_batch = addend.shape.from_end(3) == 1 ? 0 : batch;
        scaled.values[i] +=
            full ? addend.values[i] : addend.values[own_batch * per_batch + (mask_has_rows ? row * width : 0) + column];
    }
    return softmax(scaled, -1);
}

std::vector<double> norm_vector(const Tensor& tensor, size_t width) {
    std::vector<double> vector = values(tensor).values.held();
    if (tensor.layout() == Layout::TILE) {
        vector.resize(tensor.logical_shape().from_end(0));  // the first row of the tile
    }
    vector.resize(width, 0.0);
    return vector;
}

Array normalize(const Array& input, double epsilon, bool center, const std::optional<std::vector<double>>& weight,
                const std::optional<std::vector<double>>& bias) {
    const size_t width = input.shape.from_end(0);
    Array result(input.shape);
    for (size_t row = 0; row < input.values.size(); row += width) {
        double sum = 0;
        double squares = 0;
        for (size_t i = 0; i < width; ++i) {
            sum += input.values[row + i];
            squares += input.values[row + i] * input.values[row + i];
        }
        const double mean = center ? sum / static_cast<double>(width) : 0.0;
        const double spread = squares / static_cast<double>(width) - mean * mean;
        for (size_t i = 0; i < width; ++i) {
            const double normal = (input.values[row + i] - mean) / std::sqrt(spread + epsilon);
            result.values[row + i] = normal * (weight ? (*weight)[i] : 1.0) + (bias ? (*bias)[i] : 0.0);
        }
    }
    return result;
}

}  // namespace ttnn::reference
