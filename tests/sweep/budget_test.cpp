// A budget covers values and pairs before anything else.
#include "tracelift/sweep/budget.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tracelift {
namespace {

struct Space {
    std::vector<std::vector<uint32_t>> values;
    std::vector<Point> points;

    void add(std::vector<uint32_t> point, int64_t executions = 0, uint32_t group = 0) {
        values.push_back(std::move(point));
        points.push_back({group, {}, executions});
    }
    const std::vector<Point>& all() {
        for (size_t i = 0; i < points.size(); ++i) {
            points[i].values = values[i];
        }
        return points;
    }
};

Space cartesian(uint32_t a, uint32_t b, uint32_t c) {
    Space space;
    for (uint32_t i = 0; i < a * b * c; ++i) {
        space.add({i / (b * c), i / c % b, i % c});
    }
    return space;
}

// Counted apart from the implementation.
size_t distinct_pairs(const Space& space, const std::vector<size_t>& chosen) {
    std::set<std::tuple<uint32_t, size_t, uint32_t, size_t, uint32_t>> pairs;
    for (const size_t index : chosen) {
        const auto& point = space.values[index];
        for (size_t i = 0; i < point.size(); ++i) {
            for (size_t j = i + 1; j < point.size(); ++j) {
                pairs.emplace(space.points[index].group, i, point[i], j, point[j]);
            }
        }
    }
    return pairs.size();
}

TEST(Budget, CoversEveryPairOfACartesianSpaceWithFarFewerVectors) {
    Space space = cartesian(10, 8, 6);
    const Budgeted budgeted = within_budget(space.all(), 110);
    EXPECT_EQ(budgeted.coverage.pairs_there, 10U * 8 + 10 * 6 + 8 * 6);
    EXPECT_EQ(budgeted.coverage.pairs, budgeted.coverage.pairs_there);
    EXPECT_EQ(budgeted.coverage.values, 10U + 8 + 6);
    EXPECT_EQ(distinct_pairs(space, budgeted.chosen), 10U * 8 + 10 * 6 + 8 * 6);
    EXPECT_EQ(budgeted.chosen.size(), 110U);
}

TEST(Budget, ValuesComeBeforePairs) {
    Space space = cartesian(6, 6, 6);
    const Budgeted budgeted = within_budget(space.all(), 6);
    EXPECT_EQ(budgeted.coverage.values, 18U) << "six points on a diagonal";
    EXPECT_EQ(budgeted.coverage.pairs, distinct_pairs(space, budgeted.chosen));
}

TEST(Budget, WhatIsLeftGoesByExecutions) {
    Space space;
    for (int64_t i = 0; i < 20; ++i) {
        space.add({0, 0}, i);
    }
    const Budgeted budgeted = within_budget(space.all(), 3);
    EXPECT_EQ(budgeted.chosen, (std::vector<size_t>{17, 18, 19}));
}

TEST(Budget, GroupsShareNothing) {
    Space space;
    space.add({0, 0}, 0, 0);
    space.add({0, 0}, 0, 1);
    EXPECT_EQ(within_budget(space.all(), 2).coverage.values_there, 4U);
    EXPECT_EQ(within_budget(space.all(), 2).coverage.pairs, 2U);
}

TEST(Budget, IsDeterministicAndNeverLarger) {
    Space space;
    std::mt19937 random(3);
    for (size_t i = 0; i < 500; ++i) {
        const auto below = [&](uint32_t limit) {
            return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
        };
        space.add({below(40), below(3), below(7), below(5)}, below(10));
    }
    const auto once = within_budget(space.all(), 77).chosen;
    EXPECT_EQ(once, within_budget(space.all(), 77).chosen);
    EXPECT_EQ(once.size(), 77U);
    EXPECT_EQ(within_budget(space.all(), 5000).chosen.size(), 500U);
}

}  // namespace
}  // namespace tracelift
