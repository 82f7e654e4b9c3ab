#include "ttnn/graph/pretty_print.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace ttnn::graph::testing {
namespace {

TEST(PrettyPrint, GuideSampleInTheGuidesWords) {
    // The guide's listing, with the inputs and the circular buffers that it abbreviates.
    EXPECT_EQ(pretty_format(guide_sample()), R"(Capture Start
Begin: ttnn::add
    Add Tensor: 0
    Add Device Buffer
    Add Tensor: 1
    Add Device Buffer
    Begin: ttnn::repeat
        Begin: ttnn::prim::repeat
            Begin: Device Operation
                Begin: create_device_tensor
                    Add Device Buffer
                    Allocate Device Buffer
                End: create_device_tensor
                Add Tensor: 2
                Allocate Circular Buffer
            End: Device Operation
        End: ttnn::prim::repeat
    End: ttnn::repeat
    Begin: ttnn::prim::binary
        Begin: Device Operation
            Begin: create_device_tensor
                Add Device Buffer
                Allocate Device Buffer
            End: create_device_tensor
            Add Tensor: 3
            Allocate Circular Buffer
            Allocate Circular Buffer
            Allocate Circular Buffer
        End: Device Operation
    End: ttnn::prim::binary
    Deallocate Device Buffer
End: ttnn::add
Deallocate Device Buffer
Capture End
)");
}

TEST(PrettyPrint, StyleOfEarly2026PadsTo50Columns) {
    TraceRecorder recorder;
    recorder.begin("ttnn::add", 1, {{7, "Shape([1])"}});
    recorder.release_circular_buffers();
    recorder.end();
    const auto line = [](std::string text) { return text.append(50 - text.size(), ' ') + "\n"; };
    EXPECT_EQ(pretty_format(recorder.finish(), PrintStyle::E26),
              line("Capture Start") + line("Function Start: ttnn::add") + line("    Add Tensor: 7") +
                  line("    Deallocate All Circular Buffers") + line("Function End:   ttnn::add") +
                  line("Capture End"));
}

TEST(PrettyPrint, ErrorsAreShownInTheGuidesStyleOnly) {
    TraceRecorder recorder;
    recorder.begin("f", 0);
    recorder.error("Operation failed");
    const Trace trace = recorder.finish();
    EXPECT_EQ(pretty_format(trace), "Capture Start\nBegin: f\n    Error: Operation failed\nCapture End\n");
    EXPECT_THROW(pretty_format(trace, PrintStyle::E26), TraceError);
}

TEST(PrettyPrint, EndsWithoutBeginningStayAtTheMargin) {
    Trace trace = guide_sample();
    trace.erase(trace.begin(), trace.begin() + 20);
    EXPECT_TRUE(pretty_format(trace).ends_with("End: ttnn::add\nDeallocate Device Buffer\nCapture End\n"));
}

TEST(PrettyPrint, DeepNestingDoesNotMakeLinesLongerAndLonger) {
    TraceRecorder recorder;
    constexpr size_t depth = 10'000;
    for (size_t i = 0; i < depth; ++i) {
        recorder.begin("f", 0);
    }
    EXPECT_LT(pretty_format(recorder.finish()).size(), depth * 420);
}

}  // namespace
}  // namespace ttnn::graph::testing
