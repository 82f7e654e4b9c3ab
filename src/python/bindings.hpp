// The parts of the extension module tracelift._ttnn; module.cpp calls them in the order that types need each other.
#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "ttnn/tensor/tensor.hpp"

namespace ttnn::python {

namespace nb = nanobind;

// What a Python Tensor holds: the handle, and a number that tools may write on this very object.
struct TensorObject : Tensor {
    TensorObject() = default;
    explicit TensorObject(Tensor tensor) : Tensor(std::move(tensor)) {}
    std::optional<uint64_t> tensor_id;
};

void bind_enums(nb::module_& module);
void bind_geometry(nb::module_& module);
void bind_mesh(nb::module_& module);
void bind_memory(nb::module_& module);
void bind_specs(nb::module_& module);
void bind_configs(nb::module_& module);
void bind_device(nb::module_& module);
void bind_mesh_of_device(nb::class_<Device>& device);
void bind_semaphore_functions(nb::module_& module);
void bind_placements(nb::module_& module);
void bind_tensor(nb::module_& module);
void bind_tensor_data(nb::module_& module);
void bind_operations(nb::module_& module);
void bind_graph(nb::module_& module);
void bind_tracing(nb::module_& module);
void bind_serializer(nb::module_& module);
void bind_report(nb::module_& module);
void bind_traced(nb::module_& module);
void bind_sweep_results(nb::module_& module);

// Fills TypeInfo::python of every parameter type; throws when one is missing.
void install_codecs();

// The text of print(tensor), with the options that set_printoptions left.
std::string tensor_text(const Tensor& tensor);
void bind_tensor_text(nb::module_& module);

// Gives back the Python objects that C++ holds; registered with atexit.
void release_python_objects();

}  // namespace ttnn::python
