#include "tracelift/value/private_text.hpp"

#include <gtest/gtest.h>

namespace tracelift {
namespace {

std::string shown(std::string_view text) { return private_text(text, "/people/ann", "ann"); }

TEST(PrivateText, HomeFolder) {
    EXPECT_EQ(shown("/people/ann/models/a.bin"), "~/models/a.bin");
    EXPECT_EQ(shown("/people/ann"), "~");
    EXPECT_EQ(shown("cannot open '/people/ann/x': no"), "cannot open '~/x': no");
}

TEST(PrivateText, NameInOtherPaths) {
    EXPECT_EQ(shown("/scratch/ann/run"), "/scratch/<user>/run");
    EXPECT_EQ(shown("/scratch/ann"), "/scratch/<user>");
}

TEST(PrivateText, LeavesEverythingElse) {
    EXPECT_EQ(shown("ann"), "ann");
    EXPECT_EQ(shown("relu"), "relu");
    EXPECT_EQ(shown("/people/annabel/x"), "/people/annabel/x");
    EXPECT_EQ(shown("a/b"), "a/b");
    EXPECT_EQ(shown(""), "");
}

}  // namespace
}  // namespace tracelift
