// What changed since a replay was recorded: outcomes, outputs and their bits, accuracy, memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracelift/replay/recorded_replay.hpp"

namespace tracelift {

enum class ChangeKind : uint8_t {
    MISSING,   // recorded, and not among the calls that were replayed
    NEW,       // replayed, and not recorded
    IDENTITY,  // its hash
    OUTCOME,
    REASON,    // of a refusal
    OUTPUTS,   // number, shape, dtype, layout or memory config of the outputs
    BITS,      // of an output
    ACCURACY,  // a number of the scorecard
    MEMORY,    // a metric of memory
};

struct ReplayChange {
    ChangeKind kind = ChangeKind::OUTCOME;
    const ReplayCall* call = nullptr;
    std::string what{};  // of the kind: "output 0", "pcc", "peak_cb_per_core_bytes"; may be empty
    std::string before{};
    std::string after{};
};

// How far the scorecard may move where bits cannot be compared: rounding differs there, so a few elements may end up
// one step away. One number may be `ratio` times the other and as much more as the floor of its kind.
struct AccuracyTolerance {
    double ratio = 2.0;
    double pcc_floor = 1e-5;  // of 1 - PCC
    double ulp_floor = 1.0;
};

struct ReplayComparison {
    std::string bits_problem{};  // why bits are not compared; empty: they are
    size_t same = 0;
    size_t changed = 0;       // calls that are in both
    size_t not_compared = 0;  // too large for this machine or for the other one
    std::vector<ReplayChange> changes{};

    bool any() const { return !changes.empty(); }
    size_t count(ChangeKind kind) const;
};

// Of one call. Bits of an operation whose declaration allows no error are the same everywhere, and always compared.
std::vector<ReplayChange> changes_of(const RecordedCall& before, const ReplayCall& call, const RecordedResult& after,
                                     bool bits_compared, const AccuracyTolerance& tolerance = {});

// Calls are the same by their identity. Points into both.
ReplayComparison compare_replays(const RecordedReplay& before, std::span<const Replayed> after,
                                 const NumericEnvironment& here, const AccuracyTolerance& tolerance = {});

std::string change_text(const ReplayChange& change);  // a line for people, without its end
Json to_json(const ReplayComparison& comparison);

}  // namespace tracelift

template <>
struct ttnn::EnumInfo<tracelift::ChangeKind> {
    using Kind = tracelift::ChangeKind;
    static constexpr std::string_view type = "ChangeKind";
    static constexpr EnumMember<Kind> members[] = {
        {Kind::MISSING, "missing"}, {Kind::NEW, "new"},           {Kind::IDENTITY, "identity"},
        {Kind::OUTCOME, "outcome"}, {Kind::REASON, "reason"},     {Kind::OUTPUTS, "outputs"},
        {Kind::BITS, "bits"},       {Kind::ACCURACY, "accuracy"}, {Kind::MEMORY, "memory"}};
};
