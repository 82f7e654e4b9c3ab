// Comparison: what changed from one run of a sweep to another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tracelift/sweep_report/result_set.hpp"

namespace tracelift {

struct ComparisonLimits {
    double pcc_drop = 1e-4;    // a PCC that fell by more is worse
    double time_ratio = 2.0;   // times that grew by this factor are slower ...
    double time_floor = 20.0;  // ... if they grew by as many milliseconds too: below it is noise
    double ulp_ratio = 2.0;    // a largest error in ULP that grew by this factor is worse ...
    double ulp_floor = 1.0;    // ... if it grew by as much
    bool time_is_an_error = false;
};

// One vector in both runs; the pointer of a run that lacks it is null.
struct Change {
    const ResultRecord* before = nullptr;
    const ResultRecord* after = nullptr;
    const ResultRecord& any() const { return after == nullptr ? *before : *after; }
};

struct Comparison {
    size_t before = 0, after = 0, common = 0;  // vectors
    size_t passed_before = 0, passed_after = 0;
    std::vector<Change> newly_failing;  // failed now and not before; also vectors that the first run lacks
    std::vector<Change> fixed;          // failed before and passed now
    std::vector<Change> otherwise;      // another status, which is neither
    std::vector<Change> fresh;          // only in the second run, and not failing
    std::vector<Change> gone;           // only in the first
    std::vector<Change> less_accurate;  // the worst first
    std::vector<Change> more_accurate;
    std::vector<Change> slower;  // the worst first
    std::vector<Change> faster;
    double milliseconds_before = 0, milliseconds_after = 0;  // of the vectors in both

    bool is_worse(const ComparisonLimits& limits) const {
        return !newly_failing.empty() || !less_accurate.empty() || (limits.time_is_an_error && !slower.empty());
    }
};

// Points into both. Vectors are the same by sweep, suite and id; where one comes twice, by their order.
Comparison compare_runs(const ResultSet& before, const ResultSet& after, const ComparisonLimits& limits);

// For people; for programs; for GitHub's summaries.
std::string comparison_text(const Comparison& comparison, const ResultSet& before, const ResultSet& after);
Json to_json(const Comparison& comparison);
std::string comparison_markdown(const Comparison& comparison, const ResultSet& before, const ResultSet& after);

}  // namespace tracelift
