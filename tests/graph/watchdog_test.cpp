// A kernel that hangs: the call raises, and what was captured can be taken.
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"

namespace ttnn::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Watchdog, AHangingKernelRaisesAndTheGraphSoFarCanBeTaken) {
#ifdef TTNN_SANITIZED
    GTEST_SKIP() << "the sanitizers do not understand a thread that is stopped";
#endif
    setenv("TT_METAL_OPERATION_TIMEOUT_SECONDS", "0.3", 1);
    const auto device = Device::open();
    unsetenv("TT_METAL_OPERATION_TIMEOUT_SECONDS");
    const Tensor input = Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), device);
    const auto before = device->statistics(BufferType::DRAM).total_allocated;
    const auto program = [](Program& p, std::span<const Tensor>) { p.circular_buffer(p.full_grid(), 4096); };
    const auto sleeps = [](std::span<Tensor>) { std::this_thread::sleep_for(std::chrono::hours(1)); };
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    relu(input);
    try {
        launch({"ttnn::prim::stuck", {&input, 1}, program, sleeps}, input.spec());
        FAIL() << "it came back";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("ttnn::prim::stuck did not end within 0.3 s"));
    }
    const Trace trace = GraphProcessor::end_graph_capture();
    const auto calls = extract_calltrace(trace);
    EXPECT_EQ(calls[0], "ttnn::relu");
    EXPECT_EQ(calls[4], "ttnn::prim::stuck");
    const auto error = std::ranges::find(trace, NodeType::ERROR, &Node::type);
    ASSERT_NE(error, trace.end());
    EXPECT_EQ(error->text("error_operation"), "ttnn::prim::stuck");
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, before);
    relu(input);  // the device goes on
}

}  // namespace
}  // namespace ttnn::graph
