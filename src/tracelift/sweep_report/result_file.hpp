// Result files and run files of sweeps, as the runner and other tools write them.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift {

// A file that is not what it should be; names it, the record and what was expected.
class ResultFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A list of records, or the file of a run with its `tests`.
ResultSet read_result_file(const std::filesystem::path& file);
// The file of a run, without its tests where `with_tests` is false.
ResultSet read_run_file(const std::filesystem::path& file, bool with_tests);

struct ResultPlaces {
    std::optional<std::filesystem::path> folder{}, result_file{}, metadata_file{};
};
// From a folder: the newest run, with all its tests where its file has them, else the newest result file.
ResultSet read_results(const ResultPlaces& places);

// A number and nothing else, as messages of passed vectors usually are.
std::optional<double> plain_number(std::string_view text);
// Milliseconds since 1970 of "2026-01-15T10:46:16.123Z"; nullopt: not such a text.
std::optional<double> milliseconds_of(std::string_view timestamp);

}  // namespace tracelift
