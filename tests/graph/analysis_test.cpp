#include "ttnn/graph/analysis.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace ttnn::graph::testing {
namespace {

using Names = std::vector<std::string>;

Trace plain_add() {
    TraceRecorder recorder;
    const FakeTensor a{0, "Shape([1, 3, 32, 32])", 6144};
    const FakeTensor b{1, "Shape([1, 3, 32, 32])", 6144};
    record_operation(recorder, "ttnn::add", "ttnn::prim::binary", {a, b}, {2, "Shape([1, 3, 32, 32])", 6144});
    return recorder.finish();
}

TEST(Analysis, GuideSampleHasTheDocumentedFigures) {
    const Trace trace = guide_sample();
    EXPECT_EQ(extract_calltrace(trace),
              (Names{"ttnn::add", "ttnn::repeat", "ttnn::prim::repeat", "Device Operation", "create_device_tensor",
                     "ttnn::prim::binary", "Device Operation", "create_device_tensor"}));
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 96256U);
    EXPECT_EQ(count_intermediate_and_output_tensors(trace), std::pair(1U, 1U));
    EXPECT_EQ(extract_output_tensors(trace), std::set<uint32_t>{24});
    const std::vector<TensorInfo> info{{{4, 3, 32, 32}, 24576, "L1"}};
    EXPECT_EQ(extract_output_info(trace), info);
    EXPECT_EQ(extract_dram_usage(trace), DramUsage());
}

TEST(Analysis, ReleasesOfCircularBuffersLowerThePeak) {
    const Trace trace = guide_sample(Releases::YES);
    EXPECT_EQ(trace.size(), 36U);
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 92160U);
}

TEST(Analysis, BroadcastAddPerCore) {
    const Trace trace = guide_sample(Releases::YES, TraceRecorder::Flavour::FULL);
    EXPECT_EQ(extract_resource_usage_per_core(trace, 64), (PeakMemoryUsagePerCore{12288, 4096, 16384}));
}

TEST(Analysis, PlainAdd) {
    const Trace trace = plain_add();
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 30720U);
    EXPECT_EQ(count_intermediate_and_output_tensors(trace), std::pair(0U, 1U));
    const std::vector<TensorInfo> info{{{1, 3, 32, 32}, 6144, "L1"}};
    EXPECT_EQ(extract_output_info(trace), info);
    EXPECT_EQ(repr(info.front()), "TensorInfo(shape=Shape([1, 3, 32, 32]), size=6144, type=L1)");
    EXPECT_EQ(extract_resource_usage_per_core(trace, 64), (PeakMemoryUsagePerCore{12288, 2048, 14336}));
    EXPECT_EQ(extract_circular_buffers_peak_size_per_core(trace), 12288U);
    EXPECT_EQ(extract_l1_buffer_allocation_peak_size_per_core(trace, 64), 2048U);
    EXPECT_EQ(extract_peak_memory_usage(trace, 64), 14336U);
}

TEST(Analysis, NothingHappenedInAnEmptyCapture) {
    for (const Trace& trace : {Trace(), TraceRecorder().finish()}) {
        EXPECT_EQ(extract_peak_L1_memory_usage(trace), 0U);
        EXPECT_EQ(extract_resource_usage_per_core(trace, 64), PeakMemoryUsagePerCore());
        EXPECT_EQ(extract_dram_usage(trace), DramUsage());
        EXPECT_TRUE(extract_calltrace(trace).empty());
        EXPECT_EQ(count_intermediate_and_output_tensors(trace), std::pair(0U, 0U));
        EXPECT_THROW(extract_output_tensors(trace), TraceError);
        EXPECT_EQ(extract_total_duration(trace), 0.0);
    }
}

TEST(Analysis, QualifiedNameOfCreateDeviceTensorCounts) {
    Trace trace = guide_sample();
    for (Node& node : trace) {
        for (auto& [name, value] : node.params) {
            value = name == "name" && value == "create_device_tensor" ? "tt::tt_metal::create_device_tensor" : value;
        }
    }
    EXPECT_EQ(count_intermediate_and_output_tensors(trace), std::pair(1U, 1U));
}

TEST(Analysis, PeakLooksAheadToL1InputsUpToTheFirstDramBuffer) {
    const FakeTensor l1{0, "Shape([1])", 100};
    const FakeTensor host{1, "Shape([1])"};
    const FakeTensor dram{2, "Shape([1])", 1000, "DRAM"};
    const FakeTensor late{3, "Shape([1])", 10};
    TraceRecorder recorder;
    recorder.begin("f", 4, {host, l1, dram, late});
    recorder.end();
    EXPECT_EQ(extract_peak_L1_memory_usage(recorder.finish()), 100U);
}

TEST(Analysis, PeakCountsGloballyAllocatedCircularBuffersAndPerCoreUsageDoesNot) {
    for (const std::string flag : {"true", "1"}) {
        TraceRecorder recorder;
        recorder.circular_buffer(64, "{}", flag);
        recorder.circular_buffer(32, "{}", flag == "1" ? "0" : "false");
        const Trace trace = recorder.finish();
        EXPECT_EQ(extract_peak_L1_memory_usage(trace), 96U);
        EXPECT_EQ(extract_resource_usage_per_core(trace, 8), (PeakMemoryUsagePerCore{32, 0, 32}));
    }
}

TEST(Analysis, DramUsageFollowsAllocationsInTheTrace) {
    TraceRecorder recorder;
    const FakeTensor before{0, "Shape([1])", 5000, "DRAM"};
    const FakeTensor x{1, "Shape([1])", 100, "DRAM"};
    const FakeTensor y{2, "Shape([1])", 70, "DRAM"};
    const FakeTensor l1{3, "Shape([1])", 9999};
    recorder.allocate(x);
    recorder.allocate(l1);
    recorder.allocate(y);
    recorder.deallocate(x);
    recorder.deallocate(l1);
    recorder.deallocate(before);
    EXPECT_EQ(extract_dram_usage(recorder.finish()), (DramUsage{170, 170, 5100}));
}

TEST(Analysis, SizePerCoreRoundsPagesUp) {
    EXPECT_EQ(size_per_core(280 * 2048, 2048, 56), 10240U);  // 280 tiles on an n300, as published for relu
    EXPECT_EQ(size_per_core(280 * 2048, 2048, 128), 6144U);  // and on e150
    EXPECT_EQ(size_per_core(2049, 2048, 64), 2048U);
    EXPECT_EQ(size_per_core(0, 2048, 64), 0U);
}

TEST(Analysis, PerCoreUsageTakesShardCoresAndIgnoresDram) {
    TraceRecorder recorder;
    recorder.allocate({0, "", 8 * 2048, "L1", {}, 2048, 4});
    recorder.allocate({1, "", 8 * 2048, "L1"});
    recorder.allocate({2, "", 8 * 2048, "DRAM"});
    EXPECT_EQ(extract_resource_usage_per_core(recorder.finish(), 8), (PeakMemoryUsagePerCore{0, 3 * 2048, 3 * 2048}));
}

TEST(Analysis, PerCoreUsageOfDeallocationsWithoutSizeComesFromTheAllocation) {
    const FakeTensor x{0, "", 8 * 2048};
    const FakeTensor old{1, "", 64 * 2048};
    TraceRecorder recorder;
    recorder.allocate(x);
    recorder.deallocate(old);
    recorder.deallocate(x);
    recorder.allocate({2, "", 16 * 2048});
    Trace trace = recorder.finish();
    for (Node& node : trace) {
        if (node.type == NodeType::BUFFER_DEALLOCATE) {
            node.params = {{"size", "0"}, {"type", "L1"}};
        }
    }
    EXPECT_EQ(extract_resource_usage_per_core(trace, 8).peak_l1, 2U * 2048U);
}

TEST(Analysis, FreeingBuffersFromBeforeTheCaptureGoesBelowZeroWithoutWrapping) {
    TraceRecorder recorder;
    recorder.deallocate({0, "", 8 * 2048});
    recorder.allocate({1, "", 16 * 2048});
    const Trace trace = recorder.finish();
    EXPECT_EQ(extract_resource_usage_per_core(trace, 8), (PeakMemoryUsagePerCore{0, 2048, 2048}));
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 8U * 2048U);
}

TEST(Analysis, DurationsAreSecondsAndTheLastCallWins) {
    TraceRecorder recorder;
    for (const uint64_t duration : {1'000'000, 2'000'000}) {
        recorder.begin("f", 0);
        recorder.end({}, duration);
    }
    recorder.begin("unknown", 0);
    recorder.end();
    const Trace trace = recorder.finish(5'000'000'000);
    EXPECT_EQ(extract_operation_durations(trace), (std::map<std::string, double>{{"f", 0.002}}));
    EXPECT_DOUBLE_EQ(extract_total_duration(trace), 5.0);
}

TEST(Analysis, ArgumentsComeWithTheirOperation) {
    TraceRecorder recorder;
    recorder.begin("ttnn::transpose", 3, {}, {"Tensor(...)", "1", "2"});
    recorder.end();
    recorder.begin("none", 0);
    recorder.end();
    const std::vector<OperationArguments> expected{{"ttnn::transpose", {"Tensor(...)", "1", "2"}}};
    EXPECT_EQ(extract_arguments(recorder.finish()), expected);
}

TEST(Analysis, PerCoreUsageHasPythonsTexts) {
    const PeakMemoryUsagePerCore usage{1, 2, 3};
    EXPECT_EQ(repr(usage), "PeakMemoryUsagePerCore(peak_cb=1, peak_l1=2, peak_total=3)");
    EXPECT_EQ(to_string(usage), "Peak Memory Usage Per Core:\n  CB:    1 bytes\n  L1:    2 bytes\n  Total: 3 bytes\n");
}

TEST(Analysis, UnfinishedFunctionsDoNotMatterToCallsAndPeaks) {
    TraceRecorder recorder;
    recorder.begin("fails", 1, {{0, "Shape([1])", 64}});
    recorder.error("Operation failed");
    const Trace trace = recorder.finish();
    EXPECT_EQ(extract_calltrace(trace), Names{"fails"});
    EXPECT_EQ(extract_peak_L1_memory_usage(trace), 64U);
}

}  // namespace
}  // namespace ttnn::graph::testing
