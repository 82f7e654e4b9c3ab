// Results for GitHub's actions: annotations on the log, and the summary of a step.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tracelift/sweep_report/signature.hpp"
#include "tracelift/sweep_report/summary.hpp"

namespace tracelift {

// One workflow command per group of failures: GitHub shows ten per step.
std::string github_annotations(std::span<const FailureGroup> groups);
// One `::error` or `::notice`.
std::string github_command(std::string_view level, std::string_view title, std::string_view text);

std::string github_summary(const ResultSet& set, const Summary& summary, std::span<const FailureGroup> groups);

// Appends to the file that $GITHUB_STEP_SUMMARY names; false: there is none. Throws std::system_error.
bool append_step_summary(std::string_view markdown);

}  // namespace tracelift
