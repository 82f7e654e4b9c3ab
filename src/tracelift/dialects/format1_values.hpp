// Values inside the arguments of format 1: from plain JSON trees (json_tree.hpp) to typed values, and back.
//
// The read functions throw std::invalid_argument that says what a record of a known kind lacks.
#pragma once

#include <string_view>

#include "tracelift/dialects/format1.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::format1 {

// Stands for a value that the usual forms cannot say: {"Exact": the lossless JSON of value/json.hpp}.
inline constexpr std::string_view exact_type = "Exact";

Value read_value(const Value& tree);
// A whole argument: {"<type>": body} names its kind even where the name is not like a type's.
Value read_body(const Value& tree);
// The body of {"<type>": body}.
Value read_record(std::string_view type, const Value& body);
// A member of an object; the name may say what kind it is of.
Value read_field(std::string_view name, const Value& tree);

// "ShardOrientation::ROW_MAJOR" or only "ROW_MAJOR".
Value read_enum(std::string_view type, const Value& tree);
// A list, or text such as "{32, 32}".
Value read_int_list(std::string_view name, const Value& tree);

Value read_shard_spec(const Value& tree);
Value read_nd_shard_spec(const Value& tree);
Value read_memory_config(const Value& tree);
Value read_tensor(const Value& tree);

// Not there, null or one of the texts for an absent optional.
bool is_absent(const Value* tree);
bool is_structured(const Value& tree);  // a dict or a list
// The only entry of a dict with one, nullptr for anything else.
const Value::Entry* only_entry(const Value& tree);

// The JSON of a value inside an argument, and of a whole argument.
Json write_value(const Value& value, Typing typing = Typing::DECLARED);
Json write_body(const Value& value, Typing typing);
Json write_memory_config(const Value& config);
Json write_tensor(const Value& tensor);
Json write_grid(const Value& grid);

// A field of a record; std::invalid_argument when it is missing.
const Value& field(const Value& record, std::string_view name);

}  // namespace tracelift::format1
