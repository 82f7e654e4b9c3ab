#include "tracelift/sweep_report/neighbours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Value tensor(const std::vector<int64_t>& shape, const char* dtype = "BFLOAT16", const char* layout = "TILE",
             const char* buffer = "DRAM") {
    Value::List sizes;
    for (const int64_t size : shape) {
        sizes.emplace_back(size);
    }
    const Value memory = Value::Struct{"MemoryConfig",
                                       {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                        {"buffer_type", Value::Enum{"BufferType", buffer}},
                                        {"shard_spec", Value()}}};
    return Value::Struct{"Tensor",
                         {{"shape", sizes},
                          {"dtype", Value::Enum{"DataType", dtype}},
                          {"layout", Value::Enum{"Layout", layout}},
                          {"memory_config", memory}}};
}

BoundCall call(Value::Dict arguments) {
    return {.operation = "ttnn.x", .arguments = std::move(arguments), .bound = true, .note = {}};
}

// "path: passes / fails (cost)"
std::vector<std::string> texts(const std::vector<FieldDifference>& differences) {
    std::vector<std::string> list;
    for (const FieldDifference& each : differences) {
        list.push_back(each.path + ": " + each.passes + " / " + each.fails + " (" + std::to_string(each.cost) + ")");
    }
    return list;
}

std::vector<std::string> differences(const BoundCall& passing, const BoundCall& failing) {
    return texts(field_differences(passing, failing));
}

TEST(FieldDifferences, EqualCallsHaveNone) {
    EXPECT_THAT(differences(call({{"a", tensor({32, 32})}, {"dim", 1}}), call({{"dim", 1}, {"a", tensor({32, 32})}})),
                IsEmpty());
}

TEST(FieldDifferences, KindsOfATensorCostOneEach) {
    EXPECT_THAT(
        differences(call({{"a", tensor({32, 32})}}), call({{"a", tensor({32, 32}, "FLOAT32", "ROW_MAJOR", "L1")}})),
        ElementsAre("a.dtype: BFLOAT16 / FLOAT32 (1)", "a.layout: TILE / ROW_MAJOR (1)",
                    "a.memory_config.buffer_type: DRAM / L1 (1)"));
}

TEST(FieldDifferences, DimensionsAreCountedFromTheLast) {
    const auto shape_difference = [](const std::vector<int64_t>& passes, const std::vector<int64_t>& fails) {
        return differences(call({{"a", tensor(passes)}}), call({{"a", tensor(fails)}}));
    };
    EXPECT_THAT(shape_difference({1, 32, 64}, {1, 32, 48}), ElementsAre("a.shape: [1, 32, 64] / [1, 32, 48] (1)"));
    EXPECT_THAT(shape_difference({2, 32, 64}, {1, 32, 48}), ElementsAre("a.shape: [2, 32, 64] / [1, 32, 48] (2)"));
    EXPECT_THAT(shape_difference({32, 64}, {1, 32, 64}), ElementsAre("a.shape: [32, 64] / [1, 32, 64] (1)"));
}

TEST(FieldDifferences, ValuesCostTwoAndPresenceFour) {
    EXPECT_THAT(differences(call({{"dim", 1}, {"keep", true}}), call({{"dim", -1}, {"scale", 0.5}})),
                ElementsAre("dim: 1 / -1 (2)", "scale: not given / 0.5 (4)", "keep: true / not given (4)"));
}

TEST(FieldDifferences, WhatOnlyOneHasIsOneDifference) {
    const Value sharded = Value::Struct{"ShardSpec", {{"shape", Value::List{32, 32}}, {"mode", 1}}};
    const auto config = [](const Value& spec) { return Value(Value::Struct{"MemoryConfig", {{"shard_spec", spec}}}); };
    const auto found = field_differences(call({{"memory", config(sharded)}}), call({{"memory", config(Value())}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].path, "memory.shard_spec");
    EXPECT_EQ(found[0].fails, "none");
    EXPECT_EQ(found[0].cost, 4U);
}

TEST(FieldDifferences, ConfigsOfAnotherTypeAreOneDifference) {
    const Value one = Value::Struct{"OneConfig", {{"rows", 1}, {"columns", 2}}};
    const Value other = Value::Struct{"OtherConfig", {{"rows", 2}, {"columns", 3}}};
    const auto found = field_differences(call({{"config", one}}), call({{"config", other}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].path, "config");
    EXPECT_EQ(found[0].cost, 4U);
}

TEST(FieldDifferences, ListsOfTensorsAreComparedItemByItem) {
    const BoundCall passing = call({{"tensors", Value::List{tensor({32, 32}), tensor({32, 32})}}});
    const BoundCall failing = call({{"tensors", Value::List{tensor({32, 32}), tensor({32, 32}, "FLOAT32")}}});
    EXPECT_THAT(differences(passing, failing), ElementsAre("tensors[1].dtype: BFLOAT16 / FLOAT32 (1)"));
}

TEST(FieldDifferences, WhatACaptureLostIsLeftOut) {
    const Value lost = Value::Unparsed{"[ unsupported type , x ]", "unsupported type"};
    EXPECT_THAT(differences(call({{"a", tensor({32, 32})}, {"b", lost}}), call({{"a", tensor({32, 32})}})), IsEmpty());
}

TEST(NearestPassing, TheNearestComeFirstAndEqualOnesInTheirOrder) {
    const BoundCall failing = call({{"a", tensor({32, 32}, "BFLOAT16", "ROW_MAJOR")}, {"dim", 1}});
    const BoundCall far = call({{"a", tensor({32, 32})}});                 // layout, dim: 1 + 4
    const BoundCall near = call({{"a", tensor({32, 32})}, {"dim", 1}});    // layout: 1
    const BoundCall middle = call({{"a", tensor({32, 32})}, {"dim", 2}});  // layout, dim: 1 + 2
    const BoundCall also_near = call({{"a", tensor({64, 32}, "BFLOAT16", "ROW_MAJOR")}, {"dim", 1}});  // a dimension: 1
    const BoundCall* const passing[] = {&far, &near, &middle, &also_near};
    const auto found = nearest_passing(failing, passing, 3);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].call, &near);
    EXPECT_EQ(found[1].call, &also_near);
    EXPECT_EQ(found[2].call, &middle);
    EXPECT_EQ(found[0].distance, 1U);
    EXPECT_EQ(found[2].distance, 3U);
    EXPECT_THAT(texts(found[0].differences), ElementsAre("a.layout: TILE / ROW_MAJOR (1)"));
}

std::vector<std::string> paths(const std::vector<SeparatingField>& fields) {
    std::vector<std::string> list;
    for (const SeparatingField& field : fields) {
        list.push_back(field.path);
    }
    return list;
}

TEST(SeparatingFields, TheFieldThatSeparatesAllWithTheFewestValuesComesFirst) {
    const BoundCall failing1 = call({{"a", tensor({32, 64}, "BFLOAT16", "ROW_MAJOR")}, {"dim", 1}});
    const BoundCall failing2 = call({{"a", tensor({96, 64}, "FLOAT32", "ROW_MAJOR")}, {"dim", 0}});
    const BoundCall passing1 = call({{"a", tensor({32, 32})}, {"dim", 1}});
    const BoundCall passing2 = call({{"a", tensor({64, 32}, "BFLOAT8_B")}, {"dim", 1}});
    const BoundCall* const failing[] = {&failing1, &failing2};
    const BoundCall* const passing[] = {&passing1, &passing2};
    const auto found = separating_fields(failing, passing);
    // Of both: the layout (2 values), the shape (4). Of one: the dtype (4 values), dim (3).
    EXPECT_THAT(paths(found), ElementsAre("a.layout", "a.shape", "dim", "a.dtype"));
    EXPECT_EQ(found[0].apart, 2U);
    EXPECT_THAT(found[0].fails, ElementsAre(Pair("ROW_MAJOR", 2U)));
    EXPECT_THAT(found[0].passes, ElementsAre(Pair("TILE", 2U)));
    EXPECT_EQ(found[2].apart, 1U);
    EXPECT_THAT(found[2].fails, UnorderedElementsAre(Pair("0", 1U), Pair("1", 1U)));
}

TEST(SeparatingFields, ShapesThatDoNotFillTilesAreSeen) {
    const BoundCall failing1 = call({{"a", tensor({1, 32, 40})}});
    const BoundCall failing2 = call({{"a", tensor({2, 64, 72})}});
    const BoundCall passing1 = call({{"a", tensor({1, 32, 64})}});
    const BoundCall passing2 = call({{"a", tensor({2, 40, 96})}});
    const BoundCall* const failing[] = {&failing1, &failing2};
    const BoundCall* const passing[] = {&passing1, &passing2};
    const auto found = separating_fields(failing, passing);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].path, "a.shape[-1] % 32");
    EXPECT_THAT(found[0].fails, ElementsAre(Pair("8", 2U)));
    EXPECT_THAT(found[0].passes, ElementsAre(Pair("0", 2U)));
}

TEST(SeparatingFields, PartsOfWhatSeparatesAreLeftOut) {
    const Value config = Value::Struct{"ProgramConfig", {{"rows", 1}, {"columns", 2}}};
    const BoundCall failing1 = call({{"config", config}});
    const BoundCall passing1 = call({{"dim", 3}});
    const BoundCall* const failing[] = {&failing1};
    const BoundCall* const passing[] = {&passing1};
    const auto found = separating_fields(failing, passing);
    EXPECT_THAT(paths(found), UnorderedElementsAre("config", "dim"));
    EXPECT_THAT(found[0].fails.size() + found[0].passes.size(), 2U);
}

TEST(SeparatingFields, SoAreTheDimensionsOfATensorThatOnlySomeHave) {
    const BoundCall failing1 = call({{"a", tensor({32, 32})}});
    const BoundCall passing1 = call({{"a", tensor({32, 32})}, {"bias", tensor({1, 40})}});
    const BoundCall* const failing[] = {&failing1};
    const BoundCall* const passing[] = {&passing1};
    EXPECT_THAT(paths(separating_fields(failing, passing)), ElementsAre("bias"));
}

TEST(SeparatingFields, AValueThatAlsoPassesSeparatesNothing) {
    const BoundCall failing1 = call({{"a", tensor({32, 32})}, {"dim", 1}});
    const BoundCall passing1 = call({{"a", tensor({32, 32})}, {"dim", 2}});
    const BoundCall passing2 = call({{"a", tensor({64, 32})}, {"dim", 1}});
    const BoundCall* const failing[] = {&failing1};
    const BoundCall* const passing[] = {&passing1, &passing2};
    EXPECT_THAT(separating_fields(failing, passing), IsEmpty());
}

}  // namespace
}  // namespace tracelift
