#include <gtest/gtest.h>

#include "sample.hpp"
#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph::testing {
namespace {

// The run that the guide quotes: DRAM inputs of 8192000 and 819200 bytes, functions named as in 2024.
Trace quoted_run() {
    TraceRecorder recorder;
    const FakeTensor a{0, "Shape([1, 1, 4096, 1000])", 8192000, "DRAM"};
    const FakeTensor b{1, "Shape([1, 1, 4096, 100])", 819200, "DRAM"};
    const FakeTensor repeated{2, "Shape([1, 1, 4096, 1000])", 8192000, "DRAM"};
    recorder.begin("ttnn::add", 2, {a, b});
    recorder.begin("ttnn::repeat", 2, {b});
    recorder.begin("ttnn::prim::old_infra_device_operation", 5);
    recorder.begin("Device Operation", 2);
    recorder.create(repeated);
    recorder.release_circular_buffers();
    recorder.circular_buffer(4096, "{}");
    for (int i = 0; i < 3; ++i) {
        recorder.end({repeated});
    }
    recorder.deallocate(repeated);
    recorder.end({repeated});
    return recorder.finish();
}

TEST(MemoryTable, HasTheRowsThatTheGuideQuotes) {
    const std::vector<MemoryRow> expected{{0, "ttnn::add", "begin_op", 0, 9011200},
                                          {1, "ttnn::repeat", "begin_op", 0, 9011200},
                                          {2, "ttnn::repeat", "buffer_allocate", 0, 17203200},
                                          {3, "ttnn::repeat", "circular_buffer_deallocate_all", 0, 17203200},
                                          {4, "ttnn::repeat", "circular_buffer_allocate", 4096, 17203200},
                                          {5, "ttnn::add", "buffer_deallocate", 4096, 9011200}};
    EXPECT_EQ(extract_memory_table(quoted_run()), expected);
}

TEST(MemoryTable, TextIsAlignedAsInTheGuide) {
    std::vector<MemoryRow> rows = extract_memory_table(quoted_run());
    rows.resize(3);
    EXPECT_EQ(format_memory_table(rows),
              "     current_op            event  total_cb  total_buffer\n"
              "0     ttnn::add         begin_op         0       9011200\n"
              "1  ttnn::repeat         begin_op         0       9011200\n"
              "2  ttnn::repeat  buffer_allocate         0      17203200\n");
}

TEST(MemoryTable, GuideSampleEndsWithItsInputsOnly) {
    const std::vector<MemoryRow> rows = extract_memory_table(guide_sample());
    ASSERT_EQ(rows.size(), 12U);  // 4 operations, 4 buffer events, 4 circular buffers
    EXPECT_EQ(rows[0], (MemoryRow{0, "ttnn::add", "begin_op", 0, 30720}));
    EXPECT_EQ(rows[2], (MemoryRow{2, "ttnn::prim::repeat", "begin_op", 0, 30720}));
    EXPECT_EQ(rows[10], (MemoryRow{10, "ttnn::add", "buffer_deallocate", 16384, 55296}));
    EXPECT_EQ(rows[11], (MemoryRow{11, "", "buffer_deallocate", 16384, 30720}));
}

TEST(MemoryTable, OfNothingIsAHeader) {
    EXPECT_EQ(format_memory_table(extract_memory_table({})), "  current_op  event  total_cb  total_buffer\n");
}

}  // namespace
}  // namespace ttnn::graph::testing
