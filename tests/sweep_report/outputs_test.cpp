// JUnit, GitHub and HTML against texts that want to break out of them. tests/python parses the same outputs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sweep_report/records.hpp"
#include "tracelift/base/utf8.hpp"
#include "tracelift/sweep_report/chart.hpp"
#include "tracelift/sweep_report/escape.hpp"
#include "tracelift/sweep_report/github.hpp"
#include "tracelift/sweep_report/html.hpp"
#include "tracelift/sweep_report/junit.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;
using testing::Not;

ResultSet hostile_set() {
    ResultSet set{.label = std::string(hostile)};
    set.results = {record_of(std::string(hostile), Status::FAIL, std::string(hostile)),
                   record_of("lost", Status::INFRA_WORKER_LOST, "gone"),
                   record_of("random", Status::NOT_JUDGED, "random numbers"), record_of("good", Status::PASS)};
    set.results[0].suite = std::string(hostile);
    set.results[0].operation = set.results[0].sweep_name = std::string(hostile);
    return set;
}

TEST(Outputs, JUnitCountsAndEscapes) {
    const std::string xml = junit_xml(hostile_set());
    EXPECT_TRUE(is_utf8(xml));
    EXPECT_THAT(xml, HasSubstr(R"(tests="4" failures="1" errors="1" skipped="1" time="2.400000")"));
    EXPECT_THAT(xml, HasSubstr(R"(type="fail">]]&gt; &lt;script&gt;)"));
    EXPECT_THAT(xml, HasSubstr(R"(<skipped message="not_judged: random numbers"/>)"));
    EXPECT_THAT(xml, HasSubstr(R"(<error message="gone" type="infra_worker_lost">gone</error>)"));
    EXPECT_THAT(xml, HasSubstr(R"(timestamp="2026-01-15T10:46:16")"));
    EXPECT_THAT(xml, Not(HasSubstr("<script>")));
    EXPECT_EQ(xml.find_first_of("\x01\x1b\r"), xml.npos);
}

TEST(Outputs, LabelsOfManyColumnsStandOnTwoLines) {
    const auto on_lower_line = [](size_t bars) {
        const std::string svg = columns(std::vector<Bar>(bars, {"100 ms", "1", {{1, "passed", "one"}}}));
        size_t count = 0;
        for (size_t at = svg.find(R"(y="221.0")"); at != svg.npos; at = svg.find(R"(y="221.0")", at + 1)) {
            ++count;
        }
        return count;
    };
    EXPECT_EQ(on_lower_line(7), 0);
    EXPECT_EQ(on_lower_line(14), 7);
}

TEST(Outputs, GitHubCommandsAreOneLineEach) {
    const ResultSet set = hostile_set();
    const std::string text = github_annotations(group_failures(set.results));
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
    EXPECT_EQ(github_command("error", "a:b,c%", "x\ny%\r:,"), "::error title=a%3Ab%2Cc%25::x%0Ay%25%0D:,\n");
}

TEST(Outputs, TheStepSummaryIsAppended) {
    const auto file = std::filesystem::temp_directory_path() / fmt::format("step_summary_{}", getpid());
    std::ofstream(file) << "before\n";
    setenv("GITHUB_STEP_SUMMARY", file.c_str(), 1);
    const ResultSet set = hostile_set();
    EXPECT_TRUE(append_step_summary(github_summary(set, summarise(set.results), group_failures(set.results))));
    unsetenv("GITHUB_STEP_SUMMARY");
    EXPECT_FALSE(append_step_summary("nowhere"));
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    EXPECT_TRUE(text.starts_with("before\n## ❌ Sweep "));
    EXPECT_THAT(text, HasSubstr("1 of 4 passed (25.0%)"));
    EXPECT_THAT(text, Not(HasSubstr("<script>")));
}

TEST(Outputs, ThePageSaysThirtyOfThirty) {
    const ResultSet set = thirty();
    const std::string page = html_page(set, summarise(set.results), {});
    EXPECT_THAT(page, HasSubstr("<title>30/30 passed: ttnn.sigmoid_accurate, model_traced</title>"));
    EXPECT_THAT(page, HasSubstr("<b>30</b><span>/30</span>"));
    EXPECT_THAT(page, HasSubstr("✓ No failures detected!"));
}

TEST(Outputs, ThePageNeedsNothingElseAndNothingBreaksOut) {
    const ResultSet set = hostile_set();
    const std::string page = html_page(set, summarise(set.results), group_failures(set.results));
    EXPECT_TRUE(is_utf8(page));
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, Not(HasSubstr("http://")));
    EXPECT_THAT(page, Not(HasSubstr("https://")));
    EXPECT_THAT(page, Not(HasSubstr("src=")));
    size_t ends = 0;
    for (size_t at = page.find("</script>"); at != page.npos; at = page.find("</script>", at + 1)) {
        ++ends;
    }
    EXPECT_EQ(ends, 2);
}

TEST(Outputs, LongLinesAreCutBetweenCharacters) {
    EXPECT_EQ(one_line("ääää", 5), "ää…");
    EXPECT_EQ(one_line(" a \n\n b", 10), "a b");
}

}  // namespace
}  // namespace tracelift
