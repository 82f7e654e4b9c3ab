// Budgets: the part of a large space that covers most. First every value of every traced dimension and every pair of
// values that was traced together, then what models execute most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tracelift {

struct PairCoverage {
    uint64_t values = 0, values_there = 0;  // covered, and there are
    uint64_t pairs = 0, pairs_there = 0;
};

struct Budgeted {
    std::vector<size_t> chosen{};  // indices of the points, ascending
    PairCoverage coverage{};
};

// A point has an index of a value per dimension. `group` keeps apart what shares no dimensions (operations with other
// tensors).
struct Point {
    uint32_t group = 0;
    std::span<const uint32_t> values{};
    int64_t executions = 0;
};

// Greedy: each next point covers most of what is not covered yet; among equals the more executed, then the earlier.
Budgeted within_budget(std::span<const Point> points, size_t budget);

}  // namespace tracelift
