// Large results that are computed some rows at a time when they are asked for: in fp64 they would take many times the
// memory of the call's tensors.
#pragma once

#include <cstddef>
#include <functional>

#include "ttnn/reference/array.hpp"

namespace ttnn::reference {

struct RowBlocks {
    size_t rows = 0;
    size_t width = 0;         // numbers of a row
    size_t most_numbers = 0;  // at a time, but a row at least
    bool slack = false;       // rows come with their slack
    // Rows `first` to `first + count - 1`, one after the other; must own what it uses.
    std::function<Array(size_t first, size_t count)> make{};
};
Array in_blocks(const Shape& shape, RowBlocks blocks);

}  // namespace ttnn::reference
