// The printed layouts, character by character.
#include "tracelift/sweep_report/report_text.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep_report/records.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string equals_signs() { return std::string(60, '='); }

TEST(ReportText, TheGuidesSampleIsPrintedExactly) {
    const ResultSet set = thirty();
    EXPECT_EQ(guide_text(set, summarise(set.results)), "🔍 SWEEP TEST RESULTS ANALYSIS\n" + equals_signs() + R"(
📊 Overall Test Statistics:
   • Total Tests: 30
   • ✅ Passed: 30 (100.0%)
   • ❌ Failed: 0
   • ⏱️  Avg Duration: 0.60s per test

🚀 Performance Metrics:
   • Min PCC: 0.999989
   • Max PCC: 1.000000
   • Avg PCC: 0.999996

🎉 No failures detected!
)");
}

TEST(ReportText, TheLongSampleIsPrintedExactly) {
    ResultSet set = thirty();
    set.has_run = true;
    set.run_type = "sweeps";
    set.run = {.started = "2026-01-15T10:46:16.000Z",
               .finished = "2026-01-15T10:46:28.340Z",
               .contents = "eltwise.unary.sigmoid_accurate.sigmoid_accurate, model_traced",
               .host = "machine",
               .card_type = "wormhole_b0 (n150)",
               .git_commit = "0123abc"};
    for (ResultRecord& record : set.results) {
        if (record.vector_id == "vector_2") {
            record.pcc = 0.999997;  // of which the median is one
        }
    }
    EXPECT_EQ(report_text(set, summarise(set.results)), "🔍 SWEEP TEST RESULTS ANALYSIS\n" + equals_signs() + R"(
📋 Test Run Information:
   • Host: machine
   • Card Type: wormhole_b0 (n150)
   • Run Type: sweeps
   • Git SHA: 0123abc
   • Run Contents: eltwise.unary.sigmoid_accurate.sigmoid_accurate, model_traced
   • Total Run Time: 12.34 seconds

📊 Overall Test Statistics:
   • Total Tests: 30
   • ✅ Passed: 30 (100.0%)
   • ❌ Failed: 0
   • ⏭️  Skipped: 0
   • ⏱️  Avg Duration: 0.60s per test

🎯 Test Case Breakdown:
   • model_traced:
     - Total: 30 tests
     - Passed: 30 (100.0%)
     - Failed: 0
     - Unique Configs: 30

🚀 Performance Metrics (from 30 successful tests):
   • Min Value: 0.999989
   • Max Value: 1.000000
   • Avg Value: 0.999996
   • Median Value: 0.999996

🎉 No failures detected!
)");
}

TEST(ReportText, FailuresAreListedFiveAtMost) {
    ResultSet set;
    for (int i = 0; i < 7; ++i) {
        set.results.push_back(record_of(fmt::format("v{}", i), Status::FAIL, fmt::format("problem {}", i)));
    }
    set.results.push_back(record_of("s", Status::NOT_RUN, "INVALID VECTOR: odd"));
    const std::string text = report_text(set, summarise(set.results));
    EXPECT_THAT(text, HasSubstr("   • ✅ Passed: 0 (0.0%)\n   • ❌ Failed: 7\n   • ⏭️  Skipped: 1\n"
                                "   • 🔥 With Errors: 8\n"));
    EXPECT_THAT(text, HasSubstr("     - Skipped: 1\n     - Unique Configs: 8\n"));
    EXPECT_THAT(text, HasSubstr("🔥 Failure Analysis (7 failures):\n   1. model_traced:\n      - Error: problem 0\n"
                                "      - Key Params: {\"traced_config_name\":\"v0\"}\n   2. model_traced:\n"));
    EXPECT_THAT(text, HasSubstr("      - Error: problem 4\n"));
    EXPECT_THAT(text, Not(HasSubstr("problem 5")));
    EXPECT_TRUE(text.ends_with("   ... and 2 more failures\n")) << text;
}

TEST(ReportText, WhatIsNotJudgedIsNoPass) {
    ResultSet set;
    set.results = {record_of("a", Status::NOT_JUDGED, "random numbers"), record_of("b", Status::NOT_JUDGED, "same")};
    const std::string text = report_text(set, summarise(set.results));
    EXPECT_THAT(text, HasSubstr("✅ Passed: 0 (0.0%)"));
    EXPECT_THAT(text, HasSubstr("❔ Not Judged: 2"));
    EXPECT_THAT(text, Not(HasSubstr("No failures detected")));
}

TEST(ReportText, HostileMessagesStayOnTheirLine) {
    ResultSet set;
    set.results = {record_of("v", Status::FAIL, std::string(hostile))};
    const auto groups = group_failures(set.results);
    for (const std::string& text : {report_text(set, summarise(set.results)), guide_text(set, summarise(set.results)),
                                    signatures_text(groups, 10)}) {
        EXPECT_EQ(text.find_first_of("\x01\x1b\r\xff"), text.npos) << text;
        EXPECT_THAT(text, HasSubstr("]]> <script>alert("));
    }
}

}  // namespace
}  // namespace tracelift
