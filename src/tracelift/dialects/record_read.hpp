// The records that every dialect spells alike: cores, grids, shard specs and memory configs, from plain JSON trees.
//
// What differs is how a dialect writes enumerators and what it has for an absent optional. These functions throw
// std::invalid_argument that says what a record lacks.
#pragma once

#include <string_view>

#include "tracelift/value/value.hpp"

namespace tracelift::records {

// How a dialect spells what stands in records.
struct Spelling {
    Value (*read_enum)(std::string_view type, const Value& tree);
    bool (*is_absent)(const Value* tree);
};

// A member of a dict; std::invalid_argument when it is missing.
const Value& at(const Value& dict, std::string_view name);

bool is_core(const Value& tree);  // {x, y}
Value read_core(const Value& tree);
// [P, P], [[P, P], ..], [{start, end}, ..], {} or [] for no core; P is {x, y}. Or the text of graph nodes.
Value read_grid(const Value& tree);
bool is_grid(const Value& tree);

Value read_shard_spec(const Value& tree, const Spelling& spelling);
// A file that does not say how shards are dealt means round robin.
Value read_nd_shard_spec(const Value& tree, const Spelling& spelling);
// Layout and buffer; the shard spec follows.
Value::Dict read_memory_kind(const Value& tree, const Spelling& spelling);
// Of both specs the n-D one, whose text is the more exact; `shard_spec` reads the other.
Value read_memory_config(const Value& tree, const Spelling& spelling, Value (*shard_spec)(const Value& tree));

// Where a tensor stands of which nothing is said.
Value dram_interleaved();

// "DataType.BFLOAT16", "DataType::BFLOAT16", "bfloat16", "DEVICE_STORAGE": the part behind the last dot or colon in
// capitals, as Python's tracers leave it to their readers.
Value read_enum_of_any_case(std::string_view type, const Value& tree);

}  // namespace tracelift::records
