// Values of format 1, as the guide of the format shows them.
#include "tracelift/dialects/format1.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "tracelift/dialects/scalar_text.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above
using ::testing::HasSubstr;

Json tensor_json(const Json& alignment) {
    Json memory = {{"memory_layout", "TensorMemoryLayout::INTERLEAVED"},
                   {"buffer_type", "BufferType::DRAM"},
                   {"shard_spec", "std::nullopt"},
                   {"nd_shard_spec", "std::nullopt"},
                   {"created_with_nd_shard_spec", 0}};
    Json page = {{"config", {{"tile", {{"tile_shape", "{32, 32}"}, {"face_shape", "{16, 16}"}, {"num_faces", 4}}}}}};
    Json layout = {
        {"dtype", "DataType::BFLOAT16"}, {"page_config", page}, {"memory_config", memory}, {"alignment", alignment}};
    Json body = {{"storage", Json::object()},
                 {"tensor_spec", {{"logical_shape", {1, 1, 32, 64}}, {"tensor_layout", layout}}}};
    return {{"Tensor", body}};
}

Value::Struct plain_tensor(const std::string& layout) {
    return tensor({1, 1, 32, 64}, "BFLOAT16", layout, memory_config("INTERLEAVED", "DRAM"));
}

TEST(Format1, NumbersAreText) {
    EXPECT_EQ(read_one("1"), Value(1));
    EXPECT_EQ(read_one("-2"), Value(-2));
    EXPECT_EQ(read_one("0.125"), Value(0.125));
    EXPECT_EQ(read_one("1e-05"), Value(1e-05));
    EXPECT_EQ(read_one("1.0"), Value(1.0));
    EXPECT_EQ(read_one("-inf"), Value(-INFINITY));
    EXPECT_TRUE(std::isnan(*read_one("nan")->as<double>()));
    EXPECT_EQ(read_one("18446744073709551615"), Value("18446744073709551615"));
}

TEST(Format1, ListsOfNumbersAreText) {
    EXPECT_EQ(read_one("[3, 3]"), Value(Value::List{3, 3}));
    EXPECT_EQ(read_one("[]"), Value(Value::List{}));
    EXPECT_EQ(read_one("[[0, 0], [0, 13]]"), Value(Value::List{Value::List{0, 0}, Value::List{0, 13}}));
    EXPECT_EQ(read_one("[0.5, -1]"), Value(Value::List{0.5, -1}));
    EXPECT_EQ(read_one("[3, 3"), Value("[3, 3"));
    EXPECT_EQ(read_one("[18446744073709551615]"), Value("[18446744073709551615]"));
}

// Against a JSON parser: every short text of these letters is a list of ints exactly when JSON says so.
TEST(Format1, ListsOfIntsAreThoseOfJson) {
    static constexpr std::string_view letters = "0127-, []";
    int lists = 0;
    for (int length = 0; length <= 5; ++length) {
        const auto count = static_cast<size_t>(std::pow(letters.size(), length));
        for (size_t number = 0; number < count; ++number) {
            std::string inside;
            for (size_t i = 0, rest = number; i < static_cast<size_t>(length); ++i, rest /= letters.size()) {
                inside += letters[rest % letters.size()];
            }
            const std::string text = "[" + inside + "]";
            const Json json = Json::parse(text, nullptr, false);
            const std::optional<Value> read = read_one(text);
            const auto* list = read ? read->as<Value::List>() : nullptr;
            ASSERT_EQ(list != nullptr, !json.is_discarded()) << text;
            if (list != nullptr) {
                ++lists;
                ASSERT_EQ(Json::parse(text_of_number_list(*list)), json) << text;
            }
        }
    }
    EXPECT_GT(lists, 1000);
}

// Alignment that follows from the layout is left out, also of a tensor that no card could hold.
TEST(Format1, DefaultAlignmentsAreLeftOut) {
    Json json = tensor_json({1});
    Json& layout = json["Tensor"]["tensor_spec"]["tensor_layout"];
    layout["memory_config"]["memory_layout"] = "TensorMemoryLayout::HEIGHT_SHARDED";
    layout["memory_config"]["shard_spec"] = {{"grid", Json::array({{{"x", 0}, {"y", 0}}, {{"x", 0}, {"y", 0}}})},
                                             {"shape", "{32, 48}"},
                                             {"orientation", "ShardOrientation::ROW_MAJOR"}};
    const Value one_core = grid({range(core(0, 0), core(0, 0))});
    const Value memory = memory_config("HEIGHT_SHARDED", "DRAM", shard_spec(one_core, 32, 48));
    const Value::Struct expected = tensor({1, 1, 32, 64}, "BFLOAT16", "ROW_MAJOR", memory);
    EXPECT_EQ(read_one(json), with(expected, "alignment", Value::List{1}));
    layout["alignment"] = Json::array({48});
    EXPECT_EQ(read_one(json), Value(expected));
    EXPECT_EQ(read_arguments(write_arguments({Value(expected)}))[0], Value(expected));
}

TEST(Format1, AbsentArguments) {
    for (const Json& text : {Json("nullopt"), Json("std::nullopt"), Json("<nullopt>"), Json(nullptr),
                             Json("[ unsupported type , std::reference_wrapper<std::nullopt_t const>]")}) {
        EXPECT_EQ(read_one(text), std::nullopt) << text;
    }
}

TEST(Format1, EnumeratorsAndStrings) {
    EXPECT_EQ(read_one("DataType::BFLOAT8_B"), Value(Value::Enum{"DataType", "BFLOAT8_B"}));
    EXPECT_EQ(read_one("CACHE"), Value("CACHE"));
    EXPECT_EQ(read_one(R"("1")"), Value("1"));
}

TEST(Format1, WhatWasNotCapturedIsUnparsed) {
    const std::string device = "[ unsupported type , std::reference_wrapper<tt::tt_metal::distributed::MeshDevice*>]";
    EXPECT_EQ(read_one(device), Value(Value::Unparsed{device, "unsupported type"}));
    EXPECT_EQ(read_one({{"unsupported type", "X"}}),
              Value(Value::Unparsed{"[ unsupported type , X]", "unsupported type"}));
    EXPECT_EQ(read_one("[{...}, {...}]"), Value(Value::Unparsed{"[{...}, {...}]", "contents not captured"}));
    EXPECT_EQ(write_arguments({read_one(device)}), Json::array({{{"arg0", device}}}));
}

TEST(Format1, JsonNumbersFlagsAndListsAreAccepted) {
    EXPECT_EQ(read_one(3), Value(3));
    EXPECT_EQ(read_one(0.5), Value(0.5));
    EXPECT_EQ(read_one(true), Value(true));
    EXPECT_EQ(read_one(Json::array({1, 2})), Value(Value::List{1, 2}));
}

TEST(Format1, LayoutComesFromTheAlignment) {
    EXPECT_EQ(read_one(tensor_json({32, 32})), Value(plain_tensor("TILE")));
    EXPECT_EQ(read_one(tensor_json(Json::array({1}))), Value(plain_tensor("ROW_MAJOR")));
}

TEST(Format1, ExplicitLayoutAndStorageGoFirst) {
    Json json = tensor_json({32, 32});
    json["Tensor"]["layout"] = "Layout::ROW_MAJOR";
    json["Tensor"]["storage_type"] = "StorageType::HOST";
    Value::Struct expected = plain_tensor("ROW_MAJOR");
    expected.fields[3].value = Value::Enum{"StorageType", "HOST"};
    EXPECT_EQ(read_one(json), with(expected, "alignment", Value::List{32, 32}));
}

TEST(Format1, OtherAlignmentsAndTilesAreKept) {
    EXPECT_EQ(read_one(tensor_json({64, 64})), with(plain_tensor("TILE"), "alignment", Value::List{64, 64}));
    Json json = tensor_json({16, 32});
    json["Tensor"]["tensor_spec"]["tensor_layout"]["page_config"]["config"]["tile"]["tile_shape"] = "{16, 32}";
    EXPECT_EQ(read_one(json),
              with(plain_tensor("TILE"), "tile", Value::Struct{"Tile", {{"tile_shape", Value::List{16, 32}}}}));
}

TEST(Format1, ShardSpecThatTheConfigWasMadeWith) {
    const Json corner = {{"x", 0}, {"y", 0}};
    const Json end = {{"x", 7}, {"y", 0}};
    const Json spec = {{"grid", Json::array({corner, end})}, {"shape", {32, 64}}, {"orientation", "ROW_MAJOR"}};
    const Json nd = {{"shard_shape", {1, 32, 64}},
                     {"grid", Json::array({{{"start", corner}, {"end", end}}})},
                     {"orientation", "ShardOrientation::COL_MAJOR"},
                     {"shard_distribution_strategy", "ShardDistributionStrategy::ROUND_ROBIN_1D"}};
    Json config = {{"memory_layout", "TensorMemoryLayout::WIDTH_SHARDED"},
                   {"buffer_type", "BufferType::L1"},
                   {"shard_spec", spec},
                   {"nd_shard_spec", nd},
                   {"created_with_nd_shard_spec", 0}};
    const Value cores = grid({range(core(0, 0), core(7, 0))});
    EXPECT_EQ(read_one({{"MemoryConfig", config}}), memory_config("WIDTH_SHARDED", "L1", shard_spec(cores, 32, 64)));
    config["created_with_nd_shard_spec"] = 1;
    EXPECT_EQ(read_one({{"MemoryConfig", config}}),
              memory_config("WIDTH_SHARDED", "L1", nd_shard_spec(cores, {1, 32, 64})));
}

TEST(Format1, ShardedWithoutASpecIsAccepted) {
    const Json config = {{"memory_layout", "TensorMemoryLayout::WIDTH_SHARDED"},
                         {"buffer_type", "BufferType::L1"},
                         {"shard_spec", "std::nullopt"},
                         {"nd_shard_spec", "std::nullopt"},
                         {"created_with_nd_shard_spec", 0}};
    EXPECT_EQ(read_one({{"MemoryConfig", config}}), memory_config("WIDTH_SHARDED", "L1"));
}

TEST(Format1, ConfigurationRecords) {
    EXPECT_EQ(
        read_one(
            {{"WormholeComputeKernelConfig",
              {{"math_fidelity", "LoFi"}, {"math_approx_mode", 0}, {"throttle_level", "ThrottleLevel::NO_THROTTLE"}}}}),
        Value(Value::Struct{"WormholeComputeKernelConfig",
                            {{"math_fidelity", Value::Enum{"MathFidelity", "LoFi"}},
                             {"math_approx_mode", 0},
                             {"throttle_level", Value::Enum{"ThrottleLevel", "NO_THROTTLE"}}}}));
    EXPECT_EQ(
        read_one({{"MatmulMultiCoreReuseMultiCast1DProgramConfig",
                   {{"compute_with_storage_grid_size", {{"x", 8}, {"y", 7}}},
                    {"fused_activation", "std::nullopt"},
                    {"hop_cores", Json::object()}}}}),
        Value(Value::Struct{
            "MatmulMultiCoreReuseMultiCast1DProgramConfig",
            {{"compute_with_storage_grid_size", core(8, 7)}, {"fused_activation", {}}, {"hop_cores", grid({})}}}));
    EXPECT_EQ(read_one({{"Shape", {1, 1, 50176, 16}}}), Value(Value::List{1, 1, 50176, 16}));
}

TEST(Format1, UnknownRecordsAreKept) {
    EXPECT_EQ(read_one({{"Conv3dConfig", {{"stride", {1, 2}}, {"note", "x"}, {"inner", {{"a", 1}}}}}}),
              Value(Value::Struct{"Conv3dConfig",
                                  {{"stride", Value::List{1, 2}}, {"note", "x"}, {"inner", Value::Dict{{"a", 1}}}}}));
}

TEST(Format1, RecordThatLacksAFieldIsUnparsed) {
    const auto value = read_one({{"Tensor", {{"storage", Json::object()}}}});
    EXPECT_EQ(value, Value(Value::Unparsed{R"({"arg0":{"Tensor":{"storage":{}}}})", "no field 'tensor_spec'"}));
    EXPECT_EQ(read_arguments(write_arguments({value})), Arguments{value});

    Json json = tensor_json({32, 32});
    json["Tensor"]["tensor_spec"]["tensor_layout"]["dtype"] = "DataType::BF-LOAT16";
    const auto mistyped = read_one(json);
    ASSERT_NE(mistyped->as<Value::Unparsed>(), nullptr);
    EXPECT_EQ(mistyped->as<Value::Unparsed>()->reason, R"(expected a DataType, got "DataType::BF-LOAT16")");
}

TEST(Format1, WritesTheDocumentedGrammar) {
    const Value memory =
        memory_config("HEIGHT_SHARDED", "L1", shard_spec(grid({range(core(0, 0), core(7, 6))}), 224, 32));
    const Value value = tensor({1, 1, 12544, 32}, "BFLOAT8_B", "TILE", memory);
    EXPECT_EQ(
        write_arguments({value, std::nullopt, 1, true, 1.0, Value::List{1, -1}, "1"}).dump(),
        R"([{"arg0":{"Tensor":{"storage":{},"tensor_spec":{"logical_shape":[1,1,12544,32],"tensor_layout":{)"
        R"("dtype":"DataType::BFLOAT8_B","page_config":{"config":{"tile":{"tile_shape":"{32, 32}",)"
        R"("face_shape":"{16, 16}","num_faces":4}}},"memory_config":{)"
        R"("memory_layout":"TensorMemoryLayout::HEIGHT_SHARDED","buffer_type":"BufferType::L1","shard_spec":{)"
        R"("grid":[{"x":0,"y":0},{"x":7,"y":6}],"shape":"{224, 32}","orientation":"ShardOrientation::ROW_MAJOR"},)"
        R"("nd_shard_spec":"std::nullopt","created_with_nd_shard_spec":0},"alignment":[32,32]}},)"
        R"("storage_type":"StorageType::DEVICE","layout":"Layout::TILE"}}},{"arg1":"nullopt"},{"arg2":"1"},)"
        R"({"arg3":"1"},{"arg4":"1.0"},{"arg5":"[1, -1]"},{"arg6":"\"1\""}])");
}

TEST(Format1, WritingARecordThatLacksAFieldThrows) {
    EXPECT_THAT(
        [] {
            write_arguments({Value::Struct{"Tensor", {}}});
        },
        ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("no field")));
}

void expect_malformed(const Json& list, const std::string& message) {
    EXPECT_THAT([&] { read_arguments(list); }, ::testing::ThrowsMessage<std::invalid_argument>(message)) << list;
}

TEST(Format1, MalformedListsNameThePlace) {
    const Json good = {{"arg0", "1"}};
    expect_malformed("text", "expected a list of arguments, got a string");
    expect_malformed(Json::array({good, 5}), "argument 1: expected an object, got a int");
    expect_malformed(Json::array({{{"arg0", "1"}, {"arg1", "2"}}}), "argument 0: expected one key, got 2");
    expect_malformed(Json::array({good, {{"argX", "1"}}}), R"(argument 1: expected the key "arg1", got "argX")");
    expect_malformed(Json::array({good, {{"arg0", "1"}}}), R"(argument 1: expected the key "arg1", got "arg0")");
    expect_malformed(Json::array({{{"UnparsedElement", "x"}}}),
                     R"(argument 0: UnparsedElement without the string "element_info")");
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    expect_malformed(Json::array({{{"arg0", Json::parse(deep)}}}), "argument 0: nested deeper than 64 levels");
}

}  // namespace
}  // namespace tracelift
