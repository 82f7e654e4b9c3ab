// What a parser remembers of earlier configurations changes nothing in later ones.
#include "tracelift/formats/piece_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracelift {
namespace {

class PieceParserTest : public ::testing::Test {
protected:
    CallView call(std::string_view arguments) {
        MasterPiece piece;
        piece.operation = "ttnn::add";
        piece.text = piece.arguments = arguments;
        return parser_.call(piece).call;
    }

    PieceParser parser_;
};

TEST_F(PieceParserTest, TheSameTextElsewhereIsJudgedByItsPlace) {
    EXPECT_EQ(*call(R"([{"arg0": "7"}])").positional[0], Value(7));
    try {
        call(R"([{"arg0": "7"}, {"arg0": "7"}])");
        FAIL() << "the second key is wrong";
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("argument 1: expected the key \"arg1\", got \"arg0\""));
    }
    EXPECT_EQ(*call(R"([{"arg0": "7"}, {"arg1": "8"}])").positional[1], Value(8));
}

TEST_F(PieceParserTest, TheLastOfEqualKeysCounts) {
    const CallView read = call(R"({"arg0": 1, "dim": 2, "arg0": 3, "dim": 4})");
    ASSERT_EQ(read.positional.size(), 1U);
    EXPECT_EQ(*read.positional[0], Value(3));
    ASSERT_EQ(read.keywords.size(), 1U);
    EXPECT_EQ(*read.keywords[0].value, Value(4));
}

TEST_F(PieceParserTest, BrokenTextIsNotRemembered) {
    for (int again = 0; again < 2; ++again) {
        EXPECT_THROW(call(R"({"arg0": nonsense})"), std::invalid_argument);
        EXPECT_THROW(call(R"([{"arg0": nonsense}])"), std::invalid_argument);
    }
}

// Tensors that differ in their shape alone are made of one another: a parser that has seen all the others says of each
// what a new one says, also where the shape is not one, or not the only one.
TEST_F(PieceParserTest, ShapesAreTheirOwn) {
    const std::string layout =
        R"({"dtype": "DataType::BFLOAT16", "memory_config": {"memory_layout": "TensorMemoryLayout::INTERLEAVED",)"
        R"( "buffer_type": "BufferType::DRAM"}, "alignment": [32, 32]})";
    const std::string damaged =
        R"([{"UnparsedElement": {"error": "x", "element_info": "{\"arg0\": {\"Tensor\":{\"tensor_spec\":)"
        R"({\"logical_shape\":SHAPE,\"tensor_layout\":{\"dtype\":\"DataType::BFLOAT16\",\"memory_config\":)"
        R"({\"memory_layout\":\"TensorMemoryLayout::HEIGHT_SHARDED\",\"buffer_type\":\"BufferType::L1\",)"
        R"(\"shard_spec\":{\"grid\":[{\"x\":0,\"y\":0} - {\"x\":7,\"y\":7}],\"shape\":\"{224, 224}\",)"
        R"(\"orientation\":\"ShardOrientation::ROW_MAJOR\"}},\"alignment\":[1]}}}}"}}])";
    const std::string python =
        R"("layout": "Layout.TILE", "original_dtype": "DataType.BFLOAT16", "memory_config": null, "type": "ttnn.Tensor"})";
    const std::string texts[] = {
        R"([{"arg0": {"Tensor": {"tensor_spec": {"logical_shape": SHAPE, "tensor_layout": )" + layout + "}}}}]",
        R"([{"arg0": {"Tensor": {"tensor_spec": {"tensor_layout": )" + layout + R"(, "logical_shape":SHAPE}}}}])",
        R"([{"arg0": {"Tensor": {"tensor_spec": {"logical_shape": SHAPE, "logical_shape": [7, 8], "tensor_layout": )" +
            layout + "}}}}]",
        R"([{"arg1": {"Tensor": {"tensor_spec": {"logical_shape": SHAPE, "tensor_layout": )" + layout + "}}}}]",
        R"([{"arg0": {"Shape": SHAPE}}, {"arg1": {"logical_shape": SHAPE}}])",
        damaged,
        R"({"arg0": {"original_shape": SHAPE, )" + python + "}",
        R"({"arg0": {"original_shape": SHAPE, "original_shape": [7, 8], )" + python + "}",
        R"({"a": [{"original_shape": SHAPE, )" + python + R"(, {"original_shape": [5], )" + python + "]}",
        R"({"arg0": {"original_shape": SHAPE, "type": "ttnn.Tensor"}})"};
    const auto told = [](PieceParser& parser, const std::string& text) {
        MasterPiece piece;
        piece.operation = "ttnn::add";
        piece.text = piece.arguments = text;
        try {
            return as_stored(parser.call(piece).call, {}).arguments;
        } catch (const std::exception& error) {
            return Value::Dict{{"error", error.what()}};
        }
    };
    int tensors = 0;
    for (int round = 0; round < 2; ++round) {
        for (const char* shape : {"[1, 2, 32, 64]",
                                  "[7, 8]",
                                  "[3]",
                                  "[32,64]",
                                  "[\n 5,\n 6 ]",
                                  "[0, 4]",
                                  "[]",
                                  "[01, 2]",
                                  "[-1, 2]",
                                  "[1.5]",
                                  "[1, ]",
                                  "[1 2]",
                                  "[9223372036854775808]",
                                  "[4294967296, 2]",
                                  "\"[1, 2]\"",
                                  "7",
                                  "null",
                                  "[[1, 2]]",
                                  "[1, 2",
                                  "{}",
                                  "[1, \"2\"]"}) {
            for (std::string text : texts) {
                for (size_t at = text.find("SHAPE"); at != text.npos; at = text.find("SHAPE")) {
                    text.replace(at, 5, shape);
                }
                PieceParser fresh;
                const Value::Dict expected = told(fresh, text);
                EXPECT_EQ(told(parser_, text), expected) << text;
                const auto* record = expected.front().value.as<Value::Struct>();
                tensors += record != nullptr && record->type == "Tensor" ? 1 : 0;
            }
        }
    }
    EXPECT_GT(tensors, 60);
}

// More than it keeps, and texts longer than it keeps: all come out as they are.
TEST_F(PieceParserTest, ForgettingLosesNothing) {
    const std::string filler(8000, 'x');
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 700; ++i) {
            const std::string text = filler + std::to_string(i);
            EXPECT_EQ(*call(R"({"arg0": ")" + text + R"("})").positional[0], Value(text));
        }
    }
    const std::string longest(100'000, 'y');
    EXPECT_EQ(*call(R"({"arg0": ")" + longest + R"(", "arg1": 1})").positional[0], Value(longest));
}

}  // namespace
}  // namespace tracelift
