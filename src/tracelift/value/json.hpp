// Values as JSON, without loss: what processes of ours send each other and what `--json` prints of a value.
//
// null, bool, int, float, string and list are themselves; a dict is an object. What JSON lacks is an object with one
// key that begins with '$':
//   {"$enum": ["DataType", "BFLOAT16"]}   {"$struct": ["Tensor", {...}]}   {"$object": ["MeshDevice", "n150"]}
//   {"$unparsed": [text, reason]}         {"$float": "nan" | "inf" | "-inf"}   {"$dict": [[key, value], ...]}
// The last stands for a dict with a key that begins with '$'.
#pragma once

#include "tracelift/base/json.hpp"
#include "tracelift/value/value.hpp"

namespace tracelift {

Json to_json(const Value& value);
// Throws std::invalid_argument that says what is wrong and where.
Value from_json(const Json& json);

}  // namespace tracelift
