// Where and at what a sweep runs.
#pragma once

#include <string>

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

// A run that begins now: time, host, commit, machine.
SweepRun run_of_now(const std::string& command, const std::string& contents, const std::string& board);

// What computes here: the model's name, "unknown" where the system does not tell, and its vector instructions
// ("avx avx2 fma"), of which kernels and libraries choose.
std::string processor_name();
std::string vector_extensions();

}  // namespace tracelift
