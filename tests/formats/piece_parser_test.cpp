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
