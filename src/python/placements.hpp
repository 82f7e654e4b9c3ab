// Mappers and composers of meshes, as Python holds them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "ttnn/tensor/tensor.hpp"

namespace ttnn::python {

// How a tensor is cut for a mesh: see distribute.
struct TensorToMesh {
    std::vector<Placement> placements;
    MeshShape distribution;
};

// How parts of a mesh are put together: see compose.
struct MeshToTensor {
    std::vector<int32_t> dims;
    MeshShape mesh;
};

// The bytes of a tensor on the host: a grid of parts, all of them in this process.
struct HostBuffer {
    Tensor tensor;
};

// The parts of a host tensor. Where a dimension has fewer chunks than the mesh has devices for it, the last ones get
// none.
Tensor distributed(const Tensor& host, const TensorToMesh& mapper);

// Of a keyword mesh_mapper= or mesh_composer=: None, one of the above, or something that gives one as unwrap(). Throws
// TypeError for anything else; `function` is whose argument it is.
std::optional<TensorToMesh> mapper_argument(nanobind::handle object, std::string_view function);
std::optional<MeshToTensor> composer_argument(nanobind::handle object, std::string_view function);

// The tensor itself, put together where a composer is given. Throws for several parts without one.
Tensor values_of_mesh(const Tensor& tensor, const std::optional<MeshToTensor>& composer);

}  // namespace ttnn::python
