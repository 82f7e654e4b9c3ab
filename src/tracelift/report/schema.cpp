#include "tracelift/report/schema.hpp"

#include <fmt/format.h>

#include "tracelift/report/own_tables.hpp"

namespace tracelift::report {
namespace {

template <class... Rows>
struct RowList {};
using ViewerRows = RowList<DeviceRow, OperationRow, OperationArgumentRow, TensorRow, DeviceTensorRow, InputTensorRow,
                           OutputTensorRow, BufferRow, CapturedGraphRow, NodeRow, EdgeRow, StackTraceRow, SourceFileRow,
                           ErrorRow, BufferPageRow, BufferChunkRow, ComparisonRow<false>, ComparisonRow<true>,
                           TensorLifetimeRow, TensorConsumerRow, TensorProducerRow, MetadataRow>;
using OwnRows = RowList<ReportRow, OperationDetailRow, FunctionRow, MemoryEventRow, PerformanceRow, BufferSpanRow>;

template <class Visit, class... Rows>
void for_each_row(RowList<Rows...>, Visit&& visit) {
    (visit.template operator()<Rows>(), ...);
}

constexpr const char* buffers_view =
    "CREATE VIEW IF NOT EXISTS buffers AS SELECT o.operation_id, s.device_id, s.address, s.max_size_per_bank, "
    "s.buffer_type, s.buffer_layout, o.rank FROM operation_details o JOIN buffer_spans s ON s.epoch = o.epoch AND "
    "s.first_operation_id <= o.operation_id AND s.last_operation_id >= o.operation_id";

template <class Row>
TableText describe(bool own) {
    return {std::string(Table<Row>::name), std::string(Table<Row>::meaning), Table<Row>::only_r, own,
            column_texts<Row>()};
}

}  // namespace

void create_tables(Database& database, Rules rules) {
    const auto create = [&]<class Row>() {
        const bool is_view = rules == Rules::R && std::is_same_v<Row, BufferRow>;
        if (!is_view && (rules == Rules::R || !Table<Row>::only_r)) {
            database.run(create_statement<Row>());
        }
    };
    for_each_row(ViewerRows(), create);
    for_each_row(OwnRows(), create);
    if (rules == Rules::R &&
        database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'buffers' AND type = 'table'") == 0) {
        database.run(buffers_view);
    }
}

bool buffers_is_view(Database& database) {
    return database.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'buffers' AND type = 'view'") != 0;
}

void materialize_buffers(Database& database, int64_t first_new_report) {
    if (buffers_is_view(database)) {
        database.run("DROP VIEW buffers");
        database.run(create_statement<BufferRow>());
        first_new_report = 0;
    }
    const std::string view = buffers_view;
    database.run("INSERT INTO buffers " + view.substr(view.find("SELECT")) +
                 fmt::format(" WHERE o.report_id >= {} ORDER BY o.rank, o.operation_id", first_new_report));
}

void create_indexes(Database& database, Rules rules) {
    database.run(
        "CREATE INDEX IF NOT EXISTS arguments_by_operation ON operation_arguments (operation_id);"
        "CREATE INDEX IF NOT EXISTS inputs_by_operation ON input_tensors (operation_id);"
        "CREATE INDEX IF NOT EXISTS outputs_by_operation ON output_tensors (operation_id);"
        "CREATE INDEX IF NOT EXISTS graphs_by_operation ON captured_graph (operation_id);"
        "CREATE INDEX IF NOT EXISTS traces_by_operation ON stack_traces (operation_id);"
        "CREATE INDEX IF NOT EXISTS idx_stack_traces_source_file_id ON stack_traces (source_file_id);"
        "CREATE INDEX IF NOT EXISTS device_tensors_by_tensor ON device_tensors (tensor_id);");
    if (rules == Rules::R) {
        database.run(
            "CREATE INDEX IF NOT EXISTS details_by_operation ON operation_details (operation_id);"
            "CREATE INDEX IF NOT EXISTS performance_by_operation ON performance (operation_id);"
            "CREATE INDEX IF NOT EXISTS spans_by_epoch ON buffer_spans (epoch, address);"
            "CREATE INDEX IF NOT EXISTS chunks_by_operation ON buffer_chunks (operation_id, address);");
    }
}

void create_buffer_indexes(Database& database) {
    if (!buffers_is_view(database)) {
        database.run("CREATE INDEX IF NOT EXISTS buffers_by_operation ON buffers (operation_id, address)");
        return;
    }
    // The viewer asks for one kind of memory, or for one address: that selects spans, and each span its operations.
    database.run(
        "CREATE INDEX IF NOT EXISTS spans_by_type ON buffer_spans (buffer_type, epoch, first_operation_id, "
        "last_operation_id, device_id, address, max_size_per_bank, buffer_layout);"
        "CREATE INDEX IF NOT EXISTS spans_by_address ON buffer_spans (address);"
        "CREATE INDEX IF NOT EXISTS details_by_epoch ON operation_details (epoch, operation_id, rank);");
}

std::vector<TableText> describe_tables() {
    std::vector<TableText> tables;
    for_each_row(ViewerRows(), [&]<class Row>() { tables.push_back(describe<Row>(false)); });
    for_each_row(OwnRows(), [&]<class Row>() { tables.push_back(describe<Row>(true)); });
    return tables;
}

std::string tables_markdown() {
    std::string text;
    for (const TableText& table : describe_tables()) {
        text += fmt::format("### {}{}\n\n{}.{}\n\n| column | type | meaning |\n|---|---|---|\n", table.name,
                            table.own ? " (own)" : "", table.meaning, table.only_r ? " Not made under rules S." : "");
        for (const ColumnText& column : table.columns) {
            text += fmt::format("| {} | {} | {} |\n", column.name, column.type, column.meaning);
        }
        text += '\n';
    }
    return text;
}

}  // namespace tracelift::report
