// The files beside a database that the viewer looks for, and `buffers` when it is too long to be a table.
#include "tracelift/report/side_files.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../bench/report_generator.hpp"
#include "case_file.hpp"
#include "sandbox.hpp"
#include "tracelift/report/schema.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SideFilesTest : public ::testing::Test {
protected:
    static std::string report(const std::string& metadata, const std::string& name = "ttnn::a") {
        return R"x({"version": 1, "metadata": {)x" + metadata +
               R"x(}, "cluster_descriptor": "arch: {}\n", "mesh_coordinate_mapping": "chips: {}\n", "graph": [
            {"counter":0,"node_type":"tensor","params":{"tensor_id":"3","shape":"Shape([1])"},"connections":[1]},
            {"counter":1,"node_type":"function_start","params":{"name":")x" +
               name + R"x("},"connections":[2],"input_tensors":[0]},
            {"counter":2,"node_type":"function_end","params":{"name":")x" +
               name + R"x("},"connections":[],"duration_ns":1500}]})x";
    }
    Json read(const std::string& name) const { return Json::parse(Sandbox::read(sandbox_.out() / name)); }
    bool has(const std::string& name) const { return std::filesystem::exists(sandbox_.out() / name); }
    void put(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(sandbox_.out());
        std::ofstream(sandbox_.out() / name) << text;
    }
    Sandbox sandbox_;
};

TEST_F(SideFilesTest, SettingsNameTheReport) {
    import_reports(sandbox_.options(sandbox_.write("my run.json", report(""))));
    EXPECT_EQ(read("config.json")["report_name"], "my run");
    ImportOptions options = sandbox_.options(sandbox_.write("other.json", report(R"("report_name": "given")")));
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_EQ(read("config.json")["report_name"], "given");
}

TEST_F(SideFilesTest, SettingsOfTheRunAreTakenAlong) {
    sandbox_.write("config.json", R"({"report_name": "of the run", "enable_logging": true})");
    import_reports(sandbox_.options(sandbox_.write("report.json", report(""))));
    EXPECT_EQ(read("config.json"), Json::parse(R"({"report_name": "of the run", "enable_logging": true})"));
}

TEST_F(SideFilesTest, FilesOfOthersStay) {
    sandbox_.write("config.json", R"({"hidden_size": 768})");  // of a model, and no settings of a run
    put("config.json", R"({"report_name": "mine"})");
    put("operation_history.json", "[1]");
    ImportOptions options = sandbox_.options(sandbox_.write("report.json", report("")));
    import_reports(options);
    EXPECT_EQ(read("config.json")["report_name"], "mine");
    EXPECT_EQ(read("operation_history.json"), Json::array({1}));
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_EQ(read("config.json")["report_name"], "mine");
}

TEST_F(SideFilesTest, TheHistoryHasEveryOperation) {
    ImportOptions options = sandbox_.options(sandbox_.write("report.json", report("")));
    import_reports(options);
    const Json wanted = Json::parse(
        R"([{"ttnn_operation_id": 1, "operation_name": "ttnn::a", "duration_ns": 1500, "input_tensor_ids": [3],
             "output_tensor_ids": [], "rank": 0}])");
    EXPECT_EQ(read("operation_history.json"), wanted);
    options.inputs = {sandbox_.write("more.json", report("", "ttnn::\\\"b"))};
    options.existing = Existing::APPEND;
    import_reports(options);
    ASSERT_EQ(read("operation_history.json").size(), 2);
    EXPECT_EQ(read("operation_history.json")[1]["operation_name"], "ttnn::\"b");
    EXPECT_EQ(read("operation_history.json")[1]["ttnn_operation_id"], 10001);
}

TEST_F(SideFilesTest, HostsOfSeveralHaveTheirOwn) {
    ImportOptions options;
    options.directory = sandbox_.out();
    for (const int rank : {0, 1}) {
        options.inputs.push_back(sandbox_.write("part" + std::to_string(rank) + ".json",
                                                report(R"("world_size": 2, "rank": )" + std::to_string(rank))));
    }
    import_reports(options);
    for (const std::string part : {"_1_of_2", "_2_of_2"}) {
        EXPECT_TRUE(has("config" + part + ".json"));
        EXPECT_TRUE(has("cluster_descriptor" + part + ".yaml"));
        EXPECT_TRUE(has("physical_chip_mesh_coordinate_mapping" + part + ".yaml"));
    }
    EXPECT_FALSE(has("config.json"));
    EXPECT_EQ(read("config_2_of_2.json")["report_name"], "part1");
    EXPECT_EQ(read("operation_history.json").size(), 2);
}

constexpr const char* two_devices =
    R"x({"version": 1, "devices": [{"device_id": 4, "arch": "wormhole_b0"}, {"device_id": 1, "arch": "a \"b\": c"}],
         "graph": []})x";

// The keys and forms are those that the viewer's topology page reads.
TEST_F(SideFilesTest, AClusterIsMadeFromTheDevicesOfAReportWithoutOne) {
    const auto summary = import_reports(sandbox_.options(sandbox_.write("r.json", two_devices)));
    EXPECT_EQ(Sandbox::read(sandbox_.out() / "cluster_descriptor.yaml"),
              "# made from the devices of r.json, which has no cluster descriptor\n"
              "arch:\n  1: \"a \\\"b\\\": c\"\n  4: \"wormhole_b0\"\n"
              "chips:\n  1: [0, 0, 0, 0]\n  4: [1, 0, 0, 0]\n"
              "chip_unique_ids:\n  1: 1\n  4: 2\n"
              "chips_with_mmio:\n  - 1: 1\n  - 4: 4\n"
              "ethernet_connections: []\n");
    EXPECT_THAT(summary.files, ::testing::Contains("cluster_descriptor.yaml"));
    EXPECT_THAT(summary_text(summary), Not(HasSubstr("saved")));  // as nothing of the report was
}

TEST_F(SideFilesTest, AClusterThatAReportHasGoesBeforeOneThatIsMade) {
    ImportOptions options = sandbox_.options(sandbox_.write("a.json", two_devices));
    options.inputs.push_back(sandbox_.write("b.json", report("")));
    import_reports(options);
    EXPECT_EQ(Sandbox::read(sandbox_.out() / "cluster_descriptor.yaml"), "arch: {}\n");
}

TEST_F(SideFilesTest, NoClusterIsMadeUp) {
    import_reports(sandbox_.options(sandbox_.write("r.json", Sandbox::report(""))));
    EXPECT_FALSE(has("cluster_descriptor.yaml"));
    ImportOptions options = sandbox_.options(sandbox_.write("s.json", two_devices));
    options.rules = Rules::S;  // as the first importer
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_FALSE(has("cluster_descriptor.yaml"));
}

// A folder that was imported into itself is read again without what the import left in it.
TEST_F(SideFilesTest, AreNotTakenForReports) {
    for (const char* name : {"config.json", "config_1_of_2.json", "operation_history.json", "comparison_records.json",
                             "a.comparison_records.json", "a.python_io.json", "a.tensor_lifetime.json"}) {
        EXPECT_TRUE(is_side_file(name)) << name;
    }
    for (const char* name : {"report.json", "my_config.json", "config_of.json", "history.json"}) {
        EXPECT_FALSE(is_side_file(name)) << name;
    }
}

// --- `buffers` as a view

class BuffersViewTest : public ::testing::Test {
protected:
    void import(int64_t longest_table, const std::filesystem::path& out) {
        const auto path = sandbox_.in() / "report.json";
        bench::write_report(path, 5000);
        ImportOptions options = sandbox_.options(path);
        options.directory = out;
        options.longest_table = longest_table;
        import_reports(options);
    }
    static std::string all(const std::filesystem::path& out, const std::string& where) {
        Database database(out / "db.sqlite", Database::Mode::READ);
        Statement rows(
            database,
            "SELECT operation_id || ' ' || device_id || ' ' || address || ' ' || max_size_per_bank || ' ' || "
            "buffer_type || ' ' || buffer_layout FROM buffers WHERE " +
                where + " ORDER BY 1");
        std::string text;
        while (rows.step()) {
            text += std::string(rows.text(0)) + "\n";
        }
        return text;
    }
    Sandbox sandbox_;
};

TEST_F(BuffersViewTest, HasTheRowsOfTheTable) {
    const auto table = sandbox_.out() / "table";
    const auto view = sandbox_.out() / "view";
    import(1'000'000, table);
    import(10'000, view);
    for (const std::string where : {"1 = 1", "buffer_type = 1", "operation_id = 17", "address = 103712 + 2048",
                                    "operation_id = 17 AND buffer_type = 0"}) {
        const std::string rows = all(table, where);
        EXPECT_FALSE(rows.empty()) << where;
        EXPECT_EQ(all(view, where), rows) << where;
    }
    Database database(view / "db.sqlite", Database::Mode::READ);
    EXPECT_TRUE(buffers_is_view(database));
}

// One kind of memory, or one address, is found without going through everything in memory.
TEST_F(BuffersViewTest, IsSearchedByIndexes) {
    import(10'000, sandbox_.out());
    Database database(sandbox_.database(), Database::Mode::READ);
    for (const std::string where : {"buffer_type = 1", "operation_id = 17", "address = 105760 AND operation_id > 3"}) {
        Statement plan(database, "EXPLAIN QUERY PLAN SELECT * FROM buffers WHERE " + where);
        while (plan.step()) {
            EXPECT_THAT(std::string(plan.text(3)), Not(HasSubstr("SCAN"))) << where;
        }
    }
    Statement plan(database, "EXPLAIN QUERY PLAN SELECT * FROM buffers WHERE buffer_type = 1");
    ASSERT_TRUE(plan.step());
    EXPECT_THAT(std::string(plan.text(3)), HasSubstr("spans_by_type"));
}

}  // namespace
}  // namespace tracelift::report::testing
