#include "sample.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "ttnn/graph/trace_json.hpp"

namespace ttnn::graph::testing {
namespace {

std::filesystem::path guide_path() {
    const char* data = std::getenv("TRACELIFT_DATA");
    const std::filesystem::path shared = data != nullptr ? std::filesystem::path(data).parent_path()
                                                         : std::filesystem::path(TRACELIFT_SOURCE_DIR) / "../shared";
    return shared / "guides/graph-tracing.md";
}

TEST(GuideSample, RecordingRulesGiveItNodeByNode) {
    std::ifstream file(guide_path());
    if (!file) {
        GTEST_SKIP() << "the guide is not here: " << guide_path();
    }
    const std::string guide(std::istreambuf_iterator<char>(file), {});
    const size_t section = guide.find("Full JSON Trace");
    const size_t begin = guide.find("```json\n", section) + 8;
    const size_t end = guide.find("```", begin);
    ASSERT_NE(end, std::string::npos);

    const Trace read = read_trace(std::string_view(guide).substr(begin, end - begin), "guide");
    const Trace recorded = guide_sample();
    ASSERT_EQ(read.size(), 34U);
    ASSERT_EQ(recorded.size(), 34U);
    for (size_t i = 0; i < read.size(); ++i) {
        EXPECT_EQ(read[i], recorded[i]) << "node " << i << "\n" << to_json({read[i]}) << "\n" << to_json({recorded[i]});
    }
}

TEST(GuideSample, HasTheLevelsAndInputsOfTheSpecification) {
    const std::vector<int32_t> levels = {0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 5, 5, 5, 4, 4, 3,
                                         2, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 3, 2, 1, 1, 0, 0};
    const Trace trace = guide_sample();
    ASSERT_EQ(trace.size(), levels.size());
    for (size_t i = 0; i < trace.size(); ++i) {
        EXPECT_EQ(trace[i].stacking_level, levels[i]) << i;
    }
    EXPECT_EQ(trace[1].input_tensors, (std::vector<uint32_t>{2, 4}));
    EXPECT_EQ(trace[6].input_tensors, (std::vector<uint32_t>{4}));
    EXPECT_EQ(trace[18].input_tensors, (std::vector<uint32_t>{2, 13}));
}

}  // namespace
}  // namespace ttnn::graph::testing
