// The metadata of a master, which stands in front of the operations or behind them, without reading what is between.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracelift/value/value.hpp"

namespace tracelift {

// A plain dict (json_tree.hpp); null where neither end of the file has one.
Value read_metadata(const std::filesystem::path& path);

// The model that a whole master is of: the only one that its metadata names.
std::optional<std::string> only_model(const Value& metadata);

}  // namespace tracelift
