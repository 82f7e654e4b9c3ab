// Inputs of the collectives' own cases: every chip of the mesh holds other values.
#pragma once

#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn::ccl {

// Spread along every dimension of the mesh, as models spread theirs.
inline Tensor spread(const CaseMaker& make, const Shape& shape) {
    Tensor tensor = make.tensor(shape);
    if (tensor.num_parts() > 1) {
        const MeshShape& mesh = make.device()->mesh();
        tensor.set_topology({std::vector<Placement>(mesh.rank(), Placement{0}), mesh});
    }
    return tensor;
}

// Every dimension of the mesh, and none of them.
inline std::vector<std::optional<int64_t>> axes(const CaseMaker& make) {
    std::vector<std::optional<int64_t>> list{std::nullopt};
    for (size_t i = 0; i < make.device()->mesh().rank(); ++i) {
        list.emplace_back(static_cast<int64_t>(i));
    }
    return list;
}

// How many chips share a dimension that any group must be able to divide.
inline uint32_t chips(const CaseMaker& make) { return make.device()->num_chips(); }

}  // namespace ttnn::ccl
