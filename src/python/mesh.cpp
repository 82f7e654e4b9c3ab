// Sizes of and places in a mesh of devices: short lists of ints with names of their own.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn::python {
namespace {

using Numbers = std::vector<uint32_t>;

const Numbers& numbers_of(const MeshShape& shape) { return shape.dims; }
const Numbers& numbers_of(const MeshCoordinate& coordinate) { return coordinate.values; }

template <class T>
Numbers numbers_given(const nb::args& args) {
    Numbers numbers;
    if (args.size() == 1 && load(nb::handle(args[0]).ptr(), numbers)) {
        return numbers;
    }
    if (args.size() == 1 && instance_of<T>(nb::handle(args[0]).ptr()) != nullptr) {
        return numbers_of(*instance_of<T>(nb::handle(args[0]).ptr()));
    }
    for (nb::handle item : args) {
        numbers.push_back(argument<uint32_t>(item, "dimension", "int, 0 or more"));
    }
    return numbers;
}

template <class T>
nb::class_<T> bind_numbers(nb::module_& module, const char* name, const char* doc) {
    return nb::class_<T>(module, name, doc)
        .def(
            "__init__", [](T* self, const nb::args& args) { new (self) T{numbers_given<T>(args)}; },
            nb::sig("def __init__(self, *args: int | collections.abc.Sequence[int]) -> None"))
        .def("__len__", [](const T& self) { return numbers_of(self).size(); })
        .def("__getitem__",
             [](const T& self, int64_t index) {
                 const auto size = static_cast<int64_t>(numbers_of(self).size());
                 const int64_t at = index < 0 ? index + size : index;
                 if (at < 0 || at >= size) {
                     throw nb::index_error(
                         fmt::format("index {} is out of range for {} dimensions", index, size).c_str());
                 }
                 return numbers_of(self)[static_cast<size_t>(at)];
             })
        .def(
            "__iter__", [](const T& self) { return nb::iter(nb::steal(put(numbers_of(self)))); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"))
        .def(
            "dims", [](const T& self) { return numbers_of(self).size(); }, "Number of dimensions.")
        .def("__eq__", &equal<T>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const T& self) {
                 size_t hash = numbers_of(self).size();
                 for (const uint32_t number : numbers_of(self)) {
                     hash = (hash ^ number) * 0x9E3779B97F4A7C15U;
                 }
                 return hash >> 1U;
             })
        .def("__repr__", [name = std::string(name)](const T& self) {
            return fmt::format("{}([{}])", name, fmt::join(numbers_of(self), ", "));
        });
}

// What a mesh looks like from this process: all of it is here.
struct MeshDeviceView {
    MeshShape shape;
};

void bind_view(nb::module_& module) {
    nb::class_<MeshDeviceView>(module, "MeshDeviceView", "The chips of a mesh that this process sees: all of them.")
        .def("shape", [](const MeshDeviceView& self) { return self.shape; })
        .def("num_devices", [](const MeshDeviceView& self) { return self.shape.num_chips(); })
        .def(
            "is_local",
            [](const MeshDeviceView& self, const MeshCoordinate& coordinate) {
                self.shape.index_of(coordinate);  // throws for a place outside
                return true;
            },
            nb::arg("coord"));
}

// The names that the fabric has for meshes and chips.
struct MeshId {
    uint32_t number = 0;
    bool operator==(const MeshId&) const = default;
};
struct FabricNodeId {
    MeshId mesh;
    uint32_t chip = 0;
    bool operator==(const FabricNodeId&) const = default;
};

void bind_fabric_ids(nb::module_& module) {
    nb::class_<MeshId>(module, "MeshId", "The number of a mesh in the fabric.")
        .def(
            "__init__", [](MeshId* self, uint32_t value) { new (self) MeshId{value}; }, nb::arg("value"))
        .def("__int__", [](const MeshId& self) { return self.number; })
        .def("__eq__", &equal<MeshId>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const MeshId& self) { return self.number; })
        .def("__repr__", [](const MeshId& self) { return fmt::format("MeshId({})", self.number); });
    nb::class_<FabricNodeId>(module, "FabricNodeId", "A chip of a mesh, as the fabric names it.")
        .def(
            "__init__",
            [](FabricNodeId* self, const MeshId& mesh, uint32_t chip) {
                new (self) FabricNodeId{mesh, chip};
            },
            nb::arg("mesh_id"), nb::arg("chip_id"))
        .def_prop_ro("mesh_id", [](const FabricNodeId& self) { return self.mesh; })
        .def_prop_ro("chip_id", [](const FabricNodeId& self) { return self.chip; })
        .def("__eq__", &equal<FabricNodeId>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const FabricNodeId& self) { return self.mesh.number * 4096 + self.chip; })
        .def("__repr__", [](const FabricNodeId& self) {
            return fmt::format("FabricNodeId(M{}, D{})", self.mesh.number, self.chip);
        });
}

void bind_semaphores(nb::module_& module) {
    nb::class_<GlobalSemaphore>(module, "global_semaphore", "What collectives are synchronised with on hardware.")
        .def_ro("address", &GlobalSemaphore::address)
        .def_ro("value", &GlobalSemaphore::value)
        .def("__eq__", &equal<GlobalSemaphore>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__", [](const GlobalSemaphore& self) { return self.address; })
        .def("__repr__", [](const GlobalSemaphore& self) {
            return fmt::format("global_semaphore(address={}, value={})", self.address, self.value);
        });
    remember_type<GlobalSemaphore>();
}

}  // namespace

void bind_mesh(nb::module_& module) {
    bind_numbers<MeshShape>(module, "MeshShape", "Sizes of a mesh of devices.")
        .def("mesh_size", &MeshShape::num_chips, "Number of devices.");
    remember_type<MeshShape>();
    bind_numbers<MeshCoordinate>(module, "MeshCoordinate", "The place of a device in a mesh.");
    remember_type<MeshCoordinate>();
    bind_view(module);
    bind_fabric_ids(module);
    bind_semaphores(module);
    module.def("compute_distribution_to_mesh_mapping", &distribution_to_mesh, nb::arg("distribution_shape"),
               nb::arg("mesh_shape"), "Where the parts of a distribution lie in a mesh, in their order.");
}

void bind_semaphore_functions(nb::module_& module) {
    module.def(
        "create_global_semaphore",
        [](const std::shared_ptr<Device>& device, nb::handle cores, uint32_t initial_value, BufferType buffer_type) {
            return create_global_semaphore(device, argument<CoreRangeSet>(cores, "cores", "CoreRangeSet"),
                                           initial_value, buffer_type);
        },
        nb::arg("mesh_device"), nb::arg("cores"), nb::arg("initial_value"), nb::arg("buffer_type") = BufferType::L1,
        nb::sig("def create_global_semaphore(mesh_device: MeshDevice, cores: CoreRangeSet, initial_value: int, "
                "buffer_type: BufferType = BufferType.L1) -> global_semaphore"));
    module.def(
        "get_global_semaphore_address", [](const GlobalSemaphore& semaphore) { return semaphore.address; },
        nb::arg("global_semaphore"));
    module.def(
        "reset_global_semaphore_value", [](GlobalSemaphore& semaphore, uint32_t value) { semaphore.value = value; },
        nb::arg("global_semaphore"), nb::arg("reset_value"));
}

// Methods of the device that are about the mesh.
void bind_mesh_of_device(nb::class_<Device>& device) {
    device.def_prop_ro("shape", &Device::mesh, nb::rv_policy::copy)
        .def("get_num_devices", &Device::num_chips)
        .def("get_device_ids", [](const Device& self) { return self.chip_ids(); })
        .def(
            "get_device_id",
            [](const Device& self, const MeshCoordinate& coordinate) {
                return self.chip_ids()[self.mesh().index_of(coordinate)];
            },
            nb::arg("coord"), "The chip at a place of the mesh.")
        .def("create_submesh", &Device::create_submesh, nb::arg("submesh_shape"), nb::arg("offset") = nb::none(),
             "A device of some of the chips, with memory of its own; closed with this one.")
        .def("create_submeshes", &Device::create_submeshes, nb::arg("submesh_shape"),
             "As many submeshes as cover the mesh, row by row.")
        .def("get_submeshes", [](const Device& self) { return self.submeshes(); })
        .def(
            "reshape", [](Device& self, const MeshShape& shape) { self.reshape(shape); }, nb::arg("new_shape"),
            "Arranges the same chips anew: along neighbours where it becomes a line, else as they were opened.")
        .def("get_view", [](const Device& self) { return MeshDeviceView{self.mesh()}; })
        .def(
            "get_fabric_node_id",
            [](const Device& self, const MeshCoordinate& coordinate) {
                const int chip = self.chip_ids()[self.mesh().index_of(coordinate)];
                return FabricNodeId{{}, static_cast<uint32_t>(chip)};
            },
            nb::arg("coord"))
        .def("get_system_mesh_id", [](const Device&) { return 0; })
        .def("__repr__", [](const Device& self) {
            return fmt::format("MeshDevice({} grid, {} devices)", self.mesh().to_string(), self.num_chips());
        });
}

}  // namespace ttnn::python
