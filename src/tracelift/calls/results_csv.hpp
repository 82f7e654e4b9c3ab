// Results CSV: one row per test, or per run of a program.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace tracelift {

inline constexpr std::array<std::string_view, 21> result_columns = {
    "test_nodeid",  "module",         "mode",         "seq_len",
    "batch_size",   "hf_max_seq_len", "mesh_shape",   "mesh_num_devices",
    "weights_type", "module_path",    "metrics_json", "outcome",
    "duration_sec", "error",          "run_id",       "session_timestamp",
    "hostname",     "git_commit",     "ttnn_version", "start_timestamp",
    "end_timestamp"};

using ResultRow = std::map<std::string, std::string, std::less<>>;  // by column; a column that is missing stays empty

// Appends a row, and the header where the file is new or empty. Rows of several processes never mix. Throws an error
// that names the file, or std::invalid_argument for a column that does not exist.
void append_result(const std::filesystem::path& path, const ResultRow& row);

// For programs: what the row of this run says about its results, in metrics_json.
void report_pcc(double value, bool passed);
void report_metric(std::string_view type, std::string_view message, bool passed);  // "allclose", "ulp"

// Writes a row when the program ends by itself, where TT_TEST_RESULTS_CSV names a file.
void start_results_from_environment();
// Somebody else writes the rows of this process.
void cancel_program_results();

}  // namespace tracelift
