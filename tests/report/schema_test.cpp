// Tables and columns, against a list written from the specification (2.2 to 2.13, 3.0).
#include "tracelift/report/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.hpp"
#include "tracelift/report/check.hpp"

namespace tracelift::report::testing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct Wanted {
    std::string table;
    std::string columns;  // "name type" each
    bool under_s = true;
};

const std::vector<Wanted> wanted = {
    {"devices",
     "device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int, "
     "worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int, "
     "address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int, "
     "total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int, "
     "total_l1_for_sharded_buffers int, cb_limit int, rank int"},
    {"operations", "operation_id int, name text, duration float, rank int"},
    {"operation_arguments", "operation_id int, name text, value text, rank int"},
    // `size` is the optional column of 2.5.
    {"tensors",
     "tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int, buffer_type "
     "int, rank int, size int"},
    {"device_tensors", "tensor_id int, device_id int, address int, rank int"},
    {"input_tensors", "operation_id int, input_index int, tensor_id int, rank int"},
    {"output_tensors", "operation_id int, output_index int, tensor_id int, rank int"},
    {"buffers",
     "operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int, buffer_layout int, rank "
     "int"},
    {"captured_graph", "operation_id int, captured_graph text, rank int"},
    {"nodes", "operation_id int, unique_id int, node_operation_id int, name text, rank int"},
    {"edges",
     "operation_id int, source_unique_id int, sink_unique_id int, source_output_index int, sink_input_index int, key "
     "int, rank int"},
    {"report_metadata", "key text, value text"},
    {"errors",
     "operation_id int, error_type text, error_message text, error_operation text, operation_name text, stack_trace "
     "text, timestamp text, rank int"},
    {"stack_traces",
     "operation_id int, node_counter int, operation_name text, stack_trace text, source_file_id int, rank int"},
    {"source_files", "id integer, path text, contents text", false},
    {"buffer_pages",
     "operation_id int, device_id int, address int, core_y int, core_x int, bank_id int, page_index int, page_address "
     "int, page_size int, buffer_type int, rank int"},
    {"buffer_chunks",
     "operation_id int, device_id int, address int, bank_id int, core_x int, core_y int, chunk_address int, chunk_size "
     "int, page_size int, num_pages int, buffer_type int, rank int",
     false},
    {"local_tensor_comparison_records",
     "tensor_id int, golden_tensor_id int, matches int, desired_pcc float, actual_pcc float, rank int"},
    {"global_tensor_comparison_records",
     "tensor_id int, golden_tensor_id int, matches int, desired_pcc float, actual_pcc float, rank int"},
    {"tensor_lifetime",
     "tensor_id int, producer_operation_id int, last_use_operation_id int, deallocate_operation_id int, "
     "producer_source_file text, producer_source_line int, last_use_source_file text, last_use_source_line int, rank "
     "int",
     false},
    {"tensor_consumers", "tensor_id int, operation_id int, input_index int, rank int", false},
    {"tensor_producers", "tensor_id int, operation_id int, output_index int, rank int", false}};

std::string columns_of(Database& database, const std::string& table) {
    Statement columns(database, "SELECT name, lower(type) FROM pragma_table_info(?) ORDER BY cid");
    columns.with(table);
    std::string text;
    while (columns.step()) {
        text += (text.empty() ? "" : ", ") + std::string(columns.text(0)) + " " + std::string(columns.text(1));
    }
    return text;
}

class SchemaTest : public ::testing::TestWithParam<Rules> {
protected:
    void import(int64_t longest_table = ImportOptions().longest_table, bool materialize = false) {
        ImportOptions options = sandbox_.options(sandbox_.write("report.json", Sandbox::report("")));
        options.rules = GetParam();
        options.longest_table = longest_table;
        options.materialize = materialize;
        import_reports(options);
    }
    Sandbox sandbox_;
};

TEST_P(SchemaTest, HasTheTablesOfTheSpecification) {
    import();
    Database database(sandbox_.database(), Database::Mode::READ);
    for (const Wanted& each : wanted) {
        const bool is_there = GetParam() == Rules::R || each.under_s;
        EXPECT_EQ(columns_of(database, each.table), is_there ? each.columns : "") << each.table;
    }
}

// The viewer looks these up as tables and not as views.
TEST_P(SchemaTest, OnlyBuffersMayBeAView) {
    import(-1);
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_EQ(database.integer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'view' AND name <> 'buffers'"), 0);
    EXPECT_EQ(buffers_is_view(database), GetParam() == Rules::R);
}

TEST_P(SchemaTest, BuffersIsATableWhenItIsShort) {
    import();
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_FALSE(buffers_is_view(database));
}

TEST_P(SchemaTest, BuffersIsATableWhenAskedFor) {
    import(-1, true);
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_FALSE(buffers_is_view(database));
}

TEST_P(SchemaTest, AnEmptyReportPassesTheCheck) {
    import();
    Database database(sandbox_.database(), Database::Mode::READ);
    EXPECT_TRUE(check_database(database).violations.empty());
}

INSTANTIATE_TEST_SUITE_P(Rules, SchemaTest, ::testing::Values(Rules::R, Rules::S),
                         [](const auto& each) { return each.param == Rules::R ? "R" : "S"; });

TEST(SchemaDocs, AreThoseOfTheDeclarations) {
    const std::string docs = Sandbox::read(std::filesystem::path(TRACELIFT_SOURCE_DIR) / "docs/visualizer.md");
    EXPECT_THAT(docs, HasSubstr(tables_markdown())) << "run: tracelift report tables";
}

}  // namespace
}  // namespace tracelift::report::testing
