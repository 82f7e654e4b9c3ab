#include <random>

#include <gtest/gtest.h>

#include "sample.hpp"
#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph::testing {
namespace {

uint64_t sum_of(const PeakExplanation& explanation) {
    int64_t sum = 0;
    for (const PeakBuffer& buffer : explanation.buffers) {
        sum += buffer.size;
    }
    for (const PeakCircularBuffer& buffer : explanation.circular_buffers) {
        sum += buffer.size;
    }
    return static_cast<uint64_t>(sum);
}

TEST(ExplainPeak, GuideSampleWithReleases) {
    const Trace trace = guide_sample(Releases::YES, TraceRecorder::Flavour::FULL);
    const PeakExplanation peak = explain_peak(trace, MemoryKind::L1);
    EXPECT_EQ(peak.peak, 92160U);
    EXPECT_EQ(sum_of(peak), 92160U);
    EXPECT_EQ(peak.step, 29U);  // the last of the three circular buffers
    EXPECT_EQ(peak.function, "ttnn::prim::binary");
    ASSERT_EQ(peak.buffers.size(), 4U);
    EXPECT_EQ(peak.buffers[0].function, "input");
    EXPECT_EQ(peak.buffers[0].buffer, 3U);
    EXPECT_EQ(peak.buffers[1].size, 6144);
    EXPECT_EQ(peak.buffers[2].function, "ttnn::prim::repeat");
    ASSERT_EQ(peak.buffers[2].tensors.size(), 1U);
    EXPECT_EQ(peak.buffers[2].tensors[0].counter, 13U);
    EXPECT_EQ(peak.buffers[2].tensors[0].tensor_id, "2");
    EXPECT_EQ(peak.buffers[2].tensors[0].shape, "ttnn.Shape([4, 3, 32, 32])");
    EXPECT_EQ(peak.buffers[3].function, "ttnn::prim::binary");
    ASSERT_EQ(peak.circular_buffers.size(), 3U);
    EXPECT_EQ(peak.circular_buffers[0].size, 4096);
    EXPECT_EQ(peak.circular_buffers[0].core_range_set, "{[(x=0,y=0) - (x=7,y=7)]}");
    EXPECT_EQ(peak.circular_buffers[0].function, "ttnn::prim::binary");
}

TEST(ExplainPeak, GuideSampleAsItIs) {
    const PeakExplanation peak = explain_peak(guide_sample(), MemoryKind::L1);
    EXPECT_EQ(peak.peak, 96256U);
    EXPECT_EQ(sum_of(peak), 96256U);
    EXPECT_EQ(peak.circular_buffers.size(), 4U);
}

TEST(ExplainPeak, NothingMakesUpAPeakOfZero) {
    const PeakExplanation peak = explain_peak(guide_sample(), MemoryKind::DRAM);
    EXPECT_EQ(peak.peak, 0U);
    EXPECT_TRUE(peak.buffers.empty());
    EXPECT_TRUE(peak.circular_buffers.empty());
}

TEST(ExplainPeak, ABufferAllocatedDirectlyInATopLevelFunctionCountsOnceAsThePeakDoes) {
    TraceRecorder recorder;
    recorder.create({0, "Shape([1])", 64});
    const PeakExplanation peak = explain_peak(recorder.finish(), MemoryKind::L1);
    EXPECT_EQ(peak.peak, 64U);
    ASSERT_EQ(peak.buffers.size(), 1U);
    EXPECT_EQ(peak.buffers[0].function, "create_device_tensor");
}

TEST(ExplainPeak, BuffersFromBeforeTheCaptureWeighNegatively) {
    TraceRecorder recorder;
    recorder.deallocate({0, "", 10});
    recorder.allocate({1, "", 64});
    const PeakExplanation peak = explain_peak(recorder.finish(), MemoryKind::L1);
    EXPECT_EQ(peak.peak, 54U);
    ASSERT_EQ(peak.buffers.size(), 2U);
    EXPECT_EQ(peak.buffers[0].size, -10);
}

// Allocations, deallocations, calls and circular buffers in any order, also such as no run would give.
Trace random_run(std::mt19937& random) {
    TraceRecorder recorder;
    size_t open = 0;
    const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    for (uint32_t i = pick(60); i > 0; --i) {
        const uint32_t id = pick(8);
        const FakeTensor tensor{id, "Shape([1])", 1 + id * 100, id % 2 == 0 ? "L1" : "DRAM"};
        switch (pick(6)) {
            case 0: recorder.allocate(tensor); break;
            case 1: recorder.deallocate(tensor); break;
            case 2: recorder.circular_buffer(1 + pick(50), "{}"); break;
            case 3: recorder.begin("f" + std::to_string(++open), 1, {tensor}); break;
            case 4:
                if (open > 0) {
                    recorder.end({tensor});
                    --open;
                }
                break;
            default: recorder.release_circular_buffers(); break;
        }
    }
    return recorder.finish();
}

TEST(ExplainPeak, SumsAreExactOnRandomRuns) {
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        const Trace trace = random_run(random);
        const PeakExplanation l1 = explain_peak(trace, MemoryKind::L1);
        EXPECT_EQ(l1.peak, extract_peak_L1_memory_usage(trace));
        EXPECT_EQ(sum_of(l1), l1.peak);
        const PeakExplanation dram = explain_peak(trace, MemoryKind::DRAM);
        EXPECT_EQ(dram.peak, extract_dram_usage(trace).peak);
        EXPECT_EQ(sum_of(dram), dram.peak);
    }
}

}  // namespace
}  // namespace ttnn::graph::testing
