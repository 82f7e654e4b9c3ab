#include "ttnn/reference/normalize.hpp"

#include <cmath>

namespace ttnn::reference {

// y_i = 1 / sum_j exp(x_j - x_i): the same without a separate maximum or quotient.
Array softmax(const Array& input, int64_t dim) {
    const size_t axis = input.shape.normalize_dim(dim, "softmax reference");
    Array result(input.shape);
    for_each_index(input.shape, [&](std::span<const uint32_t> index) {
        std::vector<uint32_t> other(index.begin(), index.end());
        double sum = 0;
        for (uint32_t j = 0; j < input.shape[static_cast<int64_t>(axis)]; ++j) {
            other[axis] = j;
            sum += std::exp(input.at(other) - input.at(index));
        }
        result.at(index) = 1.0 / sum;
    });
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
