// What can be learned from a trace: calls, memory peaks, outputs, durations. Every function takes time linear in the
// trace and throws TraceError, with the node, where the trace lacks what is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

// Names of all functions in the order of their calls.
std::vector<std::string> extract_calltrace(const Trace& trace);

struct OperationArguments {
    std::string operation_name;
    std::vector<std::string> arguments;
    bool operator==(const OperationArguments&) const = default;
};
// Of every call whose arguments were recorded.
std::vector<OperationArguments> extract_arguments(const Trace& trace);

// Seconds by function name; the last call of a name counts. Calls of unknown duration are left out.
std::map<std::string, double> extract_operation_durations(const Trace& trace);
// Seconds from the beginning to the end of the capture; 0 when not known.
double extract_total_duration(const Trace& trace);

// --- Outputs: the tensors that the last function of the trace returned.

std::set<uint32_t> extract_output_tensors(const Trace& trace);
// {intermediates, outputs}; intermediates are what create_device_tensor made and nobody got.
std::pair<uint32_t, uint32_t> count_intermediate_and_output_tensors(const Trace& trace);

struct TensorInfo {
    std::vector<uint32_t> shape;
    uint64_t size = 0;
    std::string type;  // "L1" or "DRAM"
    bool operator==(const TensorInfo&) const = default;
};
std::string repr(const TensorInfo& info);
// Of outputs on a device, in the order of their buffers.
std::vector<TensorInfo> extract_output_info(const Trace& trace);

// --- Memory of the whole device.

// Peak of whole L1 buffers plus circular buffers of one core: a sum that mixes the two by definition.
uint64_t extract_peak_L1_memory_usage(const Trace& trace);

struct DramUsage {
    uint64_t peak = 0;
    uint64_t total_allocations = 0;
    uint64_t total_deallocations = 0;
    bool operator==(const DramUsage&) const = default;
};
// In bytes; buffers from before the capture do not count.
DramUsage extract_dram_usage(const Trace& trace);

struct MemoryRow {
    size_t index = 0;
    std::string current_op;  // the innermost open operation, "" outside
    std::string event;       // "begin_op", or the type of the node
    int64_t total_cb = 0;
    int64_t total_buffer = 0;  // of all memory types; negative when more was freed than was seen to exist
    bool operator==(const MemoryRow&) const = default;
};
std::vector<MemoryRow> extract_memory_table(const Trace& trace);
// The guide's table: columns at the right, the index at the left.
std::string format_memory_table(const std::vector<MemoryRow>& rows);

// --- What a peak is made of.

enum class MemoryKind : uint8_t { L1, DRAM };

struct PeakTensor {
    uint32_t counter = 0;
    std::string tensor_id;  // "" when the trace has none
    std::string shape;
};
struct PeakBuffer {
    int64_t size = 0;  // negative: freed here although the trace never counted it
    uint32_t buffer = 0;
    std::vector<PeakTensor> tensors;
    std::string function;  // that allocated it; "input" for an argument, "" outside functions
};
struct PeakCircularBuffer {
    int64_t size = 0;
    uint32_t counter = 0;
    std::string core_range_set;
    std::string function;
};
// The sizes of all buffers and circular buffers add up to `peak` exactly.
struct PeakExplanation {
    uint64_t peak = 0;
    uint32_t step = 0;     // node at which the peak is reached first
    std::string function;  // open then
    std::vector<PeakBuffer> buffers;
    std::vector<PeakCircularBuffer> circular_buffers;
};
// L1: the peak of extract_peak_L1_memory_usage; DRAM: that of extract_dram_usage.
PeakExplanation explain_peak(const Trace& trace, MemoryKind kind);
std::string to_json(const PeakExplanation& explanation);

// --- Memory of one core.

// Bytes on the fullest core of a buffer whose pages go round `cores` cores.
uint64_t size_per_core(uint64_t size, uint64_t page_size, uint64_t cores);

struct PeakMemoryUsagePerCore {
    uint64_t peak_cb = 0;
    uint64_t peak_l1 = 0;
    uint64_t peak_total = 0;
    bool operator==(const PeakMemoryUsagePerCore&) const = default;
};
std::string repr(const PeakMemoryUsagePerCore& usage);
std::string to_string(const PeakMemoryUsagePerCore& usage);

// `interleaved_storage_cores`: cores that interleaved buffers spread over, as a rule the number of L1 banks.
PeakMemoryUsagePerCore extract_resource_usage_per_core(const Trace& trace, size_t interleaved_storage_cores);

// Deprecated: one figure each of extract_resource_usage_per_core.
uint64_t extract_l1_buffer_allocation_peak_size_per_core(const Trace& trace, size_t interleaved_storage_cores);
uint64_t extract_circular_buffers_peak_size_per_core(const Trace& trace);
uint64_t extract_peak_memory_usage(const Trace& trace, size_t interleaved_storage_cores);

}  // namespace ttnn::graph
