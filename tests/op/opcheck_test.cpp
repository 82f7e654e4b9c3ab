// Every operation against its reference, and the proof that this comparison bites.
#include "ttnn/check/opcheck.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

// Whether what one chip gets depends on what others have.
bool needs_a_mesh(const OpInfo* op) {
    while (op != nullptr && op->mesh_reference == nullptr) {
        op = op->next_overload;
    }
    return op != nullptr;
}

std::vector<const OpInfo*> checked_operations() {
    std::vector<const OpInfo*> list;
    for (const OpInfo* op : all_operations()) {
        if (op->cases != nullptr && (op->reference != nullptr || needs_a_mesh(op))) {
            list.push_back(op);
        }
    }
    return list;
}

std::string test_name(const testing::TestParamInfo<const OpInfo*>& info) {
    std::string name(info.param->name);
    std::ranges::replace(name, '.', '_');
    return name;
}

std::string explain(const OpCheck& check) {
    std::string text;
    for (const CaseResult& failure : check.failures) {
        text += fmt::format("\n{} {}\n    {}", failure.combination.to_string(), failure.call, failure.scorecard.reason);
    }
    return text;
}

class OpCheckTest : public testing::TestWithParam<const OpInfo*> {
protected:
    std::shared_ptr<Device> device_ =
        needs_a_mesh(GetParam()) ? Device::open({.board = "n150", .mesh = {{2, 2}}}) : Device::open();
};

TEST_P(OpCheckTest, AgreesWithItsReferenceAndFreesWhatItAllocates) {
    const OpCheck check = check_operation(*GetParam(), device_);
    EXPECT_GT(check.cases, 0U) << "no combination of dtype, layout and memory is legal";
    EXPECT_EQ(check.failed, 0U) << explain(check);
    EXPECT_GE(check.worst_pcc, required_pcc);
    EXPECT_EQ(device_->statistics(BufferType::DRAM).total_allocated, 0U);
    EXPECT_EQ(device_->statistics(BufferType::L1).total_allocated, 0U);
}

// Perturbed results exercise the comparison, not memory: the plain build shows that it bites.
#ifndef TTNN_SANITIZED

// Which cases fail under a perturbation, in the order they ran.
std::vector<bool> red_cases(const OpInfo& op, const std::shared_ptr<Device>& device, Mutation mutation) {
    std::vector<bool> red;
    check_operation(op, device, mutation, [&](const CaseResult& result) {
        if (!result.rejected) {
            red.push_back(!result.scorecard.pass);
        }
    });
    return red;
}

TEST_P(OpCheckTest, TurnsRedWhenItsResultIsPerturbed) {
    // A coarse dtype may swallow the small scale, so a case must turn red under one of the two.
    const std::vector<bool> scaled = red_cases(*GetParam(), device_, Mutation::SCALE);
    const std::vector<bool> dropped = red_cases(*GetParam(), device_, Mutation::DROP_COLUMN);
    ASSERT_EQ(scaled.size(), dropped.size());
    ASSERT_FALSE(scaled.empty());
    for (size_t i = 0; i < scaled.size(); ++i) {
        EXPECT_TRUE(scaled[i] || dropped[i]) << "case " << i;
    }
    EXPECT_NE(std::ranges::count(scaled, true), 0) << "no case notices a scaled result";
}

#endif  // TTNN_SANITIZED

INSTANTIATE_TEST_SUITE_P(Every, OpCheckTest, testing::ValuesIn(checked_operations()), test_name);

}  // namespace
}  // namespace ttnn
