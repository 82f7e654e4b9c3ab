#include "tracelift/replay/replay.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/lines.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/input_domains.hpp"
#include "tracelift/replay/replay_summary.hpp"
#include "tracelift/value/not_captured.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ReplayCall read(const std::string& line) {
    Binder binder;
    return replay_of(read_call_line(line, "test"), "test", binder);
}

Replayed replay_one(const ReplayCall& call, ReplayOptions options = {}) {
    options.pool.workers = 1;
    std::vector<Replayed> all;
    replay(std::span(&call, 1), options, [&](const Replayed& replayed) { all.push_back(replayed); });
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Replayed{} : all.front();
}

TEST(Replay, RunsACallAndTellsItsOutput) {
    const ReplayCall call = read(call_line("ttnn.add", tensor_line("[1, 1, 40, 64]") + ", 2.5"));
    const Replayed replayed = replay_one(call);
    EXPECT_EQ(replayed.outcome, Outcome::MATCHED) << replayed.reason;
    EXPECT_THAT(replayed.result.outputs, ElementsAre("BFLOAT16 [1, 1, 40, 64]"));
    EXPECT_GT(replayed.result.call_milliseconds, 0);
}

TEST(Replay, MakesEachCallAsOftenAsAsked) {
    ReplayOptions options;
    options.repeat = 5;
    EXPECT_EQ(replay_one(read(call_line("ttnn.relu", tensor_line("[32, 32]"))), options).call_milliseconds.size(), 5U);
}

TEST(Replay, IndicesAreInTheTable) {
    // 7 rows: any other index would be refused.
    const ReplayCall call = read(call_line("ttnn.embedding", tensor_line("[1, 32]", "UINT32", "ROW_MAJOR") + ", " +
                                                                 tensor_line("[7, 64]", "BFLOAT16", "ROW_MAJOR")));
    const Replayed replayed = replay_one(call);
    EXPECT_EQ(replayed.outcome, Outcome::MATCHED) << replayed.reason;
    EXPECT_THAT(replayed.result.outputs, ElementsAre("BFLOAT16 [1, 32, 64]"));
}

TEST(Replay, RefusalsTellWhy) {
    const Replayed replayed =
        replay_one(read(call_line("ttnn.matmul", tensor_line("[32, 64]") + ", " + tensor_line("[32, 64]"))));
    EXPECT_EQ(replayed.outcome, Outcome::REJECTED);
    EXPECT_FALSE(replayed.reason.empty());
}

// A reference does not check its arguments: it sees only those of calls that the operation took.
TEST(Replay, AnIllegalCallNeverReachesTheReference) {
    const std::string list = "[" + tensor_line("[64, 64]") + ", " + tensor_line("[32, 32]") + "]";
    const Replayed replayed = replay_one(read(call_line("ttnn.concat", list + ", 1")));
    EXPECT_EQ(replayed.outcome, Outcome::REJECTED) << replayed.reason;
    EXPECT_FALSE(replayed.reason.empty());
}

// Found by the fuzzer: blocks cannot be dealt to no cores.
TEST(Replay, AProgramHasCores) {
    const std::string config =
        R"({"program_config":{"__type__":"ttnn.MatmulMultiCoreReuseMultiCastProgramConfig",)"
        R"("compute_with_storage_grid_size":{"__type__":"ttnn.CoreCoord","x":0,"y":1},"in0_block_w":1,)"
        R"("out_subblock_h":1,"out_subblock_w":1,"per_core_M":2,"per_core_N":2,"transpose_mcast":false,)"
        R"("fused_activation":null}})";
    const std::string input = tensor_line("[64, 64]");
    const Replayed replayed = replay_one(read(call_line("ttnn.matmul", input + ", " + input, config)));
    EXPECT_EQ(replayed.outcome, Outcome::REJECTED) << replayed.reason;
    EXPECT_THAT(replayed.reason, HasSubstr("compute_with_storage_grid_size.x"));
}

TEST(Replay, AShardSpecHasCores) {
    for (const auto* operation : {"ttnn.tilize", "ttnn.untilize", "ttnn.transpose", "ttnn.to_memory_config"}) {
        const bool tilize = std::string_view(operation) == "ttnn.tilize";
        const std::string rest = std::string_view(operation) == "ttnn.transpose" ? ", 0, 1" : "";
        const Replayed replayed = replay_one(read(call_line(
            operation, tensor_line("[64, 64]", "BFLOAT16", tilize ? "ROW_MAJOR" : "TILE") + rest,
            R"({"memory_config":{"__type__":"ttnn.MemoryConfig","memory_layout":"HEIGHT_SHARDED","buffer_type":"L1",)"
            R"("shard_spec":{"grid":[],"shape":[32,64],"orientation":"ROW_MAJOR"}}})")));
        EXPECT_EQ(replayed.outcome, Outcome::REJECTED) << operation << ": " << replayed.reason;
    }
}

// Found by the fuzzer: a mask without rows has no row to add.
TEST(Replay, AMaskHasARow) {
    const Replayed replayed = replay_one(read(call_line(
        "ttnn.scale_mask_softmax", tensor_line("[1, 1, 32, 64]") + ", 0.5, " + tensor_line("[1, 1, 0, 64]"))));
    EXPECT_EQ(replayed.outcome, Outcome::REJECTED) << replayed.reason;
    EXPECT_THAT(replayed.reason, HasSubstr("'mask'"));
}

// Found by the fuzzer: a sum that does not fit a dimension must not look like a small one.
TEST(Replay, PaddingDoesNotWrap) {
    const std::string input = tensor_line("[1, 1, 30, 40]", "BFLOAT16", "ROW_MAJOR");
    for (const auto* padding :
         {"[[0,0],[0,0],[9223372036854775807,2],[0,24]]", "[[0,0],[0,0],[4294967295,2],[0,24]]"}) {
        const Replayed replayed = replay_one(read(call_line("ttnn.pad", fmt::format("{}, {}, 0.0", input, padding))));
        EXPECT_EQ(replayed.outcome, Outcome::REJECTED) << replayed.reason;
        EXPECT_THAT(replayed.reason, HasSubstr("'padding'"));
    }
}

// What the operation frees or overwrites, the reference gets as it was.
TEST(Replay, CallsThatUseTheirInputsUpAreCompared) {
    for (const auto* operation : {"ttnn.move", "ttnn.reallocate", "ttnn.logical_not_"}) {
        const Replayed replayed = replay_one(read(call_line(operation, tensor_line("[64, 64]"))));
        EXPECT_EQ(replayed.outcome, Outcome::MATCHED) << operation << ": " << replayed.reason;
    }
    const Replayed added =
        replay_one(read(call_line("ttnn.add_", tensor_line("[64, 64]") + ", " + tensor_line("[64, 64]"))));
    EXPECT_EQ(added.outcome, Outcome::MATCHED) << added.reason;
}

TEST(Replay, UnknownOperationsAndArgumentsAreToldApart) {
    const Replayed unknown = replay_one(read(call_line("ttnn.no_such_thing", tensor_line("[32, 32]"))));
    EXPECT_EQ(unknown.outcome, Outcome::UNKNOWN);
    EXPECT_THAT(unknown.reason, HasSubstr("no_such_thing"));
    const Replayed undecodable =
        replay_one(read(call_line("ttnn.relu", tensor_line("[32, 32]"), R"({"no_such_argument": 1})")));
    EXPECT_EQ(undecodable.outcome, Outcome::UNDECODABLE);
    EXPECT_THAT(undecodable.reason, HasSubstr("no_such_argument"));
}

TEST(Replay, WhatIsTooLargeIsWorkedOutInstead) {
    ReplayOptions options;
    options.pool.memory_limit = 400'000'000;  // more than an idle worker takes with sanitizers
    const Replayed replayed = replay_one(read(call_line("ttnn.relu", tensor_line("[1, 1, 8192, 8192]"))), options);
    EXPECT_EQ(replayed.outcome, Outcome::TOO_LARGE);
    EXPECT_THAT(replayed.reason, HasSubstr("output BFLOAT16 Shape([1, 1, 8192, 8192])"));
}

// The product of these sizes does not fit 64 bits; it must not look small.
TEST(Replay, SizesDoNotWrap) {
    const Replayed replayed = replay_one(read(call_line("ttnn.relu", tensor_line("[65536, 65536, 65536, 65536]"))));
    EXPECT_THAT(replayed.outcome, testing::AnyOf(Outcome::TOO_LARGE, Outcome::UNDECODABLE, Outcome::REJECTED));
    EXPECT_FALSE(replayed.reason.empty());
}

TEST(Replay, AnotherBoardAnswersForItself) {
    ReplayOptions options;
    options.board = "no_such_board";
    const Replayed replayed = replay_one(read(call_line("ttnn.relu", tensor_line("[32, 32]"))), options);
    EXPECT_EQ(replayed.outcome, Outcome::REJECTED);
    EXPECT_THAT(replayed.reason, HasSubstr("no_such_board"));
    options.board = "p150";
    EXPECT_EQ(replay_one(read(call_line("ttnn.relu", tensor_line("[32, 32]"))), options).outcome, Outcome::MATCHED);
}

TEST(Replay, LostArgumentsAreCountedApart) {
    ReplayCall call = read(call_line("ttnn.relu", tensor_line("[32, 32]")));
    call.call.arguments.push_back({"output_tensor", Value::Unparsed{"", std::string(unsupported_type)}});
    const Replayed replayed = replay_one(call);
    EXPECT_EQ(replayed.outcome, Outcome::MATCHED_WITH_LOST_ARGUMENTS) << replayed.reason;
    ReplaySummary summary;
    summary.add(replayed);
    EXPECT_EQ(summary.json().at("matched"), 0);
    EXPECT_EQ(summary.json().at("matched_with_lost_arguments"), 1);
    EXPECT_EQ(summary.json().at("operations").at("ttnn::relu").at("total"), 1);
}

class Lines : public testing::Test {
protected:
    std::filesystem::path write(const std::string& text) {
        const auto path = folder_.path() / "calls.jsonl";
        std::ofstream(path) << text;
        return path;
    }
    std::vector<ReplayCall> chosen(const std::filesystem::path& path, const LineChoice& choice) {
        return replays_of_lines(path, choice, [&](const std::string& problem) { problems_.push_back(problem); });
    }
    ScratchFolder folder_;
    std::vector<std::string> problems_;
};

TEST_F(Lines, AreChosenByIndexAndByOperation) {
    const auto path = write(call_line("ttnn.relu", tensor_line("[32, 32]")) + "\n" + "{broken\n" +
                            call_line("ttnn.add", tensor_line("[32, 32]") + ", 1") + "\n");
    const auto third = chosen(path, {.index = 2});
    ASSERT_EQ(third.size(), 1U);
    EXPECT_EQ(third.front().call.operation, "ttnn.add");
    EXPECT_TRUE(problems_.empty());  // the broken line was not asked for
    EXPECT_EQ(chosen(path, {.operation = "relu"}).size(), 1U);
    EXPECT_EQ(chosen(path, {}).size(), 2U);
    ASSERT_EQ(problems_.size(), 2U);
    EXPECT_THAT(problems_.front(), HasSubstr("line 2"));
}

TEST_F(Lines, AnIndexBehindTheEndIsAnError) {
    const auto path = write(call_line("ttnn.relu", tensor_line("[32, 32]")) + "\n");
    try {
        chosen(path, {.index = 1});
        FAIL() << "nothing was thrown";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("index 1"));
        EXPECT_THAT(error.what(), HasSubstr("1 lines"));
    }
}

TEST_F(Lines, DeepNestingIsRefused) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_TRUE(chosen(write(call_line("ttnn.relu", deep)), {}).empty());
    ASSERT_EQ(problems_.size(), 1U);
}

TEST(InputDomains, AreThoseOfTheDeclaration) {
    const auto domains =
        input_domains(call_line("ttnn.embedding", tensor_line("[1, 32]", "UINT32", "ROW_MAJOR") + ", " +
                                                      tensor_line("[7, 64]", "BFLOAT16", "ROW_MAJOR")));
    ASSERT_EQ(domains.size(), 2U);
    EXPECT_EQ(domains[0].domain.kind, ttnn::Domain::Kind::INTEGER);
    EXPECT_EQ(domains[0].domain.high, 6);
    EXPECT_TRUE(input_domains(call_line("ttnn.from_torch", "1")).empty());
    const auto of_experts = input_domains(
        call_line("ttnn.moe_expert_token_remap", tensor_line("[1, 2, 8, 4]", "BFLOAT16", "ROW_MAJOR") + ", " +
                                                     tensor_line("[1, 1, 4, 1]", "UINT16", "ROW_MAJOR") + ", " +
                                                     tensor_line("[1, 2, 8, 2]", "UINT16", "ROW_MAJOR")));
    ASSERT_EQ(of_experts.size(), 3U);
    EXPECT_EQ(of_experts[1].domain.kind, ttnn::Domain::Kind::ONE_HOT);
}

}  // namespace
}  // namespace tracelift
