// Vocabulary of the references of attention heads.
#pragma once

#include <functional>
#include <optional>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

// Which number of a source an index of a result reads, and how many read on from there; without a source they are 0.
struct Run {
    std::optional<size_t> from;
    size_t count = 1;
};
Array regrouped(const Array& source, const Shape& shape, std::function<Run(size_t index)> where);

// Heads out of wide rows [batches, ..., width]: head h of the result begins in column `column(h)`. `shape` has the
// heads behind the batches, and the columns of a head at the end, or in front of the rows.
struct HeadSplit {
    size_t batches;
    size_t heads;
    size_t head_dim;
    std::function<size_t(size_t head)> column;
    bool transposed = false;
};
Array split_heads(const Array& rows, const HeadSplit& split, const Shape& shape);

// [batches, heads, rows, head_dim] -> [batches, 1, rows, heads * head_dim].
Array joined_heads(const Array& heads);

}  // namespace ttnn::reference
