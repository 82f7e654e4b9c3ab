// Between Python objects and the neutral tracelift::Value.
#pragma once

#include <nanobind/nanobind.h>

#include "tracelift/value/value.hpp"
#include "ttnn/op/type_info.hpp"

namespace ttnn::python {

// Lists, dicts, enums by their member's name, records as dicts.
nanobind::object object_of(const tracelift::Value& value);

// Anything: what is not plain data or one of our types becomes a Value::Object with its type and text.
tracelift::Value value_of(PyObject* object);

// The same into a sink; what calls have most of goes there straight.
void put_value(PyObject* object, tracelift::ValueSink& sink);

// Every tensor in `object` and in lists, tuples and dicts inside it.
void visit_python_tensors(PyObject* object, TensorVisitor visit);

}  // namespace ttnn::python
