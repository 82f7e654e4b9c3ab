// Calls of declarations with more parameters than a machine word has bits.
#include "ttnn/op/bind.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ttnn/op/parameter_types.hpp"

namespace ttnn {
namespace {

using tracelift::Value;

constexpr size_t count = 70;
using Numbers = std::array<int64_t, count>;

// The first and the last field must be given; the others are 0.
struct LongDeclaration {
    explicit LongDeclaration(size_t fields = count) {
        for (size_t i = 0; i < fields; ++i) {
            names.push_back("field_" + std::to_string(i));
        }
        for (size_t i = 0; i < fields; ++i) {
            const bool required = i == 0 || i + 1 == fields;
            FieldInfo& field = op.fields.emplace_back();
            field.name = names[i];
            field.offset = static_cast<uint32_t>(i * sizeof(int64_t));
            field.flags = required ? uint8_t{kRequired} : uint8_t{0};
            field.type = &type_info<int64_t>();
        }
        op.name = "ttnn.long";
        op.params_size = sizeof(Numbers);
        op.params_align = alignof(Numbers);
        op.defaults = &defaults;
        op.copy_params = [](void* to, const void* from) { new (to) Numbers(*static_cast<const Numbers*>(from)); };
        op.destroy_params = [](void*) {};
    }

    Numbers defaults{};
    std::vector<std::string> names;
    OpInfo op;
};

const Numbers& numbers_of(const AnyParams& params) { return *static_cast<const Numbers*>(params.data()); }

TEST(ManyFields, AreAllGivenByPosition) {
    const LongDeclaration declaration;
    std::vector<Value> values;
    for (size_t i = 0; i < count; ++i) {
        values.emplace_back(static_cast<int64_t>(i) + 1);
    }
    const AnyParams params = decode_call(declaration.op, values, {}, {});
    for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(numbers_of(params)[i], static_cast<int64_t>(i) + 1);
    }
}

TEST(ManyFields, AreGivenByName) {
    const LongDeclaration declaration;
    const AnyParams params = decode_call(declaration.op, {Value(int64_t{7})},
                                         {{"field_69", Value(int64_t{8})}, {"field_64", Value(int64_t{9})}}, {});
    EXPECT_EQ(numbers_of(params)[0], 7);
    EXPECT_EQ(numbers_of(params)[64], 9);
    EXPECT_EQ(numbers_of(params)[69], 8);
    EXPECT_EQ(numbers_of(params)[5], 0);
}

TEST(ManyFields, AreMissedAndGivenTwiceByName) {
    const LongDeclaration declaration;
    std::string why;
    EXPECT_FALSE(try_decode_call(declaration.op, {Value(int64_t{7})}, {}, {}, why));
    EXPECT_EQ(why, "ttnn.long: argument 'field_69' is missing");
    // Field 64 is not field 0.
    EXPECT_FALSE(try_decode_call(declaration.op, {}, {{"field_64", Value(int64_t{1})}, {"field_69", Value(int64_t{1})}},
                                 {}, why));
    EXPECT_EQ(why, "ttnn.long: argument 'field_0' is missing");
    EXPECT_FALSE(try_decode_call(declaration.op, std::vector<Value>(count, Value(int64_t{1})),
                                 {{"field_66", Value(int64_t{1})}}, {}, why));
    EXPECT_EQ(why, "ttnn.long: argument 'field_66' is given twice");
}

TEST(ManyFields, HaveALimit) {
    EXPECT_NO_THROW(required_fields(LongDeclaration(most_fields).op));
    EXPECT_THROW(required_fields(LongDeclaration(most_fields + 1).op), Error);
}

}  // namespace
}  // namespace ttnn
