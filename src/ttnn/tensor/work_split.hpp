// Work split over any set of cores; core_coord.hpp has the split over a grid.
#pragma once

#include "ttnn/tensor/core_coord.hpp"

namespace ttnn {

// The cores are taken range by range.
WorkSplit split_work_to_cores(const CoreRangeSet& cores, uint64_t units, bool row_wise = false);

}  // namespace ttnn
