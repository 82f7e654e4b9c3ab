// Result files: results_export/<sweep>_<hash>_<time>.json, a list of records per sweep, and oprun_..., the whole run.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/catalog/result_record.hpp"

namespace tracelift {

// The word of result files for a status; docs/sweep-runner.md has the table.
std::string_view result_word(Status status);

// How a set of results counts as a whole.
enum class Aggregate : uint8_t { SUCCESS, FAILURE, SKIPPED };
Aggregate aggregate(std::span<const ResultRecord> results);
// "passed", "fail", or "did_not_finish" where the run has no end.
std::string_view run_word(const SweepRun& run, std::span<const ResultRecord> results);

// One record, with the keys in the order of the original.
Json result_json(const SweepRun& run, const ResultRecord& result);
// Parameters with dotted keys: {"param_name", "param_value_numeric", "param_value_text", "param_value_json"} each.
Json flat_parameters(const Json& parameters);

// Writes a file per sweep and one of the run; their paths, that of the run last. `stamp` is "20260115_104616". Files
// appear whole or not at all; one that is there already is not replaced but gets a neighbour.
std::vector<std::filesystem::path> write_result_files(const std::filesystem::path& folder, const SweepRun& run,
                                                      std::span<const ResultRecord> results, const std::string& stamp);

}  // namespace tracelift
