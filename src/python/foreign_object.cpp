#include "python/foreign_object.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

namespace ttnn::python {

namespace nb = nanobind;

namespace {

using Fields = std::vector<std::pair<std::string, nb::object>>;

// Records of ttnn by the attributes that make them; those that a module's own class lacks are left out.
struct RecordAttributes {
    std::string_view type;
    std::vector<const char*> names;
};
const std::vector<RecordAttributes>& record_attributes() {
    static const std::vector<RecordAttributes> table = {
        {"CoreCoord", {"x", "y"}},
        {"CoreGrid", {"x", "y"}},
        {"CoreRange", {"start", "end"}},
        {"CoreRangeSet", {"ranges"}},
        {"UnaryWithParam", {"op_type", "params"}},
        {"ShardSpec", {"dims", "grid", "shape", "orientation"}},
        {"NdShardSpec", {"shard_shape", "grid", "orientation", "shard_distribution_strategy"}},
        {"Tile", {"tile_shape"}},
    };
    return table;
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

bool has(nb::handle object, const char* name) { return nb::hasattr(object, name); }

// The value of an attribute, or what it gives when it is a method.
nb::object attribute(nb::handle object, const char* name) {
    nb::object found = object.attr(name);
    return PyCallable_Check(found.ptr()) != 0 ? found() : found;
}

std::string_view class_of(std::string_view type) { return type.substr(type.rfind('.') + 1); }
bool is_of_ttnn(std::string_view type) {
    return type.find('.') == type.npos || type.starts_with("ttnn.") || type.starts_with("tracelift.");
}
bool is_array_library(std::string_view type) { return type.starts_with("torch.") || type.starts_with("numpy."); }

Fields fields_of_tensor(nb::handle tensor) {
    Fields fields;
    fields.emplace_back("shape", nb::tuple(tensor.attr("shape")));
    const nb::object dtype = tensor.attr("dtype");
    fields.emplace_back("dtype", enum_member(dtype.ptr()) ? dtype : nb::object(nb::str(dtype)));
    for (const char* name : {"layout", "storage_type"}) {
        if (has(tensor, name)) {
            fields.emplace_back(name, attribute(tensor, name));
        }
    }
    fields.emplace_back("memory_config",
                        has(tensor, "memory_config") ? attribute(tensor, "memory_config") : nb::none());
    return fields;
}

Fields fields_of_array(nb::handle array) {
    Fields fields;
    fields.emplace_back("shape", nb::tuple(array.attr("shape")));
    fields.emplace_back("dtype", nb::str(nb::object(array.attr("dtype"))));
    return fields;
}

Fields fields_of_memory_config(nb::handle config) {
    Fields fields;
    fields.emplace_back("memory_layout", config.attr("memory_layout"));
    fields.emplace_back("buffer_type", config.attr("buffer_type"));
    const auto add = [&](const char* name) {
        nb::object spec = nb::getattr(config, name, nb::none());
        const bool there = !spec.is_none();
        if (there) {
            fields.emplace_back(name, std::move(spec));
        }
        return there;
    };
    const nb::object by_nd = nb::getattr(config, "created_with_nd_shard_spec", nb::none());
    const nb::object nd = PyCallable_Check(by_nd.ptr()) != 0 ? by_nd() : by_nd;
    if (!nd.is(nb::handle(Py_True)) || !add("nd_shard_spec")) {
        add("shard_spec");
    }
    return fields;
}

Fields fields_of_dataclass(nb::handle object) {
    Fields fields;
    for (auto [name, field] : nb::borrow<nb::dict>(nb::object(object.attr("__dataclass_fields__")))) {
        fields.emplace_back(text_of(name), nb::getattr(object, name));
    }
    return fields;
}

// Properties that raise are left out: those that the object has not been given.
Fields public_attributes(nb::handle object) {
    Fields fields;
    for (nb::handle name : nb::object(nb::module_::import_("builtins").attr("dir")(object))) {
        std::string text = text_of(name);
        if (text.starts_with('_')) {
            continue;
        }
        nb::object value = nb::getattr(object, name, nb::handle());
        if (value.is_valid() && PyCallable_Check(value.ptr()) == 0) {
            fields.emplace_back(std::move(text), std::move(value));
        }
    }
    return fields;
}

bool is_config(std::string_view type) {
    const std::string_view name = class_of(type);
    return name.find("ProgramConfig") != name.npos || name.find("ComputeKernelConfig") != name.npos ||
           (name.ends_with("Config") && is_of_ttnn(type));
}

}  // namespace

std::string neutral_type_name(PyObject* object) {
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    std::string name = text_of(type.attr("__qualname__"));
    const std::string module = text_of(type.attr("__module__"));
    if (module == "builtins" || module == "tracelift._ttnn") {
        return name;
    }
    const nb::dict loaded = nb::borrow<nb::dict>(PyImport_GetModuleDict());
    for (const char* home : {"ttnn", "tracelift.ttnn"}) {
        const nb::object found = loaded.contains(home) ? nb::object(loaded[home]) : nb::none();
        if (!found.is_none() && nb::getattr(found, name.c_str(), nb::none()).is(type)) {
            return name;
        }
    }
    return fmt::format("{}.{}", module, name);
}

std::optional<std::string> enum_member(PyObject* object) {
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    if (!has(type, "__members__") || !has(object, "value") || !has(object, "name")) {
        return std::nullopt;
    }
    const nb::object name = nb::handle(object).attr("name");
    return PyUnicode_Check(name.ptr()) != 0 ? std::optional(text_of(name)) : std::nullopt;
}

std::optional<ForeignRecord> foreign_record(PyObject* object) {
    if (PyType_Check(object)) {
        return std::nullopt;
    }
    const nb::handle handle(object);
    const std::string type = neutral_type_name(object);
    if (has(handle, "__dataclass_fields__")) {
        return ForeignRecord{type, fields_of_dataclass(handle)};
    }
    if (has(handle, "shape") && has(handle, "dtype")) {
        if (type.starts_with("torch.")) {
            return ForeignRecord{"torch.Tensor", fields_of_array(handle)};
        }
        const bool tensor = !is_array_library(type) && (is_of_ttnn(type) || has(handle, "memory_config"));
        return tensor ? ForeignRecord{"Tensor", fields_of_tensor(handle)}
                      : ForeignRecord{type, fields_of_array(handle)};
    }
    if (has(handle, "memory_layout") && has(handle, "buffer_type")) {
        return ForeignRecord{"MemoryConfig", fields_of_memory_config(handle)};
    }
    for (const RecordAttributes& record : record_attributes()) {
        if (record.type != class_of(type)) {
            continue;
        }
        ForeignRecord found{std::string(record.type), {}};
        for (const char* name : record.names) {
            if (has(handle, name)) {
                found.fields.emplace_back(name, attribute(handle, name));
            }
        }
        return found.fields.empty() ? std::nullopt : std::optional(std::move(found));
    }
    return is_config(type) ? std::optional(ForeignRecord{type, public_attributes(handle)}) : std::nullopt;
}

std::optional<std::string> foreign_device(PyObject* object) {
    const std::string type = neutral_type_name(object);
    const std::string_view name = class_of(type);
    if (PyType_Check(object) || (name != "MeshDevice" && name != "Device")) {
        return std::nullopt;
    }
    const nb::object shape = nb::getattr(nb::handle(object), "shape", nb::none());
    if (shape.is_none()) {
        return "null";
    }
    std::vector<std::string> sizes;
    for (nb::handle size : nb::tuple(shape)) {
        sizes.push_back(text_of(nb::int_(nb::borrow(size))));
    }
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

}  // namespace ttnn::python
