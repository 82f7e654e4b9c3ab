// Pictures of a report: its calls, and its memory over time.
#pragma once

#include <string>

#include "tracelift/report/context.hpp"

namespace tracelift::report {

// Throws ttnn::graph::TraceError for a small report that cannot be drawn.
std::string calls_svg(const ReportFile& report);
// Per core and per bank, against what a device has of it. Begins with what the report says was there before.
std::string memory_svg(const Context& context);

}  // namespace tracelift::report
