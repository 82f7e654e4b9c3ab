// A kernel that hangs: the call raises, and what was captured can be taken.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/core/stop.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace ttnn::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Device> open_with_timeout(const char* seconds) {
    setenv("TT_METAL_OPERATION_TIMEOUT_SECONDS", seconds, 1);
    auto device = Device::open();
    unsetenv("TT_METAL_OPERATION_TIMEOUT_SECONDS");
    return device;
}

// Never ends by itself, and holds malloc's lock much of the time.
constexpr auto hangs = [](std::span<const Tensor>, std::span<Tensor>) {
    std::vector<std::string> texts(64);
    for (size_t i = 0;; ++i) {
        checkpoint();
        texts[i % texts.size()] = std::string(1 + i * 97 % 100'000, 'x');
    }
};

constexpr auto no_buffers = [](Program&, std::span<const Tensor>) {};

Tensor tile_of(const std::shared_ptr<Device>& device) {
    return Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), device);
}

TEST(Watchdog, AHangingKernelRaisesAndTheGraphSoFarCanBeTaken) {
    const auto device = open_with_timeout("0.3");
    const Tensor input = Tensor::allocate_on_device(TensorSpec({32, 32}, DataType::BFLOAT16, Layout::TILE), device);
    const auto before = device->statistics(BufferType::DRAM).total_allocated;
    const auto program = [](Program& p, std::span<const Tensor>) { p.circular_buffer(p.full_grid(), 4096); };
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    relu(input);
    try {
        launch({"ttnn::prim::stuck", {&input, 1}, program, hangs}, input.spec());
        FAIL() << "it came back";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("ttnn::prim::stuck did not finish within 0.3 s"));
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

TEST(Watchdog, AnErrorOfTheOperationItselfComesThrough) {
    const auto device = open_with_timeout("60");
    const Tensor input = tile_of(device);
    const auto refuses = [](std::span<const Tensor>, std::span<Tensor>) { fail("no such core"); };
    EXPECT_THAT(
        [&] {
            launch({"ttnn::prim::refuses", {&input, 1}, no_buffers, refuses}, input.spec());
        },
        testing::ThrowsMessage<Error>(HasSubstr("no such core")));
}

// Stopped in the middle of a product and of a softmax over 64 MB, not after it.
TEST(Watchdog, LongKernelsStopBetweenTheirBlocks) {
    const auto device = open_with_timeout("0.02");
    const TensorSpec spec({8, 1024, 4096}, DataType::BFLOAT16, Layout::TILE);
    const Tensor input = Tensor::allocate_on_device(spec, device);
    const Tensor square =
        Tensor::allocate_on_device(TensorSpec({4096, 4096}, DataType::BFLOAT16, Layout::TILE), device);
    const auto before = device->statistics(BufferType::DRAM).total_allocated;
    EXPECT_THAT([&] { matmul(input, square); }, testing::ThrowsMessage<Error>(HasSubstr("device timeout")));
    EXPECT_THAT([&] { softmax(input); }, testing::ThrowsMessage<Error>(HasSubstr("device timeout")));
    EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, before);
}

// A kernel that can be stopped works in blocks: the result must not depend on it. Small whole numbers have one product.
TEST(Watchdog, BlocksOfAProductGiveTheSameResult) {
    const auto device = Device::open();
    const auto make = [&](uint32_t rows, uint32_t columns, uint32_t factor) {
        Tensor tensor =
            Tensor::allocate_on_device(TensorSpec({rows, columns}, DataType::FLOAT32, Layout::TILE), device);
        std::vector<float> values(size_t{rows} * columns);
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i * factor % 7) - 3;
        }
        write<float>(tensor, values);
        return tensor;
    };
    const Tensor a = make(2500, 1000, 3);
    const Tensor transposed = make(1000, 2500, 5);
    const Tensor b = make(1000, 1100, 11);
    const auto products = [&] {
        return std::pair(read<float>(matmul(a, b)), read<float>(matmul(transposed, b, {.transpose_a = true})));
    };
    const auto expected = products();
    const StopRequest request;
    const StopScope scope(request);
    const auto blocks = products();
    EXPECT_TRUE(std::ranges::equal(blocks.first, expected.first));
    EXPECT_TRUE(std::ranges::equal(blocks.second, expected.second));
}

TEST(Watchdog, BlocksOfALongTensorAreConvertedWhole) {
    const auto device = Device::open();
    for (const DataType dtype : {DataType::BFLOAT16, DataType::FLOAT32, DataType::UINT8}) {
        const uint32_t count = (3U << 20) + 5;
        Tensor tensor = Tensor::allocate_on_device(TensorSpec({1, count}, dtype, Layout::ROW_MAJOR), device);
        std::vector<float> values(count);
        for (size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i * 37 % 251);
        }
        write<float>(tensor, values);
        EXPECT_TRUE(std::ranges::equal(read<float>(tensor), values)) << member_name(dtype);
        EXPECT_TRUE(std::ranges::equal(read<float>(copy_to_host(tensor)), values)) << member_name(dtype);
    }
}

// Repeated, because what it guards against depends on the moment at which the thread was stopped.
TEST(WatchdogDeathTest, AProcessEndsOrderlyAfterATimeout) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto times_out = [] {
        const auto device = open_with_timeout("0.001");
        const Tensor input = tile_of(device);
        for (int i = 0; i < 20; ++i) {
            try {
                launch({"ttnn::prim::stuck", {&input, 1}, no_buffers, hangs}, input.spec());
                std::_Exit(1);
            } catch (const Error&) {
                const std::string still_allocates(1'000'000, 'x');
            }
        }
        std::exit(0);
    };
    for (int i = 0; i < 10; ++i) {
        EXPECT_EXIT(times_out(), testing::ExitedWithCode(0), "");
    }
}

TEST(WatchdogDeathTest, AProcessThatEndsMeanwhileStopsTheKernelFirst) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto ends_meanwhile = [] {
        static std::atomic<bool> running{false};
        const auto device = open_with_timeout("3600");
        const Tensor input = tile_of(device);
        const auto kernel = [](std::span<const Tensor>, std::span<Tensor> outputs) {
            running = true;
            hangs({}, outputs);
        };
        std::thread([&] {
            try {
                launch({"ttnn::prim::stuck", {&input, 1}, no_buffers, kernel}, input.spec());
            } catch (const Error& error) {
                fmt::print(stderr, "{}\n", error.what());
            }
        }).detach();
        while (!running) {
            std::this_thread::yield();
        }
        std::exit(0);
    };
    for (int i = 0; i < 10; ++i) {
        EXPECT_EXIT(ends_meanwhile(), testing::ExitedWithCode(0), "");
    }
}

size_t device_operations(AnyParams& params) {
    GraphProcessor::begin_graph_capture(RunMode::NORMAL);
    try {
        call_operation(params);
    } catch (const Error&) {
        GraphProcessor::end_graph_capture();
        return 0;
    }
    const auto calls = extract_calltrace(GraphProcessor::end_graph_capture());
    return static_cast<size_t>(std::ranges::count(calls, device_operation_name));
}

std::vector<AnyParams> cases_of(const OpInfo& op, const std::shared_ptr<Device>& device) {
    for (const DataType dtype : {DataType::BFLOAT16, DataType::INT32, DataType::UINT32}) {
        for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
            if (op.cases == nullptr) {
                return {};
            }
            CaseMaker make(op, device, {dtype, layout, ttnn::MemoryKind::DRAM});
            try {
                op.cases(make);
            } catch (const NotApplicable&) {
                continue;
            }
            if (auto cases = make.take(); !cases.empty()) {
                return cases;
            }
        }
    }
    return {};
}

// With the request made beforehand, whatever runs a program must come to a checkpoint.
TEST(Watchdog, EveryKernelHasACheckpoint) {
    const auto device = Device::open();
    size_t stopped = 0;
    for (const OpInfo* op : all_operations()) {
        std::vector<AnyParams> cases = cases_of(*op, device);
        std::vector<AnyParams> again = cases_of(*op, device);  // some operations free their inputs
        for (size_t i = 0; i < cases.size(); ++i) {
            fill_inputs(cases[i], 1);
            fill_inputs(again[i], 1);
            if (device_operations(cases[i]) == 0) {
                continue;
            }
            StopRequest request;
            request.ask();
            const StopScope scope(request);
            EXPECT_THROW(call_operation(again[i]), Stopped) << op->name;
            ++stopped;
            break;
        }
    }
    EXPECT_GT(stopped, all_operations().size() / 2);
}

}  // namespace
}  // namespace ttnn::graph
