// A performance report: the device operations of a graph report as the table that profilers of hardware write, for the
// ttnn-visualizer and tt-perf-report. What only hardware can measure stays empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tracelift/report/csv.hpp"

namespace tracelift::report {

inline constexpr std::string_view device_log_name = "profile_log_device.csv";
inline constexpr std::string_view perf_file_prefix = "ops_perf_results";

struct PerfTable {
    CsvRow header;
    std::vector<CsvRow> rows;  // a device operation each, in the order in which they began
    std::string arch;          // of the first device, "wormhole_b0"; empty when the report has none
    int64_t compute_cores = 0;
};

// Throws ReportError.
PerfTable perf_table(const std::filesystem::path& report);

struct PerfSummary {
    std::filesystem::path table;
    std::filesystem::path device_log;
    size_t operations = 0;
    std::vector<std::string> empty_columns;  // what no row has a value for
};

// Writes `ops_perf_results_<name of the report>.csv` and `profile_log_device.csv` into the folder, which is made.
PerfSummary write_perf_report(const std::filesystem::path& report, const std::filesystem::path& folder);
// What the command prints.
std::string summary_text(const PerfSummary& summary);

}  // namespace tracelift::report
