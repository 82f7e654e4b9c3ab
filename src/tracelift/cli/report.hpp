// Parts of `tracelift report`.
#pragma once

#include <filesystem>
#include <string>

#include "tracelift/cli/options.hpp"
#include "tracelift/store/sqlite.hpp"

namespace tracelift::cli {

int report_import(const Options& options);
int report_check(const Options& options);

// The database that a folder or a file stands for; an error when there is none.
std::filesystem::path database_path(const std::string& place);

// Questions to the database.
int report_stats(Database& database, const Options& options);
int report_ops(Database& database, const Options& options);
int report_tensors(Database& database, const Options& options);
int report_buffers(Database& database, const Options& options);
int report_peak(Database& database, const Options& options);
int report_errors(Database& database, const Options& options);

}  // namespace tracelift::cli
