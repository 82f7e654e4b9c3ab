// Placements as stores before version 4 have them: in a column of their own instead of in the tensors.
#pragma once

#include "tracelift/base/sqlite.hpp"

namespace tracelift {

// Lets SQL say with_placements(arguments, placements): the arguments with the placements in their tensors.
void add_placement_function(Database& database);

}  // namespace tracelift
