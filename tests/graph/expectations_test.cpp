// TT-NN's published figures for captures. Those for queries are in query_test.cpp, for levels in
// expected_levels_test.cpp, for the documented sample of 34 nodes in sample_test.cpp and analysis_test.cpp, and for a
// round trip through torch in tests/python/test_graph.py. docs/graph-tracing.md lists those that we do not hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "captured.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/query.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct AddFigures {
    uint64_t peak;
    std::pair<uint32_t, uint32_t> intermediates_and_outputs;
    PeakMemoryUsagePerCore usage;
    TensorInfo output;
    std::vector<std::string> calls;
};

void expect_add(const Shape& a_shape, const Shape& b_shape, const AddFigures& expected) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, a_shape);
    const Tensor b = l1_tiles(device, b_shape);
    for (const RunMode mode : both_modes) {
        device->program_cache().clear();
        uint64_t output_per_core = 0;
        const Trace trace = captured_in(
            mode, [&] { output_per_core = extract_l1_output_buffer_allocation_size_per_core(add(a, b), 64); });
        EXPECT_EQ(extract_calltrace(trace), expected.calls);
        EXPECT_EQ(extract_peak_L1_memory_usage(trace), expected.peak);
        EXPECT_EQ(count_intermediate_and_output_tensors(trace), expected.intermediates_and_outputs);
        const auto usage = extract_resource_usage_per_core(trace, 64);
        EXPECT_EQ(usage.peak_cb, expected.usage.peak_cb);
        EXPECT_EQ(usage.peak_l1, expected.usage.peak_l1);
        EXPECT_EQ(output_per_core, 2048U);
        EXPECT_THAT(extract_output_info(trace), ElementsAre(expected.output));
    }
}

TEST(Expectations, A1AddOfEqualShapes) {
    expect_add({1, 3, 32, 32}, {1, 3, 32, 32},
               {.peak = 3 * 6144 + 3 * 4096,
                .intermediates_and_outputs = {0, 1},
                .usage = {12288, 2048, 0},
                .output = {{1, 3, 32, 32}, 6144, "L1"},
                .calls = {"ttnn::add", "ttnn::prim::binary", "Device Operation", "create_device_tensor"}});
}

TEST(Expectations, A2AddWithRepeat) {
    expect_add({4, 3, 32, 32}, {1, 3, 32, 32},
               {.peak = 92160,
                .intermediates_and_outputs = {1, 1},
                .usage = {12288, 4096, 0},
                .output = {{4, 3, 32, 32}, 24576, "L1"},
                .calls = {"ttnn::add", "ttnn::repeat", "ttnn::prim::repeat", "Device Operation", "create_device_tensor",
                          "ttnn::prim::binary", "Device Operation", "create_device_tensor"}});
}

TEST(Expectations, A4AddOfATensorMadeInside) {
    const auto device = device_8x8();
    const Trace trace = query_trace([&] {
        const Tensor x = l1_tiles(device, {2, 1, 64, 64});
        add(x, x);
    });
    EXPECT_THAT(extract_output_info(trace), ElementsAre(TensorInfo{{2, 1, 64, 64}, 16384, "L1"}));
}

TEST(Expectations, A5PeakOfTensorsMadeInside) {
    const auto device = device_8x8();
    const Trace trace = query_trace([&] { add(l1_tiles(device, {4, 1, 32, 32}), l1_tiles(device, {1, 1, 32, 32})); });
    EXPECT_GT(extract_peak_L1_memory_usage(trace), 20000U);
}

TEST(Expectations, A6TotalPerCoreIsTheSumOfItsParts) {
    const auto device = device_8x8();
    const Trace trace = query_trace([&] { add(l1_tiles(device, {1, 1, 32, 32}), l1_tiles(device, {1, 1, 32, 32})); });
    EXPECT_EQ(extract_resource_usage_per_core(trace, 64), (PeakMemoryUsagePerCore{12288, 6144, 12288 + 6144}));
}

TEST(Expectations, B1EveryTensorHasItsOwnBuffer) {
    const auto device = device_8x8();
    for (const RunMode mode : both_modes) {
        const Trace trace = captured_in(mode, [&] {
            { const Tensor first = l1_tiles(device, {1, 1, 32, 32}); }
            const Tensor second = l1_tiles(device, {1, 1, 32, 32});
            const Tensor third = l1_tiles(device, {32, 1, 32, 32});
        });
        EXPECT_EQ(count(trace, NodeType::BUFFER), 3);
        std::vector<std::string> sizes;
        std::set<uint32_t> buffers;
        for (const Node& node : trace) {
            if (node.type == NodeType::BUFFER_ALLOCATE) {
                ASSERT_EQ(node.connections.size(), 1U);
                buffers.insert(node.connections[0]);
                sizes.emplace_back(node.text("size"));
            }
        }
        EXPECT_EQ(buffers.size(), 3U);
        EXPECT_THAT(sizes, ElementsAre("2048", "2048", "65536"));
    }
}

TEST(Expectations, B2NothingBetweenBeginAndEnd) {
    const Trace trace = query_trace([] {});
    EXPECT_THAT(types(trace), ElementsAre(NodeType::CAPTURE_START, NodeType::CAPTURE_END));
    EXPECT_THAT(trace[0].connections, ElementsAre(1U));
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 0U);
    EXPECT_EQ(extract_resource_usage_per_core(trace, 64), PeakMemoryUsagePerCore{});
}

TEST(Expectations, B4InputTensorsKeepTheOrderOfArguments) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 64});
    const Tensor b = l1_tiles(device, {32, 64});
    const Trace trace = query_trace([&] {
        subtract(a, b);
        subtract(b, a);
    });
    std::vector<std::vector<std::string>> ids;
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_START && node.text("name") == "ttnn::subtract") {
            ids.emplace_back();
            for (const uint32_t input : node.input_tensors) {
                ids.back().push_back(std::string(trace[input].text("tensor_id")));
            }
        }
    }
    const std::string first = std::to_string(a.id());
    const std::string second = std::to_string(b.id());
    EXPECT_THAT(ids, ElementsAre(ElementsAre(first, second), ElementsAre(second, first)));
}

TEST(Expectations, B5Durations) {
    const auto device = device_8x8();
    for (const RunMode mode : both_modes) {
        const Trace trace = captured_in(mode, [&] { softmax(l1_tiles(device, {1, 4, 512, 512})); });
        EXPECT_EQ(trace.front().type, NodeType::CAPTURE_START);
        EXPECT_GT(trace.back().duration_ns, 0U);
        uint64_t longest = 0;
        for (const Node& node : trace) {
            longest = node.type == NodeType::FUNCTION_END ? std::max(longest, node.duration_ns) : longest;
        }
        EXPECT_GT(longest, 0U);
        EXPECT_LE(longest, trace.back().duration_ns);
    }
}

TEST(Expectations, B6ReportOfARunningCapture) {
    const auto device = device_8x8();
    const Tensor x = l1_tiles(device, {32, 32});
    ScopedGraphCapture capture(RunMode::NORMAL);
    relu(x);
    const auto report = nlohmann::json::parse(GraphProcessor::get_current_report());
    EXPECT_EQ(report["version"], 1);
    EXPECT_FALSE(report["graph"].empty());
    EXPECT_EQ(report["devices"].size(), 1U);
    EXPECT_GT(report["metadata"]["capture_timestamp_ns"], 0U);
    EXPECT_EQ(capture.end().back().type, NodeType::CAPTURE_END);
}

TEST(Expectations, B7ErrorOfTheUser) {
    const Trace trace =
        query_trace([] { GraphProcessor::add_error("TestError", "This is a test error message", "test_operation"); });
    ASSERT_EQ(count(trace, NodeType::ERROR), 1);
    EXPECT_EQ(trace[1].text("error_type"), "TestError");
    EXPECT_EQ(trace[1].text("error_message"), "This is a test error message");
    EXPECT_EQ(trace[1].text("error_operation"), "test_operation");
}

TEST(Expectations, B8StackTracesWhileEnabled) {
    const auto device = device_8x8();
    const Tensor x = l1_tiles(device, {32, 32});
    GraphProcessor::enable_stack_traces();
    const Trace with = query_trace([&] { relu(x); });
    GraphProcessor::disable_stack_traces();
    EXPECT_FALSE(with[1].stack_trace.empty());
    for (const Node& node : query_trace([&] { relu(x); })) {
        EXPECT_TRUE(node.stack_trace.empty());
    }
}

TEST(Expectations, B9SwitchesAreOffAndChangeTheirGetters) {
    using G = GraphProcessor;
    struct Switch {
        void (*enable)();
        void (*disable)();
        bool (*enabled)();
    };
    for (const Switch& each :
         {Switch{[] { G::enable_stack_traces(); }, G::disable_stack_traces, G::is_stack_trace_enabled},
          Switch{G::enable_buffer_pages, G::disable_buffer_pages, G::is_buffer_pages_enabled},
          Switch{G::enable_later_names, G::disable_later_names, G::is_later_names_enabled},
          Switch{G::enable_detailed_arguments, G::disable_detailed_arguments, G::is_detailed_arguments_enabled}}) {
        EXPECT_FALSE(each.enabled());
        each.enable();
        EXPECT_TRUE(each.enabled());
        each.disable();
        EXPECT_FALSE(each.enabled());
    }
}

// --- arguments
// ---------------------------------------------------------------------------------------------

const std::string l1_interleaved =
    "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt,"
    "nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)";
const std::string transposed_input =
    "Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec(logical_shape=Shape([1, 1, 2048, 512]),tensor_layout="
    "TensorLayout(dtype=DataType::BFLOAT16,page_config=PageConfig(config=RowMajorPageConfig(tile=Tile(tile_shape="
    "{32, 32},face_shape={16, 16},num_faces=4))),memory_config=" +
    l1_interleaved + ",alignment=Alignment([1]))))";

Trace transposed() {
    const auto device = device_8x8();
    const Tensor input = Tensor::allocate_on_device(
        TensorSpec({1, 1, 2048, 512}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device);
    return captured_in(RunMode::NORMAL, [&] { transpose(input, 1, 2); });
}

TEST(Expectations, ArgumentsOfOperationsAreAlwaysThere) {
    const auto calls = extract_arguments(transposed());
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].operation_name, "ttnn::transpose");
    EXPECT_THAT(calls[0].arguments, ElementsAre(transposed_input, "1", "2"));
    EXPECT_EQ(calls[1].operation_name, "create_device_tensor");
    EXPECT_THAT(calls[1].arguments,
                ElementsAre("Shape([1, 2048, 1, 512])", "DataType::BFLOAT16", "Layout::ROW_MAJOR",
                            "[ unsupported type , std::reference_wrapper<tt::tt_metal::IDevice*>]", l1_interleaved));
}

TEST(Expectations, ArgumentsOfPrimitivesWhenAskedFor) {
    GraphProcessor::enable_detailed_arguments();
    const Trace trace = transposed();
    GraphProcessor::disable_detailed_arguments();
    const auto calls = extract_arguments(trace);
    ASSERT_EQ(calls.size(), 4U);
    EXPECT_EQ(calls[1].operation_name, "ttnn::prim::permute");
    EXPECT_THAT(calls[1].arguments,
                ElementsAre(transposed_input, "SmallVector([0, 2, 1, 3])", l1_interleaved,
                            "[ unsupported type , std::reference_wrapper<std::nullopt_t const>]", "0"));
    EXPECT_EQ(calls[2].operation_name, "Device Operation");
    ASSERT_EQ(calls[2].arguments.size(), 2U);
    EXPECT_EQ(calls[2].arguments[0],
              "operation_attributes_t(SmallVector([0, 2, 1, 3]), " + l1_interleaved + ", std::nullopt, 0)");
    EXPECT_EQ(calls[2].arguments[1], "{" + transposed_input + "}");
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_START) {
            EXPECT_EQ(node.number("inputs"), node.arguments.size()) << node.text("name");
        }
    }
}

}  // namespace
}  // namespace ttnn::graph::testing
