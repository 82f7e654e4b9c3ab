// The serializer over random values of every record that is declared, and of those that stand in them: what is read is
// what was written, and decodes to the same parameters.
#include "tracelift/dialects/serializer.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tracelift/base/json_text.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "ttnn/op/parameter_types.hpp"
#include "ttnn/op/record_types.hpp"
#include "ttnn/op/unary_op_type.hpp"

namespace tracelift {
namespace {

std::string written(const Value& value) {
    JsonText json;
    SerializerSink sink(json);
    emit(value, sink);
    return std::move(json.buffer());
}

Value there_and_back(const Value& value) { return read_call_value(parse_json(written(value))); }

class RandomFields {
public:
    explicit RandomFields(uint32_t seed) : random_(seed) {}

    int64_t number(int64_t most) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(most + 1)); }
    bool flag() { return number(1) == 1; }

    template <class E>
    Value member() {
        const auto& members = ttnn::EnumInfo<E>::members;
        const auto index = static_cast<size_t>(number(static_cast<int64_t>(std::size(members)) - 1));
        return Value::Enum{std::string(ttnn::EnumInfo<E>::type), std::string(members[index].name)};
    }
    Value core() { return Value::Struct{"CoreCoord", {{"x", number(7)}, {"y", number(7)}}}; }
    Value range(int64_t column) {
        const int64_t top = number(3);
        const auto corner = [&](int64_t y) { return Value::Struct{"CoreCoord", {{"x", column}, {"y", y}}}; };
        return Value::Struct{"CoreRange", {{"start", corner(top)}, {"end", corner(top + number(4))}}};
    }
    Value range_set() {
        Value::List ranges;
        for (int64_t column = number(3); column < 8; column += 1 + number(3)) {
            ranges.push_back(range(column));
        }
        return Value::Struct{"CoreRangeSet", {{"ranges", std::move(ranges)}}};
    }
    Value activation() {
        Value::Struct unary{"UnaryWithParam", {{"op_type", member<ttnn::UnaryOpType>()}}};
        if (flag()) {
            unary.fields.push_back({"params", Value::List{static_cast<double>(number(64)) / 8}});
        }
        return unary;
    }
    Value memory_config() {
        Value::Struct config{"MemoryConfig",
                             {{"memory_layout", Value::Enum{"TensorMemoryLayout", "HEIGHT_SHARDED"}},
                              {"buffer_type", member<ttnn::BufferType>()}}};
        if (flag()) {
            config.fields.push_back({"shard_spec", Value::Struct{"ShardSpec",
                                                                 {{"grid", range_set()},
                                                                  {"shape", Value::List{number(64), number(64)}},
                                                                  {"orientation", member<ttnn::ShardOrientation>()}}}});
        } else if (flag()) {
            config.fields.push_back(
                {"nd_shard_spec",
                 Value::Struct{"NdShardSpec",
                               {{"shard_shape", Value::List{number(64), number(64), number(64)}},
                                {"grid", range_set()},
                                {"orientation", member<ttnn::ShardOrientation>()},
                                {"shard_distribution_strategy", member<ttnn::ShardDistributionStrategy>()}}}});
        }
        return config;
    }

    // Null for a type that this test does not know.
    Value of_type(std::string_view type) {
        if (type == "bool") {
            return flag();
        }
        if (type == "int") {
            return number(1000);
        }
        if (type == "CoreCoord") {
            return core();
        }
        if (type == "CoreRangeSet") {
            return range_set();
        }
        if (type == "UnaryWithParam") {
            return activation();
        }
        if (type == "str | UnaryWithParam") {
            return flag() ? Value("gelu") : activation();
        }
        if (type == "tuple[int, int, int]") {
            return Value::List{number(9), number(9), number(9)};
        }
        return member_of_type<ttnn::MathFidelity, ttnn::ThrottleLevel, ttnn::DataType, ttnn::Layout,
                              ttnn::TensorMemoryLayout, ttnn::Op2DSliceType>(type);
    }

private:
    // Of the enum with this name; null where it is none of them.
    template <class... Enums>
    Value member_of_type(std::string_view type) {
        Value value;
        (void)((ttnn::EnumInfo<Enums>::type == type && (value = member<Enums>(), true)) || ...);
        return value;
    }

    std::mt19937 random_;
};

TEST(Serializer, EveryDeclaredRecordComesBack) {
    RandomFields random(1);
    ASSERT_GE(ttnn::record_types().size(), 11U);
    for (const ttnn::RecordType& type : ttnn::record_types()) {
        for (int round = 0; round < 50; ++round) {
            Value::Struct record{std::string(type.name), {}};
            for (const ttnn::FieldInfo& field : *type.fields) {
                Value value = random.of_type(ttnn::type_name_of(field));
                ASSERT_FALSE(value.is_null()) << type.name << "." << field.name << ": no values of this type here";
                record.fields.push_back({std::string(field.name), std::move(value)});
            }
            const Value value = record;
            EXPECT_EQ(there_and_back(value), value) << written(value);
            EXPECT_TRUE(written(value).starts_with("{\"__type__\":\"ttnn." + record.type + "\""));
        }
    }
}

TEST(Serializer, GeometryAndMemoryConfigsComeBack) {
    RandomFields random(2);
    for (int round = 0; round < 200; ++round) {
        for (const Value& value :
             {random.core(), random.range(3), random.range_set(), random.activation(), random.memory_config()}) {
            EXPECT_EQ(there_and_back(value), value) << written(value);
            const Value nested = Value::Dict{{"a", Value::List{value, 1}}};
            EXPECT_EQ(there_and_back(nested), nested) << written(nested);
        }
    }
}

TEST(Serializer, MeshesTellTheirShape) {
    EXPECT_EQ(written(Value::Object{"MeshDevice", "n150"}), R"({"__type__":"ttnn.MeshDevice","mesh_shape":[1,1]})");
    EXPECT_EQ(written(Value::Object{"MeshDevice", "[4, 8]"}), R"({"__type__":"ttnn.MeshDevice","mesh_shape":[4, 8]})");
    EXPECT_EQ(there_and_back(Value::Object{"MeshDevice", "[4, 8]"}), Value(Value::Object{"MeshDevice", "[4, 8]"}));
    // A text that is no shape is not written as one.
    const Value hostile = Value::Object{"MeshDevice", "[1], 'x': [2]"};
    EXPECT_EQ(written(hostile), R"({"__type__":"ttnn.MeshDevice","mesh_shape":[1,1]})");
}

TEST(Serializer, UnknownObjectsSayWhy) {
    const Value shown = parse_json(written(Value::Object{"m.Thing", "Thing(1)"}));
    EXPECT_EQ(shown, Value(Value::Dict{{"__type__", "repr"},
                                       {"value", "Thing(1)"},
                                       {"type", "m.Thing"},
                                       {"reason", "a value of this type cannot be rebuilt from its text"}}));
}

TEST(Serializer, RecordsThatLackSomethingStayText) {
    const Value read = read_call_value(parse_json(R"({"__type__": "ttnn.TensorRef", "shape": [1], "dtype": 3})"));
    ASSERT_NE(read.as<Value::Unparsed>(), nullptr) << read.to_text();
    EXPECT_EQ(read.as<Value::Unparsed>()->reason, "expected a DataType, got 3");
}

}  // namespace
}  // namespace tracelift
