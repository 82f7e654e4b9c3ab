// Json: trees of JSON that keep the order of keys.
#pragma once

#include <nlohmann/json.hpp>

namespace tracelift {

using Json = nlohmann::ordered_json;

}  // namespace tracelift
