// Cores and shard specs as JSON, in the form that MemoryConfig::to_json gives its parts.
#pragma once

#include <string>
#include <string_view>

#include "ttnn/tensor/memory_config.hpp"

namespace ttnn::python {

std::string to_json(const CoreCoord& core);
std::string to_json(const CoreRange& range);
std::string to_json(const CoreRangeSet& cores);
std::string to_json(const ShardSpec& spec);
std::string to_json(const NdShardSpec& spec);

// Of one of these types; throws where the text is something else.
template <class T>
T from_json(std::string_view text);

}  // namespace ttnn::python
