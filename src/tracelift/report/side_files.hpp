// The JSON files beside a database that the viewer looks for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/report/report_file.hpp"

namespace tracelift::report {

// A file of reports that holds no report: settings, records of Python, what importers leave.
bool is_side_file(const std::string& name);

// Settings of a run with the name of its report: those beside the report where they are, else the name alone.
// `name` is that of the file, config.json or one host's of several.
std::string config_text(const std::filesystem::path& report, const std::string& name, const std::string& report_name);
// Whether a settings file came from `config_text` without settings, and may be replaced.
bool is_own_config(const std::filesystem::path& path);

// A cluster descriptor from what a report says of its devices, for reports without one: ids and architectures are
// theirs. The rest is what the viewer needs for a picture and a report does not tell: chips stand in a row, each has a
// host link, unique ids count from 1, there are no links between chips. Nothing for a report without devices.
std::optional<std::string> derived_cluster_text(const ReportFile& report);

// operation_history.json: the operations in order, each with the tensors it took and gave. Throws ReportError.
void write_operation_history(Database& database, const std::filesystem::path& path);

}  // namespace tracelift::report
