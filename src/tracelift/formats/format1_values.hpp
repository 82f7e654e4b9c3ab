// Values inside the arguments of format 1. Internal to the format-1 reader and writer.
//
// The read functions throw std::invalid_argument that says what a record of a known kind lacks.
#pragma once

#include <string_view>

#include "tracelift/value/json.hpp"

namespace tracelift::format1 {

Value read_value(const Json& json);
// The body of {"<type>": body}.
Value read_record(std::string_view type, const Json& body);

// "ShardOrientation::ROW_MAJOR" or only "ROW_MAJOR".
Value read_enum(std::string_view type, const Json& json);
// A JSON list, or text such as "{32, 32}".
Value read_int_list(std::string_view name, const Json& json);

// [P, P], [[P, P], ..], [{start, end}, ..], {} or [] for no core; P is {x, y}.
Value read_grid(const Json& json);
bool is_core(const Json& json);
bool is_grid(const Json& json);
Value read_core(const Json& json);
Value read_shard_spec(const Json& json);
Value read_nd_shard_spec(const Json& json);
Value read_memory_config(const Json& json);
Value read_tensor(const Json& json);

// nullptr when there is no such member.
const Json* find(const Json& object, std::string_view name);
const Json& at(const Json& object, std::string_view name);
// Not there, null or one of the texts for an absent optional.
bool is_absent(const Json* json);

// The JSON of a value inside an argument.
Json write_value(const Value& value);
Json write_memory_config(const Value& config);
Json write_tensor(const Value& tensor);
Json write_grid(const Value& grid);

// A field of a record; std::invalid_argument when it is missing.
const Value& field(const Value& record, std::string_view name);

}  // namespace tracelift::format1
