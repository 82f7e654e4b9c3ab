// Bytes of tensors whose allocation a graph does not show.
#pragma once

#include <cstdint>
#include <optional>

#include "tracelift/report/node_view.hpp"

namespace tracelift::report {

// Of the whole tensor: what its buffer's node says, which follows directly on a device tensor from before the capture,
// else what shape, dtype, layout and padding make it. Nothing where these are not known either.
std::optional<int64_t> size_without_allocation(const NodeView& tensor, const ReportFile& report, NodeLookup& ahead);

}  // namespace tracelift::report
