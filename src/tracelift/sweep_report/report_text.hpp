// Results for people, in the layout of analyze_sweep_results.
#pragma once

#include <span>
#include <string>

#include "tracelift/sweep_report/signature.hpp"
#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {

// Run, totals, suites, accuracy, failures; what is zero and not part of that layout is left out.
std::string report_text(const ResultSet& set, const Summary& summary);
// The short form of the guide: totals, accuracy, failures.
std::string guide_text(const ResultSet& set, const Summary& summary);
// The failures in groups, with an example each; empty where there are none.
std::string signatures_text(std::span<const FailureGroup> groups, size_t most);
// The least accurate, one line each.
std::string worst_text(std::span<const ResultRecord* const> worst);

}  // namespace tracelift
