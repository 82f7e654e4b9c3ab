// Every operation against its reference, and the proof that this comparison bites.
#include "ttnn/check/opcheck.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ttnn/device/device.hpp"

namespace ttnn {
namespace {

template <class Is>
bool any_overload(const OpInfo* op, Is is) {
    while (op != nullptr && !is(*op)) {
        op = op->next_overload;
    }
    return op != nullptr;
}

template <class Is>
std::vector<const OpInfo*> operations_with(Is is) {
    std::vector<const OpInfo*> list;
    for (const OpInfo* op : all_operations()) {
        if (any_overload(op, [&](const OpInfo& form) { return form.cases != nullptr && is(form); })) {
            list.push_back(op);
        }
    }
    return list;
}

// Whether what one chip gets depends on what others have.
bool needs_a_mesh(const OpInfo* op) {
    return any_overload(op, [](const OpInfo& form) { return form.mesh_reference != nullptr; });
}

std::vector<const OpInfo*> checked_operations() {
    return operations_with([](const OpInfo& form) { return form.is_judged(); });
}

std::vector<const OpInfo*> operations_with_arguments_to_judge() {
    return operations_with([](const OpInfo& form) { return form.mutated_reference != nullptr; });
}

// Those that write into a part of an argument, which they return.
std::vector<const OpInfo*> caches() {
    std::vector<const OpInfo*> list;
    for (const std::string_view name :
         {"ttnn.fill_cache", "ttnn.update_cache", "ttnn.kv_cache.fill_cache_for_user_",
          "ttnn.kv_cache.update_cache_for_token_", "ttnn.experimental.paged_fill_cache",
          "ttnn.experimental.paged_update_cache", "ttnn.experimental.paged_fused_update_cache"}) {
        list.push_back(find_operation(name));
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

using ArgumentCheckTest = OpCheckTest;
TEST_P(ArgumentCheckTest, TurnsRedWhenOnlyAnArgumentIsPerturbed) {
    const std::vector<bool> red = red_cases(*GetParam(), device_, Mutation::ARGUMENTS);
    EXPECT_NE(std::ranges::count(red, true), 0) << "no case notices a scaled argument";
}
INSTANTIATE_TEST_SUITE_P(Every, ArgumentCheckTest, testing::ValuesIn(operations_with_arguments_to_judge()), test_name);

using CacheCheckTest = OpCheckTest;
TEST_P(CacheCheckTest, TurnsRedWhenAByteChangesThatHadToStay) {
    ASSERT_NE(GetParam(), nullptr);
    const std::vector<bool> red = red_cases(*GetParam(), device_, Mutation::STRAY);
    EXPECT_NE(std::ranges::count(red, true), 0) << "no case notices it";
}
INSTANTIATE_TEST_SUITE_P(Every, CacheCheckTest, testing::ValuesIn(caches()), test_name);

#endif  // TTNN_SANITIZED

INSTANTIATE_TEST_SUITE_P(Every, OpCheckTest, testing::ValuesIn(checked_operations()), test_name);

// BFLOAT16 in tiles first, which most operations take.
std::vector<Combination> all_combinations() {
    std::vector<Combination> list;
    for (const Layout layout : {Layout::TILE, Layout::ROW_MAJOR}) {
        for (const auto& memory : EnumInfo<MemoryKind>::members) {
            for (const DataType dtype : {DataType::BFLOAT16, DataType::INT32, DataType::UINT16, DataType::UINT32,
                                         DataType::FLOAT32, DataType::BFLOAT8_B}) {
                list.push_back({dtype, layout, memory.value});
            }
        }
    }
    return list;
}

// --- on meshes ------------------------------------------------------------------------------------------------------

std::vector<AnyParams> cases_of(const OpInfo& op, const std::shared_ptr<Device>& device,
                                const Combination& combination) {
    CaseMaker make(op, device, combination);
    try {
        op.cases(make);
    } catch (const NotApplicable&) {
    } catch (const Error&) {
    }
    return make.take();
}

void spread_in_a_line(AnyParams& params) {
    for (const uint16_t index : params.op().tensor_fields) {
        const FieldInfo& field = params.op().fields[index];
        field.type->visit_tensors(params.field(field), [](const Tensor& tensor) {
            Tensor handle = tensor;
            handle.set_topology({{{0}}, {{handle.num_parts()}}});
        });
    }
}

struct MeshChecks {
    size_t judged = 0;
    std::string problems{};
};

// Calls them; what an operation refuses says nothing.
void check(std::vector<AnyParams>& cases, MeshChecks& checks) {
    for (AnyParams& params : cases) {
        const std::string call = tracelift::Value(encode_call(params.op(), params.data())).to_text();
        const CallCheck found = check_call(params, 1);
        if (found.outcome == CallOutcome::REJECTED || found.outcome == CallOutcome::OUT_OF_MEMORY) {
            continue;
        }
        ++checks.judged;
        if (!found.scorecard.pass) {
            checks.problems += fmt::format("\n{} {}: {}", params.op().name, call, found.scorecard.reason);
        }
    }
}

// The cases of every overload in the first combination that it takes.
MeshChecks check_one_combination(const OpInfo* op, const std::shared_ptr<Device>& device) {
    MeshChecks checks;
    for (; op != nullptr; op = op->next_overload) {
        const size_t before = checks.judged;
        for (const Combination& combination : all_combinations()) {
            if (op->cases != nullptr && op->is_judged() && checks.judged == before) {
                auto cases = cases_of(*op, device, combination);
                // On 32 chips a third of them has to do.
                size_t number = 0;
                std::erase_if(cases, [&](const AnyParams&) { return device->num_chips() > 8 && number++ % 3 != 0; });
                check(cases, checks);
            }
        }
    }
    return checks;
}

std::shared_ptr<Device> mesh_of(uint32_t rows, uint32_t columns) {
    return Device::open({.board = "n150", .mesh = {{rows, columns}}});
}

std::vector<const OpInfo*> collectives() {
    return operations_with([](const OpInfo& form) { return form.mesh_reference != nullptr; });
}

// One combination each: the others differ in nothing that the shape of the mesh has to do with.
class CollectiveCheckTest : public testing::TestWithParam<const OpInfo*> {};
TEST_P(CollectiveCheckTest, AgreesOnMeshesOfAllShapes) {
    size_t judged = 0;
    for (const auto& [rows, columns] : {std::pair{1U, 2U}, {1U, 8U}, {2U, 4U}, {4U, 8U}}) {
        const MeshChecks checks = check_one_combination(GetParam(), mesh_of(rows, columns));
        EXPECT_EQ(checks.problems, "") << rows << "x" << columns;
        judged += checks.judged;
    }
    EXPECT_GT(judged, 0U);
}
INSTANTIATE_TEST_SUITE_P(Every, CollectiveCheckTest, testing::ValuesIn(collectives()), test_name);

// What the tensors are spread like says less than the mesh: a line of eight chips may lie on two rows.
TEST(OpCheckOnMeshes, AxesAreThoseOfTheMeshForEveryPlacement) {
    const auto device = mesh_of(2, 4);
    MeshChecks checks;
    for (const OpInfo* op : collectives()) {
        if (op->find_field("cluster_axis") == nullptr || op->cases == nullptr) {
            continue;
        }
        for (const MemoryKind memory : {MemoryKind::DRAM, MemoryKind::L1}) {
            auto cases = cases_of(*op, device, {DataType::BFLOAT16, Layout::TILE, memory});
            std::ranges::for_each(cases, spread_in_a_line);
            check(cases, checks);
        }
    }
    EXPECT_EQ(checks.problems, "");
    EXPECT_GT(checks.judged, 20U);
}

std::vector<const OpInfo*> ordinary_operations() {
    std::vector<const OpInfo*> list = checked_operations();
    std::erase_if(list, needs_a_mesh);
    return list;
}

// The first combination that an operation takes, with other values on each of two chips.
class MeshCheckTest : public testing::TestWithParam<const OpInfo*> {};
TEST_P(MeshCheckTest, EveryChipAgrees) {
    const MeshChecks checks = check_one_combination(GetParam(), mesh_of(1, 2));
    EXPECT_EQ(checks.problems, "");
    EXPECT_GT(checks.judged, 0U);
}
INSTANTIATE_TEST_SUITE_P(Every, MeshCheckTest, testing::ValuesIn(ordinary_operations()), test_name);

}  // namespace
}  // namespace ttnn
