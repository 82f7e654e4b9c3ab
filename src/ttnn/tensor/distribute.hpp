// Cuts tensors on the host into the parts that the chips of a mesh get, and puts such parts together again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// Where one part lies in the whole: from `begin` on, before `end`, in every dimension.
struct PartBox {
    std::vector<uint32_t> begin;
    std::vector<uint32_t> end;
    bool operator==(const PartBox&) const = default;
};

// One box for every coordinate of the distribution, row-major. A dimension of n elements is cut into chunks of
// ceil(n / parts). Throws where the chunks are not equal: all chips allocate alike.
std::vector<PartBox> part_boxes(const Shape& shape, const Topology& topology);

// The parts of a tensor on the host that is whole. They keep dtype, layout, tile and memory config. Bits are kept where
// cuts lie between tiles; elsewhere block floats are packed anew.
Tensor distribute(const Tensor& tensor, const Topology& topology);

// One tensor on the host of the parts: those along dimension i of `arrangement` stand side by side in dimension dims[i]
// of the tensor, also where they are alike. A tensor on a device is read first. Bits as above; interleaved.
Tensor compose(const Tensor& tensor, std::span<const int32_t> dims, const MeshShape& arrangement);

}  // namespace ttnn
