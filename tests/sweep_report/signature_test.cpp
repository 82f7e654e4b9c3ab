#include "tracelift/sweep_report/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep_report/records.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;

TEST(Signature, NumbersAddressesPathsAndShapesDoNotMatter) {
    EXPECT_EQ(signature_of("shape [1, 1, 32, 64] needs 4096 bytes at 0x7f00AB, see src/ttnn/a.cpp:12"),
              "shape SHAPE needs N bytes at ADDRESS, see PATH");
    EXPECT_EQ(signature_of("PCC -0.25 < 0.99 after 1.5e-3 s"), "PCC N < N after N s");
    EXPECT_EQ(signature_of("File \"/usr/lib/x.py\", line 12."), "File \"PATH\", line N.");
    EXPECT_EQ(signature_of("(32, 32) and (7) and Shape([1])"), "SHAPE and (N) and Shape(SHAPE)");
    EXPECT_EQ(signature_of("id 0123456789abcdef01 gone"), "id ID gone");
    EXPECT_EQ(signature_of("took 30s, 12ms, 8x8 cores, 1/4 and/or 3"), "took Ns, Nms, Nx8 cores, N/N and/or N");
}

TEST(Signature, NamesWithDigitsStay) {
    EXPECT_EQ(signature_of("BFLOAT16 and bfloat8_b in L1 of wormhole_b0"),
              "BFLOAT16 and bfloat8_b in L1 of wormhole_b0");
}

TEST(Signature, TheSameProblemOfTwoOperationsIsOne) {
    EXPECT_EQ(signature_of("ttnn.add: argument 'a' of ttnn::add and ttnn.addcmul", "ttnn.add"),
              "OPERATION: argument 'a' of OPERATION and ttnn.addcmul");
}

TEST(Signature, OfATracebackTheLastLineCounts) {
    EXPECT_EQ(signature_of("Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    f()\n"
                           "RuntimeError: bank 7 is full\n\n"),
              "RuntimeError: bank N is full");
}

TEST(Signature, GroupsAreByStatusAndTextTheLargestFirst) {
    std::vector<ResultRecord> records{
        record_of("a", Status::FAIL_CRASH, "signal 11"), record_of("b", Status::PASS),
        record_of("c", Status::FAIL, "signal 6"),        record_of("d", Status::FAIL, "signal 7"),
        record_of("e", Status::NOT_RUN, "signal 7"),     record_of("f", Status::INFRA_WORKER_LOST, "signal 9")};
    records[3].operation = "ttnn.add";
    const auto groups = group_failures(records);
    ASSERT_EQ(groups.size(), 3);
    EXPECT_EQ(groups[0].status, Status::FAIL);
    EXPECT_EQ(groups[0].signature, "signal N");
    EXPECT_EQ(groups[0].records.size(), 2);
    EXPECT_EQ(groups[0].example->vector_id, "c");
    EXPECT_THAT(groups[0].operations, ElementsAre("ttnn.add", "ttnn.sigmoid_accurate"));
    EXPECT_EQ(groups[1].records.size() + groups[2].records.size(), 2);
}

}  // namespace
}  // namespace tracelift
