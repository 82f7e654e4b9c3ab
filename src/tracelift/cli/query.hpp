// Which configurations --model, --hardware and --since ask for.
#pragma once

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/cli/options.hpp"

namespace tracelift::cli {

inline constexpr OptionInfo hardware_option{"--hardware", "SERIES",
                                            "only what was captured on this device series: n300"};

// Throws a UsageError that names what there is, where a store has nothing like that.
ConfigurationQuery checked_query(Catalog& store, const Options& options);
// The same for commands that look at two stores: known to either.
ConfigurationQuery checked_query(Catalog& a, Catalog& b, const Options& options);

}  // namespace tracelift::cli
