// A text that spells a number which JSON lacks stays a text, and the number a number, in every dialect.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tracelift/dialects/call_line.hpp"
#include "tracelift/dialects/format1.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/dialects/serializer.hpp"
#include "tracelift/value/bytes.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift {
namespace {

struct Dialect {
    const char* name;
    Value (*round_trip)(const Value& value);
};

Value through_format2(const Value& value) { return read_python_value(parse_json(write_python_value(value).dump())); }

Value through_format1(const Value& value, Typing typing) {
    return read_arguments(parse_json(write_arguments({value}, typing).dump())).at(0).value_or(Value());
}

Value through_a_parameter_file(const Value& value) {
    const std::string text = parameter_text({"ttnn.x", {}, {value}, {}, {}}, 1, "20260115_104616_345678");
    return read_param_file(text, "test").call.positional.at(0).value_or(Value());
}

Value through_a_line(const Value& value) {
    JsonText json;
    SerializerSink sink(json);
    emit(value, sink);
    const std::string line = fmt::format(R"({{"op_name":"ttnn.x","inputs":[{}],"kwargs":{{}}}})", json.buffer());
    return read_call_line(line, "test").call.positional.at(0).value_or(Value());
}

const Dialect dialects[] = {
    {"Format1", [](const Value& value) { return through_format1(value, Typing::DECLARED); }},
    {"Format1WithoutADeclaration", [](const Value& value) { return through_format1(value, Typing::OWN); }},
    {"Format2", through_format2},
    {"ParameterFile", through_a_parameter_file},
    {"Line", through_a_line},
    {"Json", [](const Value& value) { return from_json(Json::parse(to_json(value).dump())); }},
};

class NonFiniteText : public ::testing::TestWithParam<Dialect> {};

std::string bytes_of(const Value& value) {
    ByteWriter writer;
    emit(value, writer);
    return writer.take();
}

TEST_P(NonFiniteText, TextsAndNumbersStayApart) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<Value> leaves = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
    for (const auto* text : {"inf", "-inf", "Infinity", "-Infinity", "nan", "NaN"}) {
        leaves.emplace_back(text);
    }
    for (const Value& leaf : leaves) {
        for (const Value& value : {leaf, Value(Value::List{leaf, 1}), Value(Value::Dict{{"a", leaf}, {"b", 1}})}) {
            const Value back = GetParam().round_trip(value);
            EXPECT_EQ(bytes_of(back), bytes_of(value)) << value.to_text() << " became " << back.to_text();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dialects, NonFiniteText, ::testing::ValuesIn(dialects),
                         [](const auto& dialect) { return std::string(dialect.param.name); });

// Records whose only member is called as the text of a described object is.
TEST(NonFiniteTextOfFormat2, TheMemberOfARecordKeepsItsType) {
    for (const auto* type : {"int", "float", "bool", "str", "Foo", "set", "MeshDevice", "dict", "object", "record"}) {
        for (const auto* key : {"value", "repr", "type", "x"}) {
            for (const Value& member : {Value("-inf"), Value(-INFINITY), Value("nan"), Value(1), Value(true),
                                        Value(Value::List{"-inf"}), Value(fmt::format("{}.x", type))}) {
                const Value value = Value::Struct{type, {{key, member}}};
                EXPECT_EQ(bytes_of(through_format2(value)), bytes_of(value)) << write_python_value(value).dump();
            }
        }
    }
    for (const auto* json : {R"({"type": "int", "value": "-inf"})", R"({"type": "bool", "repr": "nan"})",
                             R"({"type": "Foo", "value": "-inf"})", R"({"type": "Foo", "value": -Infinity})"}) {
        const Value value = read_python_value(parse_json(json));
        EXPECT_EQ(bytes_of(through_format2(value)), bytes_of(value)) << json;
    }
    EXPECT_EQ(read_python_value(parse_json(R"({"type": "str", "value": "-inf"})")), Value("-inf"));
}

}  // namespace
}  // namespace tracelift
