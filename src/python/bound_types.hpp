// Which Python class a C++ type is bound to, as a plain pointer: conversions of operation arguments compare it first.
#pragma once

#include <nanobind/nanobind.h>

namespace ttnn::python {

// Borrowed: classes of the module live as long as the interpreter.
template <class T>
inline PyTypeObject* bound_type = nullptr;

template <class T>
void remember_type() {
    bound_type<T> = reinterpret_cast<PyTypeObject*>(nanobind::type<T>().ptr());
}

inline bool is_instance(PyObject* object, PyTypeObject* type) {
    return Py_TYPE(object) == type || PyType_IsSubtype(Py_TYPE(object), type) != 0;
}

// The T inside `object`, nullptr when it is something else.
template <class T>
T* instance_of(PyObject* object) {
    const bool fits = is_instance(object, bound_type<T>) && nanobind::inst_ready(object);
    return fits ? nanobind::inst_ptr<T>(object) : nullptr;
}

}  // namespace ttnn::python
