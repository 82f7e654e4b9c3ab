// How tensors lie on a mesh: placements, topologies, mappers, composers, and the parts themselves.
#include "python/placements.hpp"

#include <algorithm>
#include <functional>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/tensor/distribute.hpp"
#include "ttnn/tensor/tensor_parts.hpp"

namespace ttnn::python {
namespace {

struct Replicate {
    bool operator==(const Replicate&) const = default;
};
struct Shard {
    int32_t dim = 0;
    bool operator==(const Shard&) const = default;
};
using PlacementObject = std::variant<Replicate, Shard>;

std::vector<Placement> placements_of(const std::vector<PlacementObject>& objects) {
    std::vector<Placement> placements(objects.size());
    for (size_t i = 0; i < objects.size(); ++i) {
        if (const auto* shard = std::get_if<Shard>(&objects[i])) {
            placements[i].dim = shard->dim;
        }
    }
    return placements;
}

std::vector<PlacementObject> objects_of(const std::vector<Placement>& placements) {
    std::vector<PlacementObject> objects;
    for (const Placement& placement : placements) {
        placement.dim ? objects.emplace_back(Shard{*placement.dim}) : objects.emplace_back(Replicate{});
    }
    return objects;
}

struct TensorTopology {
    Topology topology;
    std::vector<MeshCoordinate> coordinates;  // of the parts, in their order
    bool operator==(const TensorTopology&) const = default;
};

TensorTopology topology_of(const Tensor& tensor) {
    const Topology& topology = tensor.topology();
    if (const auto chip = tensor.chip()) {
        return {topology, {tensor.device()->mesh().coordinate_of(*chip)}};
    }
    const MeshShape& mesh = tensor.num_parts() > 1 && tensor.is_on_device() ? tensor.device()->mesh()  //
                                                                            : topology.distribution;
    return {topology, distribution_to_mesh(topology.distribution, mesh)};
}

void bind_topology(nb::module_& module) {
    nb::class_<Replicate>(module, "PlacementReplicate", "Every device along this dimension of the mesh has the whole.")
        .def(nb::init<>())
        .def("__eq__", &equal<Replicate>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const Replicate&) { return 0; })
        .def("__repr__", [](const Replicate&) { return "PlacementReplicate()"; });
    nb::class_<Shard>(module, "PlacementShard", "The devices along this dimension of the mesh share a tensor's `dim`.")
        .def(
            "__init__", [](Shard* self, int32_t dim) { new (self) Shard{dim}; }, nb::arg("dim"))
        .def_ro("dim", &Shard::dim)
        .def("__eq__", &equal<Shard>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const Shard& self) { return static_cast<int64_t>(self.dim) + 1024; })
        .def("__repr__", [](const Shard& self) { return fmt::format("PlacementShard({})", self.dim); });
    nb::class_<TensorTopology>(module, "TensorTopology", "How a tensor is spread over its mesh.")
        .def(
            "__init__",
            [](TensorTopology* self, const MeshShape& distribution, const std::vector<PlacementObject>& placements,
               std::vector<MeshCoordinate> coordinates) {
                new (self) TensorTopology{{placements_of(placements), distribution}, std::move(coordinates)};
            },
            nb::arg("distribution_shape"), nb::arg("placements"), nb::arg("mesh_coords"))
        .def("placements", [](const TensorTopology& self) { return objects_of(self.topology.placements); })
        .def("distribution_shape", [](const TensorTopology& self) { return self.topology.distribution; })
        .def("mesh_coords", [](const TensorTopology& self) { return self.coordinates; })
        .def("__eq__", &equal<TensorTopology>, nb::is_operator(), nb::sig(equal_signature));
}

// A grid of devices that a tensor is cut for or put together from, and which must be there.
MeshShape grid_on(const Device& device, const std::optional<MeshShape>& override_shape, size_t dims) {
    MeshShape grid = override_shape.value_or(device.mesh());
    require(grid.num_chips() > 0 && grid.num_chips() <= device.num_chips(),
            "a grid of {} devices does not fit a mesh of {}", grid.to_string(), device.mesh().to_string());
    require(dims == grid.rank(), "a mesh of {} has {} dimensions, but {} {} given", grid.to_string(), grid.rank(), dims,
            dims == 1 ? "is" : "are");
    return grid;
}

void bind_mappers(nb::module_& module) {
    nb::class_<TensorToMesh>(module, "TensorToMesh", "Distributes a tensor over a mesh.")
        .def(
            "__init__",
            [](TensorToMesh* self, const Device& device, const std::vector<PlacementObject>& placements,
               const std::optional<MeshShape>& shape) {
                new (self) TensorToMesh{placements_of(placements), grid_on(device, shape, placements.size())};
            },
            nb::arg("mesh_device"), nb::arg("placements"), nb::arg("mesh_shape_override") = nb::none())
        .def_prop_ro("placements", [](const TensorToMesh& self) { return objects_of(self.placements); })
        .def_prop_ro("distribution_shape", [](const TensorToMesh& self) { return self.distribution; });
    remember_type<TensorToMesh>();
    nb::class_<MeshToTensor>(module, "MeshToTensor", "Puts a distributed tensor together.")
        .def(
            "__init__",
            [](MeshToTensor* self, const Device& device, std::vector<int32_t> dims,
               const std::optional<MeshShape>& shape) {
                MeshShape grid = grid_on(device, shape, dims.size());
                new (self) MeshToTensor{std::move(dims), std::move(grid)};
            },
            nb::arg("mesh_device"), nb::arg("dims"), nb::arg("mesh_shape_override") = nb::none())
        .def_ro("dims", &MeshToTensor::dims)
        .def_prop_ro("mesh_shape", [](const MeshToTensor& self) { return self.mesh; });
    remember_type<MeshToTensor>();
}

template <class T>
std::optional<T> unwrapped(nb::handle object, std::string_view function, std::string_view what, std::string_view type) {
    if (!object.is_valid() || object.is_none()) {
        return std::nullopt;
    }
    const nb::object inner = nb::hasattr(object, "unwrap") ? object.attr("unwrap")() : nb::borrow(object);
    if (const T* found = instance_of<T>(inner.ptr())) {
        return *found;
    }
    throw nb::type_error(
        fmt::format("ttnn.{}(): the {} must be a {}, not {}", function, what, type, type_text(object.ptr())).c_str());
}

std::vector<TensorObject> parts_of(const Tensor& tensor) {
    std::vector<TensorObject> parts;
    for (const uint32_t part : used_parts(tensor)) {
        parts.emplace_back(tensor.part(part));
    }
    return parts;
}

// For each part the number of the first that holds the same bytes.
std::vector<size_t> equal_parts(const Tensor& tensor) {
    const std::vector<uint32_t> parts = used_parts(tensor);
    std::vector<size_t> firsts;
    for (const uint32_t part : parts) {
        const void* bytes = tensor.part_identity(part);
        firsts.push_back(static_cast<size_t>(
            std::ranges::find(parts, bytes, [&](uint32_t other) { return tensor.part_identity(other); }) -
            parts.begin()));
    }
    return firsts;
}

// A tensor may have fewer parts than the mesh has devices.
MeshShape arrangement_of(const Tensor& host, const MeshShape& mesh) {
    if (mesh.num_chips() == host.num_parts()) {
        return mesh;
    }
    const MeshShape& distribution = host.topology().distribution;
    return mesh.rank() != 1 && distribution.rank() == mesh.rank() ? distribution : MeshShape{{host.num_parts()}};
}

Tensor composed(const Tensor& tensor, const MeshToTensor& composer) {
    const Tensor host = tensor.is_on_device() ? copy_to_host(tensor) : tensor;
    return host.num_parts() == 1 ? host : compose(host, composer.dims, arrangement_of(host, composer.mesh));
}

Tensor combined(const std::vector<TensorObject>& parts, int32_t shard_dim) {
    require(!parts.empty(), "combine_device_tensors needs at least one tensor");
    const Tensor& first = parts.front();
    const std::shared_ptr<Device> device = first.device();
    require(device != nullptr,
            "combine_device_tensors needs tensors on a device; from_host_shards takes those on the "
            "host");
    std::vector<uint32_t> chips;
    for (const TensorObject& part : parts) {
        require(part.device() == device && part.spec() == first.spec() && part.num_parts() == 1,
                "combine_device_tensors needs one tensor of the same spec from each device of a mesh, as "
                "get_device_tensors gives them");
        chips.push_back(part.chip().value_or(0));
        require(std::ranges::count(chips, chips.back()) == 1,
                "combine_device_tensors got two tensors of the device at {}",
                device->mesh().coordinate_of(chips.back()).to_string());
    }
    if (device->num_chips() == 1) {
        return first;
    }
    require(parts.size() == device->num_chips(),
            "combine_device_tensors needs a tensor of each of the {} devices, got {}", device->num_chips(),
            parts.size());
    const auto same = [&](const TensorObject& part) { return part.buffer() == first.buffer(); };
    Tensor result = std::ranges::all_of(parts, same) ? first.whole() : Tensor::allocate_on_device(first.spec(), device);
    for (size_t i = 0; result.buffer() != first.buffer() && i < parts.size(); ++i) {
        Tensor part = result.part(chips[i]);
        copy_pages(parts[i], part);
    }
    result.set_topology({{Placement{shard_dim}}, {{device->num_chips()}}});
    return result;
}

MeshShape grid_of(const HostBuffer& buffer) {
    return buffer.tensor.num_parts() == 1 ? MeshShape{} : buffer.tensor.topology().distribution;
}

bool is_inside(const MeshShape& grid, const MeshCoordinate& coordinate) {
    return std::ranges::equal(coordinate.values, grid.dims, std::less());
}

void bind_host_buffer(nb::module_& module) {
    nb::class_<HostBuffer>(module, "HostBuffer", "The bytes of a tensor on the host.")
        .def("shape", &grid_of, "The grid of devices that its parts are for; 1x1 for a tensor of one part.")
        .def(
            "is_local",
            [](const HostBuffer& self, const MeshCoordinate& coordinate) {
                return is_inside(grid_of(self), coordinate);
            },
            nb::arg("coord"), "Whether the part of a device is in this process: all are.")
        .def_prop_ro(
            "nbytes", [](const HostBuffer& self) { return self.tensor.spec().buffer_size() * self.tensor.num_parts(); },
            "Bytes of all parts.")
        .def(
            "__array__",
            [](const HostBuffer& self, nb::handle dtype) {
                const auto bytes = values_of_mesh(self.tensor, std::nullopt).bytes();
                const nb::object array =
                    nb::module_::import_("numpy").attr("frombuffer")(nb::bytes(bytes.data(), bytes.size()), "uint8");
                return dtype.is_none() ? array : array.attr("astype")(dtype);
            },
            nb::arg("dtype").none() = nb::none(),
            nb::sig("def __array__(self, dtype: typing.Any = None) -> numpy.typing.NDArray"));
}

void bind_parts(nb::module_& module) {
    module.def(
        "get_device_tensors", [](const TensorObject& tensor) { return parts_of(tensor); }, nb::arg("tensor"),
        "One tensor for each device of the mesh, row by row; they share the tensor's memory.");
    module.def(
        "combine_device_tensors",
        [](const std::vector<TensorObject>& tensors, int32_t shard_dim) {
            return TensorObject(combined(tensors, shard_dim));
        },
        nb::kw_only(), nb::arg("tensors"), nb::arg("shard_dim") = 0, "The tensor of a mesh whose devices hold these.");
    module.def(
        "tensor_from_parts",
        [](const std::vector<TensorObject>& tensors, const std::vector<PlacementObject>& placements,
           const MeshShape& distribution) {
            const std::vector<Tensor> parts(tensors.begin(), tensors.end());
            return TensorObject(Tensor::from_parts(parts, {placements_of(placements), distribution}));
        },
        nb::arg("tensors"), nb::arg("placements"), nb::arg("distribution_shape"));
    module.def(
        "equal_parts", [](const TensorObject& tensor) { return equal_parts(tensor); }, nb::arg("tensor"));
    module.def(
        "distribute_on_host",
        [](const TensorObject& tensor, const TensorToMesh& mapper) {
            const nb::gil_scoped_release release;
            return TensorObject(distributed(tensor, mapper));
        },
        nb::arg("tensor"), nb::arg("mapper"));
    module.def(
        "composed_values",
        [](const TensorObject& tensor, nb::handle composer, const std::string& function) {
            return TensorObject(values_of_mesh(tensor, composer_argument(composer, function)));
        },
        nb::arg("tensor"), nb::arg("composer").none(), nb::arg("function"),
        nb::sig("def composed_values(tensor: Tensor, composer: typing.Any, function: str) -> Tensor"));
    module.def(
        "compose_on_host",
        [](const TensorObject& tensor, const MeshToTensor& composer) {
            const nb::gil_scoped_release release;
            return TensorObject(composed(tensor, composer));
        },
        nb::arg("tensor"), nb::arg("composer"));
}

}  // namespace

Tensor distributed(const Tensor& host, const TensorToMesh& mapper) {
    Topology topology{mapper.placements, mapper.distribution};
    const Shape& shape = host.logical_shape();
    for (size_t i = 0; i < topology.placements.size(); ++i) {
        const uint32_t size = topology.placements[i].dim ? shape[*topology.placements[i].dim] : 0;
        const uint32_t chunk = div_up(size, topology.distribution.dims[i]);
        if (size != 0 && size % chunk == 0) {
            topology.distribution.dims[i] = size / chunk;
        }
    }
    return distribute(host, topology);
}

std::optional<TensorToMesh> mapper_argument(nb::handle object, std::string_view function) {
    return unwrapped<TensorToMesh>(object, function, "mapper", "TensorToMesh");
}

std::optional<MeshToTensor> composer_argument(nb::handle object, std::string_view function) {
    return unwrapped<MeshToTensor>(object, function, "composer", "MeshToTensor");
}

Tensor values_of_mesh(const Tensor& tensor, const std::optional<MeshToTensor>& composer) {
    require(composer || tensor.num_parts() == 1,
            "Can't convert a tensor distributed on a mesh of {} devices to one array. Supply a mesh composer "
            "(mesh_composer=ttnn.ConcatMeshToTensor(mesh_device, dim=...)) to concatenate its shards, or take them one "
            "by one from ttnn.get_device_tensors(tensor)",
            tensor.num_parts());
    if (tensor.num_parts() == 1) {
        return tensor;
    }
    const nb::gil_scoped_release release;
    const Tensor host = tensor.is_on_device() ? copy_to_host(tensor) : tensor;
    // Block floats that were put together would be rounded again.
    const bool block_floats = is_block_float(host.dtype());
    return composed(block_floats
                        ? with_spec(host, TensorSpec(host.logical_shape(), DataType::FLOAT32, Layout::ROW_MAJOR), 0)
                        : host,
                    *composer);
}

void bind_placements(nb::module_& module) {
    bind_topology(module);
    bind_mappers(module);
    bind_host_buffer(module);
    bind_parts(module);
    nb::borrow<nb::class_<TensorObject>>(nb::type<TensorObject>())
        .def(
            "tensor_topology", [](const TensorObject& self) { return topology_of(self); },
            "How the tensor is spread over its mesh.")
        .def("host_buffer", [](const TensorObject& self) {
            require(!self.is_on_device(), "host_buffer needs a tensor in host storage; call .cpu() first");
            return HostBuffer{self};
        });
}

}  // namespace ttnn::python
