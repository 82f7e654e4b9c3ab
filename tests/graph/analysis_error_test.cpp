#include <functional>

#include <gtest/gtest.h>

#include "sample.hpp"
#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph::testing {
namespace {

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const TraceError& error) {
        return error.what();
    }
    return "no error";
}

Trace with(Trace trace, const std::function<void(Trace&)>& change) {
    change(trace);
    return trace;
}

TEST(AnalysisErrors, DeallocationWithoutItsBufferIsNamed) {
    const auto without = [](Trace& trace) { trace[30].connections.clear(); };
    const auto wrong = [](Trace& trace) { trace[30].connections = {13}; };
    const auto outside = [](Trace& trace) { trace[30].connections = {99}; };
    const auto text = [](const Trace& trace) { return error_of([&] { extract_peak_L1_memory_usage(trace); }); };
    EXPECT_EQ(text(with(guide_sample(), without)), "node 30 (buffer_deallocate): is connected to no buffer");
    EXPECT_EQ(text(with(guide_sample(), wrong)),
              "node 30 (buffer_deallocate): is connected to node 13, which is a tensor and not a buffer");
    EXPECT_EQ(text(with(guide_sample(), outside)),
              "node 30 (buffer_deallocate): refers to node 99, but the trace has 34 nodes");
    EXPECT_THROW(extract_dram_usage(with(guide_sample(), without)), TraceError);
    EXPECT_THROW(extract_memory_table(with(guide_sample(), without)), TraceError);
    EXPECT_THROW(explain_peak(with(guide_sample(), without), MemoryKind::L1), TraceError);
}

TEST(AnalysisErrors, WrongNumbersAreQuoted) {
    const auto size = [](const std::string& value) {
        Trace trace = guide_sample();
        trace[14].params = {{"size", value}};
        return error_of([&] { extract_peak_L1_memory_usage(trace); });
    };
    EXPECT_EQ(size("many"),
              "node 14 (circular_buffer_allocate): parameter \"size\" is \"many\", not a decimal number of 64 bits");
    EXPECT_NE(size("").find("not a decimal"), std::string::npos);
    EXPECT_NE(size("-1").find("not a decimal"), std::string::npos);
    EXPECT_NE(size("1 ").find("not a decimal"), std::string::npos);
    EXPECT_NE(size("99999999999999999999").find("not a decimal"), std::string::npos);
    EXPECT_NE(size("18446744073709551615").find("more bytes than any device"), std::string::npos);
}

TEST(AnalysisErrors, MissingParametersAreNamed) {
    Trace trace = guide_sample();
    trace[9].params.clear();
    EXPECT_EQ(error_of([&] { extract_calltrace(trace); }), "node 9 (function_start): has no parameter \"name\"");
    EXPECT_NE(error_of([&] { extract_resource_usage_per_core(guide_sample(), 8); }).find("\"page_size\""),
              std::string::npos);
}

TEST(AnalysisErrors, PerCoreUsageWantsCountersInOrder) {
    Trace trace = guide_sample(Releases::YES, TraceRecorder::Flavour::FULL);
    trace[3].counter = 4;
    EXPECT_NE(error_of([&] { extract_resource_usage_per_core(trace, 8); }).find("out of order"), std::string::npos);
    EXPECT_THROW(extract_resource_usage_per_core(guide_sample(Releases::NO, TraceRecorder::Flavour::FULL), 0),
                 TraceError);
}

TEST(AnalysisErrors, ShapesThatAreNoneAreQuoted) {
    const std::string bad[] = {"", "[", "]", "][", "Shape(4, 3)", "Shape([4, x])", "Shape([4; 3])", "[99999999999]"};
    for (const std::string& shape : bad) {
        Trace trace = guide_sample();
        trace[24].params = {{"shape", shape}};
        EXPECT_NE(error_of([&] { extract_output_info(trace); }).find("node 24"), std::string::npos) << shape;
    }
    Trace scalar = guide_sample();
    scalar[24].params = {{"shape", "Shape([])"}};
    EXPECT_TRUE(extract_output_info(scalar).at(0).shape.empty());
}

TEST(AnalysisErrors, SizesThatDoNotFitAreAnError) {
    TraceRecorder recorder;
    for (uint32_t i = 0; i < 20; ++i) {
        recorder.allocate({i, "", uint64_t{1} << 60});
    }
    const Trace trace = recorder.finish();
    EXPECT_NE(error_of([&] { extract_peak_L1_memory_usage(trace); }).find("add up to more"), std::string::npos);
    EXPECT_THROW(extract_memory_table(trace), TraceError);
}

}  // namespace
}  // namespace ttnn::graph::testing
