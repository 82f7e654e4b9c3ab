// What must hold for the table of every declared operation.
#include <set>

#include <gtest/gtest.h>

#include "ttnn/check/case_maker.hpp"
#include "ttnn/device/device.hpp"
#include "ttnn/op/op_info.hpp"

namespace ttnn {
namespace {

using tracelift::Value;

template <class Check>
void for_every_declaration(Check check) {
    ASSERT_FALSE(all_operations().empty());
    for (const OpInfo* op : all_operations()) {
        for (const OpInfo* form = op; form != nullptr; form = form->next_overload) {
            SCOPED_TRACE(form->name);
            check(*form);
        }
    }
}

TEST(Declarations, EveryOneIsJudgedOrSaysWhyNot) {
    size_t judged = 0, excused = 0;
    for_every_declaration([&](const OpInfo& op) {
        EXPECT_NE(op.is_judged(), !op.no_reference.empty());
        ++(op.is_judged() ? judged : excused);
    });
    EXPECT_GT(judged, 20 * excused);
    EXPECT_EQ(find_operation("rand")->no_reference, "random numbers: tests look at range, mean and repetition");
}

TEST(Declarations, FieldNamesArePlainIdentifiersAndUnique) {
    for_every_declaration([](const OpInfo& op) {
        std::set<std::string_view> seen;
        for (const FieldInfo& field : op.fields) {
            EXPECT_EQ(field.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                      std::string_view::npos)
                << field.name;
            EXPECT_FALSE(field.name.empty());
            EXPECT_TRUE(seen.insert(field.name).second) << field.name;
        }
    });
}

TEST(Declarations, RequiredPositionalsComeFirstAndKeywordOnlyLast) {
    for_every_declaration([](const OpInfo& op) {
        bool optional_seen = false;
        bool keyword_seen = false;
        for (const FieldInfo& field : op.fields) {
            if (field.keyword_only()) {
                keyword_seen = true;
                continue;
            }
            EXPECT_FALSE(keyword_seen) << field.name << " is positional after a keyword-only one";
            EXPECT_FALSE(optional_seen && field.required()) << field.name << " is required after an optional one";
            optional_seen = optional_seen || !field.required();
        }
    });
}

TEST(Declarations, HaveDocumentation) {
    for_every_declaration([](const OpInfo& op) { EXPECT_FALSE(op.doc.empty()); });
}

TEST(Declarations, ACallSurvivesEncodingAndDecoding) {
    const auto device = Device::open();
    const DecodeContext context{.device = device, .make_tensor = {}};
    size_t calls = 0;
    for_every_declaration([&](const OpInfo& op) {
        if (op.cases == nullptr) {
            return;
        }
        for (const Combination combination :
             {Combination{}, Combination{DataType::INT32, Layout::TILE, MemoryKind::DRAM},
              Combination{DataType::BFLOAT16, Layout::ROW_MAJOR, MemoryKind::DRAM},
              Combination{DataType::BFLOAT8_B, Layout::TILE, MemoryKind::HEIGHT_SHARDED}}) {
            CaseMaker maker(op, device, combination);
            try {
                op.cases(maker);
            } catch (const std::runtime_error&) {  // this combination cannot be expressed
            }
            for (const AnyParams& params : maker.take()) {
                const Value::Dict encoded = encode_call(op, params.data());
                const AnyParams decoded = decode_call(op, {}, encoded, context);
                EXPECT_EQ(Value(encode_call(op, decoded.data())), Value(encoded)) << Value(encoded).to_text();
                ++calls;
            }
        }
    });
    EXPECT_GT(calls, 0U);
}

TEST(Declarations, DecodingNamesTheArgumentAndWhatItExpects) {
    const OpInfo* op = find_operation("ttnn::composite_example");
    ASSERT_NE(op, nullptr);
    const DecodeContext context{.device = Device::open(), .make_tensor = {}};
    const auto message = [&](const std::vector<Value>& positional, const Value::Dict& keywords) -> std::string {
        try {
            decode_call(*op, positional, keywords, context);
        } catch (const DecodeError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message({}, {}), "ttnn.composite_example: argument 'input_tensor' is missing");
    EXPECT_EQ(message({Value(7)}, {}),
              "ttnn.composite_example: argument 'input_tensor' (#0): expected a Tensor, got int 7");
    EXPECT_NE(message({}, {{"inptu", Value(7)}}).find("has no argument 'inptu'"), std::string::npos);
    EXPECT_NE(message({Value(1), Value(2)}, {}).find("takes at most 1 arguments, got 2"), std::string::npos);
}

TEST(Registry, FindsEverySpellingAndSuggestsNearNames) {
    EXPECT_EQ(find_operation("composite_example"), find_operation("ttnn::composite_example"));
    EXPECT_EQ(find_operation("ttnn.composite_example"), find_operation("ttnn::composite_example"));
    EXPECT_EQ(find_operation("composite_exampel"), nullptr);
    EXPECT_EQ(nearest_operations("composite_exampel").front(), "ttnn.composite_example");
}

}  // namespace
}  // namespace ttnn
