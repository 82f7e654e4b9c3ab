// Parts of `tracelift report`, each a command of its own.
#pragma once

#include <filesystem>
#include <string>

#include "tracelift/cli/options.hpp"

namespace tracelift::cli {

extern const Command report_import_command;
extern const Command report_stats_command;
extern const Command report_ops_command;
extern const Command report_tensors_command;
extern const Command report_buffers_command;
extern const Command report_peak_command;
extern const Command report_errors_command;
extern const Command report_check_command;
extern const Command report_perf_command;
extern const Command report_perf_import_command;

// The database that a folder or a file stands for; an error when there is none.
std::filesystem::path database_path(const std::string& place);

}  // namespace tracelift::cli
