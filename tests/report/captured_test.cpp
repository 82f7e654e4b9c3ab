// Reports that our runtime captures: they import cleanly, and the database tells the same peaks as the trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../graph/sample.hpp"
#include "case_file.hpp"
#include "sandbox.hpp"
#include "tracelift/report/check.hpp"
#include "tracelift/report/questions.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/graph/trace_json.hpp"

// The example program itself, with its main as a function.
#define main example_mlp_main
#include "../../examples/mlp/mlp.cpp"
#undef main

namespace tracelift::report::testing {
namespace {

using namespace ttnn::graph;

class CapturedTest : public ::testing::Test {
protected:
    // Imports the report and compares the database with the trace.
    void expect_equal(const Trace& trace, const std::filesystem::path& report) {
        import_reports(sandbox_.options(report));
        Database database(sandbox_.database(), Database::Mode::READ);
        const CheckResult check = check_database(database);
        for (const Violation& violation : check.violations) {
            ADD_FAILURE() << violation.rule << " " << violation.count << " " << violation.example;
        }
        const Json peak = ask_peak(database)[0];
        EXPECT_EQ(peak["l1"]["bytes"], extract_peak_L1_memory_usage(trace));
        EXPECT_EQ(peak["dram"]["bytes"], extract_dram_usage(trace).peak);
        expect_sum(peak["l1"]);
        expect_sum(peak["dram"]);
        // The node of the peak is the one that explain_peak names.
        if (peak["l1"].contains("counter")) {
            EXPECT_EQ(peak["l1"]["counter"], explain_peak(trace, ttnn::graph::MemoryKind::L1).step);
        }
        if (peak["dram"].contains("counter")) {
            EXPECT_EQ(peak["dram"]["counter"], explain_peak(trace, ttnn::graph::MemoryKind::DRAM).step);
        }
    }

    // The parts of a peak add up to it.
    static void expect_sum(const Json& peak) {
        int64_t sum = 0;
        for (const std::string list : {"buffers", "circular_buffers"}) {
            for (const Json& part : peak.contains(list) ? peak[list] : Json::array()) {
                sum += part["size"].get<int64_t>();
            }
        }
        EXPECT_EQ(sum, peak["bytes"].get<int64_t>());
    }

    Sandbox sandbox_;
};

TEST_F(CapturedTest, TheMlpExample) {
    GraphProcessor::enable_stack_traces();
    GraphProcessor::enable_buffer_pages();
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    EXPECT_EQ(example_mlp_main(), 0);
    const Trace trace = GraphProcessor::end_graph_capture_to_file(sandbox_.in() / "mlp.json");
    GraphProcessor::disable_buffer_pages();
    GraphProcessor::disable_stack_traces();
    EXPECT_GT(extract_peak_L1_memory_usage(trace), 0);
    expect_equal(trace, sandbox_.in() / "mlp.json");
    const std::string names = rows_of(sandbox_.database(), "operations", "name");
    EXPECT_THAT(names, ::testing::HasSubstr("ttnn::linear"));
    EXPECT_THAT(names, ::testing::HasSubstr("ttnn::softmax"));
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_GT(database.integer("SELECT COUNT(*) FROM stack_traces"), 0);
}

TEST_F(CapturedTest, ARunWithoutDispatch) {
    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
    const auto device = ttnn::Device::open({.board = "n150"});
    Uploader upload(device);
    {
        const Tensor x = upload.tensor({batch, features}, 1.0F);
        perceptron(x, upload.layer(features, hidden), upload.layer(hidden, features));
    }
    const Trace trace = GraphProcessor::end_graph_capture_to_file(sandbox_.in() / "dry.json");
    // All buffers have address 0 here: frees are told apart by the nodes they are linked to.
    expect_equal(trace, sandbox_.in() / "dry.json");
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM buffers WHERE operation_id = (SELECT MAX(operation_id) FROM "
                               "operations)"),
              0);
}

TEST_F(CapturedTest, AFailedOperation) {
    const auto device = ttnn::Device::open({.board = "n150"});
    Uploader upload(device);
    const Tensor x = upload.tensor({batch, features}, 1.0F);
    const Tensor y = upload.tensor({hidden, features}, 1.0F);
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    EXPECT_ANY_THROW(ttnn::linear(x, y, {}));
    const Trace trace = GraphProcessor::end_graph_capture_to_file(sandbox_.in() / "failed.json");
    expect_equal(trace, sandbox_.in() / "failed.json");
    Database database(sandbox_.database(), Database::Mode::READ);
    // The error is at the operation, so that the viewer shows it.
    EXPECT_GT(database.integer("SELECT COUNT(*) FROM errors e JOIN operations o USING (operation_id)"), 0);
}

TEST_F(CapturedTest, TheSampleOfTheGuide) {
    for (const auto releases : {ttnn::graph::testing::Releases::NO, ttnn::graph::testing::Releases::YES}) {
        const Trace trace =
            ttnn::graph::testing::guide_sample(releases, ttnn::graph::testing::TraceRecorder::Flavour::FULL);
        const auto path = sandbox_.write("sample.json", R"({"version": 1, "graph": )" + to_json(trace) + "}");
        std::filesystem::remove_all(sandbox_.out());
        expect_equal(trace, path);
        // The repeated tensor dies inside the add, the result behind it.
        EXPECT_EQ(rows_of(sandbox_.database(), "operations", "operation_id, name"),
                  "(1, 'ttnn::add') (2, 'ttnn::deallocate')");
        EXPECT_EQ(rows_of(sandbox_.database(), "input_tensors", "operation_id, input_index, tensor_id"),
                  "(1, 0, 0) (1, 1, 1) (2, 0, 3)");
        EXPECT_EQ(rows_of(sandbox_.database(), "output_tensors", "operation_id, output_index, tensor_id"), "(1, 0, 3)");
        EXPECT_EQ(rows_of(sandbox_.database(), "buffers", "operation_id, max_size_per_bank"), "(1, 24576)");
        // The recorder of the tests gives tensors no device, so that the repeated one, which no operation has, is left
        // out.
        EXPECT_EQ(rows_of(sandbox_.database(), "tensor_lifetime",
                          "tensor_id, producer_operation_id, last_use_operation_id, deallocate_operation_id"),
                  "(0, NULL, 1, NULL) (1, NULL, 1, NULL) (3, 1, NULL, 2)");
    }
}

// The buffer stands where inputs stand, but it is none.
TEST_F(CapturedTest, AFunctionThatAllocatesFirst) {
    const std::string nodes = R"([
        {"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
        {"counter":1,"node_type":"function_start","params":{"name":"ttnn::full"},"connections":[2,3,4]},
        {"counter":2,"node_type":"buffer","params":{"size":"100","type":"L1","layout":"INTERLEAVED"},"connections":[]},
        {"counter":3,"node_type":"buffer_allocate","params":{"size":"100","type":"L1","address":"64"},"connections":[2]},
        {"counter":4,"node_type":"function_end","params":{"name":"ttnn::full"},"connections":[5]},
        {"counter":5,"node_type":"buffer_deallocate","params":{"size":"100","type":"L1"},"connections":[2]},
        {"counter":6,"node_type":"capture_end","params":{},"connections":[]}])";
    const Trace trace = read_trace(nodes, "nodes");
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 100);
    expect_equal(trace, sandbox_.write("first.json", R"({"version": 1, "graph": )" + nodes + "}"));
}

TEST_F(CapturedTest, ALongTrace) {
    const Trace trace = ttnn::graph::testing::long_trace(20'000);
    expect_equal(trace, sandbox_.write("long.json", R"({"version": 1, "graph": )" + to_json(trace) + "}"));
}

}  // namespace
}  // namespace tracelift::report::testing
