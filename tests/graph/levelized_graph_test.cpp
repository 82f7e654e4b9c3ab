#include "ttnn/graph/levelized_graph.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample.hpp"

namespace ttnn::graph::testing {
namespace {

using Ids = std::vector<size_t>;

// "name in[..] out[..] int[..]"
std::string line(const LevelizedVertex& vertex) {
    std::string text = vertex.name;
    const auto add = [&](const std::string& title, const Ids& ids) {
        text += " " + title + "[";
        for (size_t i = 0; i < ids.size(); ++i) {
            text += (i == 0 ? "" : ",") + std::to_string(ids[i]);
        }
        text += "]";
    };
    add("in", vertex.in_edges);
    add("out", vertex.out_edges);
    add("int", vertex.internals);
    return text;
}

std::vector<std::string> lines(const Trace& trace, size_t max_level) {
    std::vector<std::string> result;
    for (const LevelizedVertex& vertex : LevelizedGraph(trace, max_level).vertices()) {
        EXPECT_EQ(vertex.counter, result.size());
        EXPECT_LE(vertex.stacking_level, static_cast<int32_t>(max_level));
        result.push_back(line(vertex));
    }
    return result;
}

using Lines = std::vector<std::string>;

FakeTensor tensor(uint32_t id, const std::string& shape = "Shape([32, 64])") { return {id, shape, 4096}; }

void binary(TraceRecorder& recorder, const std::string& name, const std::vector<FakeTensor>& inputs, uint32_t output,
            std::vector<std::string> arguments = {}) {
    record_operation(recorder, name, "ttnn::prim::binary_ng", inputs, tensor(output), std::move(arguments));
}

TEST(LevelizedGraph, GuideSample) {
    const Trace trace = guide_sample();
    EXPECT_EQ(lines(trace, 1),
              (Lines{"tensor in[] out[2] int[]", "tensor in[] out[2] int[]", "ttnn::add in[0,1] out[] int[]"}));
    EXPECT_EQ(lines(trace, 2),
              (Lines{"tensor in[] out[2,4] int[]", "tensor in[] out[2,3] int[]", "ttnn::add in[0,1] out[] int[3,4]",
                     "ttnn::repeat in[1] out[4] int[]", "ttnn::prim::binary in[0,3] out[] int[]"}));
    EXPECT_EQ(lines(trace, 3),
              (Lines{"tensor in[] out[2,5] int[]", "tensor in[] out[2,3] int[]", "ttnn::add in[0,1] out[] int[3,5]",
                     "ttnn::repeat in[1] out[5] int[4]", "ttnn::prim::repeat in[] out[] int[]",
                     "ttnn::prim::binary in[0,3] out[] int[6]", "Device Operation in[] out[] int[]"}));
    EXPECT_EQ(LevelizedGraph(trace).size(), 3U);
    EXPECT_EQ(LevelizedGraph(trace, 100).size(), 10U);
}

// The example of TT-NN's documentation: add(a, multiply(b, c)).
Trace add_of_multiply() {
    TraceRecorder recorder;
    binary(recorder, "ttnn::multiply", {tensor(1), tensor(2)}, 10);
    binary(recorder, "ttnn::add", {tensor(0), tensor(10)}, 11);
    return recorder.finish();
}

TEST(LevelizedGraph, AddOfMultiply) {
    EXPECT_EQ(lines(add_of_multiply(), 1),
              (Lines{"tensor[1] in[] out[3] int[]", "tensor[2] in[] out[3] int[]", "tensor[0] in[] out[4] int[]",
                     "ttnn::multiply in[0,1] out[4] int[]", "ttnn::add in[2,3] out[] int[]"}));
    EXPECT_EQ(lines(add_of_multiply(), 2),
              (Lines{"tensor[1] in[] out[3,4] int[]", "tensor[2] in[] out[3,4] int[]", "tensor[0] in[] out[5,6] int[]",
                     "ttnn::multiply in[0,1] out[5,6] int[4]", "ttnn::prim::binary_ng in[0,1] out[] int[]",
                     "ttnn::add in[2,3] out[] int[6]", "ttnn::prim::binary_ng in[2,3] out[] int[]"}));
}

TEST(LevelizedGraph, TensorTakenTwice) {
    TraceRecorder recorder;
    binary(recorder, "ttnn::add", {tensor(0), tensor(0)}, 1);
    const Trace trace = recorder.finish();
    EXPECT_EQ(lines(trace, 1), (Lines{"tensor[0] in[] out[1] int[]", "ttnn::add in[0,0] out[] int[]"}));
    EXPECT_EQ(lines(trace, 2), (Lines{"tensor[0] in[] out[1,2] int[]", "ttnn::add in[0,0] out[] int[2]",
                                      "ttnn::prim::binary_ng in[0,0] out[] int[]"}));
    const LevelizedGraph graph(trace, 2);
    for (const LevelizedVertex& vertex : graph.vertices()) {
        EXPECT_EQ(vertex.output_shape, std::vector<std::string>{"Shape([32, 64])"});
    }
}

TEST(LevelizedGraph, InternalsOfReductions) {
    TraceRecorder recorder;
    const FakeTensor x = tensor(0, "Shape([256, 128])");
    const std::vector<std::string> inner = {"ttnn::fill_implicit_tile_padding", "ttnn::reshape",
                                            "ttnn::tilize_with_val_padding", "ttnn::prim::reduce", "ttnn::reshape"};
    uint32_t id = 1;
    for (const auto& [name, shape] : {std::pair{"ttnn::sum", "Shape([1, 128])"}, {"ttnn::mean", "Shape([256])"}}) {
        recorder.begin(name, 3, {x});
        FakeTensor last = x;
        for (const std::string& step : inner) {
            const FakeTensor next = tensor(id++, shape);
            recorder.begin(step, 1, {last});
            recorder.create(next);
            recorder.end({next});
            last = next;
        }
        recorder.end({last});
    }
    const Trace trace = recorder.finish();
    EXPECT_EQ(lines(trace, 1),
              (Lines{"tensor[0] in[] out[1,2] int[]", "ttnn::sum in[0] out[] int[]", "ttnn::mean in[0] out[] int[]"}));
    EXPECT_EQ(LevelizedGraph(trace).get_vertex(1).output_shape, std::vector<std::string>{"Shape([1, 128])"});
    EXPECT_EQ(LevelizedGraph(trace).get_vertex(2).output_shape, std::vector<std::string>{"Shape([256])"});
    const LevelizedGraph graph(trace, 2);
    for (const size_t function : {1, 7}) {
        std::vector<std::string> names;
        for (const size_t internal : graph.get_vertex(function).internals) {
            names.push_back(graph.get_vertex(internal).name);
        }
        EXPECT_EQ(names, inner);
    }
}

TEST(LevelizedGraph, MatmulThenAdd) {
    TraceRecorder recorder;
    binary(recorder, "ttnn::matmul", {tensor(0), tensor(0)}, 1);
    binary(recorder, "ttnn::add", {tensor(0), tensor(1)}, 2);
    EXPECT_EQ(lines(recorder.finish(), 1), (Lines{"tensor[0] in[] out[1,2] int[]", "ttnn::matmul in[0,0] out[2] int[]",
                                                  "ttnn::add in[0,1] out[] int[]"}));
}

TEST(LevelizedGraph, UnrelatedOperations) {
    TraceRecorder recorder;
    binary(recorder, "ttnn::add", {tensor(0), tensor(0)}, 1);
    binary(recorder, "ttnn::subtract", {tensor(0), tensor(0)}, 2);
    EXPECT_EQ(lines(recorder.finish(), 1), (Lines{"tensor[0] in[] out[1,2] int[]", "ttnn::add in[0,0] out[] int[]",
                                                  "ttnn::subtract in[0,0] out[] int[]"}));
}

TEST(LevelizedGraph, ArgumentOrderIsKept) {
    TraceRecorder subtract;
    binary(subtract, "ttnn::subtract", {tensor(0), tensor(1)}, 2);
    binary(subtract, "ttnn::subtract", {tensor(1), tensor(0)}, 3);
    EXPECT_EQ(lines(subtract.finish(), 1),
              (Lines{"tensor[0] in[] out[2,3] int[]", "tensor[1] in[] out[2,3] int[]",
                     "ttnn::subtract in[0,1] out[] int[]", "ttnn::subtract in[1,0] out[] int[]"}));
    TraceRecorder addcmul;
    binary(addcmul, "ttnn::addcmul", {tensor(0), tensor(1), tensor(0)}, 2);
    binary(addcmul, "ttnn::addcmul", {tensor(1), tensor(0), tensor(0)}, 3);
    EXPECT_EQ(lines(addcmul.finish(), 1),
              (Lines{"tensor[0] in[] out[2,3] int[]", "tensor[1] in[] out[2,3] int[]",
                     "ttnn::addcmul in[0,1,0] out[] int[]", "ttnn::addcmul in[1,0,0] out[] int[]"}));
}

TEST(LevelizedGraph, JsonHasTheDocumentedKeys) {
    TraceRecorder recorder;
    binary(recorder, "ttnn::add", {tensor(0), tensor(0)}, 1, {"Tensor(x)", "Tensor(x)"});
    const nlohmann::json json = nlohmann::json::parse(LevelizedGraph(recorder.finish()).to_json());
    ASSERT_EQ(json.size(), 2U);
    const std::string expected =
        R"~({"arguments":["Tensor(x)","Tensor(x)"],"counter":1,"in_edges":[0,0],"internals":[],"name":"ttnn::add",)~"
        R"~("out_edges":[],"output_info":[],"output_shape":["Shape([32, 64])"],"stacking_level":1})~";
    EXPECT_EQ(json[1].dump(), expected);
    EXPECT_EQ(json[0]["output_info"], nlohmann::json({"Tensor(x)"}));
}

TEST(LevelizedGraph, OutputInfoIsTheFirstTensorTextOfAConsumerOfTheSameLevel) {
    TraceRecorder recorder;
    binary(recorder, "ttnn::relu", {tensor(0)}, 1, {"Tensor(zero)"});
    binary(recorder, "ttnn::rsub", {tensor(1)}, 2, {"3", "Tensor(one)"});
    binary(recorder, "ttnn::add", {tensor(1)}, 3, {"Tensor(one)", "3"});
    const LevelizedGraph graph(recorder.finish(), 2);
    EXPECT_EQ(graph.get_vertex(0).output_info, std::vector<std::string>{"Tensor(zero)"});
    EXPECT_EQ(graph.get_vertex(1).output_info, std::vector<std::string>{"Tensor(one)"});
    EXPECT_TRUE(graph.get_vertex(3).output_info.empty());
}

TEST(LevelizedGraph, TensorMadeByATopLevelFunctionPointsBackToIt) {
    TraceRecorder recorder;
    recorder.begin("ttnn::from_host", 0);
    recorder.end({tensor(0)});
    binary(recorder, "ttnn::relu", {tensor(0)}, 1);
    EXPECT_EQ(lines(recorder.finish(), 1), (Lines{"tensor[0] in[1] out[2] int[]", "ttnn::from_host in[] out[] int[]",
                                                  "ttnn::relu in[0] out[] int[]"}));
}

TEST(LevelizedGraph, VerticesAreFoundByIdAndLevel) {
    const LevelizedGraph graph(guide_sample(), 2);
    EXPECT_EQ(graph.get_vertices_at_level(1).size(), 3U);
    EXPECT_EQ(graph.get_vertices_at_level(2).size(), 2U);
    EXPECT_TRUE(graph.get_vertices_at_level(3).empty());
    EXPECT_TRUE(graph.is_valid_vertex(4));
    EXPECT_FALSE(graph.is_valid_vertex(5));
    EXPECT_THROW(graph.get_vertex(5), TraceError);
    EXPECT_EQ(LevelizedGraph(Trace()).size(), 0U);
    EXPECT_EQ(LevelizedGraph(Trace()).to_json(), "[]");
}

TEST(LevelizedGraph, InvariantsOverLevels) {
    size_t before = 0;
    for (size_t level = 1; level < 7; ++level) {
        const LevelizedGraph graph(add_of_multiply(), level);
        EXPECT_GE(graph.size(), before);
        before = graph.size();
        for (const LevelizedVertex& vertex : graph.vertices()) {
            EXPECT_LE(vertex.stacking_level, static_cast<int32_t>(level));
            EXPECT_FALSE(vertex.output_shape.empty());
            EXPECT_TRUE(vertex.stacking_level < static_cast<int32_t>(level) || vertex.internals.empty());
        }
    }
}

TEST(LevelizedGraph, TracesThatDoNotBalanceAreRefused) {
    const std::vector<std::pair<std::string, std::function<void(Trace&)>>> cases = {
        {"node 1 (function_start): ttnn::add has no function_end", [](Trace& trace) { trace[1].connections.clear(); }},
        {"node 33 (capture_end): counter out of order: it is at place 32",
         [](Trace& trace) { std::swap(trace[32], trace[33]); }},
        {"node 2 (tensor): refers to node 99, but the trace has 34 nodes",
         [](Trace& trace) { trace[2].connections = {99}; }},
        {"node 1 (function_start): has node 3 among its input tensors, which is not a tensor",
         [](Trace& trace) { trace[1].input_tensors = {3}; }},
        {"node 6 (function_start): has level 1 inside a function of level 1",
         [](Trace& trace) { trace[6].stacking_level = 1; }},
        {"node 12 (function_end): does not end the function that is open",
         [](Trace& trace) { trace[9].connections = {23}; }},
        {"node 31 (function_end): does not end the function that is open",
         [](Trace& trace) { trace[1].type = NodeType::CAPTURE_START; }},
    };
    for (const auto& [text, change] : cases) {
        Trace trace = guide_sample();
        change(trace);
        try {
            LevelizedGraph graph(trace, 5);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const TraceError& error) {
            EXPECT_EQ(error.what(), text);
        }
    }
}

}  // namespace
}  // namespace ttnn::graph::testing
