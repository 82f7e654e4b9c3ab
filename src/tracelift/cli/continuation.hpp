// What a command that a signal ended tells people to run next.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/cli/options.hpp"

namespace tracelift::cli {

// A line for a shell: the command ("sweep run") on these arguments with the options it was given, save those in
// `without`, and the flags in `with`.
std::string continuation(std::string_view command, const Options& options, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& without = {}, const std::vector<std::string>& with = {});

}  // namespace tracelift::cli
