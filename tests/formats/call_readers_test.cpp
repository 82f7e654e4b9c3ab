// Readers that hand out calls: parameter files and folders, call lines, graph reports.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/dialects/graph_text.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/formats/calls_reader.hpp"
#include "tracelift/formats/graph_reader.hpp"
#include "tracelift/formats/param_file_reader.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

struct Collected final : CallSink {
    std::vector<FileCall> calls;
    std::vector<UnreadPiece> pieces;
    void call(FileCall&& call) override { calls.push_back(std::move(call)); }
    void unread(UnreadPiece&& piece) override { pieces.push_back(std::move(piece)); }
    std::vector<std::string> operations() const {
        std::vector<std::string> names;
        for (const FileCall& call : calls) {
            names.push_back(call.call.operation);
        }
        return names;
    }
};

class CallReaders : public ::testing::Test {
protected:
    fs::path write(const std::string& name, std::string_view text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path();
    Collected sink_;
};

constexpr std::string_view tensor_json =
    R"({"type": "ttnn.Tensor", "original_shape": [1, 32], "original_dtype": "DataType.BFLOAT16", "layout": "Layout.TILE",
        "storage_type": "StorageType.DEVICE", "memory_config": {"memory_layout": "TensorMemoryLayout.INTERLEAVED",
        "buffer_type": "BufferType.DRAM", "shard_spec": null}})";
const Value dram_tensor = tensor({1, 32}, "BFLOAT16", "TILE", memory_config("INTERLEAVED", "DRAM"));

std::string param_file(std::string_view number, std::string_view operation) {
    return fmt::format(
        R"({{"{}": 3, "operation_name": "{}", "timestamp": "t", "num_tensors": 1, "return_value": null,
            "args": [{{"position": 0, "value": {}}}, {{"position": 2, "value": 0.5}}], "kwargs": {{"dim": -1}}}})",
        number, operation, tensor_json);
}

TEST_F(CallReaders, ParameterFileOfBothGenerations) {
    for (const auto* number : {"operation_number", "operation_id"}) {
        const FileCall call = read_param_file(param_file(number, "ttnn.softmax"), "f.json");
        EXPECT_EQ(call.call.operation, "ttnn.softmax");
        ASSERT_EQ(call.call.positional.size(), 3U);
        EXPECT_EQ(call.call.positional[0], dram_tensor);
        EXPECT_EQ(call.call.positional[1], std::nullopt);
        EXPECT_EQ(call.call.positional[2], Value(0.5));
        EXPECT_EQ(call.call.keywords, (Value::Dict{{"dim", -1}}));
        EXPECT_EQ(call.order, Order::PYTHON);
    }
}

TEST_F(CallReaders, ParameterFolderIsReadByNumberAndSaysWhereItCameFrom) {
    write("10_ttnn_add_x.json", param_file("operation_id", "ttnn.add"));
    write("2_ttnn_exp_x.json", param_file("operation_id", "ttnn.exp"));
    write("3_broken.json", R"({"operation_name": "ttnn.relu", )");
    write("_trace_metadata.json", R"({"test_source": "models/bert.py", "HF_MODEL": "org/Bert", "trace_uid": "u-1",
        "machine_info": {"board_type": "Wormhole", "device_series": "n300", "card_count": 1}})");
    write("0123456789abcdef/1_ttnn_neg_x.json", param_file("operation_id", "ttnn.neg"));
    write("0123456789abcdef/_status.json", R"({"status": "passed", "test_nodeid": "t.py::a"})");
    write("fedcba9876543210/1_ttnn_sin_x.json", param_file("operation_id", "ttnn.sin"));
    write("fedcba9876543210/_status.json", R"({"status": "failed", "test_nodeid": "t.py::b"})");
    EXPECT_TRUE(is_param_folder(folder_));
    const ParamFolderSummary summary = read_param_folder(folder_, sink_);
    EXPECT_THAT(sink_.operations(), ElementsAre("ttnn.exp", "ttnn.add", "ttnn.neg"));
    EXPECT_EQ(summary.files, 4U);
    EXPECT_EQ(summary.calls, 3U);
    EXPECT_EQ(summary.skipped_tests, 1U);
    EXPECT_EQ(sink_.calls[0].source, "models/bert.py [HF_MODEL:org/Bert]");
    EXPECT_EQ(sink_.calls[0].trace_uid, "u-1");
    EXPECT_EQ(sink_.calls[0].hardware->device_series, "n300");
    ASSERT_EQ(sink_.pieces.size(), 1U);
    EXPECT_THAT(sink_.pieces[0].place, HasSubstr("3_broken.json: line 1"));
    EXPECT_EQ(sink_.pieces[0].text, R"({"operation_name": "ttnn.relu", )");
    Collected all;
    read_param_folder(folder_, all, {.include_failed = true, .lexicographic = true});
    EXPECT_THAT(all.operations(), ElementsAre("ttnn.add", "ttnn.exp", "ttnn.neg", "ttnn.sin"));
}

TEST_F(CallReaders, NoParameterFileSaysWhatWasExpected) {
    EXPECT_THROW(read_param_file("[1]", "f"), FileError);
    EXPECT_THROW(read_param_file(R"({"operation_name": "ttnn.add", "args": [{"value": 1}]})", "f"), FileError);
    EXPECT_THROW(read_param_file(R"({"operation_name": "ttnn.add", "args": [], "kwargs": 3})", "f"), FileError);
    EXPECT_FALSE(is_param_folder(folder_));
}

TEST_F(CallReaders, CallLines) {
    const fs::path path = write(
        "calls.jsonl",
        R"({"run_id": "r", "test_nodeid": "t.py::x", "op_index": 0,
)"
        "\n"
        R"({"op_name": "ttnn.linear", "test_nodeid": "t.py::x", "duration_ms": 1.5, "inputs": [{"__type__": "ttnn.TensorRef", "shape": [1, 32], "dtype": "DataType.BFLOAT16", "memory_config": {"__type__": "ttnn.MemoryConfig", "memory_layout": "INTERLEAVED", "buffer_type": "DRAM"}}, [1, 2.0]], "kwargs": {"dtype": {"__enum__": "ttnn.DataType", "name": "BFLOAT8_B"}, "device": {"__type__": "ttnn.MeshDevice", "mesh_shape": [4, 8]}, "cfg": {"__type__": "m.FooProgramConfig", "in0_block_w": 2}}, "output": null, "error": {"type": "E", "message": "boom"}})"
        "\n");
    const CallsSummary summary = read_calls(path, sink_);
    EXPECT_EQ(summary.lines, 2U);
    ASSERT_EQ(summary.calls, 1U);
    const FileCall& call = sink_.calls[0];
    EXPECT_EQ(call.call.operation, "ttnn.linear");
    EXPECT_EQ(call.call.positional[0], dram_tensor);
    EXPECT_EQ(call.call.positional[1], Value(Value::List{1, 2.0}));
    EXPECT_EQ(call.call.keywords, (Value::Dict{{"dtype", Value::Enum{"DataType", "BFLOAT8_B"}},
                                               {"device", Value::Object{"MeshDevice", "[4, 8]"}},
                                               {"cfg", Value::Struct{"FooProgramConfig", {{"in0_block_w", 2}}}}}));
    EXPECT_EQ(call.source, "t.py::x");
    EXPECT_EQ(call.nanoseconds, 1'500'000U);
    EXPECT_EQ(call.error, "boom");
    ASSERT_EQ(sink_.pieces.size(), 1U);
    EXPECT_THAT(sink_.pieces[0].place, HasSubstr("line 1"));
}

constexpr std::string_view graph_tensor =
    "Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec(logical_shape=Shape([1, 1, 32, 32]),tensor_layout="
    "TensorLayout(dtype=DataType::BFLOAT16,page_config=PageConfig(config=TilePageConfig(tile=Tile(tile_shape={32, 32},"
    "face_shape={16, 16},num_faces=4))),memory_config=MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,"
    "buffer_type=BufferType::L1,shard_spec=ShardSpec{grid=[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":7,\"y\":0}], "
    "shape=[32, 32], orientation=ShardOrientation::ROW_MAJOR},nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0),"
    "alignment=Alignment([32, 32]))))";

TEST_F(CallReaders, GraphReportGivesTheOutermostCalls) {
    const auto node = [](int counter, const char* type, int level, Json params, Json arguments, Json connections) {
        return Json{
            {"counter", counter},     {"node_type", type},          {"stacking_level", level},       {"params", params},
            {"arguments", arguments}, {"connections", connections}, {"input_tensors", Json::array()}};
    };
    const Json none = Json::array();
    const Json graph =
        Json::array({node(0, "capture_start", 0, Json::object(), none, {1, 5}),
                     node(1, "function_start", 1, {{"name", "ttnn::add"}, {"inputs", "2"}},
                          {graph_tensor, "0.5", "nullopt", "DataType::BFLOAT8_B", "SmallVector([0, -2])"}, {2, 4}),
                     node(2, "function_start", 2, {{"name", "ttnn::prim::binary"}, {"inputs", "1"}}, {"1"}, {3}),
                     node(3, "function_end", 2, {{"name", "ttnn::prim::binary"}}, none, {4}),
                     node(4, "function_end", 1, {{"name", "ttnn::add"}}, none, {5}),
                     node(5, "capture_end", 0, Json::object(), none, none)});
    const GraphSummary summary = read_graph_calls(Json{{"version", 1}, {"graph", graph}}.dump(), "report", sink_);
    EXPECT_EQ(summary.calls, 1U);
    ASSERT_THAT(sink_.operations(), ElementsAre("ttnn::add"));
    const FileCall& call = sink_.calls[0];
    EXPECT_EQ(call.order, Order::CPP);
    EXPECT_EQ(call.call.positional[0],
              Value(tensor(
                  {1, 1, 32, 32}, "BFLOAT16", "TILE",
                  memory_config("HEIGHT_SHARDED", "L1", shard_spec(grid({range(core(0, 0), core(7, 0))}), 32, 32)))));
    EXPECT_EQ(call.call.positional[1], Value(0.5));
    EXPECT_EQ(call.call.positional[2], std::nullopt);
    EXPECT_EQ(call.call.positional[3], Value(Value::Enum{"DataType", "BFLOAT8_B"}));
    EXPECT_EQ(call.call.positional[4], Value(Value::List{0, -2}));
    EXPECT_THROW(read_graph_calls("{\"graph\": [", "half", sink_), FileError);
}

// The nodes of a trace: type, level, name of the function, connections.
struct GraphNode {
    const char* type;
    int level;
    const char* name;
    Json connections = Json::array();
};

std::string graph_report(const std::vector<GraphNode>& nodes) {
    Json graph = Json::array();
    for (const GraphNode& node : nodes) {
        Json params = Json::object();
        params[node.type == std::string_view("error") ? "error_message" : "name"] = node.name;
        graph.push_back({{"counter", graph.size()},
                         {"node_type", node.type},
                         {"stacking_level", node.level},
                         {"params", params},
                         {"arguments", node.type == std::string_view("function_start") ? Json{"1"} : Json::array()},
                         {"connections", node.connections},
                         {"input_tensors", Json::array()}});
    }
    return Json{{"version", 1}, {"graph", graph}}.dump();
}

// The original leaves failed functions open and records what follows inside them.
TEST_F(CallReaders, GraphReportOfTheOriginalHasTheCallsAfterAnError) {
    read_graph_calls(graph_report({{"capture_start", 0, "", {1}},
                                   {"function_start", 1, "ttnn::add", {2}},
                                   {"function_start", 2, "ttnn::prim::binary", {3}},
                                   {"error", 3, "too large"},
                                   {"function_start", 3, "ttnn::tanh", {5}},
                                   {"function_end", 3, "ttnn::tanh"},
                                   {"function_start", 3, "ttnn::exp", {7}},
                                   {"function_end", 3, "ttnn::exp"},
                                   {"capture_end", 0, ""}}),
                     "report", sink_);
    ASSERT_THAT(sink_.operations(), ElementsAre("ttnn::add", "ttnn::tanh", "ttnn::exp"));
    EXPECT_EQ(sink_.calls[0].error, "too large");
    EXPECT_EQ(sink_.calls[1].error, "");
    EXPECT_EQ(sink_.calls[2].error, "");
}

// Our captures end what failed, without outputs; a call that tried another way has some.
TEST_F(CallReaders, GraphReportTellsFailedCallsFromThoseThatWentOn) {
    read_graph_calls(graph_report({{"capture_start", 0, "", {1, 6}},
                                   {"function_start", 1, "ttnn::add", {2, 5}},
                                   {"function_start", 2, "ttnn::prim::binary", {4}},
                                   {"error", 3, "too large"},
                                   {"function_end", 2, "ttnn::prim::binary", {5}},
                                   {"function_end", 1, "ttnn::add", {6}},
                                   {"function_start", 1, "ttnn::mlp", {7, 8}},
                                   {"error", 2, "tried"},
                                   {"function_end", 1, "ttnn::mlp", {9}},
                                   {"tensor", 1, ""},
                                   {"capture_end", 0, ""}}),
                     "report", sink_);
    ASSERT_THAT(sink_.operations(), ElementsAre("ttnn::add", "ttnn::mlp"));
    EXPECT_EQ(sink_.calls[0].error, "too large");
    EXPECT_EQ(sink_.calls[1].error, "");
}

TEST(CppText, FormsOfTheSameThing) {
    const Value cores = grid({range(core(0, 0), core(7, 7))});
    EXPECT_EQ(read_cpp_text("Shape([1, 4])"), Value(Value::List{1, 4}));
    EXPECT_EQ(read_cpp_text("nullopt"), Value());
    EXPECT_EQ(read_cpp_text("relu"), Value("relu"));
    EXPECT_EQ(read_cpp_text("MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,"
                            "shard_spec=std::nullopt)"),
              memory_config("INTERLEAVED", "L1"));
    EXPECT_EQ(read_cpp_text("SDPAProgramConfig(compute_with_storage_grid_size=(x=8,y=7),hop_cores={[(x=0,y=0) - "
                            "(x=7,y=7)]})"),
              Value(Value::Struct{"SDPAProgramConfig",
                                  {{"compute_with_storage_grid_size", core(8, 7)}, {"hop_cores", cores}}}));
    ASSERT_NE(read_cpp_text("Tensor(storage=").as<Value::Unparsed>(), nullptr);
    EXPECT_EQ(read_cpp_text("Tensor(storage=").as<Value::Unparsed>()->text, "Tensor(storage=");
    const Value lost = read_cpp_text("[ unsupported type , std::reference_wrapper<tt::tt_metal::IDevice*>]");
    EXPECT_NE(lost.as<Value::Unparsed>(), nullptr);
}

// A row-major tensor on the host says so only by the names of its parts.
TEST(CppText, TensorsOnTheHostAndRowMajor) {
    std::string text(graph_tensor);
    text.replace(text.find("DeviceStorage()"), 15, "HostStorage()");
    text.replace(text.find("TilePageConfig"), 14, "RowMajorPageConfig");
    const Value value = read_cpp_text(text);
    EXPECT_EQ(*value.find("layout"), Value(Value::Enum{"Layout", "ROW_MAJOR"}));
    EXPECT_EQ(*value.find("storage_type"), Value(Value::Enum{"StorageType", "HOST"}));
}

}  // namespace
}  // namespace tracelift
