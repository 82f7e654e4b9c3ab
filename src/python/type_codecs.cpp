#include "python/type_codecs.hpp"

#include <algorithm>
#include <cmath>

namespace ttnn::python {

bool PyCodec<bool>::load(PyObject* object, bool& to) {
    if (PyBool_Check(object)) {
        to = object == Py_True;
        return true;
    }
    if (PyLong_Check(object)) {
        int overflow = 0;
        const long number = PyLong_AsLongAndOverflow(object, &overflow);
        to = number == 1;
        return overflow == 0 && (number == 0 || number == 1);
    }
    if (std::string_view(Py_TYPE(object)->tp_name).starts_with("numpy.bool")) {
        to = PyObject_IsTrue(object) == 1;
        return true;
    }
    return false;
}

bool PyCodec<int64_t>::load_index(PyObject* object, int64_t& to) {
    if (PyIndex_Check(object) == 0) {
        return false;
    }
    const nb::object number = nb::steal(PyNumber_Index(object));
    if (!number.is_valid()) {
        PyErr_Clear();
        return false;
    }
    int overflow = 0;
    to = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    return overflow == 0;
}

bool PyCodec<double>::load_number(PyObject* object, double& to) {
    const PyNumberMethods* methods = Py_TYPE(object)->tp_as_number;
    if (methods == nullptr || (methods->nb_float == nullptr && methods->nb_index == nullptr)) {
        return false;
    }
    to = PyFloat_AsDouble(object);
    if (to == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return false;
    }
    return true;
}

bool PyCodec<std::string>::load(PyObject* object, std::string& to) {
    if (!PyUnicode_Check(object)) {
        return false;
    }
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) {
        PyErr_Clear();
        return false;
    }
    to.assign(text, static_cast<size_t>(size));
    return true;
}

bool PyCodec<Shape>::load(PyObject* object, Shape& to) {
    if (InstanceCodec::load(object, to)) {
        return true;
    }
    std::vector<int64_t> dims;
    if (!python::load(object, dims)) {
        return false;
    }
    to = Shape::from_ints(dims);
    return true;
}

bool PyCodec<CoreCoord>::load(PyObject* object, CoreCoord& to) {
    if (InstanceCodec::load(object, to)) {
        return true;
    }
    if (const auto* grid = instance_of<CoreGrid>(object)) {
        to = {grid->x, grid->y};
        return true;
    }
    std::array<uint32_t, 2> pair{};
    if (!python::load(object, pair)) {
        return false;
    }
    to = {pair[0], pair[1]};
    return true;
}

bool PyCodec<CoreGrid>::load(PyObject* object, CoreGrid& to) {
    if (const auto* core = instance_of<CoreCoord>(object)) {
        to = {core->x, core->y};
        return true;
    }
    return InstanceCodec::load(object, to);
}

bool PyCodec<CoreRangeSet>::load(PyObject* object, CoreRangeSet& to) {
    if (InstanceCodec::load(object, to)) {
        return true;
    }
    if (const auto* range = instance_of<CoreRange>(object)) {
        to = CoreRangeSet(*range);
        return true;
    }
    if (!is_sequence(object) && PyAnySet_Check(object) == 0) {
        return false;
    }
    std::vector<CoreRange> ranges;
    for (nb::handle item : nb::iter(nb::handle(object))) {
        const auto* range = instance_of<CoreRange>(item.ptr());
        if (range == nullptr) {
            return false;
        }
        ranges.push_back(*range);
    }
    if (PyAnySet_Check(object) != 0) {
        std::ranges::sort(ranges);  // the order of a Python set is not repeatable
    }
    to = CoreRangeSet(std::move(ranges));
    return true;
}

bool PyCodec<MeshCoordinateSet>::load(PyObject* object, MeshCoordinateSet& to) {
    if (!is_sequence(object) && PyAnySet_Check(object) == 0) {
        return false;
    }
    std::vector<MeshCoordinate> members;
    for (nb::handle item : nb::iter(nb::handle(object))) {
        const auto* member = instance_of<MeshCoordinate>(item.ptr());
        if (member == nullptr) {
            return false;
        }
        members.push_back(*member);
    }
    to = MeshCoordinateSet(std::move(members));
    return true;
}

PyObject* PyCodec<MeshCoordinateSet>::put(const MeshCoordinateSet& coordinates) {
    nb::object set = nb::steal(PySet_New(nullptr));
    for (const MeshCoordinate& member : coordinates.members()) {
        const nb::object item = nb::steal(PyCodec<MeshCoordinate>::put(member));
        if (!set.is_valid() || !item.is_valid() || PySet_Add(set.ptr(), item.ptr()) != 0) {
            return nullptr;
        }
    }
    return set.release().ptr();
}

bool PyCodec<UnaryWithParam>::load(PyObject* object, UnaryWithParam& to) {
    if (InstanceCodec::load(object, to)) {
        return true;
    }
    if (python::load(object, to.op_type)) {
        to.params.clear();
        return true;
    }
    std::tuple<UnaryOpType, double> pair;
    if (!python::load(object, pair)) {
        return false;
    }
    to = UnaryWithParam(std::get<0>(pair), {static_cast<float>(std::get<1>(pair))});
    return true;
}

namespace {

template <class T>
void install_codec() {
    type_info<T>().python = {
        .from_python = [](void* object,
                          void* to) { return PyCodec<T>::load(static_cast<PyObject*>(object), *static_cast<T*>(to)); },
        .to_python = [](const void* from) -> void* { return PyCodec<T>::put(*static_cast<const T*>(from)); }};
}

template <class... Ts>
void install_all(TypeList<Ts...>) {
    (install_codec<Ts>(), ...);
}

}  // namespace

void install_codecs() {
    install_all(ParameterTypes{});
    for (const TypeInfo* type : all_type_infos()) {
        require(type->python.from_python != nullptr && type->python.to_python != nullptr,
                "parameter type '{}' has no Python conversion (src/python/type_codecs.hpp)", type->name);
    }
}

}  // namespace ttnn::python
