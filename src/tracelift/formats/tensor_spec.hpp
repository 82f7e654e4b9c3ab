// The runtime's spec of a Tensor value: tells which alignment is the default one, which traces leave out.
#pragma once

#include <optional>

#include "tracelift/value/value.hpp"
#include "ttnn/tensor/tensor_spec.hpp"

namespace tracelift {

// nullopt when the record is not complete or describes a tensor that the runtime cannot lay out.
std::optional<ttnn::TensorSpec> tensor_spec_of(const Value& tensor);

}  // namespace tracelift
