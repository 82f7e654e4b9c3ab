// Graph capture: nodes, connections, modes, nesting, errors.
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::vector<uint32_t>> connections(const Trace& trace) {
    std::vector<std::vector<uint32_t>> list;
    for (const Node& node : trace) {
        list.push_back(node.connections);
    }
    return list;
}

TEST(GraphSample, HasTheDocumentedNodesAndConnections) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {4, 3, 32, 32});
    const Tensor b = l1_tiles(device, {1, 3, 32, 32});
    GraphProcessor::begin_graph_capture(CaptureOptions{.mode = RunMode::NO_DISPATCH, .literal_sample = true});
    { const Tensor result = add(a, b); }
    const Trace trace = GraphProcessor::end_graph_capture();
    using enum NodeType;
    EXPECT_THAT(types(trace),
                ElementsAre(CAPTURE_START, FUNCTION_START, TENSOR, BUFFER, TENSOR, BUFFER, FUNCTION_START,
                            FUNCTION_START, FUNCTION_START, FUNCTION_START, BUFFER, BUFFER_ALLOCATE, FUNCTION_END,
                            TENSOR, CIRCULAR_BUFFER_ALLOCATE, FUNCTION_END, FUNCTION_END, FUNCTION_END, FUNCTION_START,
                            FUNCTION_START, FUNCTION_START, BUFFER, BUFFER_ALLOCATE, FUNCTION_END, TENSOR,
                            CIRCULAR_BUFFER_ALLOCATE, CIRCULAR_BUFFER_ALLOCATE, CIRCULAR_BUFFER_ALLOCATE, FUNCTION_END,
                            FUNCTION_END, BUFFER_DEALLOCATE, FUNCTION_END, BUFFER_DEALLOCATE, CAPTURE_END));
    const std::vector<std::vector<uint32_t>> expected = {{1, 32},
                                                         {3, 5, 6, 18, 30, 31},
                                                         {1, 18},
                                                         {2, 2},
                                                         {1, 6},
                                                         {4, 4},
                                                         {7, 17},
                                                         {8, 16},
                                                         {9, 14, 15},
                                                         {10, 11, 12},
                                                         {13, 13, 13, 13, 13},
                                                         {10},
                                                         {13},
                                                         {18},
                                                         {},
                                                         {13},
                                                         {13},
                                                         {13, 18},
                                                         {19, 29},
                                                         {20, 25, 26, 27, 28},
                                                         {21, 22, 23},
                                                         {24, 24, 24, 24},
                                                         {21},
                                                         {24},
                                                         {},
                                                         {},
                                                         {},
                                                         {},
                                                         {24},
                                                         {24},
                                                         {10},
                                                         {24, 33},
                                                         {21},
                                                         {}};
    EXPECT_EQ(connections(trace), expected);
    const std::vector<int32_t> levels = {0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 5, 5, 5, 4, 4, 3,
                                         2, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 3, 2, 1, 1, 0, 0};
    for (size_t i = 0; i < trace.size(); ++i) {
        EXPECT_EQ(trace[i].stacking_level, levels[i]) << i;
    }
    EXPECT_THAT(trace[1].input_tensors, ElementsAre(2, 4));
    EXPECT_THAT(trace[6].input_tensors, ElementsAre(4));
    EXPECT_THAT(trace[18].input_tensors, ElementsAre(2, 13));
    const std::map<uint32_t, std::pair<std::string, std::string>> functions = {
        {1, {"ttnn::add", "2"}},         {6, {"ttnn::repeat", "2"}},         {7, {"ttnn::prim::repeat", "5"}},
        {8, {"Device Operation", "2"}},  {9, {"create_device_tensor", "5"}}, {18, {"ttnn::prim::binary", "10"}},
        {19, {"Device Operation", "2"}}, {20, {"create_device_tensor", "5"}}};
    for (const auto& [counter, expected_function] : functions) {
        EXPECT_EQ(trace[counter].text("name"), expected_function.first);
        EXPECT_EQ(trace[counter].text("inputs"), expected_function.second) << counter;
    }
    EXPECT_EQ(trace[2].text("shape"), "ttnn.Shape([4, 3, 32, 32])");
    EXPECT_EQ(trace[2].text("dtype"), "bfloat16");
    EXPECT_EQ(trace[2].text("layout"), "TILE");
    EXPECT_EQ(trace[3].text("size"), "24576");
    EXPECT_EQ(trace[5].text("size"), "6144");
    EXPECT_EQ(trace[3].text("type"), "L1");
    EXPECT_EQ(trace[3].text("layout"), "INTERLEAVED");
    EXPECT_EQ(trace[11].text("address"), "0");
    EXPECT_EQ(trace[14].text("size"), "4096");
    EXPECT_EQ(trace[14].text("core_range_set"), "{[(x=0,y=0) - (x=0,y=7)], [(x=1,y=0) - (x=1,y=3)]}");
    EXPECT_EQ(trace[14].text("globally_allocated"), "false");
    EXPECT_EQ(trace[25].text("core_range_set"), "{[(x=0,y=0) - (x=7,y=7)]}");
    EXPECT_EQ(trace[30].text("size"), "0");
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 96256U);
}

TEST(GraphSample, HasReleaseNodesUnlessTheSampleIsAskedForLiterally) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {4, 3, 32, 32});
    const Tensor b = l1_tiles(device, {1, 3, 32, 32});
    const Trace trace = query_trace([&] { add(a, b); });
    EXPECT_EQ(trace.size(), 36U);
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 92160U);
    EXPECT_EQ(count_intermediate_and_output_tensors(trace), (std::pair<uint32_t, uint32_t>(1, 1)));
    EXPECT_THAT(extract_calltrace(trace),
                ElementsAre("ttnn::add", "ttnn::repeat", "ttnn::prim::repeat", "Device Operation",
                            "create_device_tensor", "ttnn::prim::binary", "Device Operation", "create_device_tensor"));
    const auto freed = std::ranges::find(trace, NodeType::BUFFER_DEALLOCATE, &Node::type);
    EXPECT_EQ(freed->text("size"), "24576");
}

TEST(GraphModes, NormalHasRealAddressesAndNoDispatchNone) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    const Tensor sum = add(a, a);
    const Trace normal = GraphProcessor::end_graph_capture();
    for (const Node& node : normal) {
        if (node.type == NodeType::BUFFER_ALLOCATE) {
            EXPECT_EQ(node.number("address"), sum.buffer_address());
        }
        if (node.type == NodeType::CIRCULAR_BUFFER_ALLOCATE) {
            EXPECT_GE(node.number("address"), device->board().l1_base);
        }
    }
    const auto before = device->statistics(BufferType::L1).total_allocated;
    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);
    Tensor mocked = add(a, a);
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, before);
    EXPECT_TRUE(mocked.is_mocked());
    GraphProcessor::end_graph_capture();
    EXPECT_FALSE(add(a, a).is_mocked());
}

TEST(GraphModes, TracesWhatNoMemoryCouldHold) {
    const auto device = device_8x8();
    const Trace trace = query_trace([&] {
        const TensorSpec spec({1'048'576, 1'048'576}, DataType::BFLOAT16, Layout::TILE);
        const Tensor x = Tensor::allocate_on_device(spec, device);
        const Tensor w = Tensor::allocate_on_device(spec, device);
        linear(x, w);
    });
    EXPECT_EQ(extract_dram_usage(trace).peak, 3 * (uint64_t{2} << 40));
}

TEST(GraphModes, ACachedProgramOnlyReleasesCircularBuffers) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {64, 64});
    const auto released_and_allocated = [](const std::function<void()>& call) {
        const Trace trace = captured_in(RunMode::NORMAL, call);
        return std::pair(count(trace, NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL),
                         count(trace, NodeType::CIRCULAR_BUFFER_ALLOCATE));
    };
    using Counts = std::pair<ptrdiff_t, ptrdiff_t>;
    EXPECT_EQ(released_and_allocated([&] { relu(a); }), Counts(1, 2));
    EXPECT_EQ(released_and_allocated([&] { relu(a); }), Counts(1, 0));
    EXPECT_EQ(released_and_allocated([&] { exp(a); }), Counts(1, 2));  // the function is part of the program
    EXPECT_EQ(released_and_allocated([&] { add(a, 2.0); }), Counts(1, 3));
    EXPECT_EQ(released_and_allocated([&] { add(a, 3.0); }), Counts(1, 0));  // the number is not
    EXPECT_EQ(released_and_allocated([&] { multiply(a, 3.0); }), Counts(1, 3));
}

TEST(GraphNesting, EveryOpenCaptureGetsEveryEvent) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    relu(a);
    GraphProcessor::begin_graph_capture(RunMode::NO_DISPATCH);  // the outer one decides
    const Tensor inner_result = exp(a);
    const Trace inner = GraphProcessor::end_graph_capture();
    const Trace outer = GraphProcessor::end_graph_capture();
    EXPECT_FALSE(inner_result.is_mocked());
    EXPECT_EQ(extract_calltrace(inner).front(), "ttnn::exp");
    const auto calls = extract_calltrace(outer);
    EXPECT_EQ(calls.front(), "ttnn::relu");
    EXPECT_NE(std::ranges::find(calls, "ttnn::exp"), calls.end());
    EXPECT_THROW(GraphProcessor::end_graph_capture(), Error);
}

TEST(GraphErrors, AreRecordedAndTheNextCaptureIsRight) {
    const auto device = device_8x8();
    const Tensor large = l1_tiles(device, {1, 1, 32, 32 * 64 * 360});
    const auto before = device->statistics(BufferType::L1).total_allocated;
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    EXPECT_THROW(relu(large), OutOfMemory);
    const Trace broken = GraphProcessor::end_graph_capture();
    const auto error = std::ranges::find(broken, NodeType::ERROR, &Node::type);
    ASSERT_NE(error, broken.end());
    EXPECT_EQ(error->text("error_operation"), "ttnn::prim::unary");
    EXPECT_EQ(std::ranges::count(types(broken), NodeType::ERROR), 1);
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, before);
    const Tensor small = l1_tiles(device, {32, 32});
    const Trace good = query_trace([&] { relu(small); });
    EXPECT_EQ(std::ranges::count(types(good), NodeType::FUNCTION_START),
              std::ranges::count(types(good), NodeType::FUNCTION_END));
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    EXPECT_THROW(matmul(small, l1_tiles(device, {64, 64})), Error);
    GraphProcessor::add_error("TestError", "This is a test error message", "test_operation");
    const Trace refused = GraphProcessor::end_graph_capture();
    EXPECT_EQ(std::ranges::count(types(refused), NodeType::ERROR), 2);
}

// Half-way: the operand was repeated and holds memory when the sum has no room left.
TEST(GraphErrors, OfANestedCallLeaveNothingBehind) {
    const auto device = device_8x8();
    const Tensor a =
        l1_tiles(device, {2, 1, 2560, 3072});  // 15360 tiles, 240 in each of 64 banks; there is room for 681
    const Tensor b = l1_tiles(device, {1, 1, 2560, 3072});  // 120 in each; 240 when repeated
    const auto before = device->statistics(BufferType::L1).total_allocated;
    const auto small = [&] {
        const Tensor x = l1_tiles(device, {32, 32});
        add(x, x);
    };
    const Trace fresh = query_trace(small);
    ScopedGraphCapture capture(RunMode::NORMAL);
    EXPECT_THROW(add(a, b), OutOfMemory);
    EXPECT_EQ(device->statistics(BufferType::L1).total_allocated, before);
    const Trace broken = capture.end();
    EXPECT_THAT(extract_calltrace(broken),
                ElementsAre("ttnn::add", "ttnn::repeat", "ttnn::prim::repeat", "Device Operation",
                            "create_device_tensor", "ttnn::prim::binary", "Device Operation", "create_device_tensor"));
    ASSERT_EQ(count(broken, NodeType::ERROR), 1);
    const auto error = std::ranges::find(broken, NodeType::ERROR, &Node::type);
    EXPECT_EQ(error->text("error_operation"), "ttnn::prim::binary");
    EXPECT_THAT(std::string(error->text("error_message")), ::testing::HasSubstr("Out of Memory"));
    // The exception ended the four functions around the failure.
    EXPECT_EQ(count(broken, NodeType::FUNCTION_END), 8);
    // The repeated operand was given back while the error was on its way.
    EXPECT_EQ(count(broken, NodeType::BUFFER_DEALLOCATE), 1);
    const Trace later = query_trace(small);
    EXPECT_EQ(connections(later), connections(fresh));
    EXPECT_EQ(types(later), types(fresh));
}

// One thread's part: the same calls again and again on a device of its own, in both modes.
class Worker {
public:
    Worker(const std::string& board, std::string name, Tensor (*operation)(const Tensor&))
        : name_(std::move(name)), operation_(operation), input_(l1_tiles(Device::open({.board = board}), {64, 64})) {
        alone_ = query_trace([&] { operation_(input_); });
    }

    void run() const {
        for (int round = 0; round < 50; ++round) {
            const RunMode mode = round % 2 == 0 ? RunMode::NORMAL : RunMode::NO_DISPATCH;
            const Trace trace = captured_in(mode, [&] { operation_(input_); });
            EXPECT_THAT(extract_calltrace(trace),
                        ElementsAre(name_, "ttnn::prim::unary", "Device Operation", "create_device_tensor"));
            EXPECT_EQ(count(trace, NodeType::FUNCTION_END), 4);
            EXPECT_EQ(count(trace, NodeType::BUFFER_DEALLOCATE), 1);
            for (const Node& node : trace) {
                EXPECT_TRUE(!node.find("device_id") || node.number("device_id") == device_id());
            }
            if (mode == RunMode::NO_DISPATCH) {  // NORMAL has no circular buffers once the program is compiled
                EXPECT_EQ(types(trace), types(alone_));
                EXPECT_EQ(connections(trace), connections(alone_));
            }
        }
    }

private:
    uint64_t device_id() const { return static_cast<uint64_t>(input_.device()->id()); }

    std::string name_;
    Tensor (*operation_)(const Tensor&);
    Tensor input_;
    Trace alone_;  // captured while nobody else was
};

TEST(GraphThreads, CapturesOfTwoThreadsAreSeparate) {
    const Worker first("n150", "ttnn::relu", [](const Tensor& x) { return relu(x); });
    const Worker second("p150", "ttnn::exp", [](const Tensor& x) { return exp(x); });
    std::thread one([&] { first.run(); });
    std::thread two([&] { second.run(); });
    one.join();
    two.join();
}

TEST(GraphStacks, AreThereWhenAskedFor) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    EXPECT_FALSE(GraphProcessor::is_stack_trace_enabled());
    GraphProcessor::enable_stack_traces();
    EXPECT_TRUE(GraphProcessor::is_stack_trace_enabled());
    const Trace with = query_trace([&] { relu(a); });
    GraphProcessor::disable_stack_traces();
    const Trace without = query_trace([&] { relu(a); });
    ASSERT_FALSE(with[1].stack_trace.empty());
    bool named = false;
    for (const std::string& frame : with[1].stack_trace) {
        named = named || frame.find("query_trace") != frame.npos;
    }
    EXPECT_TRUE(named) << ::testing::PrintToString(with[1].stack_trace);
    EXPECT_TRUE(without[1].stack_trace.empty());
}

}  // namespace
}  // namespace ttnn::graph::testing
