// Completion for shells. `tracelift completion SHELL` prints a short script; the script asks the command itself what
// may come next, so that what it offers is what the command takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracelift::cli {

inline constexpr std::string_view candidates_argument = "__candidates";

// `words` are those behind `tracelift`; the last one is being typed and may be empty. Prints a candidate a line, with
// its help behind a tab; ":files" or ":folders" where names of files are wanted.
int print_candidates(const std::vector<std::string>& words);
std::vector<std::string> candidates(const std::vector<std::string>& words);

}  // namespace tracelift::cli
