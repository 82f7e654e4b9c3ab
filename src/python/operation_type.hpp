// The one callable type of all operations: a chain of OpInfo, or a Python function registered at run time.
#pragma once

#include <nanobind/nanobind.h>

#include "ttnn/op/op_info.hpp"

namespace ttnn::python {

// The operation object of that name ("ttnn.add" or an alias); throws an Error when there is none.
nanobind::object find_operation_object(const char* name);

}  // namespace ttnn::python
