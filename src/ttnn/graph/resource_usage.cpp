#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/trace_check.hpp"

namespace ttnn::graph {

namespace {

bool is_globally_allocated(const Node& node) {
    const std::string_view flag = node.find("globally_allocated").value_or("0");
    if (flag != "0" && flag != "1" && flag != "false" && flag != "true") {
        fail_at(node, "globally_allocated is \"{}\", not 0, 1, false or true", shortened(flag));
    }
    return flag == "1" || flag == "true";
}

// Signed: a buffer from before the capture may be freed in it, and then less than nothing is left of its own.
class UsagePerCore {
public:
    UsagePerCore(const Trace& trace, size_t interleaved_cores)
        : trace_(trace), interleaved_cores_(static_cast<int64_t>(std::min<size_t>(interleaved_cores, 1U << 30))) {}

    void step(const Node& node) {
        switch (node.type) {
            case NodeType::CIRCULAR_BUFFER_ALLOCATE:
                // A globally allocated one lives in a buffer that is counted already.
                if (!is_globally_allocated(node)) {
                    add_bytes(cb_, bytes(node, "size"), node);
                }
                break;
            case NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL: cb_ = 0; break;
            case NodeType::BUFFER_ALLOCATE:
                if (!node.connections.empty()) {
                    allocation_of_[node.connections.front()] = &node;
                }
                add_bytes(l1_, on_one_core(node), node);
                break;
            case NodeType::BUFFER_DEALLOCATE: add_bytes(l1_, -freed_on_one_core(node), node); break;
            default: return;
        }
        int64_t total = cb_;
        add_bytes(total, l1_, node);
        raise(peak_.peak_cb, cb_);
        raise(peak_.peak_l1, l1_);
        raise(peak_.peak_total, total);
    }

    PeakMemoryUsagePerCore peak() const { return peak_; }

private:
    static void raise(uint64_t& peak, int64_t now) {
        peak = std::max(peak, static_cast<uint64_t>(std::max<int64_t>(now, 0)));
    }

    int64_t on_one_core(const Node& node) const {
        if (is_dram(node)) {
            return 0;
        }
        const int64_t size = bytes(node, "size");
        const int64_t page_size = bytes(node, "page_size");
        const int64_t shard_cores = node.find("num_cores") ? bytes(node, "num_cores") : 0;
        const int64_t cores = shard_cores > 0 ? shard_cores : interleaved_cores_;
        if (page_size == 0 || cores == 0) {
            fail_at(node, "cannot be spread over {} cores in pages of {} bytes", cores, page_size);
        }
        return static_cast<int64_t>(
            size_per_core(static_cast<uint64_t>(size), static_cast<uint64_t>(page_size), static_cast<uint64_t>(cores)));
    }

    int64_t freed_on_one_core(const Node& node) const {
        if (is_dram(node)) {
            return 0;
        }
        if (node.find("size").value_or("0") != "0") {
            return on_one_core(node);
        }
        // As in the guide's sample, the node does not say how much: the allocation does. One from before the capture
        // was never added.
        const auto allocation = allocation_of_.find(buffer_of(trace_, node).counter);
        return allocation == allocation_of_.end() ? 0 : on_one_core(*allocation->second);
    }

    const Trace& trace_;
    int64_t interleaved_cores_;
    std::unordered_map<uint32_t, const Node*> allocation_of_;
    int64_t cb_ = 0;
    int64_t l1_ = 0;
    PeakMemoryUsagePerCore peak_;
};

}  // namespace

uint64_t size_per_core(uint64_t size, uint64_t page_size, uint64_t cores) {
    const uint64_t pages = size / page_size + (size % page_size != 0 ? 1 : 0);
    return (pages / cores + (pages % cores != 0 ? 1 : 0)) * page_size;
}

PeakMemoryUsagePerCore extract_resource_usage_per_core(const Trace& trace, size_t interleaved_storage_cores) {
    UsagePerCore usage(trace, interleaved_storage_cores);
    for (size_t i = 0; i < trace.size(); ++i) {
        if (trace[i].counter != i) {
            fail_at(trace[i], "counter/execution out of order: it is at place {}", i);
        }
        usage.step(trace[i]);
    }
    return usage.peak();
}

uint64_t extract_l1_buffer_allocation_peak_size_per_core(const Trace& trace, size_t interleaved_storage_cores) {
    return extract_resource_usage_per_core(trace, interleaved_storage_cores).peak_l1;
}

uint64_t extract_circular_buffers_peak_size_per_core(const Trace& trace) {
    // Circular buffers do not depend on how buffers spread.
    return extract_resource_usage_per_core(trace, 1).peak_cb;
}

uint64_t extract_peak_memory_usage(const Trace& trace, size_t interleaved_storage_cores) {
    return extract_resource_usage_per_core(trace, interleaved_storage_cores).peak_total;
}

std::string repr(const PeakMemoryUsagePerCore& usage) {
    return fmt::format("PeakMemoryUsagePerCore(peak_cb={}, peak_l1={}, peak_total={})", usage.peak_cb, usage.peak_l1,
                       usage.peak_total);
}

std::string to_string(const PeakMemoryUsagePerCore& usage) {
    return fmt::format("Peak Memory Usage Per Core:\n  CB:    {} bytes\n  L1:    {} bytes\n  Total: {} bytes\n",
                       usage.peak_cb, usage.peak_l1, usage.peak_total);
}

}  // namespace ttnn::graph
