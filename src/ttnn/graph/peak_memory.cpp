#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/memory_count.hpp"

namespace ttnn::graph {

uint64_t extract_peak_L1_memory_usage(const Trace& trace) {
    L1Count count;
    walk_memory(trace, count);
    return static_cast<uint64_t>(count.peak().bytes);
}

DramUsage extract_dram_usage(const Trace& trace) {
    DramCount count;
    walk_memory(trace, count);
    return {static_cast<uint64_t>(count.peak().bytes), static_cast<uint64_t>(count.allocated()),
            static_cast<uint64_t>(count.deallocated())};
}

}  // namespace ttnn::graph
