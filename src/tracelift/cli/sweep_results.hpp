// Results of sweeps that a command line names: a run of the store, a result file, or a folder of them.
#pragma once

#include <string>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift::cli {

// "12", "latest", "latest~1". Throws StoreError that names what is there.
SweepRun found_sweep(Catalog& store, const std::string& run);
ResultSet stored_results(Catalog& store, const std::string& run);

// A file, a folder, or what stored_results takes.
ResultSet named_results(const Options& options, const std::string& name);

}  // namespace tracelift::cli
