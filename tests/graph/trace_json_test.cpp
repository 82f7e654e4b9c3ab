#include "ttnn/graph/trace_json.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample.hpp"

namespace ttnn::graph::testing {
namespace {

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> pieces = {
        "a", "Shape([4, 3])", "\"", "\\", "\n", "\t\r\b\f", std::string(1, '\0'),
        "ü", "日本",          "😀",  "/",  " ",  "\x7f",     "a longer piece, "};
    std::string text;
    for (size_t i = random() % 6; i > 0; --i) {
        text += pieces[random() % pieces.size()];
    }
    return text;
}

Trace random_trace(std::mt19937& random) {
    Trace trace(random() % 30);
    const auto counters = [&] {
        std::vector<uint32_t> result(random() % 5);
        for (uint32_t& counter : result) {
            counter = static_cast<uint32_t>(random() % trace.size());
        }
        return result;
    };
    const auto texts = [&] {
        std::vector<std::string> result(random() % 3);
        for (std::string& text : result) {
            text = random_text(random);
        }
        return result;
    };
    for (uint32_t i = 0; i < trace.size(); ++i) {
        Node& node = trace[i];
        node.counter = i;
        node.type = static_cast<NodeType>(random() % 11);
        node.stacking_level = static_cast<int32_t>(random() % 9);
        node.connections = counters();
        node.input_tensors = counters();
        node.arguments = texts();
        node.stack_trace = texts();
        node.duration_ns = random() % 2 == 0 ? 0 : random();
        std::map<std::string, std::string> params;
        for (size_t k = random() % 4; k > 0; --k) {
            params[random_text(random)] = random_text(random);
        }
        node.params.assign(params.begin(), params.end());
    }
    return trace;
}

nlohmann::json as_tree(const Trace& trace) {
    nlohmann::json tree = nlohmann::json::array();
    for (const Node& node : trace) {
        nlohmann::json object{{"arguments", node.arguments},
                              {"connections", node.connections},
                              {"counter", node.counter},
                              {"input_tensors", node.input_tensors},
                              {"node_type", member_name(node.type)},
                              {"params", nlohmann::json::object()},
                              {"stacking_level", node.stacking_level}};
        for (const auto& [name, value] : node.params) {
            object["params"][name] = value;
        }
        if (node.duration_ns > 0) {
            object["duration_ns"] = node.duration_ns;
        }
        if (!node.stack_trace.empty()) {
            object["stack_trace"] = node.stack_trace;
        }
        tree.push_back(std::move(object));
    }
    return tree;
}

TEST(TraceJson, WritesWhatNlohmannWouldAndReadsItBack) {
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        const Trace trace = random_trace(random);
        const std::string compact = to_json(trace);
        const std::string indented = to_json(trace, tracelift::JsonForm::INDENTED);
        ASSERT_EQ(compact, as_tree(trace).dump());
        ASSERT_EQ(indented, as_tree(trace).dump(2));
        ASSERT_EQ(read_trace(compact, "random"), trace);
        ASSERT_EQ(read_trace(indented, "random"), trace);
    }
}

TEST(TraceJson, InsideAReportIndentationGoesOn) {
    const Trace trace = guide_sample();
    std::string text = "{\n  \"graph\": ";
    size_t pieces = 0;
    TraceWriter writer(
        [&](std::string_view piece) {
            text += piece;
            ++pieces;
        },
        tracelift::JsonForm::INDENTED, 1);
    for (const Node& node : trace) {
        writer.add(node);
    }
    writer.finish();
    text += "\n}";
    EXPECT_EQ(text, (nlohmann::json{{"graph", as_tree(trace)}}.dump(2)));
    EXPECT_EQ(pieces, 1U);
}

TEST(TraceJson, LongTracesComeInPieces) {
    const Trace trace = long_trace(10'000);
    std::string text;
    size_t longest = 0;
    TraceWriter writer([&](std::string_view piece) {
        text += piece;
        longest = std::max(longest, piece.size());
    });
    for (const Node& node : trace) {
        writer.add(node);
    }
    writer.finish();
    EXPECT_LT(longest, 100'000U);
    EXPECT_GT(text.size(), 1'000'000U);
    EXPECT_EQ(read_trace(text, "long"), trace);
}

TEST(TraceJson, ParamsAreWrittenByName) {
    Trace trace = TraceRecorder().finish();
    trace[0].params = {{"size", "1"}, {"address", "2"}};
    EXPECT_NE(to_json(trace).find(R"("params":{"address":"2","size":"1"})"), std::string::npos);
}

TEST(TraceJson, BytesThatAreNotUtf8AreReplaced) {
    for (const std::string bad : {"\xff", "\xc0\x80", "\xe4", "\xe4\xb8", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
        Trace trace = TraceRecorder().finish();
        trace[0].arguments = {"<" + bad + ">"};
        const Trace back = read_trace(to_json(trace), "bytes");
        EXPECT_TRUE(back[0].arguments[0].starts_with("<\xEF\xBF\xBD"));
        EXPECT_TRUE(back[0].arguments[0].ends_with("\xEF\xBF\xBD>"));
    }
}

TEST(TraceJson, NumbersAndBooleansInParamsBecomeText) {
    const Trace trace = read_trace(R"([{"counter":0,"node_type":"circular_buffer_allocate","connections":[],
        "params":{"size":4096,"offset":-3,"ratio":1.50,"globally_allocated":true,"address":"0","other":0}}])",
                                   "numbers");
    const Node::Params expected{{"address", "0"},  {"globally_allocated", "true"},
                                {"offset", "-3"},  {"other", "0"},
                                {"ratio", "1.50"}, {"size", "4096"}};
    EXPECT_EQ(trace.at(0).params, expected);
}

TEST(TraceJson, UnknownKeysAreSkippedAndTheLastOfTwoEqualCounts) {
    const Trace trace = read_trace(R"([{"counter":0,"extra":{"a":[1,{"b":null}]},"node_type":"buffer","more":[[]],
        "connections":[0],"connections":[0,0],"params":{"size":"1","size":"2"},"x":null}])",
                                   "extra");
    EXPECT_EQ(trace.at(0).connections, (std::vector<uint32_t>{0, 0}));
    EXPECT_EQ(trace.at(0).params, (Node::Params{{"size", "2"}}));
}

TEST(TraceJson, DurationMayStandInParams) {
    const auto read = [](const std::string& inside, const std::string& beside) {
        return read_trace(R"([{"counter":0,"node_type":"function_end","connections":[],"params":{"duration_ns":)" +
                              inside + R"(,"name":"f"})" + beside + "}]",
                          "duration")
            .at(0);
    };
    EXPECT_EQ(read("\"12\"", "").duration_ns, 12U);
    EXPECT_EQ(read("12", "").duration_ns, 12U);
    EXPECT_EQ(read("12", ",\"duration_ns\":13").duration_ns, 13U);
    EXPECT_EQ(read("12", "").params, (Node::Params{{"name", "f"}}));
    EXPECT_THROW(read("\"soon\"", ""), TraceError);
}

TEST(TraceJson, ReportsAreReadByTheirGraph) {
    const std::string graph = to_json(guide_sample());
    const std::string report = R"({"version":1,"devices":[{"device_id":0}],"graph":)" + graph + R"(,"metadata":{}})";
    EXPECT_EQ(read_trace(report, "report"), guide_sample());
}

// The JSON of a trace as flavours without these keys write it.
std::string without(const Trace& trace, const std::vector<std::string>& keys) {
    nlohmann::json tree = as_tree(trace);
    for (auto& node : tree) {
        for (const std::string& key : keys) {
            node.erase(key);
        }
    }
    return tree.dump();
}

TEST(TraceJson, LevelsAndInputsAreDerivedWhereTheyAreMissing) {
    const std::vector<std::string> keys{"arguments", "input_tensors", "stacking_level"};
    EXPECT_EQ(read_trace(without(guide_sample(), keys), "sample"), guide_sample());

    TraceRecorder recorder;  // outputs with new buffers after an end, allocations after an end, errors
    recorder.begin("from_host", 0);
    recorder.end({{0, "Shape([1])", 64}, {1, "Shape([1])", 64}});
    recorder.allocate({2, "Shape([1])", 64});
    recorder.begin("outer", 0);
    recorder.begin("inner", 0);
    recorder.end({{0, "Shape([1])", 64}, {3, "Shape([1])"}});
    recorder.allocate({4, "Shape([1])", 64});
    recorder.begin("caught", 0);
    recorder.error("no");
    recorder.release_circular_buffers();
    recorder.end();
    recorder.end();
    const Trace trace = recorder.finish();
    EXPECT_EQ(read_trace(without(trace, {"stacking_level"}), "levels"), trace);
}

}  // namespace
}  // namespace ttnn::graph::testing
