// Imports of hand-made graphs that the first importer was tested with, under its rules.
#include <gtest/gtest.h>

#include "case_file.hpp"
#include "sandbox.hpp"

namespace tracelift::report::testing {
namespace {

class ExpectationsTest : public ::testing::Test {
protected:
    ImportSummary import(const std::string& nodes) {
        ImportOptions options = sandbox_.options(sandbox_.write("report.json", Sandbox::report(nodes)));
        options.rules = Rules::S;
        return import_reports(options);
    }
    std::string rows(const std::string& table, const std::string& columns) {
        return rows_of(sandbox_.database(), table, columns);
    }
    Sandbox sandbox_;
};

TEST_F(ExpectationsTest, TensorsOfACall) {
    import(R"({"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
              {"counter":1,"node_type":"function_start","params":{"name":"ttnn::relu"},"connections":[3],
               "input_tensors":[100]},
              {"counter":2,"node_type":"tensor","params":{"tensor_id":"101","shape":"1"},"connections":[]
},
              {"counter":3,"node_type":"function_end","params":{"name":"ttnn::relu"},"connections":[2]})");
    EXPECT_EQ(rows("output_tensors", "tensor_id"), "(101)");
    EXPECT_EQ(rows("input_tensors", "tensor_id"), "(100)");
}

TEST_F(ExpectationsTest, StackTraces) {
    const ImportSummary summary =
        import(R"({"counter":0,"node_type":"function_start","params":{"name":"ttnn::relu"},"connections":[1],
                   "stack_trace":["first","second","third"]},
                  {"counter":1,"node_type":"function_end","params":{"name":"ttnn::relu"},"connections":[]})");
    EXPECT_EQ(rows("stack_traces", "operation_name, stack_trace"), "('ttnn::relu', 'first\\nsecond\\nthird')");
    for (const auto& [what, count] : summary.rows) {
        EXPECT_TRUE(what != "stack traces captured" || count == 1);
    }
}

TEST_F(ExpectationsTest, ArgumentsAndBuffers) {
    import(R"({"counter":0,"node_type":"function_start","params":{"name":"ttnn::add"},"connections":[1,2],
               "arguments":["tensor_a","tensor_b","alpha=1.0"]},
              {"counter":1,"node_type":"buffer_allocate","params":{"address":"12345","size":"4096","type":"L1",
               "layout":"INTERLEAVED","device_id":"0"},"connections":[]},
              {"counter":2,"node_type":"function_end","params":{"name":"ttnn::add"},"connections":[]})");
    EXPECT_EQ(rows("operation_arguments", "name, value"),
              "('arg_0', 'tensor_a') ('arg_1', 'tensor_b') ('arg_2', 'alpha=1.0')");
    EXPECT_EQ(rows("buffers", "device_id, address, max_size_per_bank, buffer_type"), "(0, 12345, 4096, 1)");
}

TEST_F(ExpectationsTest, ErrorsOfAFunctionThatDidNotEnd) {
    import(R"({"counter":0,"node_type":"function_start","params":{"name":"ttnn::bad_op"},"connections":[1]},
              {"counter":1,"node_type":"error","params":{"error_type":"exception","error_message":
               "Something went wrong","error_operation":"ttnn::bad_op"},"connections":[]})");
    EXPECT_EQ(rows("errors", "error_type, error_message, error_operation"),
              "('exception', 'Something went wrong', 'ttnn::bad_op')");
}

}  // namespace
}  // namespace tracelift::report::testing
