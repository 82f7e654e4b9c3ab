// The call graph as SVG: what is drawn, that it is well-formed whatever the texts hold, and that size does not matter.
#include "ttnn/graph/svg.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/svg_sample.hpp"

namespace ttnn::graph {
namespace {

using svg_test::Element;
using svg_test::Picture;
using svg_test::sample_trace;
using svg_test::TraceBuilder;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

int number(const Element& element, const std::string& key) { return std::stoi(element.at(key)); }

std::vector<std::string> texts_of(const Picture& picture) {
    std::vector<std::string> texts;
    for (const Element& element : picture.elements) {
        texts.push_back(element.name == "text" ? element.text : "");
    }
    return texts;
}

std::string error_of(const Trace& trace) {
    try {
        to_svg(trace);
    } catch (const TraceError& error) {
        return error.what();
    }
    return "";
}

// Calls of three levels with data flow between them, as many as fit into `nodes` nodes.
Trace many_calls(uint32_t nodes) {
    TraceBuilder builder;
    builder.capture_start();
    while (builder.size() + 10 < nodes) {
        const uint32_t first = builder.size();
        builder.start("ttnn::relu").tensor("32, 32", {first, first + 3}).buffer("2048", {first + 1, first + 1});
        builder.start("ttnn::prim::unary").buffer("2048", {first + 6}).allocate("2048", first + 4);
        builder.tensor("32, 32").end("ttnn::prim::unary", {first + 6}).end("ttnn::relu", {first + 6, first + 9});
    }
    while (builder.size() < nodes) {
        builder.capture_end();
    }
    return builder.take();
}

TEST(Svg, SampleHasARowPerNode) {
    const Picture picture(sample_trace());
    const auto rows = picture.texts("node");
    ASSERT_EQ(rows.size(), 34u);
    EXPECT_EQ(rows[0], "#0 capture_start");
    EXPECT_EQ(rows[1], "#1 function_start ttnn::add");
    EXPECT_EQ(rows[2], "#2 tensor [4, 3, 32, 32]");
    EXPECT_EQ(rows[3], "#3 buffer 24576 B L1 INTERLEAVED");
    EXPECT_EQ(rows[14], "#14 circular_buffer_allocate 4096 B on (0,0)-(0,7),(1,0)-(1,3)");
    EXPECT_EQ(rows[30], "#30 buffer_deallocate of #10 L1 INTERLEAVED");
    EXPECT_EQ(picture.find("node", "rect").size(), 34u);
    EXPECT_EQ(picture.texts("node", "title")[3], "#3 buffer\nlayout: INTERLEAVED\nsize: 24576\ntype: L1");
}

TEST(Svg, SampleHasABoxPerFunctionColouredByLevel) {
    const Picture picture(sample_trace());
    EXPECT_THAT(picture.texts("function"),
                ElementsAre("ttnn::add", "ttnn::repeat", "ttnn::prim::repeat", "Device Operation",
                            "create_device_tensor", "ttnn::prim::binary", "Device Operation", "create_device_tensor"));
    std::vector<std::string> colours;
    for (const Element& rect : picture.find("function", "rect")) {
        if (rect.at("class") == "level") {
            colours.push_back(rect.at("fill"));
        }
    }
    EXPECT_THAT(colours,
                ElementsAre("#ee00ee", "#ff0000", "#eeee00", "#00ff00", "#00eeee", "#ff0000", "#eeee00", "#00ff00"));
}

TEST(Svg, BoxesEncloseTheRowsOfTheirFunction) {
    const Picture picture(sample_trace());
    const auto rows = picture.find("node", "rect");
    const Element repeat = picture.find("function", "rect")[2];  // a white and a coloured one for each function
    for (size_t i = 0; i < rows.size(); ++i) {
        const int y = number(rows[i], "y");
        const bool inside = y > number(repeat, "y") && y < number(repeat, "y") + number(repeat, "height");
        EXPECT_EQ(inside, i >= 6 && i <= 17) << i;
        EXPECT_TRUE(i == 0 || y >= number(rows[i - 1], "y") + number(rows[i - 1], "height")) << i;
    }
    EXPECT_GT(number(rows[6], "x"), number(repeat, "x"));
}

TEST(Svg, ConnectionsThatNestingDoesNotShowAreEdges) {
    const Picture picture(sample_trace());
    EXPECT_THAT(picture.texts("edges tensor_edges", "path"), testing::SizeIs(13));
    std::vector<std::string> titles;
    for (size_t i = 0; i < picture.elements.size(); ++i) {
        const Element& path = picture.elements[picture.elements[i].parent];
        if (picture.elements[i].name == "title" && path.name == "path") {
            titles.push_back(picture.elements[i].text);
        }
    }
    EXPECT_THAT(titles,
                ElementsAre("#2 to #1", "#2 to #18", "#4 to #1", "#4 to #6", "#12 to #13", "#13 to #18", "#15 to #13",
                            "#16 to #13", "#17 to #13", "#23 to #24", "#28 to #24", "#29 to #24", "#31 to #24",
                            "#3 to #2, x2", "#5 to #4, x2", "#10 to #13, x5", "#11 to #10", "#21 to #24, x4",
                            "#22 to #21", "#30 to #10", "#32 to #21", "#17 to #18", "#31 to #33"));
    EXPECT_THAT(picture.texts("edges buffer_edges"), ElementsAre("x2", "x2", "x5", "x4"));
}

TEST(Svg, EdgeKindsCanBeLeftOut) {
    const Picture picture(sample_trace(), {.tensor_edges = false, .buffer_edges = false});
    EXPECT_THAT(picture.find("edges tensor_edges", "path"), IsEmpty());
    EXPECT_THAT(picture.find("edges buffer_edges", "path"), IsEmpty());
    EXPECT_EQ(picture.find("edges order_edges", "path").size(), 2u);
}

TEST(Svg, MaxLevelKeepsTheDataFlowOfWhatIsShown) {
    const Picture picture(sample_trace(), {.max_level = 1});
    EXPECT_THAT(picture.texts("function"), ElementsAre("ttnn::add (23 nodes inside not shown)"));
    EXPECT_THAT(picture.texts("node"),
                ElementsAre(StartsWith("#0 "), StartsWith("#1 "), StartsWith("#2 "), StartsWith("#3 "),
                            StartsWith("#4 "), StartsWith("#5 "), StartsWith("#24 tensor"), StartsWith("#30 "),
                            StartsWith("#31 "), StartsWith("#32 "), StartsWith("#33 ")));
    EXPECT_THAT(Picture(sample_trace(), {.max_level = 0}).texts("function"), IsEmpty());
}

TEST(Svg, AnErrorIsShownAtEveryLevel) {
    TraceBuilder builder;
    builder.start("f").start("g");
    builder.add(NodeType::ERROR, {{"error_type", "exception"}, {"error_message", "too big"}, {"error_operation", "g"}});
    const Trace trace = builder.take();
    for (const uint32_t level : {1u, 9u}) {
        EXPECT_THAT(Picture(trace, {.max_level = level}).texts("node error"),
                    ElementsAre("#2 error exception: too big (in g)"));
    }
}

TEST(Svg, TextsAreEscapedAndRepaired) {
    const std::string name = "a<b> & \"c\" 'd' \x01\xFF\xED\xA0\x80\xC0\xAF\xEF\xBF\xBF \u4E2D\n]]>";
    const std::string shown = "a<b> & \"c\" 'd' \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD \u4E2D";
    const Picture picture(TraceBuilder().start(name).end(name).take());
    EXPECT_THAT(picture.texts("function"), ElementsAre(shown + " ]]>"));
    EXPECT_THAT(picture.texts("function", "title"), ElementsAre(shown + "\n]]>"));
    EXPECT_THAT(picture.texts("node")[1], EndsWith(shown + " ]]>"));
}

TEST(Svg, LongTextsAreShortenedWithTheWholeInTheHoverText) {
    const std::string name = "ttnn::" + std::string(5000, 'n');
    Trace trace = TraceBuilder().start(name).end(name).take();
    trace[1].duration_ns = 1'234'567;
    const Picture picture(trace);
    for (const std::string& text : {picture.texts("function")[0], picture.texts("node")[0], picture.texts("node")[1]}) {
        EXPECT_LT(text.size(), 100u);
        EXPECT_THAT(text, EndsWith("\u2026"));
    }
    EXPECT_EQ(picture.texts("node")[2], "1.235 ms");
    EXPECT_THAT(picture.texts("node", "title")[1], HasSubstr(name + "\nduration_ns: 1234567"));
}

TEST(Svg, FunctionsThatDidNotEndAreMarked) {
    const Picture picture(
        TraceBuilder().start("f").start("g").start("h").end("h").end("f").start("k").capture_end().take());
    EXPECT_THAT(picture.texts("function"), ElementsAre("f", "g (did not end)", "h", "k (did not end)"));
    const auto boxes = picture.find("function", "rect");
    EXPECT_LT(number(boxes[6], "y") + number(boxes[6], "height"), number(picture.find("node", "rect")[6], "y"));
}

TEST(Svg, TracesThatCannotBeDrawnAreRefusedWithTheNode) {
    EXPECT_THAT(error_of(TraceBuilder().start("f").end("f").end("f").take()), StartsWith("node 2 (function_end)"));
    EXPECT_THAT(error_of(TraceBuilder().start("f").end("g").take()), StartsWith("node 1 (function_end)"));
    EXPECT_THAT(error_of(TraceBuilder().start("f", {2}).end("f").take()), StartsWith("node 0 (function_start)"));
    Trace trace = sample_trace();
    trace[5].counter = 7;
    EXPECT_THAT(error_of(trace), StartsWith("node 7 (buffer)"));
}

TEST(Svg, AnyConnectionInRangeIsDrawn) {
    TraceBuilder builder;
    builder.capture_start({0, 1}).tensor("1", {1, 2, 1}).tensor("1", {1}).buffer("1", {3, 0});
    const Picture picture(builder.take());
    EXPECT_EQ(picture.find("edges tensor_edges", "path").size(), 3u);
    EXPECT_EQ(picture.find("edges buffer_edges", "path").size(), 2u);
    EXPECT_THAT(Picture(Trace{}).find("node", "rect"), IsEmpty());
}

TEST(Svg, SameTraceGivesTheSameDocument) { EXPECT_EQ(to_svg(many_calls(500)), to_svg(many_calls(500))); }

TEST(Svg, StepsThatWouldBeTooTallAreCutAndThePictureSaysHowToSeeThem) {
    const Picture picture(many_calls(5000), {.kind = SvgKind::STEPS, .source = "model.json"});
    EXPECT_LE(number(picture.elements[0], "height"), tallest_picture);
    EXPECT_GT(number(picture.elements[0], "height"), tallest_picture * 9 / 10);
    EXPECT_LT(number(picture.elements[0], "width"), 1000);
    const size_t rows = picture.find("node", "rect").size();
    EXPECT_THAT(texts_of(picture), testing::Contains(fmt::format("Left out: the last {} nodes. To see some calls: "
                                                                 "tracelift graph svg model.json --calls FIRST-LAST",
                                                                 5000 - rows)));
}

TEST(Svg, ARangeOfCallsIsDrawnWithItsSteps) {
    const Picture picture(many_calls(5000), {.first_call = 17, .last_call = 18});
    EXPECT_THAT(picture.texts("function"),
                ElementsAre("ttnn::relu", "ttnn::prim::unary", "ttnn::relu", "ttnn::prim::unary"));
    EXPECT_EQ(picture.find("node", "rect").size(), 18u);
    EXPECT_THROW(to_svg(many_calls(100), {.first_call = 1000, .last_call = 1001}), TraceError);
}

TEST(Svg, CallsAreChosenAsPeopleWriteThem) {
    SvgOptions options;
    options.choose_calls("17");
    EXPECT_EQ(options.first_call, 17u);
    EXPECT_EQ(options.last_call, 17u);
    options.choose_calls("3-12");
    EXPECT_EQ(options.first_call, 3u);
    EXPECT_EQ(options.last_call, 12u);
    for (const char* text : {"", "0", "a", "3-", "-3", "1-2-3", "99999999999999999999"}) {
        EXPECT_THROW(options.choose_calls(text), Error) << text;
    }
}

TEST(Svg, DeepNestingAndLongLivesKeepTheWidthBounded) {
    TraceBuilder builder;
    for (uint32_t i = 0; i < 200; ++i) {
        builder.start("f").tensor("1", {0, 2 * i, 399});
    }
    for (uint32_t i = 0; i < 200; ++i) {
        builder.end("f", {2 * i + 1});
    }
    const Picture picture(builder.take(), {.kind = SvgKind::STEPS});
    EXPECT_EQ(picture.texts("function").size(), 200u);
    EXPECT_LT(number(picture.elements[0], "width"), 1500);
}

}  // namespace
}  // namespace ttnn::graph
