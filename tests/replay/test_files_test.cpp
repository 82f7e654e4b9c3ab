// Generated tests: their texts. That they run is tested in tests/python/test_replay_generated.py.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/lines.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/python_expression.hpp"
#include "tracelift/replay/test_case.hpp"
#include "ttnn/check/traced_call.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;

std::vector<ReplayCall> reads(const std::vector<std::string>& lines) {
    Binder binder;
    std::vector<ReplayCall> calls;
    for (const std::string& line : lines) {
        calls.push_back(replay_of(read_call_line(line, "test"), "test", binder));
    }
    return calls;
}

std::vector<std::string> some_lines() {
    return {call_line("ttnn.add", tensor_line("[1, 1, 32, 64]") + ", " + tensor_line("[1, 1, 32, 64]")),
            call_line("ttnn.add", tensor_line("[1, 1, 32, 64]") + ", 2"),
            call_line("ttnn.add", tensor_line("[1, 1, 32, 64]") + ", 2",
                      R"({"dtype":{"__enum__":"ttnn.DataType","name":"FLOAT32"}})"),
            call_line("ttnn.relu", tensor_line("[40, 64]"))};
}

TEST(TestPlan, EachConfigurationOnceAndWhatIsRefusedNotAtAll) {
    auto lines = some_lines();
    lines.push_back(lines.front());
    lines.push_back(call_line("ttnn.matmul", tensor_line("[32, 64]") + ", " + tensor_line("[32, 64]")));
    lines.push_back(call_line("ttnn.no_such_thing", "1"));
    lines.push_back(call_line("ttnn.relu", "\"text\""));
    const TestPlan plan = plan_tests(reads(lines), {});
    EXPECT_EQ(plan.cases.size(), 4U);
    EXPECT_EQ(plan.left_out.repeated, 1U);
    EXPECT_EQ(plan.left_out.refused, 1U);
    EXPECT_EQ(plan.left_out.unknown, 1U);
    EXPECT_EQ(plan.left_out.undecodable, 1U);
}

TEST(TestPlan, SignaturesHaveNamesOfTheirOwn) {
    const TestPlan plan = plan_tests(reads(some_lines()), {});
    std::vector<std::string> groups;
    for (const TestCase& test : plan.cases) {
        groups.push_back(test.group);
    }
    EXPECT_THAT(groups, testing::UnorderedElementsAre("add", "add_2", "add_with_dtype", "relu"));
}

TEST(TestPlan, IsBoundedPerOperationAndByMemory) {
    EXPECT_EQ(plan_tests(reads(some_lines()), {.per_operation = 1}).cases.size(), 2U);
    const TestPlan plan =
        plan_tests(reads({call_line("ttnn.relu", tensor_line("[8192, 8192]"))}), {.memory_limit = 1'000'000});
    EXPECT_TRUE(plan.cases.empty());
    EXPECT_EQ(plan.left_out.too_large, 1U);
}

TEST(TestFiles, DoNotDependOnTheOrderOfTheCalls) {
    auto lines = some_lines();
    const TestPlan plan = plan_tests(reads(lines), {});
    std::ranges::reverse(lines);
    const TestPlan other = plan_tests(reads(lines), {});
    for (const auto write : {pytest_files, gtest_files}) {
        const auto files = write(plan.cases);
        const auto again = write(other.cases);
        ASSERT_EQ(files.size(), 2U);
        ASSERT_EQ(again.size(), 2U);
        for (size_t i = 0; i < files.size(); ++i) {
            EXPECT_EQ(files[i].name, again[i].name);
            EXPECT_EQ(files[i].text, again[i].text);
        }
    }
}

TEST(TestFiles, HaveProvenanceAndLegalValues) {
    const std::string line = call_line("ttnn.embedding", tensor_line("[1, 32]", "UINT32", "ROW_MAJOR") + ", " +
                                                             tensor_line("[7, 64]", "BFLOAT16", "ROW_MAJOR"));
    auto calls = reads({line});
    calls.front().source = "test_model.py::test_x\nimport os";
    const auto files = pytest_files(plan_tests(calls, {}).cases);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files.front().name, "test_embedding_traced_configs.py");
    EXPECT_THAT(files.front().text, HasSubstr("# test_model.py::test_x import os; configuration "));
    EXPECT_THAT(files.front().text, HasSubstr("kind=\"integer\""));
    EXPECT_THAT(files.front().text, HasSubstr("high=6"));
}

TEST(PythonExpression, TextsStayTexts) {
    EXPECT_EQ(python_expression(Value("a\"); import os\n")).flat(), R"('a"); import os\n')");
    EXPECT_EQ(python_expression(Value(2.0)).flat(), "2.0");
    EXPECT_EQ(python_expression(Value::Enum{"DataType", "BFLOAT8_B"}).flat(), "ttnn.bfloat8_b");
}

// On two chips, cut along a dimension of its own.
std::string spread_line(const std::string& shape, const std::string& cut, const std::string& dtype = "BFLOAT16",
                        const std::string& layout = "TILE") {
    std::string line = tensor_line(shape, dtype, layout);
    line.insert(line.size() - 1, fmt::format(R"(,"tensor_placement":{{"placement":"['PlacementReplicate', '{}']",)"
                                             R"("distribution_shape":"[1, 2]","mesh_device_shape":"[1, 2]"}})",
                                             cut));
    return line;
}

std::vector<std::string> mesh_lines() {
    return {call_line("ttnn.experimental.all_gather_async", spread_line("[1, 1, 32, 64]", "PlacementShard(3)"),
                      R"({"dim":3})"),
            call_line("ttnn.experimental.paged_fill_cache",
                      spread_line("[4, 1, 32, 64]", "PlacementReplicate") + ", " +
                          spread_line("[1, 1, 64, 64]", "PlacementShard(0)") + ", " +
                          spread_line("[1, 2]", "PlacementReplicate", "INT32", "ROW_MAJOR"),
                      R"({"batch_idx":0,"mesh_coords":{"__type__":"ttnn.set","value":"{MeshCoordinate([0, 1])}"}})")};
}

TEST(TestFiles, AreOfTheMeshThatTheCallsWereMadeOn) {
    const TestPlan plan = plan_tests(reads(mesh_lines()), {.form = TestForm::GTEST});
    ASSERT_EQ(plan.cases.size(), 2U);
    const auto files = gtest_files(plan.cases);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].shape_only + files[1].shape_only, 0U);
    EXPECT_THAT(files[0].text,
                HasSubstr("TracedCall call(\"ttnn.experimental.all_gather_async\", \"\", {1, 2});\n"
                          "    call.tensor(\"input_tensor\", {1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE);\n"
                          "    call.spread(\"input_tensor\", {whole, 3});\n"));
    EXPECT_THAT(files[0].text, HasSubstr("call.expect({1, 1, 32, 128}, DataType::BFLOAT16, Layout::TILE);"));
    EXPECT_THAT(files[1].text, HasSubstr("    Value::List mesh_coords;\n"
                                         "    mesh_coords.emplace_back(Value::List{0, 1});\n"
                                         "    call.give(\"mesh_coords\", mesh_coords);\n"));
}

TEST(TestPlan, GoldenFunctionsOfPythonAreOfOneChip) {
    const auto judged = [](const std::vector<std::string>& lines, TestForm form) {
        size_t count = 0;
        for (const TestCase& test : plan_tests(reads(lines), {.form = form}).cases) {
            count += test.judged ? 1 : 0;
        }
        return count;
    };
    EXPECT_EQ(judged(mesh_lines(), TestForm::GTEST), 2U);
    EXPECT_EQ(judged(mesh_lines(), TestForm::PYTEST), 0U);
    EXPECT_EQ(judged({call_line("ttnn.relu", spread_line("[1, 1, 32, 64]", "PlacementShard(3)"))}, TestForm::PYTEST),
              1U);
    EXPECT_EQ(judged({call_line("ttnn.experimental.all_gather_async", tensor_line("[1, 1, 32, 64]"), R"({"dim":3})")},
                     TestForm::PYTEST),
              1U);
}

TEST(TracedCall, OnAMeshEveryChipIsJudged) {
    using ttnn::DataType;
    using ttnn::Layout;
    const auto made = [](const ttnn::Shape& output) {
        ttnn::TracedCall call("ttnn.experimental.all_gather_async", "", {1, 2});
        call.tensor("input_tensor", {1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE);
        call.spread("input_tensor", {ttnn::whole, 3});
        call.give("dim", 3);
        call.expect(output, DataType::BFLOAT16, Layout::TILE);
        return call.problem();
    };
    EXPECT_EQ(made({1, 1, 32, 128}), "");
    EXPECT_THAT(made({1, 1, 32, 64}), HasSubstr("output 0 is"));
    ttnn::TracedCall other("ttnn.relu", "", {1, 2});
    EXPECT_THROW(other.spread("input_tensor", {ttnn::whole, 3}), ttnn::Error);
}

TEST(TracedCall, FindsWhatIsWrong) {
    using ttnn::DataType;
    using ttnn::Layout;
    const auto made = [](const ttnn::Shape& output, DataType dtype) {
        ttnn::TracedCall call("ttnn.relu");
        call.tensor("input_tensor", {1, 1, 32, 64}, DataType::BFLOAT16, Layout::TILE);
        call.expect(output, dtype, Layout::TILE);
        return call.problem();
    };
    EXPECT_EQ(made({1, 1, 32, 64}, DataType::BFLOAT16), "");
    EXPECT_THAT(made({1, 1, 32, 32}, DataType::BFLOAT16), HasSubstr("output 0 is"));
    EXPECT_THAT(made({1, 1, 32, 64}, DataType::FLOAT32), HasSubstr("output 0 is"));
    EXPECT_THAT(ttnn::TracedCall("ttnn.no_such_thing").problem(), HasSubstr("no_such_thing"));
    EXPECT_NE(ttnn::TracedCall("ttnn.relu").problem(), "");  // its input is missing
}

}  // namespace
}  // namespace tracelift
