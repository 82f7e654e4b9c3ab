#include "tracelift/cli/continuation.hpp"

#include <gtest/gtest.h>

namespace tracelift::cli {
namespace {

constexpr ArgumentInfo arguments[] = {{"OP", "operations", 0, any_number}};
constexpr OptionInfo options[] = {{"--all", {}, ""}, {"--resume", {}, ""}, {"--dir", "DIR", ""}, {"--model", "M", ""}};
const Command command{.name = "run", .help = "", .example = "", .arguments = arguments, .options = options};

TEST(Continuation, HasEveryOptionThatWasGiven) {
    const Options given(command, {{"--dir", "/a store/it's"}, {"--all", ""}}, {}, {});
    EXPECT_EQ(continuation("sweep run", given, {}), R"(tracelift sweep run --all --dir '/a store/it'\''s')");
}

TEST(Continuation, TakesOtherArgumentsAndFlags) {
    const Options given(command, {{"--dir", "s"}, {"--all", ""}, {"--resume", ""}}, {"gone"}, {});
    EXPECT_EQ(continuation("run", given, {"ttnn::add", "ttnn::mul"}, {"--all"}, {"--resume"}),
              "tracelift run ttnn::add ttnn::mul --dir s --resume");
}

TEST(Continuation, KeepsValuesThatLookLikeOptionsOrAreEmpty) {
    const Options given(command, {{"--dir", "-d"}, {"--model", ""}}, {}, {});
    EXPECT_EQ(continuation("run", given, {}), "tracelift run --dir=-d --model=");
}

TEST(Continuation, IsTheCommandAloneWhereNothingWasGiven) {
    EXPECT_EQ(continuation("opcheck", Options(command, {}, {}, {}), {}), "tracelift opcheck");
}

}  // namespace
}  // namespace tracelift::cli
