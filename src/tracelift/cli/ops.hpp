// Lists of stored operations, which `tracelift ops` and `tracelift show` both print.
#pragma once

#include <string>

#include "tracelift/cli/opened.hpp"

namespace tracelift::cli {

inline constexpr OptionInfo list_option{"--list", {}, "list the operations by category"};
inline constexpr OptionInfo stats_option{"--stats", {}, "statistics of the whole store"};

// As --list, --stats, --brief, --limit and --json ask for; all operations with an empty pattern.
int list_operations(OpenedStore& store, const std::string& pattern, const Options& options);

}  // namespace tracelift::cli
