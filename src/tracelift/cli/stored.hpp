// The stored configurations that a command line names.
#pragma once

#include "tracelift/cli/options.hpp"
#include "tracelift/store/store.hpp"
#include "tracelift/sweep/pool.hpp"

namespace tracelift::cli {

// Of the operations given, or of all with `--all` or (where `none_means_all`) without any.
std::vector<Configuration> chosen_configurations(Store& store, const Options& options, bool none_means_all);

// --timeout SECONDS, --memory MEGABYTES, --jobs N
PoolOptions pool_options(const Options& options);

}  // namespace tracelift::cli
