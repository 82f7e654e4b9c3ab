// How operations along any dimension become device operations along the last one of four, and back.
#pragma once

#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/rules.hpp"
#include "ttnn/ops/data_movement/squeeze.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/tensor/work_split.hpp"

namespace ttnn::indexing {

// The shape with a dimension and the last one exchanged.
inline Shape exchanged(Shape shape, size_t dim) {
    std::swap(shape[static_cast<int64_t>(dim)], shape[-1]);
    return shape;
}

inline Tensor in_four_dims(const Tensor& tensor) {
    const Shape& shape = tensor.logical_shape();
    if (shape.rank() <= 4) {
        return unsqueeze_to_4D(tensor);
    }
    return reshape(tensor, movement::ints(movement::folded(shape, 4)));
}

inline Tensor to_last_dim(const Tensor& tensor, size_t dim) {
    const size_t last = tensor.logical_shape().rank() - 1;
    if (dim == last) {
        return in_four_dims(tensor);
    }
    return in_four_dims(transpose(tensor, static_cast<int64_t>(dim), static_cast<int64_t>(last)));
}

// The same backwards, for a result of this shape.
inline Tensor from_last_dim(const Tensor& result, const Shape& shape, size_t dim) {
    Tensor moved = reshape(result, movement::ints(exchanged(shape, dim)));
    if (dim + 1 == shape.rank()) {
        return moved;
    }
    return transpose(moved, static_cast<int64_t>(dim), static_cast<int64_t>(shape.rank() - 1));
}

// The cores that a caller chose, or all that there are, as far as there is work for them.
inline CoreRangeSet cores_for(const Program& program, const std::optional<CoreRangeSet>& chosen, uint64_t units) {
    const uint64_t work = std::max<uint64_t>(units, 1);
    return chosen ? split_work_to_cores(*chosen, work, true).all_cores : program.split(work, true);
}

}  // namespace ttnn::indexing
