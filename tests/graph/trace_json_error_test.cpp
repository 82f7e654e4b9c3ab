#include <random>

#include <gtest/gtest.h>

#include "sample.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace ttnn::graph::testing {
namespace {

std::string error_of(const std::string& json) {
    try {
        read_trace(json, "t.json");
    } catch (const TraceError& error) {
        return error.what();
    }
    return "no error";
}

std::string node_with(const std::string& members) {
    return R"([{"counter":0,"node_type":"tensor","params":{},"connections":[])" + members + "}]";
}

TEST(TraceJson, ErrorsNameFileNodeAndKey) {
    EXPECT_EQ(error_of(node_with("")), "no error");
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"3", "t.json: expected an array of nodes or a report object, found 3"},
        {"{}", "t.json: a report without the key \"graph\""},
        {R"({"graph":3})", "t.json: key \"graph\": expected an array of nodes, found 3"},
        {R"({"graph":{}})", "t.json: key \"graph\": expected another kind of value, found an object"},
        {R"({"graph":[],"graph":[]})", "t.json: key \"graph\": a report has only one \"graph\""},
        {"[3]", "t.json: node 0: expected an object, found 3"},
        {"[[]]", "t.json: node 0: expected an object, found an array"},
        {"[{}]", "t.json: node 0: key \"counter\" is missing"},
        {R"([{"counter":0,"params":{},"connections":[]}])", "t.json: node 0: key \"node_type\" is missing"},
        {R"([{"counter":0,"node_type":"tensor","connections":[]}])", "t.json: node 0: key \"params\" is missing"},
        {R"([{"counter":0,"node_type":"tensor","params":{}}])", "t.json: node 0: key \"connections\" is missing"},
        {R"([{"counter":1,"node_type":"tensor","params":{},"connections":[]}])",
         "t.json: node 0: key \"counter\": expected 0, its place in the trace, found 1"},
        {R"([{"counter":-1}])",
         "t.json: node 0: key \"counter\": expected a whole number from 0 to 18446744073709551615, found -1"},
        {R"([{"counter":"0"}])",
         "t.json: node 0: key \"counter\": expected a whole number from 0 to 18446744073709551615, found \"0\""},
        {R"([{"node_type":7}])", "t.json: node 0: key \"node_type\": expected the name of a node type, found 7"},
        {R"([{"node_type":"nothing"}])", "t.json: node 0: key \"node_type\": node type \"nothing\" is not known"},
        {R"([{"node_type":"dataflow_buffer_allocate"}])",
         "t.json: node 0: key \"node_type\": node type \"dataflow_buffer_allocate\" is not known"},
        {R"([{"node_type":"scratchpad_allocate"}])",
         "t.json: node 0: key \"node_type\": node type \"scratchpad_allocate\" is not known"},
        {R"([{"params":[]}])", "t.json: node 0: key \"params\": expected another kind of value, found an array"},
        {R"([{"params":null}])", "t.json: node 0: key \"params\": expected an object, found null"},
        {R"([{"params":{"size":null}}])",
         "t.json: node 0: key \"params.size\": expected a string or a number, found null"},
        {R"([{"params":{"size":[1]}}])", "t.json: node 0: key \"params.size\": expected plain values, found an array"},
        {R"([{"params":{"size":{}}}])", "t.json: node 0: key \"params.size\": expected plain values, found an object"},
        {R"([{"connections":3}])", "t.json: node 0: key \"connections\": expected an array, found 3"},
        {R"([{"connections":["3"]}])",
         "t.json: node 0: key \"connections\": expected a whole number from 0 to 4294967295, found \"3\""},
        {R"([{"connections":[4294967296]}])",
         "t.json: node 0: key \"connections\": expected a whole number from 0 to 4294967295, found 4294967296"},
        {R"([{"connections":[[]]}])", "t.json: node 0: key \"connections\": expected plain values, found an array"},
        {R"([{"arguments":[1]}])", "t.json: node 0: key \"arguments\": expected texts, found 1"},
        {R"([{"stack_trace":"x"}])", "t.json: node 0: key \"stack_trace\": expected an array, found \"x\""},
        {R"([{"stacking_level":1.5}])",
         "t.json: node 0: key \"stacking_level\": expected a whole number from 0 to 2147483647, found 1.5"},
        {R"([{"duration_ns":true}])",
         "t.json: node 0: key \"duration_ns\": expected a whole number from 0 to 18446744073709551615, found true"},
        {R"([{"counter":0,"node_type":"tensor","params":{},"connections":[1]}])",
         "t.json: node 0: key \"connections\": refers to node 1, but the trace has 1 nodes"},
        {node_with(R"(,"input_tensors":[7])"),
         "t.json: node 0: key \"input_tensors\": refers to node 7, but the trace has 1 nodes"},
    };
    for (const auto& [json, text] : cases) {
        EXPECT_EQ(error_of(json), text) << json;
    }
}

TEST(TraceJson, BrokenJsonIsReportedWithItsByte) {
    EXPECT_TRUE(error_of("").starts_with("t.json: broken JSON at byte 1: ")) << error_of("");
    EXPECT_TRUE(error_of("[] x").starts_with("t.json: broken JSON at byte 4: ")) << error_of("[] x");
    EXPECT_TRUE(error_of("[{\"counter\": 1e999}]").starts_with("t.json: broken JSON at byte ")) << "number too big";
    EXPECT_TRUE(error_of("[{\"\xff\": 1}]").starts_with("t.json: broken JSON at byte 4: ")) << "not UTF-8";
    const std::string whole = to_json(guide_sample());
    for (size_t length = 0; length < whole.size(); ++length) {
        const std::string text = error_of(whole.substr(0, length));
        ASSERT_TRUE(text.starts_with("t.json: broken JSON at byte ")) << length << ": " << text;
    }
}

TEST(TraceJson, NestingIsBounded) {
    for (const std::string bracket : {"[", "{\"a\":"}) {
        std::string deep;
        for (int i = 0; i < 100'000; ++i) {
            deep += bracket;
        }
        EXPECT_EQ(error_of("{\"x\":" + deep), "t.json: key \"x\": nested deeper than 64 levels");
        EXPECT_EQ(error_of("[{\"y\":" + deep), "t.json: node 0: key \"y\": nested deeper than 64 levels");
        EXPECT_NE(error_of(deep), "no error");
    }
}

TEST(TraceJson, AnyMutationIsReadOrRefused) {
    std::mt19937 random(3);
    const std::string whole = to_json(guide_sample(Releases::YES, TraceRecorder::Flavour::FULL));
    for (int i = 0; i < 4000; ++i) {
        std::string mutated = whole;
        for (size_t k = 1 + random() % 3; k > 0; --k) {
            const size_t at = random() % mutated.size();
            switch (random() % 3) {
                case 0: mutated[at] = static_cast<char>(random()); break;
                case 1: mutated.erase(at, 1 + random() % 8); break;
                default: mutated.insert(at, whole, random() % whole.size(), random() % 12); break;
            }
        }
        try {
            const Trace trace = read_trace(mutated, "mutated");
            EXPECT_EQ(read_trace(to_json(trace), "again"), trace);
        } catch (const TraceError&) {  // the only exception that may come
        }
    }
}

}  // namespace
}  // namespace ttnn::graph::testing
