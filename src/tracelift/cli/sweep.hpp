// Parts of `tracelift sweep`, each a command of its own, and what they share.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/cli/options.hpp"
#include "tracelift/sweep/budget.hpp"
#include "tracelift/sweep/runner.hpp"

namespace tracelift::cli {

extern const Command sweep_run_command;
extern const Command sweep_generate_command;
extern const Command sweep_merge_command;

inline constexpr OptionInfo module_name_option{
    "--module-name", "M", "Python sweep modules: names, dotted prefixes, last parts or files, separated by commas"};
inline constexpr OptionInfo suite_name_option{"--suite-name", "SUITE", "only this suite"};
inline constexpr OptionInfo suite_option{"--suite", "SUITE", "the same"};
inline constexpr OptionInfo sweeps_dir_option{
    "--sweeps-dir", "DIR",
    "the modules' folder (default: tests/sweep_framework/sweeps, sweeps or examples/sweeps, whichever is there)"};
inline constexpr OptionInfo vectors_dir_option{"--vectors-dir", "DIR", "vector files (default: vectors_export)"};
inline constexpr OptionInfo results_dir_option{"--results-dir", "DIR", "result files (default: results_export)"};
inline constexpr OptionInfo all_cases_option{
    "--all-cases", {}, "for operations: every combination of the traced values, not only the traced ones"};

std::string suite_of(const Options& options);  // empty: all

// No suite is larger.
inline constexpr uint64_t most_permutations = 10'000;

// The vectors that a command line names.
struct ChosenVectors {
    std::vector<Vector> vectors{};
    bool native = true;
    std::map<std::filesystem::path, std::chrono::milliseconds> module_timeouts{};
    std::optional<PairCoverage> coverage{};  // with --budget
    std::string contents{};                  // "all_sweeps", or "module, suite"
};
ChosenVectors choose_vectors(Catalog& store, const Options& options);

// The table of README and the list of what did not pass.
void print_sweep_table(std::span<const ResultRecord> results);
void print_sweep_problems(std::span<const ResultRecord> results);
Json sweep_result_json(const ResultRecord& result);
// "30 of 30 configurations pass"
std::string pass_text(std::span<const ResultRecord> results, std::string_view unit);
// Everything that could be judged passed, and something was.
bool all_good(std::span<const ResultRecord> results);
std::string operation_text(const ResultRecord& result);

}  // namespace tracelift::cli
