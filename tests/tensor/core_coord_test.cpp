#include "ttnn/tensor/core_coord.hpp"

#include <gtest/gtest.h>

#include "ttnn/core/error.hpp"

namespace ttnn {
namespace {

using Cores = std::vector<CoreCoord>;

CoreRange range(uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2) { return CoreRange({x1, y1}, {x2, y2}); }

TEST(CoreRange, TextForms) {
    EXPECT_EQ((CoreCoord{1, 3}.to_string()), "(x=1,y=3)");
    EXPECT_EQ(range(0, 0, 0, 7).to_string(), "[(x=0,y=0) - (x=0,y=7)]");
    EXPECT_EQ(CoreRangeSet().to_string(), "{}");
    EXPECT_EQ(CoreRangeSet({range(0, 0, 0, 7), range(1, 0, 1, 3)}).to_string(),
              "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    EXPECT_EQ((CoreGrid{8, 7}.to_string()), "ttnn.CoreGrid(x=8, y=7)");
}

TEST(CoreRange, ContainsAndIntersects) {
    const CoreRange box = range(1, 1, 3, 2);
    EXPECT_EQ(box.num_cores(), 6u);
    EXPECT_EQ(box.grid_size(), (CoreCoord{3, 2}));
    EXPECT_TRUE(box.contains(CoreCoord{3, 2}));
    EXPECT_FALSE(box.contains(CoreCoord{0, 1}));
    EXPECT_TRUE(box.contains(range(2, 1, 3, 1)));
    EXPECT_FALSE(box.contains(range(2, 1, 4, 1)));
    EXPECT_TRUE(box.intersects(range(3, 2, 9, 9)));
    EXPECT_FALSE(box.intersects(range(4, 1, 5, 2)));
    EXPECT_THROW(range(2, 0, 1, 0), Error);
    EXPECT_THROW((CoreGrid{0, 4}.range()), Error);
}

TEST(CoreRangeSet, RejectsOverlap) {
    EXPECT_THROW(CoreRangeSet({range(0, 0, 3, 3), range(3, 3, 4, 4)}), Error);
    EXPECT_EQ(CoreRangeSet({range(0, 0, 3, 3), range(4, 0, 4, 4)}).num_cores(), 21u);
}

TEST(CoreRangeSet, ContainsAcrossRanges) {
    const CoreRangeSet set({range(0, 0, 1, 1), range(2, 0, 3, 1)});
    EXPECT_TRUE(set.contains(range(1, 0, 2, 1)));
    EXPECT_FALSE(set.contains(range(1, 0, 2, 2)));
    EXPECT_TRUE(set.contains(CoreRangeSet({range(3, 1, 3, 1), range(0, 0, 0, 0)})));
    EXPECT_EQ(set.bounding_box(), range(0, 0, 3, 1));
    EXPECT_THROW(CoreRangeSet().bounding_box(), Error);
}

TEST(CoreRangeSet, EnumeratesRangeByRange) {
    const CoreRangeSet set({range(0, 0, 1, 1), range(5, 5, 5, 5)});
    EXPECT_EQ(set.cores(true), (Cores{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {5, 5}}));
    EXPECT_EQ(set.cores(false), (Cores{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {5, 5}}));
}

TEST(CoreRangeSet, SubtractSweepsRowWise) {
    const CoreRangeSet grid(range(0, 0, 3, 3));
    EXPECT_EQ(grid.subtract(CoreRangeSet(range(1, 1, 2, 2))),
              CoreRangeSet({range(0, 0, 3, 0), range(0, 1, 0, 3), range(3, 1, 3, 3), range(1, 3, 2, 3)}));
    EXPECT_EQ(grid.subtract(grid), CoreRangeSet());
    EXPECT_EQ(grid.subtract(CoreRangeSet(range(7, 7, 7, 7))), grid);
    EXPECT_EQ(grid.subtract(CoreRangeSet(range(0, 2, 9, 9))), CoreRangeSet(range(0, 0, 3, 1)));
}

TEST(CoreRangeSet, MergeJoinsNeighbours) {
    const CoreRangeSet left(range(0, 0, 3, 3));
    EXPECT_EQ(left.merge(CoreRangeSet(range(4, 0, 7, 3))), CoreRangeSet(range(0, 0, 7, 3)));
    EXPECT_EQ(left.merge(CoreRangeSet(range(2, 2, 3, 5))), CoreRangeSet({range(0, 0, 3, 3), range(2, 4, 3, 5)}));
    EXPECT_EQ(left.merge({}), left);
    EXPECT_EQ(CoreRangeSet().merge(left), left);
    EXPECT_EQ(CoreRangeSet({range(0, 0, 0, 0), range(1, 0, 1, 0)}).merge({}), CoreRangeSet(range(0, 0, 1, 0)));
    EXPECT_EQ(CoreRangeSet().merge({}), CoreRangeSet());
}

TEST(WorkSplit, CoresAreTakenColumnByColumn) {
    EXPECT_EQ(num_cores_to_corerangeset(12, {8, 8}).to_string(), "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    EXPECT_EQ(num_cores_to_corerangeset(8, {8, 8}), CoreRangeSet(range(0, 0, 0, 7)));
    EXPECT_EQ(num_cores_to_corerangeset(5, {8, 8}), CoreRangeSet(range(0, 0, 0, 4)));
    EXPECT_EQ(num_cores_to_corerangeset(16, {8, 8}), CoreRangeSet(range(0, 0, 1, 7)));
    EXPECT_EQ(num_cores_to_corerangeset(12, {8, 8}, true), CoreRangeSet({range(0, 0, 7, 0), range(0, 1, 3, 1)}));
    EXPECT_EQ(num_cores_to_corerangeset(64, {8, 8}), CoreRangeSet(range(0, 0, 7, 7)));
    EXPECT_EQ(num_cores_to_corerangeset(0, {8, 8}), CoreRangeSet());
    EXPECT_THROW(num_cores_to_corerangeset(65, {8, 8}), Error);
}

TEST(WorkSplit, FewUnitsGetACoreEach) {
    const WorkSplit split = split_work_to_cores({8, 8}, 12);
    EXPECT_EQ(split.num_cores, 12u);
    EXPECT_EQ(split.all_cores.to_string(), "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    EXPECT_EQ(split.group_1, split.all_cores);
    EXPECT_TRUE(split.group_2.empty());
    EXPECT_EQ(split.units_1, 1u);
    EXPECT_EQ(split.units_2, 0u);
}

TEST(WorkSplit, TheFirstCoresGetOneUnitMore) {
    const WorkSplit split = split_work_to_cores({8, 8}, 140);  // 64 cores, 2 each, 12 left over
    EXPECT_EQ(split.num_cores, 64u);
    EXPECT_EQ(split.all_cores, CoreRangeSet(range(0, 0, 7, 7)));
    EXPECT_EQ(split.group_1, CoreRangeSet({range(0, 0, 0, 7), range(1, 0, 1, 3)}));
    EXPECT_EQ(split.group_2, CoreRangeSet({range(1, 4, 1, 7), range(2, 0, 7, 7)}));
    EXPECT_EQ(split.units_1, 3u);
    EXPECT_EQ(split.units_2, 2u);
    const WorkSplit rows = split_work_to_cores({8, 7}, 56 + 55, true);
    EXPECT_EQ(rows.group_1, CoreRangeSet({range(0, 0, 7, 5), range(0, 6, 6, 6)}));
    EXPECT_EQ(rows.group_2, CoreRangeSet(range(7, 6, 7, 6)));
}

TEST(WorkSplit, EvenWorkHasOneGroup) {
    const WorkSplit split = split_work_to_cores({8, 8}, 128);
    EXPECT_EQ(split.group_1, CoreRangeSet(range(0, 0, 7, 7)));
    EXPECT_TRUE(split.group_2.empty());
    EXPECT_EQ(split.units_1, 2u);
    EXPECT_EQ(split_work_to_cores({8, 8}, 0).num_cores, 0u);
}

TEST(WorkSplit, EveryUnitIsGivenOut) {
    for (const CoreCoord grid : {CoreCoord{8, 8}, CoreCoord{8, 7}, CoreCoord{13, 10}}) {
        for (const bool row_wise : {false, true}) {
            for (uint64_t units = 1; units < 400; ++units) {
                const WorkSplit split = split_work_to_cores(grid, units, row_wise);
                ASSERT_EQ(split.group_1.num_cores() * uint64_t{split.units_1} +
                              split.group_2.num_cores() * uint64_t{split.units_2},
                          units);
                ASSERT_FALSE(split.group_1.intersects(split.group_2));
                ASSERT_EQ(split.group_1.num_cores() + split.group_2.num_cores(), split.num_cores);
            }
        }
    }
}

}  // namespace
}  // namespace ttnn
