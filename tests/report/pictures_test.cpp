// Pictures of reports: memory per core against its limit, and calls whatever their number.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../graph/svg_sample.hpp"
#include "sandbox.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/softmax.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ttnn::graph::GraphProcessor;
using ttnn::graph::Trace;
using ttnn::graph::svg_test::Element;
using ttnn::graph::svg_test::Picture;

std::vector<std::string> texts_of(const std::string& svg) {
    std::vector<std::string> texts;
    for (const Element& element : Picture(svg).elements) {
        if (element.name == "text") {
            texts.push_back(element.text);
        }
    }
    return texts;
}

class PicturesTest : public ::testing::Test {
protected:
    // Draws the report and gives the picture of this name.
    std::string drawn(const std::filesystem::path& report, const std::string& name) {
        ImportOptions options = sandbox_.options(report);
        options.svg = true;
        options.existing = Existing::REPLACE;
        import_reports(options);
        return Sandbox::read(sandbox_.out() / "graphs" / name);
    }

    // Inputs in DRAM, results in L1; sharded and interleaved.
    Trace capture(const std::filesystem::path& path) {
        const auto device = ttnn::Device::open();
        const ttnn::MemoryConfig l1(ttnn::TensorMemoryLayout::INTERLEAVED, ttnn::BufferType::L1);
        const auto make = [&](const ttnn::Shape& shape) {
            return ttnn::Tensor::allocate_on_device(
                ttnn::TensorSpec(shape, ttnn::DataType::BFLOAT16, ttnn::Layout::TILE), device);
        };
        const ttnn::Tensor a = make({1, 512, 512});
        const ttnn::Tensor b = make({512, 1024});
        GraphProcessor::begin_graph_capture(ttnn::graph::RunMode::NORMAL);
        {
            const ttnn::Tensor product = ttnn::matmul(a, b, {.memory_config = l1});
            const ttnn::Tensor kept = ttnn::relu(product, {.memory_config = l1});
            ttnn::softmax(product);
        }
        return GraphProcessor::end_graph_capture_to_file(path);
    }

    Sandbox sandbox_;
};

TEST_F(PicturesTest, MemoryIsPerCoreWithTheLimitAndTheOperationOfThePeak) {
    const auto path = sandbox_.in() / "model.json";
    const Trace trace = capture(path);
    const auto peak = ttnn::graph::extract_resource_usage_per_core(trace, 64).peak_total;
    const auto texts = texts_of(drawn(path, "model.memory.svg"));
    EXPECT_THAT(texts, Contains(StartsWith("limit of a core: 1395424 B (1.33 MiB)")));
    EXPECT_THAT(texts, Contains(AllOf(StartsWith(fmt::format("1  {:.1f} KiB per core (buffers ", peak / 1024.0)),
                                      HasSubstr("ttnn::softmax"), HasSubstr(": the peak"))));
    EXPECT_THAT(texts, Contains(StartsWith("limit of a bank: 1073741824 B (1.00 GiB)")));
}

// The operands are in DRAM when the capture begins, and their results are not.
TEST_F(PicturesTest, MemoryBeginsWithWhatWasThereBeforeTheCapture) {
    const auto path = sandbox_.in() / "model.json";
    capture(path);
    const std::string held = "130.0 KiB";  // 256 and 512 tiles over 12 banks: 22 + 43 of 2 KiB in the fullest
    auto texts = texts_of(drawn(path, "model.memory.svg"));
    EXPECT_THAT(texts, Contains(fmt::format("DRAM of a bank: buffers, {} from before the capture", held)));
    EXPECT_THAT(texts, Contains(AllOf(StartsWith(fmt::format("1  {} per bank", held)),
                                      HasSubstr("when the capture began"), HasSubstr(": the peak"))));

    nlohmann::ordered_json report = nlohmann::ordered_json::parse(Sandbox::read(path));
    report.erase("buffers_at_start");
    texts = texts_of(drawn(sandbox_.write("silent.json", report.dump()), "silent.memory.svg"));
    EXPECT_THAT(texts, Contains("DRAM of a bank: buffers that are allocated in the report"));
    EXPECT_THAT(texts, Contains("nothing is allocated here"));
}

TEST_F(PicturesTest, AReportWithoutDevicesSaysThatItsLimitIsNotKnown) {
    const auto path = sandbox_.write("bare.json", Sandbox::report(R"({"counter": 0, "node_type": "capture_start",
        "params": {}, "connections": []})"));
    EXPECT_THAT(texts_of(drawn(path, "bare.memory.svg")), Contains(StartsWith("the limit is not known")));
}

// Long reports are drawn from the file, not from a trace: with the same result.
TEST_F(PicturesTest, CallsOfALongReportAreDrawnAsThoseOfATrace) {
    Trace trace;
    const auto add = [&](ttnn::graph::NodeType type, ttnn::graph::Node::Params params = {}) {
        trace.push_back({.counter = static_cast<uint32_t>(trace.size()), .type = type, .params = std::move(params)});
        return trace.back().counter;
    };
    using ttnn::graph::NodeType;
    add(NodeType::CAPTURE_START);
    uint32_t last = 0;
    for (int i = 0; i < 30'000; ++i) {
        const std::string name = i % 7 == 0 ? "ttnn::softmax" : "ttnn::add";
        const uint32_t start = add(NodeType::FUNCTION_START, {{"inputs", "1"}, {"name", name}});
        if (last != 0) {
            trace[start].input_tensors = {last};
        }
        const uint32_t end = add(NodeType::FUNCTION_END, {{"name", name}});
        trace[end].duration_ns = 1000;
        last = add(NodeType::TENSOR, {{"dtype", "bfloat16"}, {"shape", fmt::format("ttnn.Shape([{}, 32])", i / 100)}});
        trace[end].connections = {last};
        if (i == 20'000) {  // which its recorder left open
            const uint32_t failed = add(NodeType::FUNCTION_START, {{"inputs", "1"}, {"name", "ttnn::pow"}});
            trace[failed].connections = {failed + 1, failed + 2};
            add(NodeType::ERROR, {{"error_message", "too big"}});
        }
    }
    add(NodeType::CAPTURE_END);
    const auto path =
        sandbox_.write("long.json", Sandbox::report("").replace(Sandbox::report("").rfind("[]"), 2, to_json(trace)));
    const std::string svg = drawn(path, "long.svg");
    EXPECT_EQ(svg, to_svg(trace, {.source = "long.json"}));
    EXPECT_THAT(texts_of(svg), Contains(StartsWith("30001 calls")));
    EXPECT_LE(std::stoi(Picture(svg).elements[0].at("height")), ttnn::graph::tallest_picture);
}

}  // namespace
}  // namespace tracelift::report::testing
