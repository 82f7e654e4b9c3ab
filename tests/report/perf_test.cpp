// Performance reports: what a capture gives, and what hardware measured beside the operations of a report.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.hpp"
#include "tracelift/report/device_operation.hpp"
#include "tracelift/report/perf_export.hpp"
#include "tracelift/report/perf_import.hpp"
#include "tracelift/report/questions.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

// The columns that ttnn-visualizer 0.108 (csv_queries.py) and tt-perf-report 1.4.1 (perf_report.py, csv_values.py,
// sub_device.py) look up by name.
const std::vector<std::string> columns_of_readers = {"OP CODE",
                                                     "OP TYPE",
                                                     "GLOBAL CALL COUNT",
                                                     "DEVICE ID",
                                                     "DEVICE ARCH",
                                                     "ATTRIBUTES",
                                                     "MATH FIDELITY",
                                                     "CORE COUNT",
                                                     "AVAILABLE WORKER CORE COUNT",
                                                     "SUB DEVICE ID",
                                                     "HOST START TS",
                                                     "OP TO OP LATENCY [ns]",
                                                     "DEVICE KERNEL DURATION [ns]",
                                                     "DEVICE BRISC KERNEL DURATION [ns]",
                                                     "DEVICE NCRISC KERNEL DURATION [ns]",
                                                     "DEVICE TRISC0 KERNEL DURATION [ns]",
                                                     "DEVICE TRISC1 KERNEL DURATION [ns]",
                                                     "DEVICE TRISC2 KERNEL DURATION [ns]",
                                                     "DEVICE ERISC KERNEL DURATION [ns]",
                                                     "DEVICE FW START CYCLE",
                                                     "DEVICE FW END CYCLE",
                                                     "METAL TRACE ID",
                                                     "METAL TRACE REPLAY SESSION ID",
                                                     "DEVICE KERNEL DURATION PER CORE MIN [ns]",
                                                     "DEVICE KERNEL DURATION PER CORE MAX [ns]",
                                                     "DEVICE KERNEL DURATION PER CORE AVG [ns]",
                                                     "DEVICE KERNEL FIRST TO LAST START [ns]",
                                                     "DEVICE COMPUTE CB WAIT FRONT [ns]",
                                                     "DEVICE COMPUTE CB RESERVE BACK [ns]",
                                                     "DISPATCH TOTAL CQ CMD OP TIME [ns]",
                                                     "DISPATCH GO SEND WAIT TIME [ns]",
                                                     "COMPUTE KERNEL SOURCE",
                                                     "COMPUTE KERNEL HASH",
                                                     "DATA MOVEMENT KERNEL SOURCE",
                                                     "DATA MOVEMENT KERNEL HASH",
                                                     "PROGRAM HASH",
                                                     "PROGRAM CACHE HIT",
                                                     "PM IDEAL [ns]",
                                                     "PM COMPUTE [ns]",
                                                     "PM BANDWIDTH [ns]",
                                                     "PM FPU UTIL (%)",
                                                     "NOC UTIL (%)",
                                                     "MULTICAST NOC UTIL (%)",
                                                     "DRAM BW UTIL (%)",
                                                     "DRAM BW UTIL PER CTRL (%)",
                                                     "ETH BW UTIL (%)",
                                                     "NPE CONG IMPACT (%)",
                                                     "INPUT_0_W_PAD[LOGICAL]",
                                                     "INPUT_0_Z_PAD[LOGICAL]",
                                                     "INPUT_0_Y_PAD[LOGICAL]",
                                                     "INPUT_0_X_PAD[LOGICAL]",
                                                     "INPUT_0_DATATYPE",
                                                     "INPUT_0_MEMORY",
                                                     "INPUT_1_W_PAD[LOGICAL]",
                                                     "INPUT_1_Z_PAD[LOGICAL]",
                                                     "INPUT_1_Y_PAD[LOGICAL]",
                                                     "INPUT_1_X_PAD[LOGICAL]",
                                                     "INPUT_1_DATATYPE",
                                                     "INPUT_1_MEMORY",
                                                     "OUTPUT_0_W_PAD[LOGICAL]",
                                                     "OUTPUT_0_Z_PAD[LOGICAL]",
                                                     "OUTPUT_0_Y_PAD[LOGICAL]",
                                                     "OUTPUT_0_X_PAD[LOGICAL]",
                                                     "OUTPUT_0_DATATYPE",
                                                     "OUTPUT_0_MEMORY"};

std::string at(const PerfTable& table, size_t row, const std::string& column) {
    const auto found = std::ranges::find(table.header, column);
    return found == table.header.end() ? "no such column"
                                       : table.rows.at(row).at(static_cast<size_t>(found - table.header.begin()));
}

std::vector<std::string> column(const PerfTable& table, const std::string& name) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < table.rows.size(); ++i) {
        cells.push_back(at(table, i, name));
    }
    return cells;
}

class PerfTest : public ::testing::Test {
protected:
    // A product, a softmax that fails nothing, and the same relu twice: its second program comes from the cache.
    std::filesystem::path capture() {
        const auto device = ttnn::Device::open();
        const auto make = [&](const ttnn::Shape& shape, ttnn::DataType dtype) {
            return ttnn::Tensor::allocate_on_device(ttnn::TensorSpec(shape, dtype, ttnn::Layout::TILE), device);
        };
        const ttnn::Tensor a = make({1, 50, 64}, ttnn::DataType::BFLOAT16);
        const ttnn::Tensor b = make({64, 96}, ttnn::DataType::BFLOAT8_B);
        ttnn::graph::GraphProcessor::begin_graph_capture(ttnn::graph::RunMode::NORMAL);
        const ttnn::Tensor product = ttnn::matmul(a, b);
        ttnn::softmax(product);
        ttnn::relu(product);
        ttnn::relu(product);
        const auto path = sandbox_.in() / "model.json";
        ttnn::graph::GraphProcessor::end_graph_capture_to_file(path);
        return path;
    }

    Database imported(const std::filesystem::path& report) {
        import_reports(sandbox_.options(report));
        return Database(sandbox_.database(), Database::Mode::WRITE);
    }

    // A table of hardware: code, device, kernel time, host start.
    struct Row {
        std::string code, device, kernel_ns, start;
        std::string type = "tt_dnn_device";
    };
    std::filesystem::path hardware(const std::vector<Row>& rows, const std::string& name = "ops_perf_results_hw.csv") {
        std::string text =
            "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,CORE COUNT,HOST START TS,DEVICE KERNEL DURATION [ns]\n";
        for (const Row& row : rows) {
            text += fmt::format("{},{},{},\"{{'a': '1, 2'}}\",64,{},{}\n", row.code, row.type, row.device, row.start,
                                row.kernel_ns);
        }
        return sandbox_.write(name, text);
    }

    static std::string error_of(const std::function<void()>& act) {
        try {
            act();
        } catch (const ReportError& error) {
            return error.what();
        }
        return "no error";
    }

    const std::vector<Row> one_device_ = {{"MatmulDeviceOperation", "0", "1000", "10"},
                                          {"Softmax", "0", "500", "20"},
                                          {"UnaryDeviceOperation", "0", "70", "30"},
                                          {"UnaryDeviceOperation", "0", "71", "40"}};
    Sandbox sandbox_;
};

TEST_F(PerfTest, ACaptureBecomesTheTableThatTheReadersKnow) {
    const PerfTable table = perf_table(capture());
    EXPECT_THAT(table.header, IsSupersetOf(columns_of_readers));
    EXPECT_THAT(column(table, "OP CODE"), ElementsAre("MatmulDeviceOperation", "SoftmaxDeviceOperation",
                                                      "UnaryDeviceOperation", "UnaryDeviceOperation"));
    EXPECT_THAT(column(table, "OP TYPE"), ::testing::Each("tt_dnn_device"));
    EXPECT_THAT(column(table, "GLOBAL CALL COUNT"), ElementsAre("1", "2", "3", "4"));
    EXPECT_EQ(at(table, 0, "INPUT_0_Y_PAD[LOGICAL]"), "64[50]");
    EXPECT_EQ(at(table, 0, "INPUT_0_X_PAD[LOGICAL]"), "64[64]");
    EXPECT_EQ(at(table, 0, "INPUT_1_Y_PAD[LOGICAL]"), "64[64]");
    EXPECT_EQ(at(table, 0, "INPUT_1_DATATYPE"), "BFLOAT8_B");
    EXPECT_EQ(at(table, 0, "OUTPUT_0_X_PAD[LOGICAL]"), "96[96]");
    EXPECT_EQ(at(table, 0, "OUTPUT_0_MEMORY"), "DEV_0_DRAM_INTERLEAVED");
    EXPECT_EQ(at(table, 0, "INPUT_0_LAYOUT"), "TILE");
    EXPECT_EQ(at(table, 0, "MATH FIDELITY"), "HiFi2");
    EXPECT_EQ(at(table, 0, "DEVICE ARCH"), "wormhole_b0");
    EXPECT_EQ(at(table, 1, "INPUT_1_DATATYPE"), "");
    // The second relu is the same program and comes from the cache, with the cores that were told the first time.
    EXPECT_EQ(at(table, 2, "PROGRAM HASH"), at(table, 3, "PROGRAM HASH"));
    EXPECT_NE(at(table, 1, "PROGRAM HASH"), at(table, 2, "PROGRAM HASH"));
    EXPECT_EQ(at(table, 2, "PROGRAM CACHE HIT"), "False");
    EXPECT_EQ(at(table, 3, "PROGRAM CACHE HIT"), "True");
    EXPECT_EQ(at(table, 2, "CORE COUNT"), "6");  // two by three tiles
    EXPECT_EQ(at(table, 3, "CORE COUNT"), "6");
    for (const std::string measured : {"DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]", "PM IDEAL [ns]"}) {
        EXPECT_THAT(column(table, measured), ::testing::Each("")) << measured;
    }
    int64_t before = -1;
    for (size_t i = 0; i < table.rows.size(); ++i) {
        const int64_t start = std::stoll(at(table, i, "HOST START TS"));
        EXPECT_GT(start, before);
        EXPECT_GT(std::stoll(at(table, i, "HOST DURATION [ns]")), 0);
        before = std::stoll(at(table, i, "HOST END TS")) - 1;
    }
}

TEST_F(PerfTest, TheFolderHasTheFilesThatTheViewerLooksFor) {
    const auto report = capture();
    const PerfSummary summary = write_perf_report(report, sandbox_.out());
    EXPECT_EQ(summary.table, sandbox_.out() / "ops_perf_results_model.csv");
    EXPECT_EQ(summary.operations, 4u);
    EXPECT_THAT(summary.empty_columns, ::testing::Contains("DEVICE KERNEL DURATION [ns]"));
    EXPECT_THAT(summary_text(summary), HasSubstr("only hardware can measure"));
    const std::string log = Sandbox::read(sandbox_.out() / "profile_log_device.csv");
    EXPECT_TRUE(log.starts_with("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n")) << log;
    for (const std::string needed : {"timer_id", "zone name", "run host ID"}) {
        EXPECT_THAT(log, HasSubstr(needed));
    }
    // It reads back as what it was made of.
    const std::string text = Sandbox::read(summary.table);
    CsvReader reader(text, "model");
    const PerfTable table = perf_table(report);
    CsvRow row;
    ASSERT_TRUE(reader.read(row));
    EXPECT_EQ(row, table.header);
    for (const CsvRow& expected : table.rows) {
        ASSERT_TRUE(reader.read(row));
        EXPECT_EQ(row, expected);
    }
    EXPECT_FALSE(reader.read(row));
}

// A report of the original: failed functions stay open, and what follows is recorded inside them.
TEST_F(PerfTest, WhatAnErrorNodeEndedDescribesNothingThatFollows) {
    const std::string tensor = R"x("node_type":"tensor","params":{"tensor_id":"8","shape":"Shape([64])"})x";
    const std::string nodes = R"x(
        {"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
        {"counter":10,)x" + tensor +
                              R"x(,"connections":[1]},
        {"counter":1,"node_type":"function_start","params":{"name":"ttnn::add"},"connections":[2],"input_tensors":[10],
         "arguments":["of the one that failed"]},
        {"counter":2,"node_type":"function_start","params":{"name":"BinaryNgDeviceOperation"},"connections":[3,4]},
        {"counter":3,"node_type":"error","params":{"error_type":"exception","error_message":"Operation failed",
         "error_operation":"BinaryNgDeviceOperation"},"connections":[]},
        {"counter":4,"node_type":"function_start","params":{"name":"ttnn::tanh"},"connections":[5,8]},
        {"counter":5,"node_type":"function_start","params":{"name":"UnaryDeviceOperation"},"connections":[7]},
        {"counter":6,"node_type":"tensor","params":{"tensor_id":"9","shape":"Shape([1])"},"connections":[]},
        {"counter":7,"node_type":"function_end","params":{"name":"UnaryDeviceOperation"},"connections":[6]},
        {"counter":8,"node_type":"function_end","params":{"name":"ttnn::tanh"},"connections":[6],"duration_ns":5},
        {"counter":9,"node_type":"capture_end","params":{},"connections":[]})x";
    const PerfTable table = perf_table(sandbox_.write("report.json", Sandbox::report(nodes)));
    ASSERT_THAT(column(table, "OP CODE"), ElementsAre("UnaryDeviceOperation"));
    EXPECT_EQ(at(table, 0, "INPUT_0_X_PAD[LOGICAL]"), "");
    EXPECT_EQ(at(table, 0, "ATTRIBUTES"), "{}");
}

// What the viewer does to join the two: names of functions in captured_graph that are not "::", "ttnn." or "(torch)".
TEST_F(PerfTest, TheDatabaseNamesTheDeviceOperationsAsTheTableDoes) {
    const auto report = capture();
    Database database = imported(report);
    std::vector<std::string> names;
    Statement graphs(database, "SELECT captured_graph FROM captured_graph ORDER BY operation_id");
    while (graphs.step()) {
        for (const Json& node : Json::parse(graphs.text(0))) {
            const std::string name = node["node_type"] == "function_start" ? node["params"]["name"] : "";
            if (!name.empty() && name.find("::") == name.npos && name.find("ttnn.") == name.npos) {
                names.push_back(name);
            }
        }
    }
    EXPECT_EQ(names, column(perf_table(report), "OP CODE"));
}

TEST_F(PerfTest, OurOwnTableFitsOurOwnReport) {
    const auto report = capture();
    write_perf_report(report, sandbox_.in() / "perf");
    Database database = imported(report);
    const PerfImport summary = import_performance(database, sandbox_.in() / "perf");
    EXPECT_EQ(summary.rows, 4u);
    EXPECT_EQ(summary.matched, 4u);
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM performance WHERE device_kernel_duration_ns IS NULL"), 4);
}

TEST_F(PerfTest, TimesOfHardwareStandBesideTheOperations) {
    Database database = imported(capture());
    std::vector<Row> rows = one_device_;
    std::swap(rows[0], rows[1]);  // the order is that of the start, not of the lines
    rows.insert(rows.begin(), {"begin", "", "", "1", "signpost"});
    rows.push_back({"AfterDeviceOperation", "0", "9", "99"});
    const PerfImport summary = import_performance(database, hardware(rows));
    EXPECT_EQ(summary.left_out, 1u);
    EXPECT_EQ(summary.past, 1u);
    std::map<std::string, Json> times;
    for (const Json& operation : ask_operations(database, {})) {
        times[operation["name"].get<std::string>()] = operation["device_ns"];
    }
    EXPECT_EQ(times.at("ttnn::matmul"), 1000);
    EXPECT_EQ(times.at("ttnn::softmax"), 500);
    EXPECT_EQ(database.integer("SELECT line FROM performance WHERE op_code = 'MatmulDeviceOperation'"), 4);
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM performance WHERE operation_id IS NULL"), 1);
    Statement cells(database, "SELECT cells FROM performance WHERE op_code = 'Softmax'");
    ASSERT_TRUE(cells.step());
    EXPECT_EQ(Json::parse(cells.text(0))["ATTRIBUTES"], "{'a': '1, 2'}");
    // A second import takes the place of the first.
    import_performance(database, hardware(one_device_));
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM performance"), 4);
}

TEST_F(PerfTest, OfSeveralDevicesTheSlowestCounts) {
    Database database = imported(capture());
    std::vector<Row> rows;
    for (Row row : one_device_) {
        rows.push_back(row);
        row.device = "1";
        row.kernel_ns += "0";
        rows.push_back(row);
    }
    const PerfImport summary = import_performance(database, hardware(rows));
    EXPECT_EQ(summary.devices, 2u);
    EXPECT_EQ(summary.rows, 8u);
    Selection products;
    products.name = "matmul";
    EXPECT_EQ(ask_operations(database, products)[0]["device_ns"], 10'000);
}

TEST_F(PerfTest, WhatDoesNotFitIsRefusedWithTheRowAndTheOperation) {
    Database database = imported(capture());
    import_performance(database, hardware(one_device_));
    const auto refused = [&](const std::vector<Row>& rows) {
        return error_of([&] { import_performance(database, hardware(rows)); });
    };
    std::vector<Row> other = one_device_;
    other[1].code = "LayerNormDeviceOperation";
    EXPECT_THAT(refused(other), HasSubstr("ops_perf_results_hw.csv: line 3: is LayerNormDeviceOperation, but device "
                                          "operation 2 of the report is SoftmaxDeviceOperation, in operation 2"));
    other = one_device_;
    other.pop_back();
    EXPECT_THAT(refused(other), HasSubstr("has 3 device operations of device 0, the report has 4: the first without a "
                                          "row is UnaryDeviceOperation in operation 6"));
    other = one_device_;
    other[2].kernel_ns = "fast";
    EXPECT_THAT(refused(other), HasSubstr("line 4: DEVICE KERNEL DURATION [ns] is 'fast', not a number"));
    other = one_device_;
    other[3].device = "";
    EXPECT_THAT(refused(other), HasSubstr("line 5: a device operation without DEVICE ID"));
    EXPECT_THAT(refused({}), HasSubstr("has no device operations, the report has 4"));
    const auto file = [&](const std::string& text) {
        return error_of([&] { import_performance(database, sandbox_.write("a.csv", text)); });
    };
    EXPECT_THAT(file(""), HasSubstr("a.csv: is empty"));
    EXPECT_THAT(file("OP CODE,TIME\n"), HasSubstr("it has no column 'OP TYPE', 'DEVICE ID'"));
    EXPECT_THAT(file("OP CODE,OP TYPE,DEVICE ID\nf,tt_dnn_device,0,1,2\n"), HasSubstr("line 2: has 5 cells"));
    EXPECT_THAT(file("OP CODE,OP TYPE,DEVICE ID\n\"f,tt"), HasSubstr("line 2: a quoted cell does not end"));
    EXPECT_THAT(error_of([&] { import_performance(database, sandbox_.out()); }), HasSubstr("has 0 files"));
    // Whatever was refused, the rows of before are still there.
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM performance"), 4);
}

TEST(DeviceOperation, NamesAreThoseOfProfilers) {
    EXPECT_EQ(device_operation_code("ttnn::prim::binary_ng"), "BinaryNgDeviceOperation");
    EXPECT_EQ(device_operation_code("ttnn::prim::matmul"), "MatmulDeviceOperation");
    EXPECT_TRUE(same_device_operation("Softmax", "SoftmaxDeviceOperation"));
    EXPECT_TRUE(same_device_operation("BinaryNgDeviceOperation", "binary_ng"));
    EXPECT_FALSE(same_device_operation("Softmax", "LayerNorm"));
    EXPECT_FALSE(is_device_operation("ttnn::add"));
    EXPECT_FALSE(is_device_operation("create_device_tensor"));
    EXPECT_TRUE(is_device_operation("MatmulDeviceOperation"));
}

}  // namespace
}  // namespace tracelift::report::testing
