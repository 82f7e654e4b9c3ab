// The stored configurations that a command line names, and how they are run.
#pragma once

#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/cli/progress.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift::cli {

inline constexpr ArgumentInfo operations_argument{
    "OP", "operations, as ttnn::add, ttnn.add or add; any part of a name will do", 0, any_number};
inline constexpr OptionInfo timeout_option{"--timeout", "SECONDS", "give up on a call after this time (default: 60)",
                                           Range{0.001, 1e6, false}};
inline constexpr OptionInfo memory_option{
    "--memory", "MEGABYTES",
    "give up on a call that takes more host memory than this (default: a third of the machine's)",
    Range{1, 1e9, false}};
inline constexpr OptionInfo jobs_option{"--jobs", "N", "worker processes (default: one per processor)",
                                        Range{1, 1024, true}};

// Of the operations given, or of all with `--all` or (where `none_means_all`) without any.
std::vector<Configuration> chosen_configurations(Catalog& store, const Options& options, bool none_means_all);

// --timeout, --memory, --jobs. While calls run, `progress` tells about it, and a signal ends them.
PoolOptions pool_options(const Options& options, Progress& progress);

// The operations of which something is left to do. `done` and `all` go together.
std::vector<std::string> remaining_operations(const std::vector<Configuration>& all,
                                              const std::vector<const Configuration*>& done);

}  // namespace tracelift::cli
