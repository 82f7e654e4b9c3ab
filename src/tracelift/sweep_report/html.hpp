// Results as one HTML page: no network, no other file.
#pragma once

#include <span>
#include <string>

#include "tracelift/sweep_report/signature.hpp"
#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {

std::string html_page(const ResultSet& set, const Summary& summary, std::span<const FailureGroup> groups);

}  // namespace tracelift
