// The picture of the data flow: columns of calls, repeated layers once, bounded in height whatever the length.
#include "ttnn/graph/flow.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/svg_sample.hpp"
#include "ttnn/graph/flow_fold.hpp"

namespace ttnn::graph {
namespace {

using svg_test::Element;
using svg_test::Picture;
using svg_test::TraceBuilder;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

int number(const Element& element, const std::string& key) { return std::stoi(element.at(key)); }

// Calls that take the tensor of the call before them, each with an inner function and a tensor of its own.
class Chain {
public:
    Chain() { builder_.capture_start(); }

    Chain& call(const std::string& name, const std::string& shape = "32, 32") {
        const uint32_t start = builder_.size();
        builder_.start(name);
        trace_inputs_.emplace_back(start, last_);
        builder_.start("ttnn::prim::" + name).end("ttnn::prim::" + name);
        builder_.end(name, {start + 4});
        builder_.tensor(shape);
        last_ = start + 4;
        return *this;
    }

    Trace take() {
        Trace trace = builder_.capture_end().take();
        for (const auto& [start, tensor] : trace_inputs_) {
            if (tensor != 0) {
                trace[start].input_tensors = {tensor};
            }
        }
        return trace;
    }

private:
    TraceBuilder builder_;
    std::vector<std::pair<uint32_t, uint32_t>> trace_inputs_;
    uint32_t last_ = 0;
};

Trace model(size_t layers) {
    Chain chain;
    chain.call("embedding");
    for (size_t i = 0; i < layers; ++i) {
        chain.call("linear").call("softmax").call("add").call("layer_norm");
    }
    return chain.call("head", "1, 2").take();
}

// Calls of which no two runs are alike.
Trace unlike(size_t calls) {
    Chain chain;
    for (size_t i = 0; i < calls; ++i) {
        chain.call("f", std::to_string(i));
    }
    return chain.take();
}

std::string notes(const Picture& picture) { return fmt::format("{}", fmt::join(picture.texts("notes"), "\n")); }

TEST(Flow, CallsTakeTheTensorsOfOthersAndOfTheOutside) {
    const auto calls = flow_of(svg_test::sample_trace());
    ASSERT_THAT(calls, SizeIs(1));
    EXPECT_EQ(calls[0].name, "ttnn::add");
    EXPECT_THAT(calls[0].outside, ElementsAre("[4, 3, 32, 32]", "[1, 3, 32, 32]"));
    EXPECT_THAT(calls[0].gives, ElementsAre("[4, 3, 32, 32]"));
    EXPECT_EQ(calls[0].steps, "ttnn::repeat, ttnn::prim::repeat, ttnn::prim::binary");
    const auto chain = flow_of(model(2));
    ASSERT_THAT(chain, SizeIs(10));
    EXPECT_THAT(chain[0].producers, IsEmpty());
    for (uint32_t i = 1; i < chain.size(); ++i) {
        EXPECT_THAT(chain[i].producers, ElementsAre(i - 1)) << i;
    }
}

TEST(Flow, RepeatedLayersAreOneRun) {
    const auto items = fold(flow_of(model(24)));
    ASSERT_THAT(items, SizeIs(3));
    EXPECT_EQ(items[1].first, 1u);
    EXPECT_EQ(items[1].length, 4u);
    EXPECT_EQ(items[1].times, 24u);
    EXPECT_THAT(items[1].inside, SizeIs(4));
    EXPECT_THAT(fold(flow_of(unlike(50))), SizeIs(50));
}

TEST(Flow, RunsInsideRunsAreFoundToo) {
    Chain chain;
    for (int layer = 0; layer < 6; ++layer) {
        chain.call("norm");
        for (int head = 0; head < 8; ++head) {
            chain.call("matmul").call("softmax");
        }
    }
    const auto items = fold(flow_of(chain.take()));
    ASSERT_THAT(items, SizeIs(1));
    EXPECT_EQ(items[0].times, 6u);
    ASSERT_THAT(items[0].inside, SizeIs(2));
    EXPECT_EQ(items[0].inside[1].times, 8u);
    EXPECT_EQ(items[0].inside[1].length, 2u);
}

// A command with an ellipsis in it cannot be run.
TEST(FlowPicture, CommandsAreWholeHoweverLongThePath) {
    const std::string path = std::string(180, 'd') + "/bert.json";
    const Picture picture(unlike(50), {.kind = SvgKind::FLOW, .source = path});
    EXPECT_THAT(notes(picture), HasSubstr(fmt::format("tracelift graph svg {} --calls 1", path)));
    EXPECT_THAT(notes(picture), testing::EndsWith("--calls 1"));
}

TEST(FlowPicture, LayersAreDrawnOnceAndSayHowOftenTheyCome) {
    const Picture picture(model(300), {.source = "bert.json"});
    EXPECT_THAT(picture.find("call", "rect"), SizeIs(6));
    EXPECT_THAT(picture.texts("run"), ElementsAre("300 times in a row: #2 to #1201"));
    EXPECT_THAT(notes(picture), HasSubstr("1202 calls, 6012 nodes"));
    EXPECT_THAT(notes(picture), HasSubstr("tracelift graph svg bert.json --calls 1"));
    EXPECT_THAT(notes(picture), HasSubstr("1196 calls are repetitions and not drawn again"));
    // Down the chain, and once from the end of a layer into the next one.
    EXPECT_THAT(picture.find("flow", "path"), SizeIs(6));
    std::vector<std::string> back;
    for (const Element& path : picture.find("flow", "path")) {
        back.push_back(path.at("class"));
    }
    EXPECT_EQ(std::ranges::count(back, "repeats"), 1);
}

TEST(FlowPicture, NeverTallerThanTheLimitAndSaysWhichCallsAreLeftOut) {
    for (const size_t calls : {100, 1000, 5000, 40'000}) {
        const Picture picture(unlike(calls), {.source = "big.json"});
        EXPECT_LE(number(picture.elements[0], "height"), tallest_picture) << calls;
        const auto boxes = picture.find("call", "rect");
        if (boxes.size() < calls) {
            EXPECT_THAT(notes(picture),
                        HasSubstr(fmt::format("Left out: all calls but #1 to #{} of {}. To see others: tracelift graph "
                                              "svg big.json --calls {}-{}",
                                              boxes.size(), calls, boxes.size() + 1, calls)));
        } else {
            EXPECT_THAT(notes(picture), testing::Not(HasSubstr("all calls but")));
        }
    }
}

TEST(FlowPicture, BoxesOfAColumnDoNotOverlapAndColumnsGoToTheRight) {
    const Picture picture(unlike(400));
    int x = 0;
    int bottom = 0;
    size_t columns = 0;
    for (const Element& box : picture.find("call", "rect")) {
        if (number(box, "x") != x) {
            EXPECT_GT(number(box, "x"), x);
            x = number(box, "x");
            bottom = 0;
            ++columns;
        }
        EXPECT_GT(number(box, "y"), bottom);
        bottom = number(box, "y") + number(box, "height");
    }
    EXPECT_GT(columns, 5u);
}

TEST(FlowPicture, ARangeOfManyCallsIsDrawnWithItsNumbers) {
    const Picture picture(unlike(2000), {.kind = SvgKind::FLOW, .first_call = 501, .last_call = 600});
    const auto names = picture.texts("call");
    EXPECT_THAT(names, Contains(StartsWith("#501 f")));
    EXPECT_THAT(names, Contains(StartsWith("#600 f")));
    EXPECT_THAT(picture.find("call", "rect"), SizeIs(100));
    EXPECT_THAT(notes(picture), HasSubstr("all calls but #501 to #600 of 2000"));
}

TEST(FlowPicture, FailedCallsAreMarked) {
    Chain chain;
    for (int i = 0; i < 60; ++i) {
        chain.call("f");
    }
    Trace trace = chain.take();
    trace.pop_back();
    const auto next = static_cast<uint32_t>(trace.size());
    trace.push_back({.counter = next, .type = NodeType::FUNCTION_START, .params = {{"name", "g"}}});
    trace.push_back({.counter = next + 1, .type = NodeType::ERROR, .params = {{"error_type", "exception"}}});
    const Picture picture(trace);
    EXPECT_THAT(picture.texts("call failed"), Contains(StartsWith("#61 g")));
    EXPECT_THAT(picture.texts("call failed"), Contains("did not end"));
}

}  // namespace
}  // namespace ttnn::graph
