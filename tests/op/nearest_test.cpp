#include "ttnn/op/nearest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ttnn/op/edit_distance.hpp"
#include "ttnn/op/op_info.hpp"

namespace ttnn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> operations{"add",     "addcmul", "experimental.add", "max",       "moreh.softmax",
                                          "sigmoid", "sign",    "sigmoid_accurate", "softmax",   "tanh",
                                          "trace",   "linear",  "layer_norm",       "group_norm"};

TEST(NearestNames, BeginningsComeBeforePartsAndPartsBeforeMisspellings) {
    EXPECT_THAT(nearest_names("soft", operations), ElementsAre("softmax", "moreh.softmax"));
    EXPECT_THAT(nearest_names("norm", operations), ElementsAre("group_norm", "layer_norm"));
    EXPECT_THAT(nearest_names("addc", operations), ElementsAre("addcmul", "add", "experimental.add"));
    EXPECT_THAT(nearest_names("ad", operations), ElementsAre("add", "experimental.add", "addcmul"));
}

TEST(NearestNames, MisspelledNamesFindWholeNamesAndBeginningsOfLongerOnes) {
    EXPECT_THAT(nearest_names("sigmod", operations), ElementsAre("sigmoid", "sigmoid_accurate"));
    const std::vector<std::string> only_long{"add", "mul", "sigmoid_accurate", "sum"};
    EXPECT_THAT(nearest_names("sigmod", only_long), ElementsAre("sigmoid_accurate"));
    EXPECT_THAT(nearest_names("sofmax", operations), ElementsAre("softmax", "moreh.softmax"));
    EXPECT_THAT(nearest_names("linaer", operations), ElementsAre("linear"));
}

TEST(NearestNames, CaseDoesNotMatterAndFarNamesAreNotSuggested) {
    EXPECT_THAT(nearest_names("SoftMax", operations), ElementsAre("softmax", "moreh.softmax"));
    EXPECT_THAT(nearest_names("convolution", operations), IsEmpty());
    EXPECT_THAT(nearest_names("", operations), IsEmpty());
    EXPECT_THAT(nearest_names("x", {}), IsEmpty());
}

TEST(NearestNames, SwappedLettersAreOneMistake) {
    EXPECT_EQ(edit_distance("trcae", "trace"), 1);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(NearestNames, DeclaredOperationsAreFoundFromEitherSpelling) {
    EXPECT_EQ(nearest_operations("sigmod").front(), "ttnn.sigmoid");
    EXPECT_EQ(nearest_operations("ttnn::sofmax").front(), "ttnn.softmax");
    EXPECT_EQ(nearest_operations("ttnn.sofmax").front(), "ttnn.softmax");
}

TEST(NearestNames, AreToldAsAQuestion) {
    EXPECT_EQ(did_you_mean({}), "");
    EXPECT_EQ(did_you_mean(std::vector<std::string>{"a"}), "; did you mean a?");
    EXPECT_EQ(did_you_mean(std::vector<std::string>{"a", "b", "c"}), "; did you mean a, b or c?");
}

}  // namespace
}  // namespace ttnn
