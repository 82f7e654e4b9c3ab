// Pictures of a report: its calls, and its memory over time.
#pragma once

#include <string>

#include "tracelift/report/context.hpp"

namespace tracelift::report {

// Reports of up to this many nodes are drawn whole, larger ones by the calls of the program itself.
inline constexpr size_t largest_whole_picture = 3000;

// Throws ttnn::graph::TraceError for a small report that cannot be drawn.
std::string whole_calls_svg(const ReportFile& report);
std::string collapsed_calls_svg(Database& database, int64_t report_id);
std::string memory_svg(Database& database, int64_t report_id, std::string_view title);

}  // namespace tracelift::report
