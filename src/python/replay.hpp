// What tracelift.op_replay asks the module.
#pragma once

#include "python/bindings.hpp"

namespace ttnn::python {

void bind_replay(nb::module_& module);

}  // namespace ttnn::python
