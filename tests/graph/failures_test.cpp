// An exception ends what it left open, in captures and in analyses of traces whose recorder did not unwind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured.hpp"
#include "graph/svg_sample.hpp"
#include "trace_recorder.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/flow.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"
#include "ttnn/op/program.hpp"
#include "ttnn/ops/data_movement/clone.hpp"
#include "ttnn/ops/data_movement/concat.hpp"
#include "ttnn/ops/data_movement/reshape.hpp"
#include "ttnn/ops/data_movement/tilize.hpp"
#include "ttnn/ops/data_movement/untilize.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_activations.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"
#include "ttnn/ops/matmul/linear.hpp"
#include "ttnn/ops/matmul/matmul.hpp"
#include "ttnn/ops/normalization/layer_norm.hpp"
#include "ttnn/ops/normalization/softmax.hpp"
#include "ttnn/ops/reduction/argmax.hpp"
#include "ttnn/ops/reduction/prod.hpp"
#include "ttnn/ops/reduction/reduction.hpp"
#include "ttnn/ops/sharding/interleaved_to_sharded.hpp"
#include "ttnn/ops/sharding/sharded_to_interleaved.hpp"

namespace ttnn::graph::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Node& error_of(const Trace& trace) {
    const auto error = std::ranges::find(trace, NodeType::ERROR, &Node::type);
    EXPECT_NE(error, trace.end());
    return *error;
}

std::vector<std::string> names_at_level(const Trace& trace, int32_t level) {
    std::vector<std::string> names;
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_START && node.stacking_level == level) {
            names.emplace_back(node.text("name"));
        }
    }
    return names;
}

Tensor dram_tiles(const std::shared_ptr<Device>& device, const Shape& shape, DataType dtype = DataType::BFLOAT16) {
    return Tensor::allocate_on_device(TensorSpec(shape, dtype, Layout::TILE), device);
}

TEST(Failures, EndWithTheirMessageAndTheNextCallStandsBesideThem) {
    const auto device = device_8x8();
    const Tensor large = l1_tiles(device, {1, 1, 32, 32 * 64 * 360});
    const Tensor small = l1_tiles(device, {32, 32});
    ScopedGraphCapture capture(RunMode::NORMAL);
    std::string message;
    try {
        relu(large);
    } catch (const OutOfMemory& error) {
        message = error.what();
    }
    exp(small);
    const Trace trace = capture.end();
    EXPECT_EQ(error_of(trace).text("error_message"), message);
    EXPECT_THAT(message, HasSubstr("Out of Memory"));
    EXPECT_EQ(error_of(trace).text("error_operation"), "ttnn::prim::unary");
    EXPECT_EQ(count(trace, NodeType::FUNCTION_START), count(trace, NodeType::FUNCTION_END));
    EXPECT_THAT(names_at_level(trace, 1), ElementsAre("ttnn::relu", "ttnn::exp"));
    // A failed function gives nothing, also not what a later one made.
    const Node& failed = trace[1];
    const Node& end = trace[failed.connections.back()];
    EXPECT_EQ(end.text("name"), "ttnn::relu");
    for (const uint32_t output : end.connections) {
        EXPECT_NE(trace[output].type, NodeType::TENSOR);
    }
    EXPECT_EQ(LevelizedGraph(trace).size(), 4U);  // two tensors, two calls
}

TEST(Failures, OfARefusedCallShowThePrimitiveTheDeviceOperationAndTheOutput) {
    const auto device = device_8x8();
    const Tensor a = dram_tiles(device, {64, 64});
    const Tensor odd = dram_tiles(device, {96, 96});
    const Tensor integers = dram_tiles(device, {64, 64}, DataType::UINT16);
    const Tensor batch = dram_tiles(device, {1, 64, 64}, DataType::UINT16);
    const Tensor rows = Tensor::allocate_on_device(TensorSpec({64, 64}, DataType::BFLOAT16, Layout::ROW_MAJOR), device);
    const MemoryConfig in_l1 = l1_memory_config();
    const std::vector<std::tuple<std::string, std::string, std::function<void()>>> calls = {
        {"ttnn::matmul", "ttnn::prim::matmul", [&] { matmul(a, odd); }},
        {"ttnn::linear", "ttnn::prim::matmul", [&] { linear(a, a, {.bias = odd}); }},
        {"ttnn::add", "ttnn::prim::binary", [&] { add(a, odd); }},
        {"ttnn::gelu", "ttnn::prim::unary", [&] { gelu(integers); }},
        {"ttnn::softmax", "ttnn::prim::softmax", [&] { softmax(a, {.dim = 7}); }},
        {"ttnn::layer_norm", "ttnn::prim::layer_norm", [&] { layer_norm(a, {.residual_input_tensor = odd}); }},
        {"ttnn::concat", "ttnn::prim::concat",
         [&] {
             concat({a, integers});
         }},
        {"ttnn::reshape", "ttnn::prim::reshape",
         [&] {
             reshape(batch, {1, 32, 128});
         }},
        {"ttnn::tilize", "ttnn::prim::tilize", [&] { tilize(a); }},
        {"ttnn::untilize", "ttnn::prim::untilize", [&] { untilize(rows); }},
        {"ttnn::clone", "ttnn::prim::clone", [&] { clone(rows, {.dtype = DataType::FLOAT32}); }},
        {"ttnn::sharded_to_interleaved", "ttnn::prim::sharded_to_interleaved", [&] { sharded_to_interleaved(a); }},
        {"ttnn::interleaved_to_sharded", "ttnn::prim::interleaved_to_sharded",
         [&] { interleaved_to_sharded(a, in_l1); }},
        {"ttnn::prod", "ttnn::prim::prod", [&] { prod(integers, {.dim = 0}); }},
        {"ttnn::std", "ttnn::prim::reduce", [&] { ttnn::std(integers, {.dim = IntOrList(-1)}); }},
        {"ttnn::argmax", "ttnn::prim::argmax", [&] { argmax(integers, {.dim = -1}); }},
    };
    for (const RunMode mode : both_modes) {
        for (const auto& [name, primitive, call] : calls) {
            const auto before = device->statistics(BufferType::DRAM).total_allocated;
            ScopedGraphCapture capture(mode);
            std::string message;
            try {
                call();
                ADD_FAILURE() << name << " is not refused";
            } catch (const Error& error) {
                message = error.what();
            }
            const Trace trace = capture.end();
            EXPECT_THAT(extract_calltrace(trace),
                        ElementsAre(name, primitive, "Device Operation", "create_device_tensor"));
            EXPECT_EQ(count(trace, NodeType::BUFFER_ALLOCATE), 1) << name;
            EXPECT_EQ(count(trace, NodeType::BUFFER_DEALLOCATE), 1) << name;
            EXPECT_EQ(count(trace, NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL), 0) << name;
            EXPECT_EQ(error_of(trace).text("error_message"), message);
            EXPECT_EQ(error_of(trace).text("error_operation"), primitive);
            EXPECT_EQ(count(trace, NodeType::FUNCTION_END), 4) << name;
            EXPECT_EQ(device->statistics(BufferType::DRAM).total_allocated, before);
        }
    }
}

// What comes before the primitive that refuses runs as ever.
TEST(Failures, OfARefusedReductionFollowItsPreparation) {
    const auto device = device_8x8();
    const Tensor integers = dram_tiles(device, {64, 64}, DataType::UINT16);
    for (const RunMode mode : both_modes) {
        ScopedGraphCapture capture(mode);
        std::string message;
        try {
            sum(integers, {.dim = IntOrList(-1)});
        } catch (const Error& error) {
            message = error.what();
        }
        const Trace trace = capture.end();
        EXPECT_THAT(extract_calltrace(trace),
                    ElementsAre("ttnn::sum", "ttnn::fill_implicit_tile_padding", "ttnn::reshape",
                                "ttnn::experimental::view", "ttnn::tilize_with_val_padding", "ttnn::prim::reduce",
                                "Device Operation", "create_device_tensor"));
        EXPECT_THAT(message, HasSubstr("ttnn.sum: argument 'input_tensor' must have a floating dtype"));
        EXPECT_EQ(error_of(trace).text("error_message"), message);
        EXPECT_EQ(error_of(trace).text("error_operation"), "ttnn::prim::reduce");
        EXPECT_EQ(count(trace, NodeType::BUFFER_ALLOCATE), 1);
        EXPECT_EQ(count(trace, NodeType::BUFFER_DEALLOCATE), 1);
    }
}

// Nobody around them says what went wrong.
TEST(Failures, OutsideAnyOperationSayWhatTheExceptionSays) {
    const auto device = device_8x8();
    for (const bool launched : {false, true}) {
        const Tensor input = l1_tiles(device, {32, 32});
        const TensorSpec large({1, 1, 32, 32 * 64 * 800}, DataType::BFLOAT16, Layout::TILE, l1_memory_config());
        ScopedGraphCapture capture(RunMode::NORMAL);
        std::string message;
        try {
            const auto program = [](Program&, std::span<const Tensor>) {};
            const auto kernel = [](std::span<const Tensor>, std::span<Tensor>) {
                throw std::runtime_error("the kernel broke");
            };
            launched ? launch({"ttnn::prim::test", {&input, 1}, program, kernel}, input.spec())
                     : Tensor::allocate_on_device(large, device);
        } catch (const std::exception& error) {
            message = error.what();
        }
        const Trace trace = capture.end();
        EXPECT_THAT(message, HasSubstr(launched ? "the kernel broke" : "Out of Memory"));
        EXPECT_EQ(error_of(trace).text("error_message"), message);
        EXPECT_EQ(error_of(trace).text("error_operation"), launched ? "ttnn::prim::test" : "create_device_tensor");
    }
}

// As the original records: the failed functions stay open, and what follows is recorded inside them.
Trace left_open() {
    const FakeTensor x{0, "Shape([32, 32])", 2048};
    const FakeTensor y{1, "Shape([32, 32])", 2048};
    TraceRecorder recorder;
    recorder.begin("ttnn::add", 1, {x});
    recorder.begin("ttnn::prim::binary", 1, {x});
    recorder.error("Operation failed");
    recorder.begin("ttnn::tanh", 1, {x});
    recorder.create(y);
    recorder.end({y});
    recorder.begin("ttnn::exp", 1, {y});
    recorder.end({y});
    return recorder.finish();
}

TEST(Failures, LeftOpenByTheRecorderAreEndedByAnalyses) {
    const Trace trace = left_open();
    const LevelizedGraph graph(trace, 1);
    std::vector<std::string> names;
    for (const LevelizedVertex& vertex : graph.vertices()) {
        names.push_back(vertex.name);
    }
    EXPECT_THAT(names, ElementsAre("tensor[0]", "ttnn::add", "ttnn::tanh", "ttnn::exp"));
    EXPECT_THAT(graph.get_vertex(1).output_shape, ElementsAre());
    EXPECT_THAT(graph.get_vertex(2).in_edges, ElementsAre(0));
    EXPECT_THAT(graph.get_vertex(2).out_edges, ElementsAre(3));
    const LevelizedGraph deeper(trace, 2);
    EXPECT_THAT(deeper.get_vertex(1).internals, ElementsAre(2));  // the primitive, and not tanh
    EXPECT_THAT(pretty_format(trace, PrintStyle::DOC),
                HasSubstr("        Error: Operation failed\nBegin: ttnn::tanh\n    Begin: create_device_tensor\n"));
    for (const MemoryRow& row : extract_memory_table(trace)) {
        if (row.event == "buffer_allocate") {
            EXPECT_EQ(row.current_op, "ttnn::tanh");
        }
    }
    EXPECT_EQ(explain_peak(trace, MemoryKind::L1).function, "ttnn::tanh");
}

// The boxes of a picture, outermost first, each with the names of the functions drawn inside it.
std::vector<std::string> boxes(const svg_test::Picture& picture) {
    const auto names = picture.texts("function");
    const auto rects = picture.find("function", "rect");  // a white and a coloured one for each function
    const auto edge = [&](size_t box, const char* key) { return std::stoi(rects[2 * box].at(key)); };
    std::vector<std::string> found;
    for (size_t outer = 0; outer < names.size(); ++outer) {
        found.push_back(names[outer] + ":");
        for (size_t inner = 0; inner < names.size(); ++inner) {
            const bool below = edge(inner, "y") > edge(outer, "y");
            if (below && edge(inner, "y") < edge(outer, "y") + edge(outer, "height")) {
                found.back() += " " + names[inner];
            }
        }
    }
    return found;
}

TEST(Failures, LeftOpenByTheRecorderEndAtTheErrorInThePictureOfSteps) {
    const Trace trace = left_open();
    EXPECT_THAT(boxes(svg_test::Picture(trace, {.kind = SvgKind::STEPS})),
                ElementsAre("ttnn::add (did not end): ttnn::prim::binary (did not end)",
                            "ttnn::prim::binary (did not end):", "ttnn::tanh: create_device_tensor",
                            "create_device_tensor:", "ttnn::exp:"));
    // An operation of one level shows all calls of the program, and nothing of the primitives.
    EXPECT_THAT(svg_test::Picture(trace, {.kind = SvgKind::STEPS, .max_level = 1}).texts("function"),
                ElementsAre(StartsWith("ttnn::add "), StartsWith("ttnn::tanh "), "ttnn::exp"));
}

TEST(Failures, LeftOpenByTheRecorderAreCallsOfTheirOwnInThePictureOfTheFlow) {
    const std::vector<FlowCall> calls = flow_of(left_open());
    std::vector<std::string> texts;
    for (const FlowCall& call : calls) {
        texts.push_back(
            fmt::format("{}{}{} [{}]", call.name, call.failed ? " failed" : "", call.ended ? "" : " open", call.steps));
    }
    EXPECT_THAT(texts, ElementsAre("ttnn::add failed open [ttnn::prim::binary]", "ttnn::tanh []", "ttnn::exp []"));
    EXPECT_THAT(calls[2].producers, ElementsAre(1U));
}

// Ends that no start is linked to are not a reason to refuse the trace.
TEST(Failures, WithEndsThatAreNotLinkedAreDrawn) {
    svg_test::TraceBuilder builder;
    builder.start("f").start("g").add(NodeType::ERROR, {{"error_message", "too big"}}).end("g").end("f");
    builder.start("h").end("h");
    EXPECT_THAT(boxes(svg_test::Picture(builder.take())),
                ElementsAre("f (did not end): g (did not end)", "g (did not end):", "h:"));
}

// Inputs are those of calls that the program made itself, which tanh is again.
TEST(Failures, LetTheInputsOfLaterCallsCount) {
    const FakeTensor x{0, "Shape([32, 32])", 2048};
    const FakeTensor late{1, "Shape([64, 32])", 4096};
    TraceRecorder recorder;
    recorder.begin("ttnn::add", 1, {x});
    recorder.error("Operation failed");
    recorder.begin("ttnn::tanh", 1, {late});
    recorder.end();
    EXPECT_EQ(extract_peak_L1_memory_usage(recorder.finish()), 2048U + 4096U);
}

TEST(Failures, AreUnwoundWhereLevelsAreDerived) {
    Trace trace = left_open();
    std::string json = to_json(trace);
    for (size_t at = json.find(",\"stacking_level\""); at != json.npos; at = json.find(",\"stacking_level\"")) {
        json.erase(at, json.find('}', at) - at);
    }
    const Trace derived = read_trace(json, "nodes");
    EXPECT_THAT(names_at_level(derived, 1), ElementsAre("ttnn::add", "ttnn::tanh", "ttnn::exp"));
}

// A function whose end is linked was not left by the exception: somebody inside caught it.
TEST(Failures, DoNotEndFunctionsThatGoOn) {
    const FakeTensor x{0, "Shape([32, 32])", 2048};
    TraceRecorder recorder;
    recorder.begin("ttnn::mlp", 1, {x});
    recorder.error("tried");
    recorder.begin("ttnn::tanh", 1, {x});
    recorder.end();
    recorder.end({x});
    const LevelizedGraph graph(recorder.finish(), 2);
    ASSERT_EQ(graph.size(), 3U);
    EXPECT_THAT(graph.get_vertex(1).internals, ElementsAre(2));
}

}  // namespace
}  // namespace ttnn::graph::testing
