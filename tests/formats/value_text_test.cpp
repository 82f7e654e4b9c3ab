#include "tracelift/formats/value_text.hpp"

#include <gtest/gtest.h>

#include "dialects/support.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above

TEST(ShowText, SingleValues) {
    EXPECT_EQ(show_argument(std::nullopt), "None");
    EXPECT_EQ(show_text(Value()), "None");
    EXPECT_EQ(show_text(3), "3");
    EXPECT_EQ(show_text(1e-05), "1e-05");
    EXPECT_EQ(show_text("relu"), R"("relu")");
    EXPECT_EQ(show_text(Value::Enum{"DataType", "BFLOAT16"}), "DataType::BFLOAT16");
    EXPECT_EQ(show_text(Value::Object{"MeshDevice", "n150"}), "<MeshDevice n150>");
}

TEST(ShowText, Tensors) {
    EXPECT_EQ(show_text(tensor({1, 32}, "UINT32", "ROW_MAJOR", memory_config("INTERLEAVED", "DRAM"))),
              "Tensor(shape=[1, 32], dtype=UINT32, memory=DRAM_INTERLEAVED)");
    const Value cores = grid({range(core(0, 0), core(7, 5)), range(core(0, 6), core(0, 6))});
    EXPECT_EQ(show_text(memory_config("WIDTH_SHARDED", "L1", shard_spec(cores, 64, 32))),
              "MemoryConfig(L1_WIDTH_SHARDED, shard(shard_shape=[64, 32], grid=[(0,0)→(7,5), (0,6)→(0,6)], "
              "orientation=ROW_MAJOR))");
    EXPECT_EQ(show_text(memory_config("BLOCK_SHARDED", "L1", nd_shard_spec(cores, {1, 2, 3}))),
              "MemoryConfig(L1_BLOCK_SHARDED, shard(shard_shape=[1, 2, 3], grid=[(0,0)→(7,5), (0,6)→(0,6)], "
              "orientation=COL_MAJOR))");
}

TEST(ShowText, ListsAndRecordsAreShort) {
    EXPECT_EQ(show_text(Value::List{1, 2, 3, 4, 5}), "[1, 2, 3, 4, 5]");
    EXPECT_EQ(show_text(Value::List{"a", Value()}), R"(["a", None])");
    EXPECT_EQ(show_text(Value::List{"a", "b", "c", "d"}), "List(4 items)");
    EXPECT_EQ(show_text(Value::Dict{{"a", 1}, {"b", "x"}}), R"({a: 1, b: "x"})");
    const Value::Dict many = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}};
    EXPECT_EQ(show_text(many), "Dict(4 keys)");
    EXPECT_EQ(show_text(Value::Struct{"SomeConfig", many}), "{SomeConfig: Dict(4 keys)}");
    EXPECT_EQ(show_text(Value::Struct{"CoreCoord", {{"x", 1}, {"y", 2}}}), "{CoreCoord: {x: 1, y: 2}}");
    const Value inner = Value::Dict{{"c", Value::Dict{{"d", Value::Dict{{"e", 1}}}}}};
    EXPECT_EQ(show_text(Value::Dict{{"a", Value::Dict{{"b", inner}}}}), "{a: {b: {c: ...}}}");
}

TEST(ShowText, WhatCouldNotBeRead) {
    EXPECT_EQ(show_text(Value::Unparsed{R"({"arg0": {"Tensor":{"logical_shape":[1, 2],?)", "Expecting"}),
              "Tensor(shape=[1, 2], PARSE_ERROR)");
    EXPECT_EQ(show_text(Value::Unparsed{"?", std::string(60, 'e')}),
              "UnparsedElement(error: " + std::string(50, 'e') + "...)");
    EXPECT_EQ(show_text(Value::Unparsed{"[ unsupported type , X]", "unsupported type"}),
              R"("[ unsupported type , X]")");
}

TEST(ShowText, ArgumentOfTheRealMaster) {
    REQUIRE_MASTER(Json, master, "efficientnet_b0_format1.json");
    const auto arguments = read_arguments(master["operations"]["ttnn::sigmoid_accurate"]["configurations"][0]);
    EXPECT_EQ(show_argument(arguments[0]),
              "Tensor(shape=[1, 1, 12544, 32], dtype=BFLOAT8_B, memory=L1_HEIGHT_SHARDED, "
              "shard(shard_shape=[224, 32], grid=[(0,0)→(7,6)], orientation=ROW_MAJOR))");
    EXPECT_EQ(show_argument(arguments[1]), "1");
}

}  // namespace
}  // namespace tracelift
