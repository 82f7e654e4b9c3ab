// The tables that the ttnn-visualizer reads. The order of columns is that of the oldest databases, later ones follow.
#pragma once

#include "tracelift/base/table.hpp"

namespace tracelift::report {

// Whose rows an import makes: R of this project (docs/visualizer.md), or S of the importer of the first reports.
enum class Rules : uint8_t { R, S };

template <class Row>
struct Table;
template <class Row>
Table<Row> table_of(const Row* row);

// What most of these tables have. Types are written as the first importer wrote them, and nothing is NOT NULL.
struct ReportTable : TableDefaults {
    static constexpr bool only_r = false;  // not made under rules S

    template <class T>
    static constexpr std::string_view type_of() {
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, std::optional<int64_t>>) {
            return "int";
        } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
            return "float";
        } else {
            static_assert(std::is_same_v<T, std::string_view> || std::is_same_v<T, std::optional<std::string_view>>);
            return "text";
        }
    }
};

// The host that a row is of, which every table has.
inline constexpr std::string_view rank_type = "int NOT NULL DEFAULT 0";

using Text = std::string_view;
using MaybeInt = std::optional<int64_t>;
using MaybeText = std::optional<std::string_view>;

struct DeviceRow {
    int64_t device_id, num_y_cores, num_x_cores, num_y_compute_cores, num_x_compute_cores, worker_l1_size, l1_num_banks,
        l1_bank_size, address_at_first_l1_bank, address_at_first_l1_cb_buffer, num_banks_per_storage_core,
        num_compute_cores, num_storage_cores, total_l1_memory, total_l1_for_tensors, total_l1_for_interleaved_buffers,
        total_l1_for_sharded_buffers, cb_limit, rank;
};
template <>
struct Table<DeviceRow> : ReportTable {
    using Row = DeviceRow;
    static constexpr Text name = "devices";
    static constexpr Text meaning = "one row per device of a report; facts that the report lacks are 0";
    static constexpr auto columns = std::tuple{
        Column{"device_id", &Row::device_id, "0, 1, 2, ... in the order of the report's ids (S: the id itself)"},
        Column{"num_y_cores", &Row::num_y_cores, "rows of the full grid"},
        Column{"num_x_cores", &Row::num_x_cores, "columns of the full grid"},
        Column{"num_y_compute_cores", &Row::num_y_compute_cores, "rows of the grid for programs"},
        Column{"num_x_compute_cores", &Row::num_x_compute_cores, "columns of the grid for programs"},
        Column{"worker_l1_size", &Row::worker_l1_size, "bytes of L1 per core"},
        Column{"l1_num_banks", &Row::l1_num_banks, "banks of L1"},
        Column{"l1_bank_size", &Row::l1_bank_size, "bytes per bank"},
        Column{"address_at_first_l1_bank", &Row::address_at_first_l1_bank, "offset of bank 0"},
        Column{"address_at_first_l1_cb_buffer", &Row::address_at_first_l1_cb_buffer, "lowest address for buffers"},
        Column{"num_banks_per_storage_core", &Row::num_banks_per_storage_core, "banks per storage core"},
        Column{"num_compute_cores", &Row::num_compute_cores, "cores for programs"},
        Column{"num_storage_cores", &Row::num_storage_cores, "cores that only store"},
        Column{"total_l1_memory", &Row::total_l1_memory, "bytes"},
        Column{"total_l1_for_tensors", &Row::total_l1_for_tensors, "bytes"},
        Column{"total_l1_for_interleaved_buffers", &Row::total_l1_for_interleaved_buffers, "bytes"},
        Column{"total_l1_for_sharded_buffers", &Row::total_l1_for_sharded_buffers, "bytes"},
        Column{"cb_limit", &Row::cb_limit, "bytes that circular buffers of a core may take"},
        Column{"rank", &Row::rank, "host", rank_type}};
};

struct OperationRow {
    int64_t operation_id;
    Text name;
    double duration;
    int64_t rank;
};
template <>
struct Table<OperationRow> : ReportTable {
    using Row = OperationRow;
    static constexpr Text name = "operations";
    static constexpr Text meaning =
        "the calls that the program itself made, in the order they ended (S: every function)";
    static constexpr Text unique = "operation_id, rank";
    static constexpr auto columns = std::tuple{
        Column{"operation_id", &Row::operation_id, "from 1 (S: from 0); appended reports begin at multiples of 10000"},
        Column{"name", &Row::name, "as recorded"}, Column{"duration", &Row::duration, "seconds; 0 when not known"},
        Column{"rank", &Row::rank, "host", rank_type}};
};

struct OperationArgumentRow {
    int64_t operation_id;
    Text name, value;
    int64_t rank;
};
template <>
struct Table<OperationArgumentRow> : ReportTable {
    using Row = OperationArgumentRow;
    static constexpr Text name = "operation_arguments";
    static constexpr Text meaning = "arguments of operations";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"name", &Row::name, "arg_0, arg_1, ... or the names that Python recorded"},
                   Column{"value", &Row::value, "text"}, Column{"rank", &Row::rank, "host", rank_type}};
};

struct TensorRow {
    int64_t tensor_id;
    Text shape, dtype, layout;
    MaybeText memory_config;
    MaybeInt device_id, address, buffer_type;
    int64_t rank;
    MaybeInt size;
};
template <>
struct Table<TensorRow> : ReportTable {
    using Row = TensorRow;
    static constexpr Text name = "tensors";
    static constexpr Text meaning = "device tensors, and host tensors that an operation takes or returns (S: all)";
    static constexpr Text unique = "tensor_id, rank";
    static constexpr auto columns =
        std::tuple{Column{"tensor_id", &Row::tensor_id, "of the run; the first node of an id counts"},
                   Column{"shape", &Row::shape, "Shape([1, 32])"},
                   Column{"dtype", &Row::dtype, "DataType.BFLOAT16 (S: as recorded)"},
                   Column{"layout", &Row::layout, "Layout.TILE (S: as recorded)"},
                   Column{"memory_config", &Row::memory_config, "text, or NULL"},
                   Column{"device_id", &Row::device_id, "NULL: on the host"},
                   Column{"address", &Row::address, "NULL: on the host"},
                   Column{"buffer_type", &Row::buffer_type, "0 DRAM, 1 L1, 2 SYSTEM_MEMORY, 3 L1_SMALL, 4 TRACE"},
                   Column{"rank", &Row::rank, "host", rank_type},
                   Column{"size", &Row::size, "bytes of the whole tensor, over all banks"}};
};

struct DeviceTensorRow {
    int64_t tensor_id, device_id, address, rank;
};
template <>
struct Table<DeviceTensorRow> : ReportTable {
    using Row = DeviceTensorRow;
    static constexpr Text name = "device_tensors";
    static constexpr Text meaning = "where a tensor is on each of its devices";
    static constexpr auto columns =
        std::tuple{Column{"tensor_id", &Row::tensor_id, "tensors"}, Column{"device_id", &Row::device_id, "devices"},
                   Column{"address", &Row::address, "there"}, Column{"rank", &Row::rank, "host", rank_type}};
};

struct InputTensorRow {
    int64_t operation_id, input_index, tensor_id, rank;
};
template <>
struct Table<InputTensorRow> : ReportTable {
    using Row = InputTensorRow;
    static constexpr Text name = "input_tensors";
    static constexpr Text meaning = "inputs of operations";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"input_index", &Row::input_index, "from 0, in the order of the arguments"},
                   Column{"tensor_id", &Row::tensor_id, "tensors (S: the counter of its node)"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct OutputTensorRow {
    int64_t operation_id, output_index, tensor_id, rank;
};
template <>
struct Table<OutputTensorRow> : ReportTable {
    using Row = OutputTensorRow;
    static constexpr Text name = "output_tensors";
    static constexpr Text meaning = "outputs of operations";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"output_index", &Row::output_index, "from 0, in the order of the results"},
                   Column{"tensor_id", &Row::tensor_id, "tensors"}, Column{"rank", &Row::rank, "host", rank_type}};
};

struct BufferRow {
    int64_t operation_id, device_id, address, max_size_per_bank, buffer_type;
    MaybeInt buffer_layout;
    int64_t rank;
};
template <>
struct Table<BufferRow> : ReportTable {
    using Row = BufferRow;
    static constexpr Text name = "buffers";
    static constexpr Text meaning =
        "what is in memory when an operation ends: a table up to 1,000,000 rows or with --materialize, beyond a view "
        "of buffer_spans (S: the allocations of a report, all at its first id)";
    static constexpr auto columns = std::tuple{
        Column{"operation_id", &Row::operation_id, "operations"},
        Column{"device_id", &Row::device_id, "devices"},
        Column{"address", &Row::address, "the same in all banks"},
        Column{"max_size_per_bank", &Row::max_size_per_bank, "bytes in the fullest bank (S: of all banks)"},
        Column{"buffer_type", &Row::buffer_type, "as in tensors"},
        Column{"buffer_layout", &Row::buffer_layout,
               "0 INTERLEAVED, 2 HEIGHT_, 3 WIDTH_, 4 BLOCK_SHARDED, NULL: another (S, and with --layout-numbers "
               "importers: 0 to 3)"},
        Column{"rank", &Row::rank, "host", rank_type}};
};

struct CapturedGraphRow {
    int64_t operation_id;
    MaybeText captured_graph;
    int64_t rank;
};
template <>
struct Table<CapturedGraphRow> : ReportTable {
    using Row = CapturedGraphRow;
    static constexpr Text name = "captured_graph";
    static constexpr Text meaning = "the nodes of an operation, numbered from 0 (S: those of a report)";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"captured_graph", &Row::captured_graph, "JSON list; NULL when beyond 32 MB"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct NodeRow {
    int64_t operation_id, unique_id, node_operation_id;
    Text name;
    int64_t rank;
};
template <>
struct Table<NodeRow> : ReportTable {
    using Row = NodeRow;
    static constexpr Text name = "nodes";
    static constexpr Text meaning = "one row per operation (S: per function)";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"unique_id", &Row::unique_id, "counter of the function_start"},
                   Column{"node_operation_id", &Row::node_operation_id, "number of the operation in its report"},
                   Column{"name", &Row::name, "of the function"}, Column{"rank", &Row::rank, "host", rank_type}};
};

struct EdgeRow {
    int64_t operation_id, source_unique_id, sink_unique_id, source_output_index, sink_input_index, key, rank;
};
template <>
struct Table<EdgeRow> : ReportTable {
    using Row = EdgeRow;
    static constexpr Text name = "edges";
    static constexpr Text meaning = "the links in captured_graph";
    static constexpr size_t batch = 32;
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"source_unique_id", &Row::source_unique_id, "node that has the link"},
                   Column{"sink_unique_id", &Row::sink_unique_id, "node it points to"},
                   Column{"source_output_index", &Row::source_output_index, "place of the link in its node"},
                   Column{"sink_input_index", &Row::sink_input_index, "0 (S: how many links reached the sink before)"},
                   Column{"key", &Row::key, "as source_output_index (S: how many links of the pair came before)"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct StackTraceRow {
    int64_t operation_id, node_counter;
    Text operation_name, stack_trace;
    MaybeInt source_file_id;
    int64_t rank;
};
template <>
struct Table<StackTraceRow> : ReportTable {
    using Row = StackTraceRow;
    static constexpr Text name = "stack_traces";
    static constexpr Text meaning = "call stacks: from Python where recorded, else from C++";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations (S: first id of the report)"},
                   Column{"node_counter", &Row::node_counter, "of the function_start"},
                   Column{"operation_name", &Row::operation_name, "of the function"},
                   Column{"stack_trace", &Row::stack_trace, "frames, innermost first, one per line"},
                   Column{"source_file_id", &Row::source_file_id, "source_files, with --source-files"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct SourceFileRow {
    MaybeInt id;
    Text path, contents;
};
template <>
struct Table<SourceFileRow> : ReportTable {
    using Row = SourceFileRow;
    static constexpr Text name = "source_files";
    static constexpr Text meaning = "files that stack traces name, with --source-files";
    static constexpr bool only_r = true;
    static constexpr auto columns = std::tuple{Column{"id", &Row::id, "key", "INTEGER PRIMARY KEY"},
                                               Column{"path", &Row::path, "as in the trace", "text UNIQUE NOT NULL"},
                                               Column{"contents", &Row::contents, "UTF-8"}};
};

struct ErrorRow {
    int64_t operation_id;
    Text error_type, error_message, error_operation, operation_name, stack_trace, timestamp;
    int64_t rank;
};
template <>
struct Table<ErrorRow> : ReportTable {
    using Row = ErrorRow;
    static constexpr Text name = "errors";
    static constexpr Text meaning = "what failed";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operation that was open, or the report's first id"},
                   Column{"error_type", &Row::error_type, "exception, incomplete_operation, ..."},
                   Column{"error_message", &Row::error_message, "text"},
                   Column{"error_operation", &Row::error_operation, "function that failed"},
                   Column{"operation_name", &Row::operation_name, "operation as listed (S: the same)"},
                   Column{"stack_trace", &Row::stack_trace, "text"},
                   Column{"timestamp", &Row::timestamp, "text"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct BufferPageRow {
    int64_t operation_id, device_id, address, core_y, core_x, bank_id, page_index, page_address, page_size, buffer_type,
        rank;
};
template <>
struct Table<BufferPageRow> : ReportTable {
    using Row = BufferPageRow;
    static constexpr Text name = "buffer_pages";
    static constexpr Text meaning = "pages of L1 buffers, as recorded";
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "first operation of the report (S: its first id)"},
                   Column{"device_id", &Row::device_id, "devices"},
                   Column{"address", &Row::address, "of the buffer"},
                   Column{"core_y", &Row::core_y, "core of the bank"},
                   Column{"core_x", &Row::core_x, "core of the bank"},
                   Column{"bank_id", &Row::bank_id, "bank"},
                   Column{"page_index", &Row::page_index, "in the order of the tensor"},
                   Column{"page_address", &Row::page_address, "in the bank"},
                   Column{"page_size", &Row::page_size, "bytes"},
                   Column{"buffer_type", &Row::buffer_type, "as in tensors"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct BufferChunkRow {
    int64_t operation_id, device_id, address, bank_id, core_x, core_y, chunk_address, chunk_size, page_size, num_pages,
        buffer_type, rank;
};
template <>
struct Table<BufferChunkRow> : ReportTable {
    using Row = BufferChunkRow;
    static constexpr Text name = "buffer_chunks";
    static constexpr Text meaning =
        "pages summed up per buffer and bank; if this table exists, buffer_pages is not read";
    static constexpr bool only_r = true;
    static constexpr auto columns =
        std::tuple{Column{"operation_id", &Row::operation_id, "operations"},
                   Column{"device_id", &Row::device_id, "devices"},
                   Column{"address", &Row::address, "of the buffer"},
                   Column{"bank_id", &Row::bank_id, "bank"},
                   Column{"core_x", &Row::core_x, "core of the bank"},
                   Column{"core_y", &Row::core_y, "core of the bank"},
                   Column{"chunk_address", &Row::chunk_address, "lowest page"},
                   Column{"chunk_size", &Row::chunk_size, "bytes from there to the end of the highest page"},
                   Column{"page_size", &Row::page_size, "of the largest page"},
                   Column{"num_pages", &Row::num_pages, "pages"},
                   Column{"buffer_type", &Row::buffer_type, "as in tensors"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

// Local and global comparison records have the same columns in two tables.
template <bool global>
struct ComparisonRow {
    int64_t tensor_id, golden_tensor_id, matches;
    double desired_pcc, actual_pcc;
    int64_t rank;
};
template <bool global>
struct Table<ComparisonRow<global>> : ReportTable {
    using Row = ComparisonRow<global>;
    static constexpr Text name = global ? "global_tensor_comparison_records" : "local_tensor_comparison_records";
    static constexpr Text meaning = global ? "results against a reference run on reference inputs"
                                           : "results against a reference run on the same inputs";
    static constexpr Text unique = "tensor_id, rank";
    static constexpr auto columns = std::tuple{Column{"tensor_id", &Row::tensor_id, "tensors"},
                                               Column{"golden_tensor_id", &Row::golden_tensor_id, "tensors"},
                                               Column{"matches", &Row::matches, "1 or 0"},
                                               Column{"desired_pcc", &Row::desired_pcc, "required"},
                                               Column{"actual_pcc", &Row::actual_pcc, "measured"},
                                               Column{"rank", &Row::rank, "host", rank_type}};
};

struct TensorLifetimeRow {
    int64_t tensor_id;
    MaybeInt producer_operation_id, last_use_operation_id, deallocate_operation_id;
    MaybeText producer_source_file;
    MaybeInt producer_source_line;
    MaybeText last_use_source_file;
    MaybeInt last_use_source_line;
    int64_t rank;
};
template <>
struct Table<TensorLifetimeRow> : ReportTable {
    using Row = TensorLifetimeRow;
    static constexpr Text name = "tensor_lifetime";
    static constexpr Text meaning = "which operations made, last used and freed a tensor";
    static constexpr Text unique = "tensor_id, rank";
    static constexpr bool only_r = true;
    static constexpr auto columns =
        std::tuple{Column{"tensor_id", &Row::tensor_id, "tensors"},
                   Column{"producer_operation_id", &Row::producer_operation_id, "first operation that returned it"},
                   Column{"last_use_operation_id", &Row::last_use_operation_id,
                          "last operation that used it, other than to free it"},
                   Column{"deallocate_operation_id", &Row::deallocate_operation_id, "first operation that freed it"},
                   Column{"producer_source_file", &Row::producer_source_file, "from the stack trace"},
                   Column{"producer_source_line", &Row::producer_source_line, "from the stack trace"},
                   Column{"last_use_source_file", &Row::last_use_source_file, "from the stack trace"},
                   Column{"last_use_source_line", &Row::last_use_source_line, "from the stack trace"},
                   Column{"rank", &Row::rank, "host", rank_type}};
};

struct TensorConsumerRow {
    int64_t tensor_id, operation_id, input_index, rank;
};
template <>
struct Table<TensorConsumerRow> : ReportTable {
    using Row = TensorConsumerRow;
    static constexpr Text name = "tensor_consumers";
    static constexpr Text meaning = "input_tensors by tensor";
    static constexpr Text unique = "tensor_id, operation_id, input_index, rank";
    static constexpr bool only_r = true;
    static constexpr auto columns = std::tuple{
        Column{"tensor_id", &Row::tensor_id, "tensors"}, Column{"operation_id", &Row::operation_id, "operations"},
        Column{"input_index", &Row::input_index, "as in input_tensors"}, Column{"rank", &Row::rank, "host", rank_type}};
};

struct TensorProducerRow {
    int64_t tensor_id, operation_id, output_index, rank;
};
template <>
struct Table<TensorProducerRow> : ReportTable {
    using Row = TensorProducerRow;
    static constexpr Text name = "tensor_producers";
    static constexpr Text meaning = "output_tensors by tensor";
    static constexpr Text unique = "tensor_id, operation_id, output_index, rank";
    static constexpr bool only_r = true;
    static constexpr auto columns = std::tuple{Column{"tensor_id", &Row::tensor_id, "tensors"},
                                               Column{"operation_id", &Row::operation_id, "operations"},
                                               Column{"output_index", &Row::output_index, "as in output_tensors"},
                                               Column{"rank", &Row::rank, "host", rank_type}};
};

struct MetadataRow {
    Text key, value;
};
template <>
struct Table<MetadataRow> : ReportTable {
    using Row = MetadataRow;
    static constexpr Text name = "report_metadata";
    static constexpr Text meaning = "facts about the reports; where a key repeats, the last report counts";
    static constexpr Text unique = "key";
    static constexpr auto columns =
        std::tuple{Column{"key", &Row::key, "schema_version, capture_timestamp_ns, tracelift_..."},
                   Column{"value", &Row::value, "text"}};
};

}  // namespace tracelift::report
