// Sweep modules: Python files below a folder, named by their path with dots. They are found and looked at here; only
// workers and the generator import them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tracelift {

struct SweepModule {
    std::string name{};              // "eltwise.unary.sigmoid_accurate.sigmoid_accurate"
    std::filesystem::path folder{};  // its name begins there
    std::filesystem::path file{};
};

// What a comma list means: names, dotted prefixes, last parts of names, or paths of files. Looked for in `folder`, or
// in the first of tests/sweep_framework/sweeps, sweeps and examples/sweeps that is there. Throws std::runtime_error for
// a name that means nothing.
std::vector<SweepModule> find_modules(const std::string& names, const std::optional<std::string>& folder);
// All of a folder.
std::vector<SweepModule> modules_in(const std::filesystem::path& folder);

// The module's TIMEOUT: of the last line that has one. Nothing where there is none or it is not a whole number.
std::optional<std::chrono::milliseconds> module_timeout(const std::filesystem::path& file);

}  // namespace tracelift
