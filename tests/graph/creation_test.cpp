// Tensors that are made on a device while captured; what was there before; names of later releases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "captured.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/ops/creation/constant.hpp"
#include "ttnn/ops/data_movement/transpose.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/index/topk.hpp"
#include "ttnn/ops/pool/max_pool2d.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

TEST(Creation, OnADeviceRecordsCreateDeviceTensor) {
    const auto device = device_8x8();
    for (const RunMode mode : both_modes) {
        const Trace plain = captured_in(mode, [&] { l1_tiles(device, {32, 32}); });
        using enum NodeType;
        EXPECT_THAT(types(plain), ElementsAre(CAPTURE_START, FUNCTION_START, BUFFER, BUFFER_ALLOCATE, FUNCTION_END,
                                              TENSOR, BUFFER_DEALLOCATE, CAPTURE_END));
        EXPECT_EQ(plain[1].text("name"), "create_device_tensor");
        EXPECT_EQ(plain[1].arguments.front(), "Shape([32, 32])");
        const Trace zeros_made = captured_in(mode, [&] {
            zeros({32, 32}, {.layout = Layout::TILE, .device = device});
        });
        EXPECT_THAT(extract_calltrace(zeros_made), ElementsAre("ttnn::zeros", "create_device_tensor"));
    }
}

TEST(Creation, CountsOnceInThePeak) {
    const auto device = device_8x8();
    const auto make = [&] {
        return zeros({32, 32}, {.layout = Layout::TILE, .device = device, .memory_config = l1_memory_config()});
    };
    for (const RunMode mode : both_modes) {
        EXPECT_EQ(extract_peak_L1_memory_usage(captured_in(mode, [&] { l1_tiles(device, {32, 32}); })), 2048U);
        const Trace trace = captured_in(mode, [&] { const Tensor made = make(); });
        EXPECT_EQ(extract_peak_L1_memory_usage(trace), 2048U);
        EXPECT_EQ(explain_peak(trace, MemoryKind::L1).buffers.size(), 1U);
    }
}

TEST(BuffersAtStart, AreAKeyOfTheReportAndNoNodes) {
    const auto device = device_8x8();
    const Tensor weights = l1_tiles(device, {64, 64});
    Tensor dropped = l1_tiles(device, {32, 32});
    const uint64_t dropped_address = dropped.buffer_address();
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    dropped = Tensor();
    const Tensor made = exp(weights);
    const Json report = Json::parse(GraphProcessor::get_current_report());
    const Trace trace = GraphProcessor::end_graph_capture();
    std::vector<uint64_t> addresses;
    for (const Json& buffer : report["buffers_at_start"]) {
        addresses.push_back(buffer["address"]);
        EXPECT_EQ(buffer["type"], "L1");
        EXPECT_EQ(buffer["layout"], "INTERLEAVED");
        // Both were met: one was freed, one was an input.
        EXPECT_EQ(trace[buffer["buffer"].get<size_t>()].type, NodeType::BUFFER);
    }
    EXPECT_THAT(addresses, UnorderedElementsAre(weights.buffer_address(), dropped_address));
    EXPECT_EQ(count(trace, NodeType::BUFFER_ALLOCATE), 1);
    EXPECT_EQ(count(trace, NodeType::BUFFER), 3);
}

TEST(BuffersAtStart, DoNotHoldWhatTheCaptureAllocatesFirst) {
    const auto device = device_8x8();
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    const Tensor made = l1_tiles(device, {32, 32});
    const Json report = Json::parse(GraphProcessor::get_current_report());
    GraphProcessor::end_graph_capture();
    EXPECT_THAT(report["buffers_at_start"], IsEmpty());
}

TEST(BufferPages, AreTakenWhenABufferIsAllocated) {
    const auto device = device_8x8();
    const Tensor before = l1_tiles(device, {32, 64});
    GraphProcessor::enable_buffer_pages();
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    uint64_t address = 0;
    {
        const Tensor gone = exp(before);
        address = gone.buffer_address();
    }
    const Json report = Json::parse(GraphProcessor::get_current_report());
    const Trace trace = GraphProcessor::end_graph_capture();
    GraphProcessor::disable_buffer_pages();
    const auto allocation = std::ranges::find(trace, NodeType::BUFFER_ALLOCATE, &Node::type);
    const Json& snapshots = report["buffer_pages_by_address"][std::to_string(address)];
    ASSERT_EQ(snapshots.size(), 1U);
    EXPECT_EQ(snapshots[0]["alloc_counter"], allocation->counter);
    ASSERT_EQ(snapshots[0]["pages"].size(), 2U);  // two tiles, in the first two banks
    EXPECT_EQ(snapshots[0]["pages"][1]["bank_id"], 1);
    EXPECT_EQ(snapshots[0]["pages"][1]["core_x"], 1);
    EXPECT_EQ(snapshots[0]["pages"][1]["page_address"], address);
    EXPECT_EQ(report["buffer_pages_by_address"][std::to_string(before.buffer_address())][0]["alloc_counter"], 0);
    // The flat list has what is in memory when the report is made.
    for (const Json& page : report["buffer_pages"]) {
        EXPECT_EQ(page["address"], before.buffer_address());
    }
}

TEST(NamedArguments, AreInTheReport) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    add(a, 2.5, {.memory_config = MemoryConfig()});
    const Json calls = Json::parse(GraphProcessor::get_current_report())["python_io"];
    const Trace trace = GraphProcessor::end_graph_capture();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0]["name"], "ttnn::add");
    const Json& arguments = calls[0]["arguments"];
    EXPECT_EQ(arguments["input_tensor_a"], trace[1].arguments[0]);
    EXPECT_EQ(arguments["input_tensor_b"], "2.5");
    EXPECT_EQ(arguments["dtype"], "nullopt");
    EXPECT_EQ(arguments.size(), trace[1].arguments.size());
}

TEST(LaterNames, AreBehindTheirSwitch) {
    const auto device = device_8x8();
    const Tensor a = Tensor::allocate_on_device(
        TensorSpec({1, 64, 32, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device);
    const auto call = [&] { permute(a, {0, 2, 3, 1}); };
    EXPECT_FALSE(GraphProcessor::is_later_names_enabled());
    const auto documented = extract_calltrace(query_trace(call));
    GraphProcessor::enable_later_names();
    const auto later = extract_calltrace(query_trace(call));
    const auto sum = extract_calltrace(query_trace([&] { add(l1_tiles(device, {32, 32}), 1.0); }));
    const auto greatest = extract_calltrace(query_trace([&] { topk(l1_tiles(device, {32, 64}), {.k = 32}); }));
    const Tensor pixels = Tensor::allocate_on_device(
        TensorSpec({1, 1, 64, 32}, DataType::BFLOAT16, Layout::ROW_MAJOR, l1_memory_config()), device);
    const auto pooled = extract_calltrace(query_trace([&] {
        max_pool2d(pixels, 1, 8, 8, 32, {2, 2}, {2, 2}, {0, 0}, {1, 1});
    }));
    GraphProcessor::disable_later_names();
    EXPECT_THAT(documented,
                ElementsAre("ttnn::permute", "ttnn::prim::permute", "Device Operation", "create_device_tensor"));
    EXPECT_THAT(later, ElementsAre("ttnn::permute", "ttnn::prim::permute", "PermuteDeviceOperation",
                                   "tt::tt_metal::create_device_tensor"));
    EXPECT_THAT(sum, ElementsAre("tt::tt_metal::create_device_tensor", "ttnn::add", "ttnn::prim::binary_ng",
                                 "BinaryNgDeviceOperation", "tt::tt_metal::create_device_tensor"));
    // Classes that are not called as their primitive.
    EXPECT_THAT(greatest, IsSupersetOf({"ttnn::prim::topk", "TopKDeviceOperation"}));
    EXPECT_THAT(pooled, IsSupersetOf({"HaloDeviceOperation", "ttnn::prim::pool2d", "Pool2D"}));
}

}  // namespace
}  // namespace ttnn::graph::testing
