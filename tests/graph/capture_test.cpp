// Graph capture: nodes, connections, modes, nesting, errors.
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace ttnn::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An 8 x 8 grid, as in the documented sample.
std::shared_ptr<Device> device_8x8() { return Device::open({.board = "n150"}); }

Tensor l1_tiles(const std::shared_ptr<Device>& device, const Shape& shape) {
    return Tensor::allocate_on_device(TensorSpec(shape, DataType::BFLOAT16, Layout::TILE, l1_memory_config()), device);
}

std::vector<NodeType> types(const Trace& trace) {
    std::vector<NodeType> list;
    for (const Node& node : trace) {
        list.push_back(node.type);
    }
    return list;
}

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

TEST(GraphFigures, OfAnAddOfEqualShapes) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {1, 3, 32, 32});
    const Tensor b = l1_tiles(device, {1, 3, 32, 32});
    for (const RunMode mode : {RunMode::NO_DISPATCH, RunMode::NORMAL}) {
        GraphProcessor::begin_graph_capture(mode);
        { const Tensor result = add(a, b); }
        const Trace trace = GraphProcessor::end_graph_capture();
        EXPECT_EQ(extract_peak_L1_memory_usage(trace), 30720U);
        EXPECT_EQ(count_intermediate_and_output_tensors(trace), (std::pair<uint32_t, uint32_t>(0, 1)));
        const auto usage = extract_resource_usage_per_core(trace, 64);
        EXPECT_EQ(usage.peak_cb, 12288U);
        EXPECT_EQ(usage.peak_l1, 2048U);
        const auto outputs = extract_output_info(trace);
        ASSERT_EQ(outputs.size(), 1U);
        EXPECT_EQ(outputs[0].size, 6144U);
    }
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
    const auto count = [&] {
        GraphProcessor::begin_graph_capture(RunMode::NORMAL);
        relu(a);
        const Trace trace = GraphProcessor::end_graph_capture();
        return std::pair(std::ranges::count(types(trace), NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL),
                         std::ranges::count(types(trace), NodeType::CIRCULAR_BUFFER_ALLOCATE));
    };
    EXPECT_EQ(count(), (std::pair<ptrdiff_t, ptrdiff_t>(1, 2)));
    EXPECT_EQ(count(), (std::pair<ptrdiff_t, ptrdiff_t>(1, 0)));
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

TEST(GraphThreads, CapturesOfTwoThreadsAreSeparate) {
    const auto work = [](std::string board, std::string expected, auto operation) {
        const auto device = Device::open({.board = board});
        const Tensor a = l1_tiles(device, {64, 64});
        for (int round = 0; round < 50; ++round) {
            GraphProcessor::begin_graph_capture(round % 2 == 0 ? RunMode::NORMAL : RunMode::NO_DISPATCH);
            { const Tensor result = operation(a); }
            const Trace trace = GraphProcessor::end_graph_capture();
            EXPECT_EQ(extract_calltrace(trace).front(), expected);
            EXPECT_EQ(std::ranges::count(types(trace), NodeType::FUNCTION_START), 4);
            EXPECT_EQ(std::ranges::count(types(trace), NodeType::FUNCTION_END), 4);
            EXPECT_EQ(std::ranges::count(types(trace), NodeType::BUFFER_DEALLOCATE), 1);
        }
    };
    std::thread one([&] { work("n150", "ttnn::relu", [](const Tensor& x) { return relu(x); }); });
    std::thread two([&] { work("p150", "ttnn::exp", [](const Tensor& x) { return exp(x); }); });
    one.join();
    two.join();
}

TEST(GraphArguments, AreTheTextsOfTheDocumentedCall) {
    const auto device = device_8x8();
    const Tensor input = Tensor::allocate_on_device(
        TensorSpec({1, 1, 2048, 512}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device);
    const Trace trace = query_trace([&] { transpose(input, 1, 2); });
    const auto calls = extract_arguments(trace);
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(calls[0].operation_name, "ttnn::transpose");
    ASSERT_EQ(calls[0].arguments.size(), 3U);
    const std::string memory =
        "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::L1,shard_spec=std::nullopt,"
        "nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0)";
    EXPECT_EQ(
        calls[0].arguments[0],
        "Tensor(storage=DeviceStorage(),tensor_spec=TensorSpec(logical_shape=Shape([1, 1, 2048, 512]),tensor_layout="
        "TensorLayout(dtype=DataType::BFLOAT16,page_config=PageConfig(config=RowMajorPageConfig(tile=Tile(tile_shape="
        "{32, 32},face_shape={16, 16},num_faces=4))),memory_config=" +
            memory + ",alignment=Alignment([1]))))");
    EXPECT_EQ(calls[0].arguments[1], "1");
    EXPECT_EQ(calls[0].arguments[2], "2");
    const auto creation =
        std::ranges::find(calls, "create_device_tensor", [](const auto& call) { return call.operation_name; });
    ASSERT_NE(creation, calls.end());
    EXPECT_THAT(creation->arguments, ElementsAre("Shape([1, 2048, 1, 512])", "DataType::BFLOAT16", "Layout::ROW_MAJOR",
                                                 HasSubstr("unsupported type"), memory));
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
    EXPECT_TRUE(named) << testing::PrintToString(with[1].stack_trace);
    EXPECT_TRUE(without[1].stack_trace.empty());
}

// Figures of a call in both modes. Globally allocated circular buffers are only seen where nothing is dispatched.
struct Figures {
    uint64_t peak_l1, dram_peak, global;
    std::vector<std::string> calls;
    std::vector<std::pair<std::string, std::string>> buffers;
};
Figures figures(const Trace& trace) {
    Figures result{0, extract_dram_usage(trace).peak, 0, extract_calltrace(trace), {}};
    Trace local;
    for (const Node& node : trace) {
        const bool global =
            node.type == NodeType::CIRCULAR_BUFFER_ALLOCATE && node.text("globally_allocated") == "true";
        result.global += global ? 1 : 0;
        local.push_back(node);
        if (global) {
            for (auto& [name, text] : local.back().params) {
                text = name == "size" ? "0" : text;
            }
        }
        if (node.type == NodeType::BUFFER_ALLOCATE || node.type == NodeType::BUFFER_DEALLOCATE) {
            result.buffers.emplace_back(node.text("size"), node.text("type"));
        }
    }
    result.peak_l1 = extract_peak_L1_memory_usage(local);
    return result;
}

Trace run_captured(const AnyParams& original, RunMode mode) {
    AnyParams params(original);
    GraphProcessor::begin_graph_capture(mode);
    try {
        call_operation(params);
    } catch (const Error&) {  // refusals are the same in both modes
    }
    return GraphProcessor::end_graph_capture();
}

TEST(GraphModes, AgreeOnEveryMemoryFigureForAllOperations) {
    size_t cases = 0;
    for (const OpInfo* first : all_operations()) {
        for (const OpInfo* op = first; op != nullptr; op = op->next_overload) {
            for (const auto memory : {ttnn::MemoryKind::DRAM, ttnn::MemoryKind::L1, ttnn::MemoryKind::HEIGHT_SHARDED,
                                      ttnn::MemoryKind::BLOCK_SHARDED}) {
                if (op->cases == nullptr) {
                    continue;
                }
                const auto device = device_8x8();
                CaseMaker maker(*op, device, {DataType::BFLOAT16, Layout::TILE, memory});
                try {
                    op->cases(maker);
                } catch (const std::exception&) {  // the combination does not apply
                }
                for (AnyParams& params : maker.take()) {
                    fill_inputs(params, 1);
                    device->forget_programs();
                    const Figures mocked = figures(run_captured(params, RunMode::NO_DISPATCH));
                    const Figures real = figures(run_captured(params, RunMode::NORMAL));
                    if (real.calls.size() < 3) {
                        continue;  // refused
                    }
                    ++cases;
                    SCOPED_TRACE(fmt::format("{} {}", op->name, member_name(memory)));
                    EXPECT_EQ(mocked.calls, real.calls);
                    EXPECT_EQ(mocked.buffers, real.buffers);
                    EXPECT_EQ(mocked.peak_l1, real.peak_l1);
                    EXPECT_EQ(mocked.dram_peak, real.dram_peak);
                    EXPECT_EQ(real.global, 0U);
                }
            }
        }
    }
    EXPECT_GT(cases, 1000U);
}

}  // namespace
}  // namespace ttnn::graph
