// Values as Python tracers serialize them: in format-2 masters and in parameter files.
//
//   {"type": "ttnn.Tensor", "original_shape": [...], "original_dtype": "DataType.BFLOAT16", "layout", "storage_type",
//    "memory_config": {...}, "tensor_placement": {...}}
//   {"type": "DataType", "repr": "DataType.BFLOAT16"}   {"type": T, "value": text}   {"type": T, <members>}
//   {"memory_layout", "buffer_type", "shard_spec", ...}   {"math_fidelity", "fp32_dest_acc_en", ...}
// `repr` and `value` are synonyms; enumerators are written with a dot.
#pragma once

#include "tracelift/value/json.hpp"

namespace tracelift {

// From a plain tree (json_tree.hpp). Never throws: what is of no known form stays as it is, and a known form that lacks
// something becomes Value::Unparsed.
Value read_python_value(const Value& tree);

// What read_python_value reads back as the same value.
Json write_python_value(const Value& value);

}  // namespace tracelift
