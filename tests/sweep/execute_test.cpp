// One call in this process: every way it can end has its status.
#include "tracelift/sweep/execute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/requests.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/sweep/memory_check.hpp"
#include "tracelift/trace/call_table.hpp"
#include "ttnn/core/observer.hpp"

namespace tracelift {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ExecuteOn : public testing::TestWithParam<const char*> {
protected:
    static void expect_pass(const std::string& operation, Value::Dict arguments) {
        const CallResult result = execute(operation_request(operation, std::move(arguments), GetParam()));
        EXPECT_EQ(result.status, Status::PASS) << result.message;
        EXPECT_TRUE(result.called);
        EXPECT_GE(result.pcc, 0.9999);
        EXPECT_GT(result.milliseconds, 0.0);
        EXPECT_EQ(result.id, 1);
    }
};

TEST_P(ExecuteOn, AddPasses) {
    expect_pass("ttnn.add", {{"input_tensor_a", tensor_value({1, 1, 64, 96})},
                             {"input_tensor_b", tensor_value({1, 1, 64, 96}, ttnn::l1_memory_config())}});
    expect_pass("ttnn::add", {{"input_tensor_a", tensor_value({33, 65})}, {"input_tensor_b", 2}});
}

TEST_P(ExecuteOn, MatmulPasses) {
    expect_pass("ttnn.matmul",
                {{"input_tensor_a", tensor_value({1, 1, 64, 128})}, {"input_tensor_b", tensor_value({1, 1, 128, 96})}});
}

TEST_P(ExecuteOn, SoftmaxPasses) {
    expect_pass("ttnn.softmax", {{"input_tensor", tensor_value({1, 4, 32, 256})}, {"dim", -1}});
}

TEST_P(ExecuteOn, ArgumentsTooLargeForL1AreOutOfMemory) {
    const CallResult result =
        execute(operation_request("ttnn.relu", {{"input_tensor", too_large_for_l1()}}, GetParam()));
    EXPECT_EQ(result.status, Status::OUT_OF_MEMORY);
    EXPECT_THAT(result.message, AllOf(HasSubstr("input_tensor"), HasSubstr("Out of Memory")));
    EXPECT_FALSE(result.called);
}

TEST_P(ExecuteOn, ResultsTooLargeForL1AreOutOfMemory) {
    // The input takes more than half of L1.
    const int tiles = std::string_view(GetParam()) == "n150" ? 64 * 360 : 130 * 360;
    const Value input = tensor_value({1, 1, 32, static_cast<uint32_t>(32 * tiles)}, ttnn::l1_memory_config());
    CallRequest request = operation_request("ttnn.composite_example", {{"input_tensor", input}}, GetParam());
    request.compare = false;
    const CallResult result = execute(request);
    EXPECT_EQ(result.status, Status::OUT_OF_MEMORY) << result.message;
    EXPECT_TRUE(result.called);
}

INSTANTIATE_TEST_SUITE_P(Boards, ExecuteOn, testing::Values("n150", "p150"),
                         [](const auto& board) { return std::string(board.param); });

// --- on a mesh ---------------------------------------------------------------------------------------------------

constexpr const char* cut_twice = "['PlacementShard(2)', 'PlacementShard(-1)']";

CallRequest add_on_mesh(const std::string& board) {
    return operation_request(
        "ttnn.add",
        {{"input_tensor_a", on_mesh(tensor_value({1, 1, 64, 96}), cut_twice, "[2, 2]", "[2, 2]")},
         {"input_tensor_b", on_mesh(tensor_value({1, 1, 64, 96}), "['PlacementReplicate']", "[4]", "[2, 2]")}},
        board);
}

TEST(ExecuteOnAMesh, AllChipsAreJudged) {
    CallRequest request = add_on_mesh("n300:eth@2x2");
    request.fingerprint = true;
    const CallResult result = execute(request);
    EXPECT_EQ(result.status, Status::PASS) << result.message;
    ASSERT_EQ(result.fingerprints.size(), 1U);
    request.board = "n300:eth";
    const CallResult one = execute(request);
    EXPECT_EQ(one.status, Status::PASS) << one.message;  // what one of the chips does
    EXPECT_EQ(one.fingerprints[0].spec, result.fingerprints[0].spec);
    EXPECT_NE(one.fingerprints[0].bits, result.fingerprints[0].bits);
}

TEST(ExecuteOnAMesh, ATensorOfAnotherMeshIsRefused) {
    const CallResult result = execute(add_on_mesh("n300:eth@1x4"));
    EXPECT_EQ(result.status, Status::REJECTED);
    EXPECT_THAT(result.message, HasSubstr("on a mesh of 1x4"));
    EXPECT_EQ(execute(add_on_mesh("n300:eth@0x4")).status, Status::NOT_RUN);
}

// A third of what is allowed may be tensors on all chips.
TEST(ExecuteOnAMesh, WhatTheChipsHoldTogetherFollowsTheMemoryThatIsAllowed) {
    const Value large = tensor_value({1, 1, 1024, 1024});  // 2 MiB a chip
    CallRequest request = operation_request(
        "ttnn.relu", {{"input_tensor", on_mesh(large, cut_twice, "[2, 2]", "[2, 2]")}}, "n300:eth@2x2");
    request.memory_limit = 100'000'000;
    EXPECT_EQ(execute(request).status, Status::PASS);
    request.memory_limit = 40'000'000;
    const ScratchFolder folder;
    request.record = folder.path().string();
    const CallResult result = execute(request);
    EXPECT_EQ(result.status, Status::TOO_LARGE) << result.message;
    EXPECT_THAT(result.message, AllOf(HasSubstr("on all chips"), HasSubstr("it fits the device")));
    EXPECT_TRUE(result.called);
    CallTable recorded;
    for (const auto& file : raw_files_in(folder.path())) {
        recorded.read(file);
    }
    ASSERT_EQ(recorded.calls().size(), 1U);
    EXPECT_EQ(recorded.calls().front()->board, "n300:eth@2x2");
}

TEST(ExecuteOnAMesh, EqualPartsCountOnce) {
    const Value tensor = tensor_value({1, 1, 64, 64});
    const uint64_t bytes = uint64_t{64} * 64 * 2;
    const auto on_all = [&](const char* placements, const char* distribution) {
        return bytes_on_mesh({{"tensors", Value::List{on_mesh(tensor, placements, distribution, "[2, 2]")}}});
    };
    EXPECT_EQ(on_all(cut_twice, "[2, 2]"), 4 * bytes);
    EXPECT_EQ(on_all("['PlacementReplicate', 'PlacementShard(0)']", "[2, 2]"), 2 * bytes);
    EXPECT_EQ(on_all("['PlacementReplicate']", "[4]"), bytes);
    EXPECT_EQ(bytes_on_mesh({{"input_tensor", tensor}}), bytes);
}

TEST(Execute, OutputsAreFingerprintedWhereThatIsAskedFor) {
    CallRequest request = operation_request("ttnn.relu", {{"input_tensor", tensor_value({1, 1, 40, 64})}});
    EXPECT_TRUE(execute(request).fingerprints.empty());
    request.fingerprint = true;
    const auto fingerprints = execute(request).fingerprints;
    ASSERT_EQ(fingerprints.size(), 1U);
    EXPECT_EQ(fingerprints[0].spec, "BFLOAT16 [1, 1, 40, 64] TILE DRAM_INTERLEAVED");
    EXPECT_EQ(execute(request).fingerprints, fingerprints);
    request.seed += 1;
    EXPECT_EQ(execute(request).fingerprints[0].spec, fingerprints[0].spec);
    EXPECT_NE(execute(request).fingerprints[0].bits, fingerprints[0].bits);
}

TEST(Execute, TheSeedDecidesTheInputs) {
    CallRequest request = double_request(1, "wrong");
    const std::string worst_element = execute(request).message;
    EXPECT_EQ(execute(request).message, worst_element);
    request.seed += 1;
    EXPECT_NE(execute(request).message, worst_element);
}

TEST(Execute, UnknownOperationsAreNotRunAndGetNearNames) {
    const CallResult result = execute(operation_request("ttnn.sofmax", {}));
    EXPECT_EQ(result.status, Status::NOT_RUN);
    EXPECT_THAT(result.message, AllOf(HasSubstr("no operation 'ttnn.sofmax'"), HasSubstr("ttnn.softmax")));
}

TEST(Execute, UnknownBoardsAreNotRun) {
    CallRequest request = double_request(1, "healthy");
    request.board = "n151";
    const CallResult result = execute(request);
    EXPECT_EQ(result.status, Status::NOT_RUN);
    EXPECT_THAT(result.message, HasSubstr("n150"));
}

TEST(Execute, BadArgumentsAreRejectedByName) {
    const CallResult wrong_type = execute(operation_request("ttnn.relu", {{"input_tensor", 7}}));
    EXPECT_EQ(wrong_type.status, Status::REJECTED);
    EXPECT_THAT(wrong_type.message, HasSubstr("argument 'input_tensor' (#0): expected a Tensor, got int 7"));
    EXPECT_FALSE(wrong_type.called);
    const CallResult missing = execute(operation_request("ttnn.matmul", {{"input_tensor_a", tensor_value({32, 32})}}));
    EXPECT_EQ(missing.status, Status::REJECTED);
    EXPECT_THAT(missing.message, HasSubstr("argument 'input_tensor_b' is missing"));
    const CallResult unknown = execute(operation_request("ttnn.relu", {{"inptu", 7}}));
    EXPECT_EQ(unknown.status, Status::REJECTED);
    EXPECT_THAT(unknown.message, HasSubstr("has no argument 'inptu'"));
}

TEST(Execute, WhatTheOperationRefusesIsRejected) {
    const CallResult result = execute(operation_request(
        "ttnn.matmul", {{"input_tensor_a", tensor_value({32, 64})}, {"input_tensor_b", tensor_value({96, 32})}}));
    EXPECT_EQ(result.status, Status::REJECTED);
    EXPECT_FALSE(result.message.empty());
    EXPECT_TRUE(result.called);
}

TEST(Execute, OverloadsAreTriedInTurn) {
    const Value input = tensor_value({1, 1, 64, 64});
    const CallResult list = execute(operation_request("ttnn.slice", {{"input_tensor", input},
                                                                     {"slice_start", Value::List{0, 0, 0, 0}},
                                                                     {"slice_end", Value::List{1, 1, 32, 32}},
                                                                     {"slice_step", Value::List{1, 1, 1, 1}}}));
    EXPECT_EQ(list.status, Status::PASS) << list.message;
    const CallResult none =
        execute(operation_request("ttnn.slice", {{"input_tensor", input}, {"slice_start", "here"}}));
    EXPECT_EQ(none.status, Status::REJECTED);
    EXPECT_THAT(none.message, HasSubstr("\n")) << "one line per overload";
}

TEST(Execute, WrongResultsFail) {
    const CallResult result = execute(double_request(1, "wrong"));
    EXPECT_EQ(result.status, Status::FAIL);
    EXPECT_THAT(result.message, HasSubstr("where the reference gives"));
    EXPECT_GT(result.max_absolute, 0.0);
    EXPECT_FALSE(result.equal);
}

TEST(Execute, ABrokenReferenceFailsWithItsReason) {
    const CallResult result = execute(double_request(1, "bad_reference"));
    EXPECT_EQ(result.status, Status::FAIL);
    EXPECT_EQ(result.message, "the reference failed: the reference is broken");
}

TEST(Execute, WithoutAReferenceACallIsRunAndNotJudged) {
    CallRequest request = double_request(1, "without_reference");
    CallResult result = execute(request);
    EXPECT_EQ(result.status, Status::NOT_JUDGED);
    EXPECT_EQ(result.message, "nobody knows what it should give");
    EXPECT_TRUE(result.called);
    request.compare = false;
    result = execute(request);
    EXPECT_EQ(result.status, Status::PASS);
    EXPECT_TRUE(result.called);
}

TEST(Execute, ExceptionsThatNoOperationMayThrowHaveAStatus) {
    const CallResult memory = execute(double_request(1, "throws_bad_alloc"));
    EXPECT_EQ(memory.status, Status::FAIL_HOST_MEMORY);
    EXPECT_TRUE(memory.called);
    const CallResult other = execute(double_request(1, "throws_other"));
    EXPECT_EQ(other.status, Status::FAIL);
    EXPECT_EQ(other.message, "unexpected exception: an index");
}

// Bytes that are allocated on devices.
class Balance : public ttnn::Observer {
public:
    bool watches_steps() const override { return true; }
    void buffer_allocated(const ttnn::Buffer& buffer) override { bytes += buffer.size(); }
    void buffer_deallocated(const ttnn::Buffer& buffer) override { bytes -= buffer.size(); }
    uint64_t bytes = 0;
};

TEST(Execute, DeviceMemoryIsFreeAfterEveryCall) {
    const auto balance = std::make_shared<Balance>();
    ttnn::attach(balance);
    for (const char* behaviour : {"healthy", "wrong", "bad_reference", "throws_bad_alloc", "throws_other"}) {
        execute(double_request(1, behaviour));
        EXPECT_EQ(balance->bytes, 0U) << behaviour;
    }
    execute(operation_request("ttnn.add",
                              {{"input_tensor_a", tensor_value({32, 32})}, {"input_tensor_b", too_large_for_l1()}}));
    EXPECT_EQ(balance->bytes, 0U);
    ttnn::detach(balance);
}

TEST(Execute, AnOperationThatKeepsDeviceMemoryFailsAndLeavesTheNextAFreshDevice) {
    const CallResult result = execute(double_request(1, "leaks_device_memory"));
    EXPECT_EQ(result.status, Status::FAIL);
    EXPECT_EQ(result.message, "the operation leaves buffers on the device: 1");
    EXPECT_EQ(execute(double_request(1, "healthy")).status, Status::PASS);
}

}  // namespace
}  // namespace tracelift
