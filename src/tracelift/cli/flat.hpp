// A configuration as one flat object, for tools such as jq.
#pragma once

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::cli {

// Keys are the paths that `--where` takes: arg0.dtype, arg0.shape (lists of plain values stay lists), dim; beside them
// operation, id, identity, models, count and hardware.
Json flat_json(const Configuration& configuration);

}  // namespace tracelift::cli
