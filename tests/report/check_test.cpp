// Each rule is broken once, and is then the one that the check names.
#include "tracelift/report/check.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_file.hpp"
#include "sandbox.hpp"
#include "tracelift/report/questions.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

struct Damage {
    std::string rule;
    std::string sql;
};
const std::vector<Damage> damages = {
    {"tables", "ALTER TABLE errors DROP COLUMN timestamp"},
    {"operation-ids", "UPDATE operations SET operation_id = 0 WHERE operation_id = 1"},
    {"durations", "UPDATE operations SET duration = -1"},
    {"known-inputs", "DELETE FROM tensors WHERE tensor_id = 42"},
    {"known-outputs", "UPDATE output_tensors SET tensor_id = 999"},
    {"dense-inputs", "UPDATE input_tensors SET input_index = 3"},
    {"dense-outputs", "UPDATE output_tensors SET output_index = 1"},
    {"known-operations", "INSERT INTO operation_arguments VALUES (77, 'a', 'b', 0)"},
    {"one-graph", "DELETE FROM captured_graph WHERE operation_id = 2"},
    {"errors-placed", "INSERT INTO errors VALUES (77, 'a', 'b', 'c', 'c', '', '', 0)"},
    {"buffer-types", "UPDATE tensors SET buffer_type = 9"},
    {"device-numbers", "UPDATE tensors SET device_id = 123456"},
    {"spans", "INSERT INTO buffer_spans VALUES (99, 1, 1, 0, 0, 0, 0, 0)"},
    {"lifetimes", "UPDATE tensor_lifetime SET last_use_operation_id = 77"},
    {"mirrors", "DELETE FROM tensor_consumers"},
    {"functions", "UPDATE functions SET depth = 4"},
    {"memory-totals", "INSERT INTO memory_events VALUES (1, 5, NULL, 'allocate', 1, 0, 0, 64, 1, 63, 0, 0, 1)"},
    {"chunks", "INSERT INTO buffer_chunks VALUES (1, 0, 0, 0, 0, 0, 0, 1, 2, 1, 1, 0)"},
    {"schema-version", "DELETE FROM report_metadata"},
    {"id-ranges", "UPDATE reports SET last_id = 1"},
    {"graphs", "UPDATE captured_graph SET captured_graph = '[{\"connections\": [5]}]'"}};

class CheckTest : public ::testing::TestWithParam<size_t> {};

TEST_P(CheckTest, NamesWhatIsBroken) {
    const Sandbox sandbox;
    const Case lifetimes = read_case(std::filesystem::path(TRACELIFT_SOURCE_DIR) / "tests/report/cases/C38.txt");
    import_reports(sandbox.options(sandbox.write("report.json", lifetimes.files.front().second)));
    const Damage& damage = damages[GetParam()];
    Database database(sandbox.database(), Database::Mode::BUILD);
    const auto broken = [&] {
        std::vector<std::string> rules;
        for (const Violation& violation : check_database(database).violations) {
            rules.push_back(violation.rule);
        }
        return rules;
    };
    EXPECT_THAT(broken(), SizeIs(0));
    database.run(damage.sql);
    EXPECT_THAT(broken(), Contains(damage.rule));
}
INSTANTIATE_TEST_SUITE_P(Rules, CheckTest, ::testing::Range(size_t{0}, damages.size()), [](const auto& each) {
    std::string name = damages[each.param].rule;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(Questions, TellAboutOneOperation) {
    const Sandbox sandbox;
    const Case lifetimes = read_case(std::filesystem::path(TRACELIFT_SOURCE_DIR) / "tests/report/cases/C38.txt");
    import_reports(sandbox.options(sandbox.write("report.json", lifetimes.files.front().second)));
    Database database(sandbox.database(), Database::Mode::READ);
    EXPECT_EQ(ask_operations(database, {.name = "add", .operation = {}}).size(), 1);
    EXPECT_EQ(ask_operations(database, {.name = "", .operation = {}, .limit = 2}).size(), 2);
    const Json add = ask_operation(database, 2);
    EXPECT_EQ(add["name"], "ttnn.add");
    EXPECT_EQ(add["inputs"][0]["tensor_id"], 101);
    EXPECT_EQ(add["inputs"][0]["deallocate_operation_id"], 3);
    EXPECT_EQ(add["stack_trace"][0]["stack_trace"], "  File \"use.py\", line 8, in step\n    z");
    EXPECT_THROW(ask_operation(database, 9), std::runtime_error);
    EXPECT_EQ(ask_stats(database)["rows"]["operations"], 3);
}

TEST(Questions, TellWhatIsInMemory) {
    const Sandbox sandbox;
    const Case growing = read_case(std::filesystem::path(TRACELIFT_SOURCE_DIR) / "tests/report/cases/C9.txt");
    import_reports(sandbox.options(sandbox.write("report.json", growing.files.front().second)));
    Database database(sandbox.database(), Database::Mode::READ);
    const Json sums = ask_buffers(database, {});
    EXPECT_EQ(sums[2]["buffers"], 3);
    EXPECT_EQ(sums[2]["l1_per_bank"], 2048);
    EXPECT_EQ(sums[2]["dram_per_bank"], 4096 + 8192);
    EXPECT_EQ(ask_buffers(database, {.name = "", .operation = 2}).size(), 2);
    const Json peak = ask_peak(database)[0];
    EXPECT_EQ(peak["l1"]["bytes"], 2048);
    EXPECT_EQ(peak["dram"]["bytes"], 4096 + 8192);
    EXPECT_EQ(peak["dram"]["operation"], "op_B");
}

}  // namespace
}  // namespace tracelift::report::testing
