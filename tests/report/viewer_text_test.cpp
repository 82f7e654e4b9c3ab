// Texts of captures of every era in the forms that the viewer's parsers take.
#include "tracelift/report/viewer_text.hpp"

#include <regex>

#include <gtest/gtest.h>

#include "case_file.hpp"
#include "sandbox.hpp"
#include "ttnn/tensor/memory_config.hpp"

namespace tracelift::report::testing {
namespace {

TEST(ViewerText, DtypesHaveTheNameOfTheirEnum) {
    for (const std::string_view text : {"bfloat16", "BFLOAT16", "DataType::BFLOAT16", "DataType.BFLOAT16"}) {
        EXPECT_EQ(viewer_dtype(text), "DataType.BFLOAT16") << text;
    }
    EXPECT_EQ(viewer_dtype("bfloat8_b"), "DataType.BFLOAT8_B");
    EXPECT_EQ(viewer_dtype("torch.bfloat16"), "torch.bfloat16");
    EXPECT_EQ(viewer_dtype("a::strange"), "a.strange");
    EXPECT_EQ(viewer_dtype(""), "");
    EXPECT_EQ(viewer_layout("TILE"), "Layout.TILE");
    EXPECT_EQ(viewer_layout("Layout::ROW_MAJOR"), "Layout.ROW_MAJOR");
    EXPECT_EQ(viewer_layout("torch.strided"), "torch.strided");
}

TEST(ViewerText, AShardSpecInBracesGetsParentheses) {
    EXPECT_EQ(
        viewer_memory_config(
            R"x(MemoryConfig(memory_layout=TensorMemoryLayout::BLOCK_SHARDED,buffer_type=BufferType::L1,shard_spec=)x"
            R"x(ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":7,"y":3}}], shape=[64, 32], )x"
            R"x(orientation=ShardOrientation::ROW_MAJOR},nd_shard_spec={"shard_shape":[64, 32],"grid":[]},)x"
            R"x(created_with_nd_shard_spec=0))x"),
        R"x(MemoryConfig(memory_layout=TensorMemoryLayout::BLOCK_SHARDED,buffer_type=BufferType::L1,shard_spec=)x"
        R"x(ShardSpec(grid={[(x=0,y=0) - (x=7,y=3)]},shape={64, 32},orientation=ShardOrientation::ROW_MAJOR,halo=0),)x"
        R"x(nd_shard_spec={"shard_shape":[64, 32],"grid":[]},created_with_nd_shard_spec=0))x");
}

// What the runtime itself prints, through an expression of what the viewer takes.
TEST(ViewerText, EveryShardedConfigOfTheRuntimeIsParsed) {
    const std::regex taken(
        R"x(MemoryConfig\(memory_layout=[A-Za-z_:]+,.*shard_spec=ShardSpec\(grid=\{(\[.*?\])\},shape=\{(\d+), (\d+)\},)x"
        R"x(orientation=ShardOrientation::([A-Z_]+),halo=(\d+)\).*\))x");
    using ttnn::CoreRange;
    const ttnn::CoreRangeSet two(std::vector<CoreRange>{CoreRange({0, 0}, {7, 2}), CoreRange({0, 3}, {3, 3})});
    for (const auto layout : {ttnn::TensorMemoryLayout::HEIGHT_SHARDED, ttnn::TensorMemoryLayout::WIDTH_SHARDED,
                              ttnn::TensorMemoryLayout::BLOCK_SHARDED}) {
        const ttnn::MemoryConfig config(layout, ttnn::BufferType::L1,
                                        ttnn::ShardSpec{two, {96, 64}, ttnn::ShardOrientation::COL_MAJOR});
        std::smatch found;
        const std::string text = viewer_memory_config(config.to_string());
        ASSERT_TRUE(std::regex_match(text, found, taken)) << text;
        EXPECT_EQ(found[1], "[(x=0,y=0) - (x=7,y=2)], [(x=0,y=3) - (x=3,y=3)]");
        EXPECT_EQ(found[2], "96");
        EXPECT_EQ(found[3], "64");
        EXPECT_EQ(found[4], "COL_MAJOR");
    }
}

TEST(ViewerText, OtherTextsStay) {
    for (const std::string_view text :
         {"", "nullopt", "ShardSpec{", "ShardSpec{shape=[1], orientation=X}", "ShardSpec{grid=[1], shape=[2, 3], ",
          "MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=std::"
          "nullopt)"}) {
        EXPECT_EQ(viewer_memory_config(text), text);
    }
    EXPECT_EQ(viewer_flag("true"), "1");
    EXPECT_EQ(viewer_flag("false"), "0");
    EXPECT_EQ(viewer_flag("1"), "1");
}

TEST(ViewerText, BytesOfATensorAreThoseOfItsTiles) {
    EXPECT_EQ(tensor_bytes("Shape([1, 1, 32, 64])", "bfloat16", "TILE"), 4096);
    EXPECT_EQ(tensor_bytes("ttnn.Shape([3, 33, 1])", "DataType::FLOAT32", "Layout::TILE"), 3 * 64 * 32 * 4);
    EXPECT_EQ(tensor_bytes("Shape([64, 64])", "bfloat8_b", "TILE"), 4 * 1088);
    EXPECT_EQ(tensor_bytes("Shape([3, 5])", "uint32", "ROW_MAJOR"), 60);
    EXPECT_EQ(tensor_bytes("Shape([])", "uint8", "ROW_MAJOR"), 1);
    EXPECT_EQ(tensor_bytes("Shape([4])", "torch.bfloat16", "torch.strided"), std::nullopt);
    EXPECT_EQ(tensor_bytes("Shape([9000000000, 9000000000])", "uint32", "ROW_MAJOR"), std::nullopt);
    EXPECT_EQ(tensor_bytes("", "bfloat16", "TILE"), std::nullopt);
}

// The same, in the rows of a report.
class ViewerRowsTest : public ::testing::Test {
protected:
    static constexpr const char* nodes = R"x(
        {"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
        {"counter":1,"node_type":"function_start","params":{"name":"ttnn::a"},"connections":[2,5],"input_tensors":[],
         "arguments":["MemoryConfig(shard_spec=ShardSpec{grid=[{\"start\":{\"x\":0,\"y\":0},\"end\":{\"x\":1,\"y\":0}], shape=[32, 32], orientation=ShardOrientation::ROW_MAJOR})"]},
        {"counter":2,"node_type":"buffer","params":{"size":"8192","type":"L1","layout":"HEIGHT_SHARDED"},"connections":[6]},
        {"counter":3,"node_type":"buffer_allocate","params":{"size":"8192","type":"L1","layout":"HEIGHT_SHARDED","address":"64","page_size":"2048","num_cores":"2","device_id":"0"},"connections":[2]},
        {"counter":4,"node_type":"circular_buffer_allocate","params":{"address":"0","size":"64","globally_allocated":"true","core_range_set":"{}"},"connections":[]},
        {"counter":5,"node_type":"function_end","params":{"name":"ttnn::a"},"connections":[6]},
        {"counter":6,"node_type":"tensor","params":{"tensor_id":"7","address":"64","device_id":"0","shape":"Shape([64, 64])","dtype":"bfloat16","layout":"TILE","buffer_type":"L1"},"connections":[]},
        {"counter":7,"node_type":"capture_end","params":{},"connections":[]})x";

    std::string rows(const std::string& table, const std::string& columns) const {
        return rows_of(sandbox_.database(), table, columns);
    }
    Sandbox sandbox_;
};

TEST_F(ViewerRowsTest, AreInTheViewersForms) {
    import_reports(sandbox_.options(sandbox_.write("report.json", Sandbox::report(nodes))));
    EXPECT_EQ(rows("buffers", "max_size_per_bank, buffer_layout"), "(4096, 2)");
    EXPECT_EQ(rows("tensors", "tensor_id, dtype, layout, size"), "(7, 'DataType.BFLOAT16', 'Layout.TILE', 8192)");
    EXPECT_EQ(rows("operation_arguments", "value"),
              "('MemoryConfig(shard_spec=ShardSpec(grid={[(x=0,y=0) - (x=1,y=0)]},shape={32, "
              "32},orientation=ShardOrientation::ROW_MAJOR,halo=0))')");
    const std::string graph = rows("captured_graph", "captured_graph");
    EXPECT_NE(graph.find(R"("globally_allocated": "1")"), graph.npos) << graph;
    EXPECT_NE(graph.find(R"("dtype": "DataType.BFLOAT16")"), graph.npos) << graph;
    EXPECT_NE(graph.find(R"("max_size_per_bank": "4096")"), graph.npos) << graph;
}

// By hand: 2 x 2 tiles of bfloat16 are 8192 bytes, 1 x 2 tiles of float32 too; a padded sharded buffer is larger than
// its tensor; a freed place says nothing of who comes next.
TEST_F(ViewerRowsTest, SizesAreThoseOfWholeTensorsUnderBothRules) {
    const char* tensors = R"x(
        {"counter":0,"node_type":"capture_start","params":{},"connections":[1]},
        {"counter":1,"node_type":"function_start","params":{"name":"ttnn::a"},"connections":[2,11],"input_tensors":[2,4,5,6,10,12,13]},
        {"counter":2,"node_type":"tensor","params":{"tensor_id":"1","address":"64","device_id":"0","shape":"Shape([40, 33])","dtype":"bfloat16","layout":"TILE"},"connections":[1]},
        {"counter":3,"node_type":"buffer","params":{"size":"12288","type":"L1","layout":"HEIGHT_SHARDED"},"connections":[2]},
        {"counter":4,"node_type":"tensor","params":{"tensor_id":"2","address":"128","device_id":"0","shape":"Shape([40, 33])","dtype":"bfloat16","layout":"TILE"},"connections":[1]},
        {"counter":5,"node_type":"tensor","params":{"tensor_id":"3","shape":"Shape([3, 5])","dtype":"uint32","layout":"ROW_MAJOR"},"connections":[1]},
        {"counter":6,"node_type":"tensor","params":{"tensor_id":"4","shape":"Shape([4])","dtype":"torch.bfloat16","layout":"torch.strided"},"connections":[1]},
        {"counter":7,"node_type":"buffer","params":{"size":"4096","type":"L1","layout":"INTERLEAVED"},"connections":[]},
        {"counter":8,"node_type":"buffer_allocate","params":{"size":"4096","type":"L1","address":"256","device_id":"0"},"connections":[7]},
        {"counter":9,"node_type":"buffer_deallocate","params":{"size":"0","type":"L1","device_id":"0"},"connections":[7]},
        {"counter":10,"node_type":"tensor","params":{"tensor_id":"5","address":"256","device_id":"0","shape":"Shape([1, 64])","dtype":"float32","layout":"TILE"},"connections":[1]},
        {"counter":11,"node_type":"buffer_allocate","params":{"size":"2048","type":"DRAM","address":"512","device_id":"0"},"connections":[]},
        {"counter":12,"node_type":"tensor","params":{"tensor_id":"6","address":"512","device_id":"1","shape":"Shape([64, 64])","dtype":"bfloat16","layout":"TILE"},"connections":[1]},
        {"counter":13,"node_type":"tensor","params":{"tensor_id":"7","address":"512","device_id":"0","shape":"Shape([1, 1])","dtype":"bfloat16","layout":"TILE"},"connections":[1]},
        {"counter":14,"node_type":"function_end","params":{"name":"ttnn::a"},"connections":[]},
        {"counter":15,"node_type":"capture_end","params":{},"connections":[]})x";
    for (const Rules rules : {Rules::R, Rules::S}) {
        ImportOptions options = sandbox_.options(sandbox_.write("report.json", Sandbox::report(tensors)));
        options.rules = rules;
        options.existing = Existing::REPLACE;
        import_reports(options);
        const bool is_r = rules == Rules::R;  // which inserts host tensors when they are used
        EXPECT_EQ(rows("tensors", "tensor_id, size"),
                  is_r ? "(1, 12288) (2, 8192) (5, 8192) (6, 8192) (7, 2048) (3, 60) (4, NULL)"
                       : "(1, 12288) (2, 8192) (3, 60) (4, NULL) (5, 8192) (6, 8192) (7, 2048)");
    }
}

TEST_F(ViewerRowsTest, LayoutNumbersOfTheImportersAreStillThere) {
    ImportOptions options = sandbox_.options(sandbox_.write("report.json", Sandbox::report(nodes)));
    options.layout_numbers = LayoutNumbers::IMPORTERS;
    import_reports(options);
    EXPECT_EQ(rows("buffers", "buffer_layout"), "(1)");
    options.rules = Rules::S;
    options.layout_numbers = LayoutNumbers::VIEWER;
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_EQ(rows("buffers", "buffer_layout"), "(1)");
}

// Nothing is labelled as what it is not, and the viewer has no label for these.
TEST_F(ViewerRowsTest, ALayoutWithoutALabelIsNone) {
    std::string unknown = nodes;
    for (size_t at = unknown.find("HEIGHT_SHARDED"); at != unknown.npos; at = unknown.find("HEIGHT_SHARDED")) {
        unknown.replace(at, 14, "UNKNOWN");
    }
    const std::string listed =
        R"x(, "per_operation_buffers": {"1": [{"device_id":0,"address":1,"max_size_per_bank":8,"buffer_type":1,)x"
        R"x("buffer_layout":5},{"device_id":0,"address":2,"max_size_per_bank":8,"buffer_type":1,"buffer_layout":4}]})x";
    ImportOptions options = sandbox_.options(sandbox_.write("report.json", Sandbox::report(unknown)));
    import_reports(options);
    EXPECT_EQ(rows("buffers", "buffer_layout"), "(NULL)");
    options.inputs = {sandbox_.write("listed.json", Sandbox::report(unknown, listed))};
    options.existing = Existing::REPLACE;
    import_reports(options);
    EXPECT_EQ(rows("buffers", "address, buffer_layout"), "(1, NULL) (2, 4)");
}

}  // namespace
}  // namespace tracelift::report::testing
