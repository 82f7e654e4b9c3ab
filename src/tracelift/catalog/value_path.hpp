// Paths into a configuration: arg0.dtype, arg0.memory.layout, arg1.shape[3], dim, hardware, mesh, model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

// Where a path leads; several values for `model`, none where there is no such thing. `arg<i>` counts by C++ position
// where the operation is declared, as `show` prints it; names mean what the declaration calls them. Inside tensors
// `memory`, `shard`, `buffer` and `storage` are short for memory_config, its shard_spec, buffer_type and storage_type,
// and the `layout` of a memory config is its memory_layout.
std::vector<Value> values_at(const Configuration& configuration, std::string_view path);
const Value* value_at(const Value& value, std::string_view path);

// As people write it: BFLOAT16, 32, [1, 32], true, none.
std::string plain_text(const Value& value);

// Every leaf with its path, in order.
std::vector<std::pair<std::string, Value>> leaves_of(const Value& value, const std::string& path = {});

}  // namespace tracelift
