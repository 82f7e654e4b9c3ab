// What a command printed has to have arrived, or the command failed.
#pragma once

#include <string>

namespace tracelift::cli {

// Brings standard output to where it goes: the status of the program. Where any of it could not be written, a status of
// 0 becomes 1 and standard error says why.
int finish_output(int status);

// Says that standard output was lost, and why: the status of the program.
int lost_output(const std::string& reason);

}  // namespace tracelift::cli
