#include "tracelift/cli/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/cli/commands.hpp"

namespace tracelift::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// Without the help behind the tab.
std::vector<std::string> words(const std::vector<std::string>& typed) {
    std::vector<std::string> found;
    for (const std::string& line : candidates(typed)) {
        found.push_back(line.substr(0, line.find('\t')));
    }
    return found;
}

TEST(Completion, OffersEveryCommandWithItsHelp) {
    EXPECT_EQ(candidates({""}).size(), all_commands().size());
    for (const Command* command : all_commands()) {
        EXPECT_THAT(candidates({std::string(command->name)}),
                    Contains(std::string(command->name) + "\t" + std::string(command->help)));
    }
    EXPECT_THAT(words({"s"}), ElementsAre("show", "stats", "sql", "sweep", "selfcheck", "shrink", "select"));
}

TEST(Completion, FollowsCommandsIntoTheirCommands) {
    EXPECT_THAT(words({"sweep", ""}), ElementsAre("run", "generate", "merge", "results", "compare"));
    EXPECT_THAT(words({"--dir", "x", "report", "e"}), ElementsAre("errors"));
    EXPECT_THAT(words({"report", "import", "--re"}), ElementsAre("--replace", "--repeated-inputs"));
    EXPECT_THAT(words({"--v"}), ElementsAre("--version"));
}

TEST(Completion, OffersTheValuesOfAnOption) {
    EXPECT_THAT(words({"convert", "a", "b", "--format", ""}), ElementsAre("1", "2", "jsonl", "csv"));
    EXPECT_THAT(words({"trace", "--via", "p"}), ElementsAre("params"));
    EXPECT_THAT(words({"select", "-o", ""}), ElementsAre(":files"));
    EXPECT_THAT(words({"show", "--limit", ""}), ElementsAre("all"));
    EXPECT_THAT(words({"opcheck", "--board", "n15"}), Contains("n150"));
}

TEST(Completion, OffersArguments) {
    EXPECT_THAT(words({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
    EXPECT_THAT(words({"describe", "softm"}), Contains("softmax"));
    EXPECT_THAT(words({"import", ""}), ElementsAre(":files"));
    EXPECT_THAT(words({"boards", ""}), IsEmpty());
    EXPECT_THAT(words({"trace", "x", "--", ""}), ElementsAre(":files"));
}

}  // namespace
}  // namespace tracelift::cli
