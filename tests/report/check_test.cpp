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

// What the host of a rank captured, with the rank in place of every #.
constexpr const char* of_a_host = R"x({"version": 1, "devices": [{"device_id": 0, "l1_num_banks": 1}],
    "metadata": {"world_size": 2, "rank": #}, "graph": [
    {"counter":0,"node_type":"capture_start","params":{},"connections":[2]},
    {"counter":1,"node_type":"tensor","params":{"tensor_id":"7","shape":"Shape([#])"},"connections":[2]},
    {"counter":2,"node_type":"function_start","params":{"name":"ttnn.op#"},"connections":[3,4,5],"input_tensors":[1],
     "arguments":["a#"]},
    {"counter":3,"node_type":"buffer","params":{"size":"32","type":"L1","layout":"INTERLEAVED","device_id":"0"},
     "connections":[]},
    {"counter":4,"node_type":"buffer_allocate","params":{"size":"32","address":"64","type":"L1",
     "layout":"INTERLEAVED","page_size":"32","num_cores":"0","device_id":"0"},"connections":[3]},
    {"counter":5,"node_type":"function_end","params":{"name":"ttnn.op#"},"connections":[6],"duration_ns":10},
    {"counter":6,"node_type":"capture_end","params":{},"connections":[]}]})x";

// Two hosts captured the same program: their ids are the same, and what they stand for is not.
TEST(Questions, HostsHaveIdsOfTheirOwn) {
    const Sandbox sandbox;
    ImportOptions options;
    options.directory = sandbox.out();
    for (const char rank : {'0', '1'}) {
        std::string text = of_a_host;
        std::ranges::replace(text, '#', rank);
        options.inputs.push_back(sandbox.write(std::string("host") + rank + ".json", text));
    }
    import_reports(options);
    Database database(sandbox.database(), Database::Mode::READ);
    EXPECT_TRUE(check_database(database).violations.empty());
    EXPECT_EQ(ask_operations(database, {}).size(), 2);
    for (const int64_t rank : {0, 1}) {
        const std::string number = std::to_string(rank);
        const Json operation = ask_operation(database, 1, rank);
        EXPECT_EQ(operation["name"], "ttnn.op" + number);
        EXPECT_EQ(operation["arguments"], (Json{{{"name", "arg_0"}, {"value", "a" + number}}}));
        ASSERT_EQ(operation["inputs"].size(), 1);
        EXPECT_EQ(operation["inputs"][0]["shape"], "Shape([" + number + "])");
        EXPECT_EQ(operation["functions"].size(), 1);
        Selection selection;
        selection.rank = rank;
        EXPECT_EQ(ask_operations(database, selection)[0]["name"], "ttnn.op" + number);
        EXPECT_EQ(ask_tensors(database, selection).size(), 1);
        selection.operation = 1;
        EXPECT_EQ(ask_buffers(database, selection).size(), 1);
        EXPECT_EQ(ask_peak(database)[static_cast<size_t>(rank)]["l1"]["operation"], "ttnn.op" + number);
    }
    EXPECT_EQ(ask_operation(database, 1)["name"], "ttnn.op0");
    EXPECT_THROW(ask_operation(database, 1, 2), std::runtime_error);
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
