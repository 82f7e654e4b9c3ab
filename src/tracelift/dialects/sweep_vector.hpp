// Values in the forms of vector files, and the text that ids are hashed over.
//
//   shape                 "(1, 1, 32, 32)"
//   enum                  "DataType.BFLOAT16"
//   memory config         {"type": "ttnn._ttnn.tensor.MemoryConfig", "data": {"buffer_type": "L1", ...}}
//   tensor argument t     t_shape, t_dtype, t_layout, t_memory_config, and what differs from the usual:
//                         t_storage_type, t_alignment, t_tile
//   anything else         as format 2 has it
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tracelift/value/json.hpp"

namespace tracelift {

using Parameter = std::pair<std::string, Json>;

// The parameters of one argument: several for a tensor; a list of tensors has those of t_0, t_1, ...
std::vector<Parameter> parameters_of(const std::string& argument, const Value& value);
Json native_parameters(const Value::Dict& arguments);

// The arguments again. Throws std::invalid_argument that names the parameter.
Value::Dict arguments_of(const Json& parameters);

// Sorted keys, no spaces, letters beyond ASCII as they are, floats as Python prints them.
std::string compact_json(const Json& json);

}  // namespace tracelift
