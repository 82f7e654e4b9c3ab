// Arguments of a call as C++ prints them (the documented form): "Tensor(storage=DeviceStorage(),...)", "nullopt", "1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"
#include "ttnn/op/op_info.hpp"

namespace ttnn::graph {

// One argument; `type` is the declared type's name ("Shape", "list[int]"), which tells shapes from other lists.
std::string argument_text(const tracelift::Value& value, std::string_view type);

// The arguments of a call by C++ position, up to the last that is not a default.
std::vector<std::string> argument_texts(const OpInfo& op, const tracelift::Value::Dict& arguments);

// The arguments of a primitive; the keys are the names of their types.
std::vector<std::string> primitive_texts(const tracelift::Value::Dict& arguments);
// The same as the two arguments of a device operation: attributes by position, and the tensors.
std::vector<std::string> device_operation_texts(const tracelift::Value::Dict& arguments);

// What create_device_tensor is called with.
std::vector<std::string> creation_texts(const TensorSpec& spec);

// The text of a value that C++ cannot print.
std::string unsupported(std::string_view type);

}  // namespace ttnn::graph
