// Tables of our own beside those of the visualizer: nesting, memory over time, and buffers without repetition.
#pragma once

#include "tracelift/report/tables.hpp"

namespace tracelift::report {

struct ReportRow {
    int64_t report_id;
    Text name, rules;
    int64_t base_id, last_id, nodes, bytes;
    Text fingerprint;
    int64_t rank;
};
template <>
struct Table<ReportRow> : ReportTable {
    using Row = ReportRow;
    static constexpr Text name = "reports";
    static constexpr Text meaning = "the reports that were imported";
    static constexpr auto columns =
        std::tuple{Column{"report_id", &Row::report_id, "from 1", "INTEGER PRIMARY KEY"},
                   Column{"name", &Row::name, "of the file"},
                   Column{"rules", &Row::rules, "r or s"},
                   Column{"base_id", &Row::base_id, "operations of the report have higher ids (S: this one or higher)"},
                   Column{"last_id", &Row::last_id, "highest id that it uses"},
                   Column{"nodes", &Row::nodes, "in its graph"},
                   Column{"bytes", &Row::bytes, "of the file"},
                   Column{"fingerprint", &Row::fingerprint, "equal for equal files"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct OperationDetailRow {
    int64_t operation_id, report_id;
    MaybeInt start_counter, end_counter;
    int64_t epoch;
    MaybeText source_file;
    MaybeInt source_line;
    int64_t rank;
};
template <>
struct Table<OperationDetailRow> : ReportTable {
    using Row = OperationDetailRow;
    static constexpr Text name = "operation_details";
    static constexpr Text meaning = "facts that operations has no column for";
    static constexpr bool only_r = true;
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"report_id", &Row::report_id, "reports"},
                   Column{"start_counter", &Row::start_counter, "of the function_start; NULL when there is none"},
                   Column{"end_counter", &Row::end_counter, "of the function_end; NULL when the operation did not end"},
                   Column{"epoch", &Row::epoch, "buffer_spans of this epoch hold what was in memory at its end"},
                   Column{"source_file", &Row::source_file, "first place in the stack trace"},
                   Column{"source_line", &Row::source_line, "first place in the stack trace"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct FunctionRow {
    int64_t function_id;
    MaybeInt parent_id;
    int64_t depth, start_counter;
    MaybeInt end_counter;
    Text name;
    int64_t duration_ns;
    MaybeInt operation_id;
    int64_t report_id;
};
template <>
struct Table<FunctionRow> : ReportTable {
    using Row = FunctionRow;
    static constexpr Text name = "functions";
    static constexpr Text meaning = "every function with its nesting, in the order they ended";
    static constexpr bool only_r = true;
    static constexpr auto columns =
        std::tuple{Column{"function_id", &Row::function_id, "from 1 in a report, in the order of the starts"},
                   Column{"parent_id", &Row::parent_id, "function around it"},
                   Column{"depth", &Row::depth, "0: called by the program itself"},
                   Column{"start_counter", &Row::start_counter, "node"},
                   Column{"end_counter", &Row::end_counter, "node; NULL: it did not end"},
                   Column{"name", &Row::name, "as recorded"},
                   Column{"duration_ns", &Row::duration_ns, "0 when not known"},
                   Column{"operation_id", &Row::operation_id, "operation that it is part of"},
                   Column{"report_id", &Row::report_id, "reports"}};
};

struct MemoryEventRow {
    int64_t report_id = 0, counter = 0;
    MaybeInt operation_id{};
    Text kind{};
    MaybeInt buffer{}, device_id{}, address{};
    int64_t size = 0;
    MaybeInt buffer_type{};
    int64_t l1_total = 0, cb_total = 0, dram_total = 0;
    int64_t per_bank = 0;
};
template <>
struct Table<MemoryEventRow> : ReportTable {
    using Row = MemoryEventRow;
    static constexpr Text name = "memory_events";
    static constexpr Text meaning = "every change of memory use in order, with the totals after it";
    static constexpr bool only_r = true;
    static constexpr auto columns = std::tuple{
        Column{"report_id", &Row::report_id, "reports"},
        Column{"counter", &Row::counter, "node"},
        Column{"operation_id", &Row::operation_id, "operation that was open"},
        Column{"kind", &Row::kind, "input, allocate, free, circular_buffer, release"},
        Column{"buffer", &Row::buffer, "counter of the buffer's node"},
        Column{"device_id", &Row::device_id, "devices"},
        Column{"address", &Row::address, "where known"},
        Column{"size", &Row::size, "bytes: of the whole buffer, or of a circular buffer per core"},
        Column{"buffer_type", &Row::buffer_type, "as in tensors"},
        Column{"l1_total", &Row::l1_total, "bytes of L1 buffers"},
        Column{"cb_total", &Row::cb_total, "bytes of circular buffers of a core"},
        Column{"dram_total", &Row::dram_total, "bytes of DRAM buffers that the report allocates"},
        Column{"per_bank", &Row::per_bank, "bytes of the buffer in its fullest bank, which is a core in L1"}};
};

struct PerformanceRow {
    int64_t line = 0;
    MaybeInt operation_id{}, device_operation{};
    int64_t device_id = 0;
    Text op_code{};
    MaybeInt core_count{}, host_duration_ns{}, device_fw_duration_ns{}, device_kernel_duration_ns{},
        op_to_op_latency_ns{};
    Text math_fidelity{}, program_hash{}, program_cache_hit{}, cells{};
    int64_t rank = 0;
};
template <>
struct Table<PerformanceRow> : ReportTable {
    using Row = PerformanceRow;
    static constexpr Text name = "performance";
    static constexpr Text meaning =
        "device operations as a profiler measured them, from an ops_perf_results CSV; empty until one is imported";
    static constexpr bool only_r = true;
    static constexpr auto columns = std::tuple{
        Column{"line", &Row::line, "of the CSV"},
        Column{"operation_id", &Row::operation_id, "operation that ran it; NULL: it ran after the report ended"},
        Column{"device_operation", &Row::device_operation, "from 1, in the order of the report"},
        Column{"device_id", &Row::device_id, "DEVICE ID"},
        Column{"op_code", &Row::op_code, "OP CODE"},
        Column{"core_count", &Row::core_count, "CORE COUNT; this and the next ones NULL where empty"},
        Column{"host_duration_ns", &Row::host_duration_ns, "HOST DURATION [ns]"},
        Column{"device_fw_duration_ns", &Row::device_fw_duration_ns, "DEVICE FW DURATION [ns]"},
        Column{"device_kernel_duration_ns", &Row::device_kernel_duration_ns, "DEVICE KERNEL DURATION [ns]"},
        Column{"op_to_op_latency_ns", &Row::op_to_op_latency_ns, "OP TO OP LATENCY [ns]"},
        Column{"math_fidelity", &Row::math_fidelity, "MATH FIDELITY"},
        Column{"program_hash", &Row::program_hash, "PROGRAM HASH"},
        Column{"program_cache_hit", &Row::program_cache_hit, "PROGRAM CACHE HIT: True, False or empty"},
        Column{"cells", &Row::cells, "all cells that are not empty: a JSON object by column"},
        Column{"rank", &Row::rank, "host", rank_type}};
};

struct BufferSpanRow {
    int64_t epoch, first_operation_id, last_operation_id, device_id, address, max_size_per_bank, buffer_type;
    MaybeInt buffer_layout;
};
template <>
struct Table<BufferSpanRow> : ReportTable {
    using Row = BufferSpanRow;
    static constexpr Text name = "buffer_spans";
    static constexpr Text meaning =
        "a buffer and the operations at whose end it is in memory; cut at the borders of epochs, where everything in "
        "memory starts a new row, so that a snapshot needs only one epoch";
    static constexpr bool only_r = true;
    static constexpr auto columns =
        std::tuple{Column{"epoch", &Row::epoch, "as in operation_details"},
                   Column{"first_operation_id", &Row::first_operation_id, "in memory from its end on"},
                   Column{"last_operation_id", &Row::last_operation_id, "up to its end"},
                   Column{"device_id", &Row::device_id, "as in buffers"},
                   Column{"address", &Row::address, "as in buffers"},
                   Column{"max_size_per_bank", &Row::max_size_per_bank, "as in buffers"},
                   Column{"buffer_type", &Row::buffer_type, "as in buffers"},
                   Column{"buffer_layout", &Row::buffer_layout, "as in buffers"}};
};

}  // namespace tracelift::report
