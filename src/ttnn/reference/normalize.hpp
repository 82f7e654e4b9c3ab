// Softmax and normalisations by definition.
#pragma once

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

Array softmax(const Array& input, int64_t dim);
// softmax(input * scale + mask) over the last dimension. The mask has a row per batch, or per batch and row, or the
// input's shape.
Array masked_softmax(const Tensor& input, const std::optional<double>& scale, const std::optional<Tensor>& mask,
                     bool mask_has_rows);

// The W numbers that a weight or bias tensor of a normalisation stands for.
std::vector<double> norm_vector(const Tensor& tensor, size_t width);
// (x - mean) / sqrt(var + epsilon) * weight + bias over the last dimension, without the mean where not `center`.
Array normalize(const Array& input, double epsilon, bool center, const std::optional<std::vector<double>>& weight,
                const std::optional<std::vector<double>>& bias);

}  // namespace ttnn::reference
