// The numbers that users of a device draw.
#include "ttnn/device/user_generators.hpp"

#include <set>

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

constexpr uint32_t some[] = {3, 5};

TEST(UserGenerators, SeedsRepeatAndUsersDiffer) {
    const auto first = UserGenerators::first_numbers(11);
    EXPECT_EQ(first, UserGenerators::first_numbers(11));
    EXPECT_NE(first, UserGenerators::first_numbers(12));
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
    for (const double number : first) {
        EXPECT_TRUE(number >= 0 && number < 1) << number;
    }
}

TEST(UserGenerators, GoOnFromTheSeedOfTheUsersThatHaveOne) {
    UserGenerators generators;
    generators.seed(some, 11);
    const auto drawn = generators.draw();
    const auto next = generators.draw();
    const auto expected = UserGenerators::first_numbers(11);
    for (uint32_t user = 0; user < UserGenerators::users; ++user) {
        EXPECT_EQ(drawn[user] == expected[user], user == 3 || user == 5) << user;
        EXPECT_NE(drawn[user], next[user]) << user;
    }
}

TEST(UserGenerators, EveryDeviceHasItsOwn) {
    const auto one = Device::open();
    const auto other = Device::open();
    one->user_generators().seed(some, 11);
    other->user_generators().seed(some, 11);
    one->user_generators().draw();
    EXPECT_EQ(other->user_generators().draw()[3], UserGenerators::first_numbers(11)[3]);
    const auto again = Device::open();
    EXPECT_NE(again->user_generators().draw()[3], UserGenerators::first_numbers(11)[3]);  // no seed outlives a device
}

}  // namespace
}  // namespace ttnn
