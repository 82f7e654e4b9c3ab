#include "python/values.hpp"

#include <nanobind/stl/string.h>

#include "python/leaf_types.hpp"
#include "python/type_codecs.hpp"

namespace ttnn::python {

namespace nb = nanobind;
using tracelift::Value;

namespace {

nb::object dict_of(const Value::Dict& entries) {
    nb::dict dict;
    for (const auto& entry : entries) {
        dict[nb::str(entry.key.data(), entry.key.size())] = object_of(entry.value);
    }
    return dict;
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

template <class T>
concept EncodedByItsType = std::is_same_v<T, Tensor> || std::is_same_v<T, Shape> || std::is_same_v<T, CoreCoord> ||
    std::is_same_v<T, CoreGrid> || std::is_same_v<T, CoreRangeSet> || std::is_same_v<T, Tile> ||
    std::is_same_v<T, MemoryConfig> || std::is_same_v<T, UnaryWithParam> || std::is_same_v<T, DeviceHandle>;

// A value of one of our bound types, in the form that its own codec gives it. Only instances: a tuple stays a list.
template <class T>
bool encode_as(PyObject* object, Value& to) {
    if constexpr (NamedEnum<T>) {
        T member{};
        if (!load(object, member)) {
            return false;
        }
        to = Value::Enum{std::string(EnumInfo<T>::type), std::string(member_name(member))};
        return true;
    } else if constexpr (Record<T>) {
        const T* record = instance_of<T>(object);
        if (record == nullptr) {
            return false;
        }
        Value::Struct fields{std::string(RecordInfo<T>::name), {}};
        for (const FieldInfo& field : record_fields<T>()) {
            fields.fields.push_back(
                {std::string(field.name), field.type->encode(reinterpret_cast<const char*>(record) + field.offset)});
        }
        to = std::move(fields);
        return true;
    } else if constexpr (EncodedByItsType<T>) {
        T value{};
        if (!load(object, value)) {
            return false;
        }
        to = type_info<T>().encode(&value);
        return true;
    }
    return false;
}

bool encode_bound(PyObject* object, Value& to) {
    bool done = false;
    for_each_leaf_type([&]<class T>() { done = done || encode_as<T>(object, to); });
    return done;
}

Value list_value(PyObject* object) {
    Value::List list;
    for (size_t i = 0; i < sequence_size(object); ++i) {
        list.push_back(value_of(sequence_item(object, i)));
    }
    return list;
}

Value dict_value(const nb::dict& object) {
    Value::Dict dict;
    for (auto [key, item] : object) {
        dict.push_back({text_of(key), value_of(item.ptr())});
    }
    return dict;
}

// Something of another library. Arrays are described and never printed: their text is long and slow to make. Texts of
// other objects hold addresses and paths, so only the type is kept.
Value foreign_value(PyObject* object) {
    const nb::handle handle(object);
    const nb::handle kind(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    const std::string type = text_of(kind.attr("__module__")) + "." + text_of(kind.attr("__qualname__"));
    if (nb::hasattr(handle, "shape") && nb::hasattr(handle, "dtype")) {
        return Value::Struct{type,
                             {{"shape", value_of(nb::object(nb::tuple(handle.attr("shape"))).ptr())},
                              {"dtype", text_of(handle.attr("dtype"))}}};
    }
    const bool is_dtype = type.ends_with("dtype");
    return Value::Object{type, is_dtype ? text_of(handle) : std::string()};
}

}  // namespace

nb::object object_of(const Value& value) {
    if (const auto* flag = value.as<bool>()) {
        return nb::steal(put(*flag));
    }
    if (const auto* number = value.as<int64_t>()) {
        return nb::steal(put(*number));
    }
    if (const auto* number = value.as<double>()) {
        return nb::steal(put(*number));
    }
    if (const auto* text = value.as<std::string>()) {
        return nb::steal(put(*text));
    }
    if (const auto* list = value.as<Value::List>()) {
        nb::list items;
        for (const auto& item : *list) {
            items.append(object_of(item));
        }
        return items;
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return dict_of(*dict);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return dict_of(record->fields);
    }
    if (const auto* member = value.as<Value::Enum>()) {
        return nb::steal(put(member->member));
    }
    return value.is_null() ? nb::none() : nb::steal(put(value.to_text()));
}

Value value_of(PyObject* object) {
    if (object == Py_None) {
        return {};
    }
    if (PyBool_Check(object)) {
        return object == Py_True;
    }
    int64_t integer = 0;
    if (PyLong_Check(object) && load(object, integer)) {
        return integer;
    }
    if (PyFloat_Check(object)) {
        return PyFloat_AS_DOUBLE(object);
    }
    std::string text;
    if (load(object, text)) {
        return text;
    }
    if (is_sequence(object)) {
        return list_value(object);
    }
    if (PyDict_Check(object)) {
        return dict_value(nb::borrow<nb::dict>(object));
    }
    Value bound;
    if (encode_bound(object, bound)) {
        return bound;
    }
    return foreign_value(object);
}

void visit_python_tensors(PyObject* object, TensorVisitor visit) {
    if (const auto* tensor = instance_of<TensorObject>(object)) {
        if (*tensor) {
            visit(*tensor);
        }
    } else if (is_sequence(object)) {
        for (size_t i = 0; i < sequence_size(object); ++i) {
            visit_python_tensors(sequence_item(object, i), visit);
        }
    } else if (PyDict_Check(object)) {
        for (auto [key, item] : nb::borrow<nb::dict>(object)) {
            visit_python_tensors(item.ptr(), visit);
        }
    }
}

}  // namespace ttnn::python
