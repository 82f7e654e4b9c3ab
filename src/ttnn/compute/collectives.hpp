// Kernels of the collectives: what chips of a mesh hold, moved between them and summed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttnn/compute/guard.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn::compute {

// Chips that work together, in their order.
using ChipGroup = std::vector<uint32_t>;

// A box of elements that goes from one tensor to another of the same rank.
struct Box {
    std::vector<uint32_t> from;  // its first index in the source
    std::vector<uint32_t> to;    // and in the target
    Shape size;
};

// Box i of input i, all into the output, which they do not fill where they leave zeros. Whole pages are copied as they
// are; other boxes go through plain numbers.
void move_boxes(std::span<const Tensor> inputs, std::span<const Box> boxes, Tensor& output);

// In all of the following the tensors are those of the whole mesh.

// Every chip of a group gets the parts of all, joined along `dim` in the order of the group.
void gather(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups);
// The i-th chip of a group keeps the i-th of equal slices along `dim` of its own part.
void partition(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups);
// The i-th chip of a group gets the i-th slice along `cut` of all parts, joined along `joined`.
void exchange(const Tensor& input, Tensor& output, size_t joined, size_t cut, std::span<const ChipGroup> groups);
// Every chip of a group gets the sum of all parts: fp32 in the order of the group, rounded once. Integers wrap.
void sum(const Tensor& input, Tensor& output, std::span<const ChipGroup> groups);
// The same, of which the i-th chip keeps the i-th of equal slices along `dim`.
void sum_and_scatter(const Tensor& input, Tensor& output, size_t dim, std::span<const ChipGroup> groups);
// Every chip of a group gets the part of its member number `sender`.
void broadcast_part(const Tensor& input, Tensor& output, size_t sender, std::span<const ChipGroup> groups);

// Chips of a group cut one tensor along `dim`; they cut it anew from element `first` of it on, into the output's parts.
void reslice(const Tensor& input, Tensor& output, size_t dim, uint64_t first, std::span<const ChipGroup> groups);

// What is put around a part: rows of its neighbours, and where there is none zeros or its own row at the border.
struct Halo {
    size_t dim = 0;
    uint32_t before = 0;
    uint32_t after = 0;
    bool replicate = false;
};
void pad_from_neighbours(const Tensor& input, Tensor& output, const Halo& halo, std::span<const ChipGroup> groups);

}  // namespace ttnn::compute
