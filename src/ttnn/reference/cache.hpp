// Vocabulary of the references of caches: arrays that differ from a large one in some rows only, and the chips of a
// mesh that a call is limited to.
#pragma once

#include <span>
#include <unordered_map>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// Which row of another array stands in a row; rows are counted over all leading dimensions.
using RowSources = std::unordered_map<size_t, size_t>;
// `base` with some rows replaced by the beginnings of rows of another array, which are at least as wide.
Array with_rows(const Array& base, const Array& rows, RowSources sources);

// A tensor's rows with those that fill its last tiles.
Array padded_rows(const Tensor& tensor);

// What one chip holds of a tensor.
inline Tensor part_on(const Tensor& tensor, uint32_t chip) {
    return tensor.num_parts() > 1 ? tensor.part(chip) : tensor;
}
// Whether a chip is among those that a call is limited to. The tensors tell the mesh: copies on the host know it only
// if they were spread along both of its dimensions.
bool takes_part(const std::optional<MeshCoordinateSet>& limits, std::span<const Tensor> tensors, uint32_t chip);

}  // namespace ttnn::reference
