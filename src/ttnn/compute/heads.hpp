// Kernels of attention heads: heads that lie side by side in wide rows against heads with rows of their own.
#pragma once

#include <cstdint>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Where heads lie in wide rows: groups of heads, one beside the other, begin at equal distances.
struct HeadColumns {
    uint64_t batches = 1;
    uint64_t groups = 1;
    uint64_t per_group = 1;
    uint64_t first = 0;       // column
    uint64_t group_step = 0;  // columns
    uint64_t head_dim = 0;

    uint64_t heads() const { return groups * per_group; }
};

// rows [batches, ..., width] -> heads [batches, heads, ..., head_dim], or with the last dimension in front of the rows.
// Columns that the result has beyond head_dim become 0.
void take_heads(const Tensor& rows, const HeadColumns& columns, bool transposed, Tensor& heads);
// The reverse: heads [batches, heads, ..., head_dim] side by side in rows.
void join_heads(const Tensor& heads, uint64_t batches, uint64_t count, Tensor& rows);

}  // namespace ttnn::compute
