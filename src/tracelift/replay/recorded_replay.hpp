// RecordedReplay: what calls came to at some time, kept to be compared with what they come to later.
//
// As a file it is all that is needed to make the calls again:
//   {"format": "tracelift replay 1", "environment": {"version", "processor", "extensions", "blas", "libm"},
//    "calls": [{"operation", "identity", "board", "seed", "machine_info", "arguments", "outcome", "reason",
//               "accuracy": {"pcc", "max_ulp", "max_relative", "max_absolute", "equal"},
//               "outputs": [{"spec", "bits"}], "memory": {metric: bytes}}, ...]}
// with a call per line. Arguments are neutral values (value/json.hpp) by name; "accuracy" is there where a reference
// judged the call. Nothing in it depends on when or by whom it was written.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracelift/catalog/catalog.hpp"
#include "tracelift/replay/numeric_environment.hpp"
#include "tracelift/replay/replay.hpp"

namespace tracelift {

struct Accuracy {
    double pcc = 1.0;
    double max_ulp = 0.0;
    double max_relative = 0.0;
    double max_absolute = 0.0;
    bool equal = false;
};

// What is missing was not recorded, and is not compared.
struct RecordedResult {
    Outcome outcome = Outcome::FAILED;
    std::string reason{};
    std::optional<Accuracy> accuracy{};
    std::optional<std::vector<Fingerprint>> outputs{};
    std::optional<std::vector<Metric>> memory{};
};

struct RecordedCall {
    ReplayCall call{};
    RecordedResult result{};
    bool callable = true;  // false: only its name is left
};

struct RecordedReplay {
    std::string name{};                               // of the file or the run, for people
    std::optional<NumericEnvironment> environment{};  // nothing: it was not recorded
    std::vector<RecordedCall> calls{};
    size_t left_out = 0;  // results that are not of recorded calls, or of calls that were not made
};

RecordedResult recorded_result(const Replayed& replayed);

// The text of a file. A call that comes again (same identity and seed) is written once.
std::string recorded_text(std::span<const Replayed> replays, const NumericEnvironment& environment);
// Throws FileError that names the file, the call and what was expected.
RecordedReplay read_recorded(const std::filesystem::path& file);

// A sweep of the store: the results of its configurations. Bits were not kept, memory only where it was measured.
RecordedReplay recorded_sweep(Catalog& store, const SweepRun& run);

}  // namespace tracelift
