// What the parts of an import share.
#pragma once

#include <string>

#include "tracelift/report/import.hpp"
#include "tracelift/report/node_view.hpp"
#include "tracelift/report/own_tables.hpp"

namespace tracelift::report {

// Inserts of one run; those of tables that rules S do not make are apart.
struct Rows {
    Rows(Database& database, Rules rules);

    Insert<DeviceRow> devices;
    Insert<OperationRow> operations;
    Insert<OperationArgumentRow> arguments;
    Insert<TensorRow> tensors;
    Insert<DeviceTensorRow> device_tensors;
    Insert<InputTensorRow> inputs;
    Insert<OutputTensorRow> outputs;
    Insert<CapturedGraphRow> graphs;
    Insert<NodeRow> nodes;
    Insert<EdgeRow> edges;
    Insert<StackTraceRow> stack_traces;
    Insert<ErrorRow> errors;
    Insert<BufferPageRow> pages;
    Insert<ComparisonRow<false>> local_comparisons;
    Insert<ComparisonRow<true>> global_comparisons;
    Insert<MetadataRow> metadata;
    Insert<ReportRow> reports;
    int64_t distinct_devices = 0;
    int64_t buffers = 0;  // rows of `buffers`, also where it is a view
};
struct OwnRows {
    explicit OwnRows(Database& database);

    Insert<OperationDetailRow> details;
    Insert<FunctionRow> functions;
    Insert<MemoryEventRow> events;
    Insert<BufferSpanRow> spans;
    Insert<BufferChunkRow> chunks;
    Insert<SourceFileRow> source_files;
    int64_t next_epoch = 1;
};

// Device ids of a report, as 0, 1, 2, ... in their order; ids that the report does not list stay as they are.
class Devices {
public:
    struct Banks {
        int64_t dram = 0;
        int64_t l1 = 0;
        int64_t dram_bytes = 0;  // of each
        int64_t l1_bytes = 0;
    };
    void add(int64_t id, Banks banks) { banks_[id] = banks; }
    int64_t number_of(int64_t id) const;
    Banks banks_of(int64_t id) const;
    // Of the first device; nothing known where there is none.
    Banks first_banks() const { return banks_.empty() ? Banks() : banks_.begin()->second; }
    size_t size() const { return banks_.size(); }

private:
    std::map<int64_t, Banks> banks_;
};

// What was in memory when the capture began, in the fullest banks. A report may not tell.
struct AtStart {
    int64_t l1 = 0;
    int64_t dram = 0;
};

struct Context {
    const ImportOptions& options;
    Database& database;
    Rows& rows;
    OwnRows* own;  // none under rules S
    ReportFile& report;
    ImportSummary& summary;
    int64_t report_id = 0;
    int64_t base_id = 0;
    int64_t rank = 0;
    Devices devices{};
    std::optional<AtStart> at_start{};

    void warn(const std::string& text) { ++summary.warnings[report.name() + ": " + text]; }
};

// --- Values that mean the same in several tables.

// Numbers of a report can be anything: a sum that does not fit stays at the limit.
int64_t limited_sum(int64_t a, int64_t b);

// 0 DRAM, 1 L1, ... from the name, with or without "BufferType::".
std::optional<int64_t> buffer_type_named(std::string_view name);
// The same from the number, else the name of a buffer type (parameter `buffer_type`), else from `type`.
std::optional<int64_t> buffer_type_of(const NodeView& node);
// Whether buffers of this type take room in DRAM.
constexpr bool is_in_dram(int64_t buffer_type) { return buffer_type == 0 || buffer_type == 4; }
// Number of a memory layout, from its name. Nothing where the viewer has no label for it.
MaybeInt layout_number(std::string_view name, LayoutNumbers numbers);
// The same from the number that the device library gives it, which is the viewer's.
MaybeInt layout_number(int64_t raw, LayoutNumbers numbers);
// Bytes in the fullest bank of an allocated buffer.
int64_t size_per_bank(const NodeView& allocation, int64_t size, std::optional<int64_t> buffer_type,
                      Devices::Banks banks);
// Texts of a list, joined by line ends.
std::string joined_lines(const Element& list);

// --- The stages, one function each per report.

void import_devices(Context& context);
void import_metadata(Context& context);
void import_comparisons(Context& context, const std::filesystem::path& path);
void import_flat_pages(Context& context, int64_t operation_id);
// Pages by address, for every operation that their buffer spans.
void import_page_snapshots(Context& context);
// The graph; returns the highest operation id, or the base id when there is none.
int64_t import_graph_r(Context& context, const std::filesystem::path& path);
int64_t import_graph_s(Context& context);
// Chunks, lifetimes, consumers and producers, from the rows of all reports.
void derive_tables(Database& database);

}  // namespace tracelift::report
