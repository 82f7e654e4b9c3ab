// Where and at what a sweep runs.
#pragma once

#include <string>

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

// A run that begins now: time, host, commit, machine.
SweepRun run_of_now(const std::string& command, const std::string& contents, const std::string& board);

}  // namespace tracelift
