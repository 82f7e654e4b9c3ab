// The value forms of format 2 and of parameter files.
#include "tracelift/dialects/format2_values.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "value/random_value.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above

Value read(std::string_view json) { return read_python_value(parse_json(json)); }

TEST(PythonValues, TensorOfAMaster) {
    const Value value = read(R"({"type": "ttnn.Tensor", "original_shape": [1, 1, 32, 256],
        "original_dtype": "DataType.BFLOAT16", "layout": "Layout.TILE", "storage_type": "StorageType.DEVICE",
        "memory_config": {"memory_layout": "TensorMemoryLayout.WIDTH_SHARDED", "buffer_type": "BufferType.L1",
            "shard_spec": {"grid": [{"start": {"x": 0, "y": 0}, "end": {"x": 7, "y": 0}}], "shape": [32, 32],
                           "orientation": "ROW_MAJOR"}, "is_sharded": true, "interleaved": false,
            "hash": 18378510643766246984},
        "tensor_placement": {"placement": "['PlacementShard(2)', 'PlacementShard(1)']",
                             "distribution_shape": "[4, 8]", "mesh_device_shape": "[4, 8]"}})");
    const Value memory =
        memory_config("WIDTH_SHARDED", "L1", shard_spec(grid({range(core(0, 0), core(7, 0))}), 32, 32));
    EXPECT_EQ(value, with(tensor({1, 1, 32, 256}, "BFLOAT16", "TILE", memory), "tensor_placement",
                          Value::Dict{{"placement", "['PlacementShard(2)', 'PlacementShard(1)']"},
                                      {"distribution_shape", "[4, 8]"},
                                      {"mesh_device_shape", "[4, 8]"}}));
}

// The documented names are short, and the mesh stands where masters have the placement.
TEST(PythonValues, TensorOfAParameterFile) {
    const Value value = read(R"({"type": "ttnn.Tensor", "shape": [8], "dtype": "bfloat16", "layout": "ROW_MAJOR",
        "storage_type": "DEVICE_STORAGE", "memory_config": {"memory_layout": "INTERLEAVED", "buffer_type": "DRAM",
        "shard_spec": "None"}, "mesh_device": {"placements": ["PlacementReplicate"], "distribution_shape": [2],
        "shape": [1, 2], "device_ids": [0, 1]}})");
    EXPECT_EQ(value,
              with(tensor({8}, "BFLOAT16", "ROW_MAJOR", memory_config("INTERLEAVED", "DRAM")), "tensor_placement",
                   Value::Dict{{"placement", "['PlacementReplicate']"},
                               {"distribution_shape", "[2]"},
                               {"mesh_device_shape", "[1, 2]"}}));
}

Value read_typed(const char* type, const char* key, const Json& text) {
    return read(Json{{"type", type}, {key, text}}.dump());
}

TEST(PythonValues, ShardSpecAsText) {
    const Value expected =
        memory_config("HEIGHT_SHARDED", "L1",
                      shard_spec(grid({range(core(0, 0), core(7, 2)), range(core(0, 3), core(1, 3))}), 32, 64));
    const auto with_ranges = [](const std::string& ranges) {
        const std::string text =
            "ShardSpec{grid=[" + ranges + "], shape=[32, 64], orientation=ShardOrientation::ROW_MAJOR}";
        return read(Json{
            {"memory_layout", "TensorMemoryLayout.HEIGHT_SHARDED"},
            {"buffer_type", "BufferType.L1"},
            {"shard_spec",
             text}}.dump());
    };
    EXPECT_EQ(
        with_ranges(R"({"start":{"x":0,"y":0},"end":{"x":7,"y":2}}, {"start":{"x":0,"y":3},"end":{"x":1,"y":3}})"),
        expected);
    // Older text lacks the closing brace of each range.
    EXPECT_EQ(with_ranges(R"({"start":{"x":0,"y":0},"end":{"x":7,"y":2}, {"start":{"x":0,"y":3},"end":{"x":1,"y":3})"),
              expected);
}

TEST(PythonValues, TypedObjects) {
    EXPECT_EQ(read_typed("DataType", "repr", "DataType.BFLOAT8_B"), Value(Value::Enum{"DataType", "BFLOAT8_B"}));
    EXPECT_EQ(read_typed("Shape", "value", "Shape([1, 1, 8, 1])"), Value(Value::List{1, 1, 8, 1}));
    EXPECT_EQ(read_typed("Tile", "value", "Tile with shape: [32, 16]"),
              Value(Value::Struct{"Tile", {{"tile_shape", Value::List{32, 16}}}}));
    EXPECT_EQ(
        read(Json{{"type", "MeshDevice"}, {"repr", "MeshDevice(4x8 grid, 32 devices)"}, {"shape", {4, 8}}}.dump()),
        Value(Value::Object{"MeshDevice", "MeshDevice(4x8 grid, 32 devices)"}));
    EXPECT_EQ(read_typed("set", "value", "{MeshCoordinate([2, 2]), MeshCoordinate([0, 1])}"),
              Value(Value::Struct{"set", {{"value", "{MeshCoordinate([0, 1]), MeshCoordinate([2, 2])}"}}}));
    EXPECT_EQ(read_typed("int", "value", -1), Value(-1));
    EXPECT_EQ(read_typed("SDPAProgramConfig", "value",
                         "SDPAProgramConfig(compute_with_storage_grid_size=8-8, sub_core_grids=std::nullopt, "
                         "q_chunk_size=0, k_chunk_size=32, exp_approx_mode=false, max_cores_per_head_batch=16)"),
              Value(Value::Struct{"SDPAProgramConfig",
                                  {{"compute_with_storage_grid_size", Value::List{8, 8}},
                                   {"sub_core_grids", Value()},
                                   {"q_chunk_size", 0},
                                   {"k_chunk_size", 32},
                                   {"exp_approx_mode", false},
                                   {"max_cores_per_head_batch", 16}}}));
    EXPECT_EQ(
        read_typed("LayerNormShardedMultiCoreProgramConfig", "value",
                   "LayerNormShardedMultiCoreProgramConfig(compute_with_storage_grid_size=(x=4,y=7),subblock_w=1)"),
        Value(Value::Struct{"LayerNormShardedMultiCoreProgramConfig",
                            {{"compute_with_storage_grid_size", core(4, 7)}, {"subblock_w", 1}}}));
}

TEST(PythonValues, PlainValuesStayWhatTheyAre) {
    EXPECT_EQ(read("1"), Value(1));
    EXPECT_EQ(read("1.0"), Value(1.0));
    EXPECT_EQ(read("18378510643766246984"), Value(Value::Object{"uint64", "18378510643766246984"}));
    EXPECT_EQ(read("\"-inf\""), Value(-INFINITY));
    EXPECT_EQ(read("-Infinity"), Value(-INFINITY));
    EXPECT_EQ(read(R"({"a": [null, true, "x"]})"), Value(Value::Dict{{"a", Value::List{Value(), true, "x"}}}));
}

TEST(PythonValues, WhatLacksAPartKeepsItsTextAndSaysWhy) {
    const Value value = read(R"({"type": "ttnn.Tensor", "layout": "Layout.TILE"})");
    ASSERT_NE(value.as<Value::Unparsed>(), nullptr);
    EXPECT_EQ(value.as<Value::Unparsed>()->text, R"({"type":"ttnn.Tensor","layout":"Layout.TILE"})");
    EXPECT_NE(value.as<Value::Unparsed>()->reason.find("shape"), std::string::npos);
}

TEST(PythonValues, WhatIsWrittenReadsBackTheSame) {
    test::RandomValue random(11);
    for (int i = 0; i < 3000; ++i) {
        const Value value = random.make();
        const std::string text = write_python_value(value).dump();
        ASSERT_EQ(read(text), value) << text;
    }
}

}  // namespace
}  // namespace tracelift
