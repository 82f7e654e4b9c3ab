// The damage that captures of format 1 do to their texts, and what it must be read as.
#include "tracelift/dialects/repair.hpp"

#include <gtest/gtest.h>

#include "dialects/support.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above

std::string sharded_config(const std::string& cores) {
    return R"({"memory_layout":"TensorMemoryLayout::WIDTH_SHARDED","buffer_type":"BufferType::L1","shard_spec":{"grid":)" +
           cores +
           R"(,"shape":"{64, 32}","orientation":"ShardOrientation::ROW_MAJOR"},"nd_shard_spec":"std::nullopt",)"
           R"("created_with_nd_shard_spec":0})";
}

TEST(Repair, DashBetweenCornersOfARange) {
    EXPECT_EQ(repaired_text(R"("grid":[{"x":0,"y":0} - {"x":7,"y":6}])"), R"("grid":[{"x":0,"y":0}, {"x":7,"y":6}])");
    const auto value =
        read_unparsed(R"({"arg0": {"MemoryConfig":)" + sharded_config(R"([{"x":0,"y":0} - {"x":5,"y":0}])") + "}}");
    EXPECT_EQ(value, memory_config("WIDTH_SHARDED", "L1", shard_spec(grid({range(core(0, 0), core(5, 0))}), 64, 32)));
}

TEST(Repair, BracesAroundSeveralRanges) {
    for (const std::string more : {"", R"(, [{"x":3,"y":7} - {"x":4,"y":7}])"}) {
        const auto value = read_unparsed(
            R"({"arg2": {"MemoryConfig":)" +
                sharded_config(R"({[{"x":0,"y":0} - {"x":7,"y":5}], [{"x":0,"y":6} - {"x":0,"y":6}])" + more + "}") +
                "}}",
            2);
        Value::List ranges = {range(core(0, 0), core(7, 5)), range(core(0, 6), core(0, 6))};
        if (!more.empty()) {
            ranges.push_back(range(core(3, 7), core(4, 7)));
        }
        EXPECT_EQ(value, memory_config("WIDTH_SHARDED", "L1", shard_spec(grid(ranges), 64, 32)));
    }
}

TEST(Repair, OpaqueBodies) {
    EXPECT_EQ(read_unparsed(R"({"arg0": {"Topology":{...}}})"), Value(Value::Object{"Topology", "..."}));
    EXPECT_EQ(read_unparsed(R"({"arg1": {"GlobalSemaphore":{...}}})", 1),
              Value(Value::Object{"GlobalSemaphore", "..."}));
}

TEST(Repair, PairsWithoutBrackets) {
    EXPECT_EQ(repaired_text(R"({"a":1,"b":2})"), R"({"a":1,"b":2})");
    const auto value = read_unparsed(
        R"({"arg0": {"SDPAProgramConfig":{"compute_grid":8,8, "q_chunk_size":64, "exp_approx_mode":"std::nullopt"}}})");
    EXPECT_EQ(value,
              Value(Value::Struct{
                  "SDPAProgramConfig",
                  {{"compute_with_storage_grid_size", core(8, 8)}, {"q_chunk_size", 64}, {"exp_approx_mode", {}}}}));
}

TEST(Repair, QuotedArraysOfTensors) {
    const std::string body =
        R"({"storage":{},"tensor_spec":{"logical_shape":[1, 32],"tensor_layout":{"dtype":"DataType::BFLOAT16",)"
        R"("memory_config":{"memory_layout":"TensorMemoryLayout::INTERLEAVED","buffer_type":"BufferType::DRAM",)"
        R"("shard_spec":"std::nullopt","nd_shard_spec":"std::nullopt","created_with_nd_shard_spec":0},)"
        R"("alignment":[32, 32]}}})";
    const Value one = tensor({1, 32}, "BFLOAT16", "TILE", memory_config("INTERLEAVED", "DRAM"));
    EXPECT_EQ(read_unparsed(R"({"arg0": "[)" + body + ", " + body + R"(]"})"), Value(Value::List{one, one}));
}

TEST(Repair, BareEnumerators) {
    EXPECT_EQ(repaired_text(R"({"storage_type":StorageType::HOST,"layout":"Layout::TILE"})"),
              R"({"storage_type":"StorageType::HOST","layout":"Layout::TILE"})");
}

TEST(Repair, HopelessTextIsKeptWithItsReason) {
    const std::string text = R"({"arg0": {"Tensor":{"logical_shape":[1, 2],"x":<?>}}})";
    EXPECT_EQ(read_unparsed(text), Value(Value::Unparsed{text, "Expecting ',' delimiter"}));
    EXPECT_EQ(readable_shape(text), Value(Value::List{1, 2}));
    EXPECT_EQ(readable_shape("[1, 2]"), std::nullopt);
    EXPECT_EQ(readable_shape(R"("logical_shape":)"), std::nullopt);
}

TEST(Repair, TextOfAnotherArgumentIsKept) {
    const auto value = read_unparsed(R"({"arg4": {"Topology":{...}}})", 1);
    ASSERT_NE(value->as<Value::Unparsed>(), nullptr);
    EXPECT_EQ(value->as<Value::Unparsed>()->reason, R"(expected the key "arg1", got "arg4")");
}

TEST(Repair, DamagedTextsNeverThrow) {
    const std::string text =
        R"({"arg0": {"Tensor":{"storage":{},"a":8,8, "g":{"grid":{[{"x":0,"y":0} - {"x":7,"y":5}]}},"t":A::B,"o":{...}}}})";
    for (size_t length = 0; length <= text.size(); ++length) {
        EXPECT_TRUE(read_unparsed(text.substr(0, length)).has_value()) << text.substr(0, length);
    }
}

}  // namespace
}  // namespace tracelift
