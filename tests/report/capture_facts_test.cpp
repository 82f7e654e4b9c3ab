// How facts of a capture reach the database: failures, what was in memory before, pages, names of arguments, stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../graph/captured.hpp"
#include "case_file.hpp"
#include "sandbox.hpp"
#include "tracelift/report/check.hpp"
#include "ttnn/ops/eltwise/binary.hpp"
#include "ttnn/ops/eltwise/unary_math.hpp"

namespace tracelift::report::testing {
namespace {

using namespace ttnn::graph;
using ttnn::Tensor;
using ttnn::graph::testing::device_8x8;
using ttnn::graph::testing::l1_tiles;

class CaptureFacts : public ::testing::Test {
protected:
    // Captures, imports, and checks the rules of the database.
    void capture(const std::function<void()>& program) {
        GraphProcessor::begin_graph_capture(RunMode::NORMAL);
        program();
        GraphProcessor::end_graph_capture_to_file(sandbox_.in() / "report.json");
        import_file(sandbox_.in() / "report.json");
    }
    void import_file(const std::filesystem::path& path) {
        import_reports(sandbox_.options(path));
        Database database(sandbox_.database(), Database::Mode::READ);
        for (const Violation& violation : check_database(database).violations) {
            ADD_FAILURE() << violation.rule << " " << violation.count << " " << violation.example;
        }
    }
    std::string rows(const std::string& table, const std::string& columns) const {
        return rows_of(sandbox_.database(), table, columns);
    }
    int64_t integer(const std::string& query) const {
        return Database(sandbox_.database(), Database::Mode::READ).integer(query);
    }

    Sandbox sandbox_;
};

TEST_F(CaptureFacts, AFailedCallIsOneOfSeveralOperations) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    const Tensor odd = l1_tiles(device, {96, 96});
    std::string message;
    GraphProcessor::enable_stack_traces();
    capture([&] {
        const Tensor first = ttnn::exp(a);
        try {
            ttnn::add(a, odd);
        } catch (const ttnn::Error& error) {
            message = error.what();
        }
        const Tensor last = ttnn::tanh(a);
        GraphProcessor::disable_stack_traces();
    });
    EXPECT_THAT(rows("operations", "operation_id, name"),
                ::testing::StartsWith("(1, 'ttnn::exp') (2, 'ttnn::add') (3, 'ttnn::tanh')"));
    EXPECT_EQ(integer("SELECT COUNT(*) FROM output_tensors WHERE operation_id = 2"), 0);
    EXPECT_EQ(integer("SELECT COUNT(*) FROM output_tensors WHERE operation_id = 3"), 1);
    // As the viewer finds it: by id and name.
    EXPECT_EQ(integer("SELECT COUNT(*) FROM errors"), 1);
    EXPECT_EQ(integer("SELECT COUNT(*) FROM errors e JOIN operations o ON o.operation_id = e.operation_id AND o.name = "
                      "e.operation_name AND o.rank = e.rank"),
              1);
    Database database(sandbox_.database(), Database::Mode::READ);
    Statement error(database,
                    "SELECT error_message, error_operation, e.stack_trace, s.stack_trace FROM errors e JOIN "
                    "stack_traces s USING (operation_id)");
    ASSERT_TRUE(error.step());
    EXPECT_EQ(error.text(0), message);
    EXPECT_EQ(error.text(1), "ttnn::prim::binary");
    EXPECT_EQ(error.text(2), error.text(3));
    EXPECT_FALSE(error.text(2).empty());
}

// A report of the original: failed functions stay open, and what follows is recorded inside them.
TEST_F(CaptureFacts, AnErrorNodeOfTheOriginalEndsWhatWasLeftOpen) {
    const std::string nodes = R"x(
        {"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
        {"counter":1,"node_type":"function_start","params":{"name":"ttnn::add"},"connections":[2],"input_tensors":[],
         "stack_trace":["File \"model.py\", line 7, in forward"]},
        {"counter":2,"node_type":"function_start","params":{"name":"BinaryNgDeviceOperation"},"connections":[3,4]},
        {"counter":3,"node_type":"error","params":{"error_type":"exception","error_message":"Operation failed",
         "error_operation":"BinaryNgDeviceOperation"},"connections":[]},
        {"counter":4,"node_type":"function_start","params":{"name":"ttnn::tanh"},"connections":[5,8]},
        {"counter":5,"node_type":"function_start","params":{"name":"UnaryDeviceOperation"},"connections":[7]},
        {"counter":6,"node_type":"tensor","params":{"tensor_id":"9","shape":"Shape([1])"},"connections":[]},
        {"counter":7,"node_type":"function_end","params":{"name":"UnaryDeviceOperation"},"connections":[6]},
        {"counter":8,"node_type":"function_end","params":{"name":"ttnn::tanh"},"connections":[6],"duration_ns":5},
        {"counter":9,"node_type":"capture_end","params":{},"connections":[]})x";
    import_file(sandbox_.write("report.json", Sandbox::report(nodes)));
    EXPECT_EQ(rows("operations", "operation_id, name"), "(1, 'ttnn::add') (2, 'ttnn::tanh')");
    EXPECT_EQ(rows("output_tensors", "operation_id, output_index, tensor_id"), "(2, 0, 9)");
    EXPECT_EQ(rows("errors", "operation_id, error_type, error_message, error_operation, operation_name, stack_trace"),
              "(1, 'exception', 'Operation failed', 'BinaryNgDeviceOperation', 'ttnn::add', "
              "'File \"model.py\", line 7, in forward')");
    EXPECT_EQ(rows("functions", "name, depth, end_counter"),
              "('BinaryNgDeviceOperation', 1, NULL) ('ttnn::add', 0, NULL) ('UnaryDeviceOperation', 1, 7) "
              "('ttnn::tanh', 0, 8)");
}

TEST_F(CaptureFacts, AStrayFunctionEndHasNoNode) {
    const std::string nodes = R"(
        {"counter":0,"node_type":"capture_start","params":{},"connections":[]},
        {"counter":1,"node_type":"function_end","params":{"name":"ttnn::add"},"connections":[]},
        {"counter":2,"node_type":"capture_end","params":{},"connections":[]})";
    import_file(sandbox_.write("report.json", Sandbox::report(nodes)));
    EXPECT_EQ(rows("operations", "operation_id, name"), "(1, 'ttnn::add')");
    EXPECT_EQ(rows("nodes", "operation_id"), "(no rows)");
}

TEST_F(CaptureFacts, WhatWasInMemoryBeforeIsThereForEveryOperationItSpans) {
    const auto device = device_8x8();
    const Tensor weights = l1_tiles(device, {64, 64});
    Tensor old = l1_tiles(device, {32, 32});
    const auto old_address = static_cast<int64_t>(old.buffer_address());
    capture([&] {
        const Tensor first = ttnn::exp(weights);
        old = Tensor();
        const Tensor last = ttnn::exp(weights);
    });
    // exp, the free, exp; and the results are freed behind them.
    EXPECT_THAT(rows("operations", "name"), ::testing::StartsWith("('ttnn::exp') ('ttnn::deallocate') ('ttnn::exp')"));
    const auto spanned = [&](int64_t address, int last) {
        return integer("SELECT GROUP_CONCAT(operation_id, '') FROM buffers WHERE operation_id <= " +
                       std::to_string(last) + " AND address = " + std::to_string(address));
    };
    EXPECT_EQ(spanned(static_cast<int64_t>(weights.buffer_address()), 3), 123);
    EXPECT_EQ(spanned(old_address, 2), 1);  // the third may take its place
    EXPECT_EQ(integer("SELECT DISTINCT max_size_per_bank FROM buffers WHERE address = " +
                      std::to_string(weights.buffer_address())),
              2048);
}

TEST_F(CaptureFacts, PagesAreStoredForEveryOperationThatTheirBufferSpans) {
    const auto device = device_8x8();
    const Tensor weights = l1_tiles(device, {64, 64});
    int64_t short_lived = 0;
    GraphProcessor::enable_buffer_pages();
    capture([&] {
        {
            const Tensor first = ttnn::exp(weights);
            short_lived = static_cast<int64_t>(first.buffer_address());
        }
        const Tensor last = ttnn::tanh(weights);
        ttnn::exp(weights);
    });
    GraphProcessor::disable_buffer_pages();
    // Per operation the same buffers as in `buffers`, with a chunk per bank that holds pages.
    const std::string chunks = "SELECT operation_id, address FROM buffer_chunks";
    const std::string buffers = "SELECT operation_id, address FROM buffers WHERE buffer_type = 1";
    EXPECT_EQ(integer("SELECT COUNT(*) FROM (" + chunks + " EXCEPT " + buffers + ")"), 0);
    EXPECT_EQ(integer("SELECT COUNT(*) FROM (" + buffers + " EXCEPT " + chunks + ")"), 0);
    EXPECT_GE(integer("SELECT COUNT(DISTINCT operation_id) FROM buffer_chunks"), 3);
    EXPECT_EQ(integer("SELECT COUNT(*) FROM buffer_chunks WHERE operation_id = 1 AND address = " +
                      std::to_string(weights.buffer_address())),
              4);
    EXPECT_EQ(integer("SELECT SUM(chunk_size) FROM buffer_chunks WHERE operation_id = 1 AND address = " +
                      std::to_string(short_lived)),
              4 * 2048);
}

TEST_F(CaptureFacts, ArgumentsHaveTheirNames) {
    const auto device = device_8x8();
    const Tensor a = l1_tiles(device, {32, 32});
    capture([&] {
        ttnn::add(a, 2.5);
        ttnn::add(a, a);
    });
    EXPECT_EQ(rows("operation_arguments", "operation_id, name"),
              "(1, 'input_tensor_a') (1, 'input_tensor_b') (3, 'input_tensor_a') (3, 'input_tensor_b')");
    EXPECT_EQ(integer("SELECT COUNT(*) FROM operation_arguments WHERE name = 'input_tensor_a' AND value LIKE "
                      "'Tensor(storage=%'"),
              2);
}

}  // namespace
}  // namespace tracelift::report::testing
