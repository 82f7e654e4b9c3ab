// Between Python objects and the neutral tracelift::Value.
#pragma once

#include <nanobind/nanobind.h>

#include "tracelift/value/value.hpp"
#include "ttnn/op/type_info.hpp"

namespace ttnn::python {

// Lists, dicts, enums by their member's name, records as dicts.
nanobind::object object_of(const tracelift::Value& value);

// FAITHFUL: texts and paths as they are, and members of an IntEnum as members. TRACED: without anything about the user,
// and numbers where an operation takes numbers.
enum class Fidelity { TRACED, FAITHFUL };

// Anything: what is not plain data, one of our types or an object that foreign_object.hpp knows becomes a Value::Object
// with its type and text. Never throws.
tracelift::Value value_of(PyObject* object, Fidelity fidelity = Fidelity::TRACED);

// A value as plain Python, for code that makes objects of it: None, bool, int, float, str, list and dict are
// themselves, everything else is a tuple that begins with its kind: ("enum", type, member), ("struct", type, {field:
// value}),
// ("object", type, text), ("unparsed", text, reason).
nanobind::object neutral_object(const tracelift::Value& value);

// The same into a sink; what calls have most of goes there straight.
void put_value(PyObject* object, tracelift::ValueSink& sink);

// Every tensor in `object` and in lists, tuples and dicts inside it.
void visit_python_tensors(PyObject* object, TensorVisitor visit);

}  // namespace ttnn::python
