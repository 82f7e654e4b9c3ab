#include "tracelift/sweep_report/summary.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep_report/records.hpp"

namespace tracelift {
namespace {

TEST(Summary, CountsBySuiteAndOperation) {
    std::vector<ResultRecord> records{record_of("a", Status::PASS), record_of("b", Status::FAIL, "x"),
                                      record_of("c", Status::XFAIL, "x"), record_of("d", Status::TOO_LARGE, "x"),
                                      record_of("e", Status::XPASS)};
    records[1].suite = "nightly";
    records[1].operation = "ttnn.add";
    records[4].milliseconds = 1600;
    const Summary summary = summarise(records);
    EXPECT_EQ(summary.tally.total, 5);
    EXPECT_EQ(summary.tally.passed(), 1);
    EXPECT_EQ(summary.tally.count(Verdict::FAILED), 2);  // that which should have failed is one
    EXPECT_EQ(summary.tally.count(Verdict::EXPECTED), 1);
    EXPECT_EQ(summary.tally.count(Verdict::SKIPPED), 1);
    EXPECT_DOUBLE_EQ(summary.tally.pass_rate(), 20);
    EXPECT_DOUBLE_EQ(summary.mean_seconds(), 0.8);
    ASSERT_EQ(summary.suites.size(), 2);
    EXPECT_EQ(summary.suites[0].name, "model_traced");
    EXPECT_EQ(summary.suites[0].tally.total, 4);
    ASSERT_EQ(summary.operations.size(), 2);
    EXPECT_EQ(summary.operations[0].name, "ttnn.add");
    EXPECT_DOUBLE_EQ(summary.operations[1].milliseconds, 600 * 3 + 1600);
}

TEST(Summary, TheMedianIsTheElementInTheMiddleOrAboveIt) {
    const Spread spread = spread_of({4, 1, 3, 2});
    EXPECT_EQ(spread.least, 1);
    EXPECT_EQ(spread.most, 4);
    EXPECT_EQ(spread.mean, 2.5);
    EXPECT_EQ(spread.median, 3);
    EXPECT_EQ(spread_of({}).count, 0);
}

TEST(Summary, OnlyPassedOnesCountForAccuracy) {
    std::vector<ResultRecord> records{record_of("a", Status::PASS), record_of("b", Status::FAIL, "x"),
                                      record_of("c", Status::PASS), record_of("d", Status::PASS)};
    records[0].message = "0.5";
    records[1].message = "0.1";
    records[2].pcc = 0.75;
    records[3].message = "all 3 agree";
    const Summary summary = summarise(records);
    EXPECT_EQ(summary.accuracy.count, 2);
    EXPECT_EQ(summary.accuracy.least, 0.5);
    EXPECT_EQ(summary.accuracy.most, 0.75);
}

TEST(Summary, ExecutionsWeigh) {
    std::vector<ResultRecord> records{record_of("a", Status::PASS), record_of("b", Status::FAIL, "x"),
                                      record_of("c", Status::PASS)};
    records[0].configuration = 1;
    records[1].configuration = 2;
    const ExecutionCounts executions{{1, 90}, {2, 9}};
    const Summary summary = summarise(records, &executions);
    ASSERT_TRUE(summary.weighted);
    EXPECT_EQ(summary.weighted->total, 100);
    EXPECT_EQ(summary.weighted->passed, 91);
    EXPECT_EQ(summary.weighted->without_count, 1);
    EXPECT_DOUBLE_EQ(summary.weighted->pass_rate(), 91);
}

TEST(Summary, TheWorstComeFirstAndNotANumberBeforeAll) {
    std::vector<ResultRecord> records{record_of("a", Status::PASS), record_of("b", Status::PASS),
                                      record_of("c", Status::FAIL, "x"), record_of("d", Status::PASS)};
    records[0].pcc = 0.9;
    records[1].pcc = 0.9;
    records[1].max_ulp = 3;
    records[2].pcc = std::numeric_limits<double>::quiet_NaN();
    const auto worst = worst_of(records, 3);
    ASSERT_EQ(worst.size(), 3);
    EXPECT_EQ(worst[0]->vector_id, "c");
    EXPECT_EQ(worst[1]->vector_id, "b");
    EXPECT_EQ(worst[2]->vector_id, "a");
}

}  // namespace
}  // namespace tracelift
