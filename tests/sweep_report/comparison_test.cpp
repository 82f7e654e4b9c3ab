#include "tracelift/sweep_report/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep_report/records.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> ids(const std::vector<Change>& changes) {
    std::vector<std::string> list;
    for (const Change& change : changes) {
        list.push_back(change.any().vector_id);
    }
    return list;
}

ResultRecord measured(std::string id, double pcc, double ulp, double milliseconds) {
    ResultRecord record = record_of(std::move(id), Status::PASS);
    record.pcc = pcc;
    record.max_ulp = ulp;
    record.milliseconds = milliseconds;
    return record;
}

TEST(Comparison, StatusesAreSorted) {
    const ResultSet before{.label = "1",
                           .results = {record_of("breaks", Status::PASS), record_of("heals", Status::FAIL, "x"),
                                       record_of("stays", Status::FAIL, "x"), record_of("hangs", Status::FAIL, "x"),
                                       record_of("gone", Status::PASS), record_of("skipped", Status::PASS)}};
    const ResultSet after{
        .label = "2",
        .results = {record_of("breaks", Status::FAIL_CRASH, "signal 11"), record_of("heals", Status::PASS),
                    record_of("stays", Status::FAIL, "x"), record_of("hangs", Status::FAIL_TIMEOUT, "x"),
                    record_of("new", Status::PASS), record_of("new and bad", Status::FAIL, "y"),
                    record_of("skipped", Status::NOT_RUN, "z")}};
    const Comparison comparison = compare_runs(before, after, {});
    EXPECT_THAT(ids(comparison.newly_failing), ElementsAre("breaks", "new and bad"));
    EXPECT_THAT(ids(comparison.fixed), ElementsAre("heals"));
    EXPECT_THAT(ids(comparison.otherwise), ElementsAre("hangs", "skipped"));
    EXPECT_THAT(ids(comparison.fresh), ElementsAre("new"));
    EXPECT_THAT(ids(comparison.gone), ElementsAre("gone"));
    EXPECT_EQ(comparison.common, 5);
    EXPECT_EQ(comparison.passed_before, 3);
    EXPECT_EQ(comparison.passed_after, 2);
    EXPECT_TRUE(comparison.is_worse({}));
    const std::string text = comparison_text(comparison, before, after);
    EXPECT_THAT(text, HasSubstr("❌ Newly failing (2):\n   • ttnn.sigmoid_accurate [model_traced] breaks: pass -> "
                                "fail_crash\n     signal 11\n"));
    EXPECT_THAT(text, HasSubstr("new and bad: absent -> fail"));
    const Json json = to_json(comparison);
    EXPECT_EQ(json["newly_failing"][0]["after"]["reason"], "signal 11");
    EXPECT_EQ(json["gone"][0]["after"], Json());
}

TEST(Comparison, AccuracyAndTimeHaveLimits) {
    const ResultSet before{.results = {measured("pcc", 0.9999, 1, 100), measured("noise", 0.9999, 1, 1),
                                       measured("ulp", 0.9999, 4, 100), measured("better", 0.99, 1, 100),
                                       measured("slow", 1, 1, 100), measured("fast", 1, 1, 100)}};
    const ResultSet after{.results = {measured("pcc", 0.9990, 1, 100), measured("noise", 0.99985, 2, 20),
                                      measured("ulp", 0.9999, 9, 100), measured("better", 0.999, 1, 100),
                                      measured("slow", 1, 1, 201), measured("fast", 1, 1, 49)}};
    const ComparisonLimits limits{.pcc_drop = 1e-4, .time_ratio = 2, .time_floor = 20};
    const Comparison comparison = compare_runs(before, after, limits);
    EXPECT_THAT(ids(comparison.less_accurate), ElementsAre("pcc", "ulp"));
    EXPECT_THAT(ids(comparison.more_accurate), ElementsAre("better"));
    EXPECT_THAT(ids(comparison.slower), ElementsAre("slow"));
    EXPECT_THAT(ids(comparison.faster), ElementsAre("fast"));
    EXPECT_TRUE(comparison.is_worse(limits));
    EXPECT_DOUBLE_EQ(comparison.milliseconds_before, 501);
    EXPECT_DOUBLE_EQ(comparison.milliseconds_after, 570);
}

TEST(Comparison, SlowerIsWorseOnlyWhereThatWasAskedFor) {
    const ResultSet before{.results = {measured("slow", 1, 1, 100)}}, after{.results = {measured("slow", 1, 1, 300)}};
    ComparisonLimits limits;
    EXPECT_FALSE(compare_runs(before, after, limits).is_worse(limits));
    limits.time_is_an_error = true;
    EXPECT_TRUE(compare_runs(before, after, limits).is_worse(limits));
}

TEST(Comparison, EqualRunsDoNotDiffer) {
    const ResultSet set = thirty();
    const Comparison comparison = compare_runs(set, set, {});
    EXPECT_FALSE(comparison.is_worse({}));
    EXPECT_THAT(comparison.otherwise, IsEmpty());
    EXPECT_THAT(comparison_text(comparison, set, set), HasSubstr("🎉 Nothing changed!"));
}

TEST(Comparison, HostileTextsStayInTheirCells) {
    const ResultSet before{.label = std::string(hostile), .results = {record_of("v", Status::PASS)}};
    const ResultSet after{.label = "b", .results = {record_of("v", Status::FAIL, std::string(hostile))}};
    const std::string markdown = comparison_markdown(compare_runs(before, after, {}), before, after);
    EXPECT_THAT(markdown, Not(HasSubstr("<script>")));
    EXPECT_THAT(markdown, Not(HasSubstr("`code`")));
    for (size_t at = markdown.find("\n| ttnn"); at != markdown.npos; at = markdown.find("\n| ttnn", at + 1)) {
        const std::string line = markdown.substr(at + 1, markdown.find('\n', at + 1) - at - 1);
        EXPECT_EQ(std::ranges::count(line, '|'), 6) << line;
    }
}

}  // namespace
}  // namespace tracelift
