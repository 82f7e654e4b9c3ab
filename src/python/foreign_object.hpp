// Objects that are not of our own bound types (those of another `ttnn`, of torch, dataclasses) as records of
// attributes. They are recognised by their classes and attributes: nothing is imported for it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

namespace ttnn::python {

// "DataType" for a class that a `ttnn` shows under that name, else with its module: "package.Config", "torch.Tensor".
std::string neutral_type_name(PyObject* object);

// The member's name for enums of Python and of compiled modules, which are not enum.Enum but have the same attributes.
std::optional<std::string> enum_member(PyObject* object);

struct ForeignRecord {
    std::string type;  // neutral
    std::vector<std::pair<std::string, nanobind::object>> fields;
};

// Dataclasses, tensors and arrays, memory configs, configs, geometry; nothing for any other object. Throws what the
// object's own code throws.
std::optional<ForeignRecord> foreign_record(PyObject* object);

// The shape of a device as text, "[4, 8]", or "null" where it has none; nothing when the object is no device.
std::optional<std::string> foreign_device(PyObject* object);

}  // namespace ttnn::python
