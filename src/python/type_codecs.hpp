// PyCodec: how a parameter type is made from a Python object and turned into one. One per leaf type; optionals, lists,
// tuples and variants of them follow by themselves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "python/bindings.hpp"
#include "python/bound_types.hpp"
#include "ttnn/op/config_fields.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace ttnn::python {

// load: false means "not of this type", without a Python error. put: a new reference or nullptr with an error set.
template <class T>
struct PyCodec;

template <class T>
bool load(PyObject* object, T& to) {
    return PyCodec<T>::load(object, to);
}
template <class T>
PyObject* put(const T& value) {
    return PyCodec<T>::put(value);
}

// Items of a list or tuple; nothing else counts as a sequence here, least of all a str.
inline bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }
inline size_t sequence_size(PyObject* object) { return static_cast<size_t>(PySequence_Fast_GET_SIZE(object)); }
inline PyObject* sequence_item(PyObject* object, size_t index) {
    return PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(index));
}

template <>
struct PyCodec<bool> {
    static bool load(PyObject* object, bool& to);
    static PyObject* put(bool value) { return PyBool_FromLong(value ? 1 : 0); }
};
template <>
struct PyCodec<int64_t> {
    static bool load(PyObject* object, int64_t& to) {
        if (!PyLong_Check(object)) {
            return load_index(object, to);
        }
        int overflow = 0;
        to = PyLong_AsLongLongAndOverflow(object, &overflow);
        return overflow == 0;
    }
    static PyObject* put(int64_t value) { return PyLong_FromLongLong(value); }

private:
    static bool load_index(PyObject* object, int64_t& to);  // numpy integers and the like
};
template <>
struct PyCodec<uint32_t> {
    static bool load(PyObject* object, uint32_t& to) {
        int64_t number = 0;
        if (!PyCodec<int64_t>::load(object, number) || number < 0 || number > UINT32_MAX) {
            return false;
        }
        to = static_cast<uint32_t>(number);
        return true;
    }
    static PyObject* put(uint32_t value) { return PyLong_FromUnsignedLong(value); }
};
template <>
struct PyCodec<double> {
    static bool load(PyObject* object, double& to) {
        if (!PyFloat_CheckExact(object)) {
            return load_number(object, to);
        }
        to = PyFloat_AS_DOUBLE(object);
        return true;
    }
    static PyObject* put(double value) { return PyFloat_FromDouble(value); }

private:
    static bool load_number(PyObject* object, double& to);
};
template <>
struct PyCodec<std::string> {
    static bool load(PyObject* object, std::string& to);
    static PyObject* put(const std::string& value) {
        return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
    }
};

template <NamedEnum E>
struct PyCodec<E> {
    static bool load(PyObject* object, E& to) {
        return Py_TYPE(object) == bound_type<E> && nb::try_cast(nb::handle(object), to, false);
    }
    static PyObject* put(E value) { return nb::cast(value).release().ptr(); }
};

template <class T>
struct PyCodec<std::optional<T>> {
    static bool load(PyObject* object, std::optional<T>& to) {
        if (object == Py_None) {
            to.reset();
            return true;
        }
        T value{};
        if (!PyCodec<T>::load(object, value)) {
            return false;
        }
        to.emplace(std::move(value));
        return true;
    }
    static PyObject* put(const std::optional<T>& value) { return value ? PyCodec<T>::put(*value) : Py_NewRef(Py_None); }
};

template <class T>
struct PyCodec<std::vector<T>> {
    static bool load(PyObject* object, std::vector<T>& to) {
        if (!is_sequence(object)) {
            return load_other(object, to);
        }
        std::vector<T> values(sequence_size(object));
        for (size_t i = 0; i < values.size(); ++i) {
            T item{};
            if (!load_item(sequence_item(object, i), item)) {
                return false;
            }
            values[i] = std::move(item);
        }
        to = std::move(values);
        return true;
    }
    static PyObject* put(const std::vector<T>& values) {
        nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(values.size())));
        for (size_t i = 0; list.is_valid() && i < values.size(); ++i) {
            PyObject* item = PyCodec<T>::put(values[i]);
            if (item == nullptr) {
                return nullptr;
            }
            PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), item);
        }
        return list.release().ptr();
    }

private:
    static bool load_item(PyObject* object, T& to) {
        if constexpr (std::is_same_v<T, UnaryWithParam>) {  // activations=["relu"]
            std::string name;
            if (PyCodec<std::string>::load(object, name)) {
                to = activation_from_name(name);
                return true;
            }
        }
        return PyCodec<T>::load(object, to);
    }
    static bool load_other(PyObject* object, std::vector<T>& to) {
        if constexpr (std::is_same_v<T, int64_t>) {  // tensor.shape where a list is wanted
            if (const auto* shape = instance_of<Shape>(object)) {
                to.assign(shape->begin(), shape->end());
                return true;
            }
        }
        return false;
    }
};

template <class T, size_t N>
struct PyCodec<std::array<T, N>> {
    static bool load(PyObject* object, std::array<T, N>& to) {
        if (!is_sequence(object) || sequence_size(object) != N) {
            return false;
        }
        for (size_t i = 0; i < N; ++i) {
            if (!PyCodec<T>::load(sequence_item(object, i), to[i])) {
                return false;
            }
        }
        return true;
    }
    static PyObject* put(const std::array<T, N>& values) {
        nb::object tuple = nb::steal(PyTuple_New(N));
        for (size_t i = 0; tuple.is_valid() && i < N; ++i) {
            PyObject* item = PyCodec<T>::put(values[i]);
            if (item == nullptr) {
                return nullptr;
            }
            PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), item);
        }
        return tuple.release().ptr();
    }
};

template <class... Ts>
struct PyCodec<std::tuple<Ts...>> {
    static bool load(PyObject* object, std::tuple<Ts...>& to) {
        if (!is_sequence(object) || sequence_size(object) != sizeof...(Ts)) {
            return false;
        }
        size_t index = 0;
        return std::apply([&](auto&... items) { return (python::load(sequence_item(object, index++), items) && ...); },
                          to);
    }
    static PyObject* put(const std::tuple<Ts...>& values) {
        nb::object tuple = nb::steal(PyTuple_New(sizeof...(Ts)));
        Py_ssize_t index = 0;
        const auto add = [&](const auto& value) {
            PyObject* item = python::put(value);
            if (item != nullptr) {
                PyTuple_SET_ITEM(tuple.ptr(), index++, item);
            }
            return item != nullptr;
        };
        const bool complete =
            tuple.is_valid() && std::apply([&](const auto&... all) { return (add(all) && ...); }, values);
        return complete ? tuple.release().ptr() : nullptr;
    }
};

// The first alternative that fits wins; the order of the variant is the order of preference.
template <class... Ts>
struct PyCodec<std::variant<Ts...>> {
    static bool load(PyObject* object, std::variant<Ts...>& to) { return (attempt<Ts>(object, to) || ...); }
    static PyObject* put(const std::variant<Ts...>& value) {
        return std::visit([](const auto& held) { return python::put(held); }, value);
    }

private:
    template <class T>
    static bool attempt(PyObject* object, std::variant<Ts...>& to) {
        T value{};
        if (!PyCodec<T>::load(object, value)) {
            return false;
        }
        to.template emplace<T>(std::move(value));
        return true;
    }
};

// Bound classes that convert from nothing but themselves.
template <class T>
struct InstanceCodec {
    static bool load(PyObject* object, T& to) {
        const T* value = instance_of<T>(object);
        if (value == nullptr) {
            return false;
        }
        to = *value;
        return true;
    }
    static PyObject* put(const T& value) { return nb::cast(value, nb::rv_policy::copy).release().ptr(); }
};

template <>
struct PyCodec<Tile> : InstanceCodec<Tile> {};
template <>
struct PyCodec<MemoryConfig> : InstanceCodec<MemoryConfig> {};
template <>
struct PyCodec<CoreRange> : InstanceCodec<CoreRange> {};
template <>
struct PyCodec<ShardSpec> : InstanceCodec<ShardSpec> {};
template <>
struct PyCodec<NdShardSpec> : InstanceCodec<NdShardSpec> {};
template <>
struct PyCodec<TensorSpec> : InstanceCodec<TensorSpec> {};
template <>
struct PyCodec<MeshCoordinate> : InstanceCodec<MeshCoordinate> {};
template <>
struct PyCodec<GlobalSemaphore> : InstanceCodec<GlobalSemaphore> {};
template <Record T>
struct PyCodec<T> : InstanceCodec<T> {};

template <>
struct PyCodec<Shape> : InstanceCodec<Shape> {
    static bool load(PyObject* object, Shape& to);  // also lists and tuples of ints
};
template <>
struct PyCodec<CoreCoord> : InstanceCodec<CoreCoord> {
    static bool load(PyObject* object, CoreCoord& to);  // also (x, y) and CoreGrid
};
template <>
struct PyCodec<CoreGrid> : InstanceCodec<CoreGrid> {
    static bool load(PyObject* object, CoreGrid& to);  // also CoreCoord
};
template <>
struct PyCodec<CoreRangeSet> : InstanceCodec<CoreRangeSet> {
    static bool load(PyObject* object, CoreRangeSet& to);  // also a CoreRange, and lists and sets of them
};
template <>
struct PyCodec<MeshCoordinateSet> {  // a set, also lists and tuples, of MeshCoordinate
    static bool load(PyObject* object, MeshCoordinateSet& to);
    static PyObject* put(const MeshCoordinateSet& coordinates);
};
template <>
struct PyCodec<UnaryWithParam> : InstanceCodec<UnaryWithParam> {
    static bool load(PyObject* object, UnaryWithParam& to);  // also UnaryOpType and (UnaryOpType, number)
};

template <>
struct PyCodec<Tensor> {
    static bool load(PyObject* object, Tensor& to) {
        const auto* tensor = instance_of<TensorObject>(object);
        if (tensor == nullptr) {
            return false;
        }
        to = *tensor;
        return true;
    }
    // None where the operation gave no tensor.
    static PyObject* put(const Tensor& tensor) {
        return tensor ? nb::cast(TensorObject(tensor)).release().ptr() : Py_NewRef(Py_None);
    }
};
template <>
struct PyCodec<DeviceHandle> {
    static bool load(PyObject* object, DeviceHandle& to) {
        auto* device = instance_of<Device>(object);
        if (device == nullptr) {
            return false;
        }
        to = device->shared_from_this();
        return true;
    }
    static PyObject* put(const DeviceHandle& device) { return nb::cast(device).release().ptr(); }
};

}  // namespace ttnn::python
