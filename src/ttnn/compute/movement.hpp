// Kernels that move elements without computing: copies into another layout, and strided walks between dense arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Which elements go where: a box of elements with its own strides in the source and in the target array.
struct Walk {
    struct Dim {
        uint64_t size = 1;
        uint64_t from_stride = 0;
        uint64_t to_stride = 0;
    };
    std::vector<Dim> dims;  // outermost first
    uint64_t from = 0;      // position of the first element
    uint64_t to = 0;
};

// The whole target in row-major order, dimension i of it being dimension dims[i] of the source.
Walk permuted(const Shape& source, std::span<const size_t> dims);
// The whole target, read from source[starts + i * steps].
Walk sliced(const Shape& source, const Shape& target, std::span<const uint32_t> starts,
            std::span<const uint32_t> steps);
// The whole source, written to target[starts + i].
Walk placed(const Shape& source, const Shape& target, std::span<const uint32_t> starts);
// The whole target: the source `factors` times side by side.
Walk repeated(const Shape& source, std::span<const uint32_t> factors);

// The walk over logical elements; what no walk reaches becomes `fill`. One walk per input.
void walk(std::span<const Tensor> inputs, std::span<const Walk> walks, Tensor& output, double fill = 0.0);
inline void walk(const Tensor& input, const Walk& way, Tensor& output, double fill = 0.0) {
    walk({&input, 1}, {&way, 1}, output, fill);
}

// The same elements in row-major order, whatever shape, dtype, layout and memory the output has. Hidden padding becomes
// `pad`, except where both store the same pages: then it is copied along.
void transfer(const Tensor& input, Tensor& output, double pad = 0.0);
// The same, but hidden padding becomes `pad` in any case.
void refill(const Tensor& input, Tensor& output, double pad);
// The elements of the padded shape, cropped to (or placed in) the output's logical shape.
void transfer_padded(const Tensor& input, Tensor& output);
// Every logical element becomes `value`.
void fill(Tensor& tensor, double value);

}  // namespace ttnn::compute
