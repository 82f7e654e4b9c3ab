// Performance reports of hardware beside the operations of a graph report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tracelift/base/sqlite.hpp"

namespace tracelift::report {

struct PerfImport {
    std::filesystem::path file;
    size_t rows = 0;      // of device operations
    size_t devices = 0;   // that ran them
    size_t matched = 0;   // device operations of the report
    size_t past = 0;      // rows behind the last of them
    size_t left_out = 0;  // signposts and operations of the host
};

// Reads an `ops_perf_results*.csv`, or the only one in a folder, into the table `performance`, in place of what was
// there. On every device the rows are the device operations of the report in their order: a row of another name, or
// fewer rows, is a ReportError that names the row and the operation; then the database stays as it was.
PerfImport import_performance(Database& database, const std::filesystem::path& place, int64_t rank = 0);
// What the command prints.
std::string summary_text(const PerfImport& summary);

}  // namespace tracelift::report
