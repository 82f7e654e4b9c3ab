// Replays that are recorded and compared with later ones.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/lines.hpp"
#include "tracelift/base/replaced_file.hpp"
#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/dialects/call_line.hpp"
#include "tracelift/replay/replay_changes.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const NumericEnvironment environment{
    .version = "1", .processor = "P", .extensions = "avx", .blas = "B 1", .libm = "glibc 2"};

std::vector<ReplayCall> sample_calls() {
    const std::string lines[] = {
        call_line("ttnn.add", tensor_line("[1, 1, 40, 64]") + ", 2.5"),
        call_line("ttnn.softmax", tensor_line("[2, 32, 64]"), R"({"dim": -1})"),
        call_line("ttnn.transpose", tensor_line("[32, 64]") + ", 0, 1"),
        call_line("ttnn.matmul", tensor_line("[64, 64]") + ", " + tensor_line("[64, 32]")),
        call_line("ttnn.matmul", tensor_line("[32, 64]") + ", " + tensor_line("[32, 64]")),  // refused
        call_line("ttnn.made_up", tensor_line("[32, 64]"))};
    Binder binder;
    std::vector<ReplayCall> calls;
    for (const std::string& line : lines) {
        calls.push_back(replay_of(read_call_line(line, "test"), "test", binder));
    }
    return calls;
}

std::vector<Replayed> replayed(const std::vector<ReplayCall>& calls, unsigned workers = 1) {
    ReplayOptions options;
    options.pool.workers = workers;
    options.fingerprint = true;
    std::vector<Replayed> all;
    replay(calls, options, [&](const Replayed& each) { all.push_back(each); });
    std::ranges::sort(all, {}, &Replayed::call);
    return all;
}

RecordedReplay read_text(const std::string& text) {
    const ScratchFolder folder;
    replace_file(folder.path() / "recorded.json", text);
    return read_recorded(folder.path() / "recorded.json");
}

std::vector<ReplayCall> calls_of(const RecordedReplay& recorded) {
    std::vector<ReplayCall> calls;
    for (const RecordedCall& each : recorded.calls) {
        calls.push_back(each.call);
    }
    return calls;
}

TEST(ProcessReplay, AFileIsEnoughToMakeTheCallsAgainWithTheSameBits) {
    const auto calls = sample_calls();
    const auto first = replayed(calls);
    ASSERT_EQ(first.size(), calls.size());
    EXPECT_EQ(first[0].outcome, Outcome::MATCHED) << first[0].reason;
    EXPECT_EQ(first[0].result.fingerprints[0].spec, "BFLOAT16 [1, 1, 40, 64] TILE DRAM_INTERLEAVED");
    EXPECT_THAT(first[0].result.fingerprints[0].bits, SizeIs(32));
    EXPECT_THAT(first[0].result.metrics, SizeIs(6));
    const RecordedReplay recorded = read_text(recorded_text(first, environment));
    const auto calls_again = calls_of(recorded);
    for (size_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(calls_again[i].call.arguments, calls[i].call.arguments);
        EXPECT_EQ(calls_again[i].call.bound, calls[i].call.bound);
        EXPECT_EQ(calls_again[i].identity, calls[i].identity);
    }
    const auto again = replayed(calls_again, 2);
    const ReplayComparison comparison = compare_replays(recorded, again, environment);
    EXPECT_THAT(to_json(comparison)["changes"], IsEmpty()) << to_json(comparison).dump(2);
    EXPECT_EQ(comparison.same, calls.size());
    EXPECT_TRUE(comparison.bits_problem.empty());
    EXPECT_EQ(recorded_text(again, environment), recorded_text(first, environment));
}

TEST(ProcessReplay, OtherInputsHaveOtherBits) {
    auto calls = sample_calls();
    const auto first = replayed(calls);
    auto others = calls;
    for (ReplayCall& call : others) {
        call.seed = 1;
    }
    const auto second = replayed(others);
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_NE(first[i].result.fingerprints[0].bits, second[i].result.fingerprints[0].bits) << i;
    }
}

TEST(ProcessReplay, RandomNumbersAreNotKept) {
    Binder binder;
    const std::string line =
        R"({"op_name":"ttnn.rand","inputs":[],"kwargs":{"shape":[32, 32],"device":{"__type__":"ttnn.MeshDevice"}},"output":null})";
    const std::vector<ReplayCall> calls{replay_of(read_call_line(line, "test"), "test", binder)};
    const auto first = replayed(calls);
    const auto second = replayed(calls);
    ASSERT_EQ(first[0].outcome, Outcome::NOT_JUDGED) << first[0].reason;
    EXPECT_NE(first[0].result.fingerprints[0].bits, second[0].result.fingerprints[0].bits);
    const RecordedReplay recorded = read_text(recorded_text(first, environment));
    EXPECT_EQ(recorded.calls[0].result.outputs->front().bits, "");
    EXPECT_FALSE(compare_replays(recorded, second, environment).any());
}

TEST(ProcessReplay, ACallIsRecordedOnce) {
    auto calls = sample_calls();
    calls.push_back(calls.front());
    EXPECT_THAT(read_text(recorded_text(replayed(calls), environment)).calls, SizeIs(calls.size() - 1));
}

// Of a result that was changed in one way.
class Changes : public testing::Test {
protected:
    Changes() {
        Binder binder;
        const std::string line = call_line("ttnn.softmax", tensor_line("[32, 64]"));
        recorded_.call = replay_of(read_call_line(line, "test"), "test", binder);
        recorded_.result = {.outcome = Outcome::MATCHED,
                            .reason = {},
                            .accuracy = Accuracy{.pcc = 0.99999, .max_ulp = 1.0},
                            .outputs = {{{"BFLOAT16 [32, 64] TILE DRAM_INTERLEAVED", "00ff"}}},
                            .memory = {{{"num_cores", 64}, {"peak_cb_per_core_bytes", 4096}}}};
        now_ = recorded_.result;
    }
    // "kind what: before -> after"
    std::vector<std::string> texts(bool bits_compared = true) const {
        std::vector<std::string> list;
        for (const ReplayChange& change : changes_of(recorded_, recorded_.call, now_, bits_compared)) {
            list.push_back(fmt::format("{} {}: {} -> {}", ttnn::member_name(change.kind), change.what, change.before,
                                       change.after));
        }
        return list;
    }

    RecordedCall recorded_;
    RecordedResult now_;
};

TEST_F(Changes, NoneIsNone) {
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_THAT(texts(false), IsEmpty());
}

TEST_F(Changes, BitsAreComparedWhereTheyCanBe) {
    now_.outputs->front().bits = "00fe";
    EXPECT_THAT(texts(), ElementsAre("bits output 0: 00ff -> 00fe"));
    EXPECT_THAT(texts(false), IsEmpty());
}

TEST_F(Changes, BitsOfOperationsWithoutErrorAreTheSameEverywhere) {
    Binder binder;
    recorded_.call =
        replay_of(read_call_line(call_line("ttnn.transpose", tensor_line("[32, 64]") + ", 0, 1"), "test"), "", binder);
    now_.outputs->front().bits = "00fe";
    EXPECT_THAT(texts(false), ElementsAre("bits output 0: 00ff -> 00fe"));
}

TEST_F(Changes, ShapesAndTheNumberOfOutputsAreCompared) {
    now_.outputs->front().spec = "FLOAT32 [32, 64] TILE DRAM_INTERLEAVED";
    now_.outputs->push_back({"INT32 [1] ROW_MAJOR L1_INTERLEAVED", "11"});
    EXPECT_THAT(texts(false),
                ElementsAre("outputs output 0: BFLOAT16 [32, 64] TILE DRAM_INTERLEAVED -> FLOAT32 [32, 64] TILE "
                            "DRAM_INTERLEAVED",
                            "outputs output 1: none -> INT32 [1] ROW_MAJOR L1_INTERLEAVED"));
}

TEST_F(Changes, AccuracyIsExactOnTheSameMachine) {
    now_.accuracy->pcc = 0.999990001;
    now_.accuracy->equal = true;
    EXPECT_THAT(texts(), ElementsAre("accuracy pcc: 0.99999 -> 0.999990001", "accuracy equal: false -> true"));
    EXPECT_THAT(texts(false), IsEmpty());
}

TEST_F(Changes, AccuracyMayMoveALittleOnAnother) {
    now_.accuracy->pcc = 0.999971;  // 2.9e-5 off: not more than the double and 1e-5
    now_.accuracy->max_ulp = 3.0;   // the double and one more
    EXPECT_THAT(texts(false), IsEmpty());
    now_.accuracy->pcc = 0.99996;
    now_.accuracy->max_ulp = 3.5;
    EXPECT_THAT(texts(false), ElementsAre("accuracy pcc: 0.99999 -> 0.99996", "accuracy max_ulp: 1 -> 3.5"));
    now_.accuracy->pcc = std::nan("");
    EXPECT_THAT(texts(false), ElementsAre("accuracy pcc: 0.99999 -> nan", "accuracy max_ulp: 1 -> 3.5"));
}

TEST_F(Changes, MemoryIsExactEverywhere) {
    now_.memory->back().value = 4128;
    now_.memory->push_back({"peak_more", 1});
    EXPECT_THAT(texts(false),
                ElementsAre("memory peak_cb_per_core_bytes: 4096 -> 4128", "memory peak_more: none -> 1"));
}

TEST_F(Changes, OutcomesAndReasonsOfRefusals) {
    now_ = {.outcome = Outcome::REJECTED, .reason = "no"};
    EXPECT_THAT(texts(), ElementsAre("outcome : matched -> rejected"));
    recorded_.result = {.outcome = Outcome::REJECTED, .reason = "never"};
    EXPECT_THAT(texts(), ElementsAre("reason : never -> no"));
    recorded_.result.outcome = now_.outcome = Outcome::DIFFERS;  // its reason has numbers that may move
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_F(Changes, WhatWasNotRecordedIsNotCompared) {
    recorded_.result.accuracy.reset();
    recorded_.result.outputs.reset();
    recorded_.result.memory.reset();
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_F(Changes, AnotherHashOfTheSameCall) {
    recorded_.call.identity = "0123";
    const auto found = texts();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0], testing::StartsWith("identity : 0123 -> "));
}

TEST(CompareReplays, CallsOfOneSideOnly) {
    const auto calls = sample_calls();
    const auto all = replayed(calls);
    RecordedReplay recorded = read_text(recorded_text(all, environment));
    recorded.calls.erase(recorded.calls.begin());  // the first one is new
    const ReplayComparison comparison = compare_replays(recorded, std::span(all).first(5), environment);
    EXPECT_EQ(comparison.count(ChangeKind::NEW), 1U);
    EXPECT_EQ(comparison.count(ChangeKind::MISSING), 1U);
    EXPECT_EQ(comparison.same, 4U);
    EXPECT_EQ(change_text(comparison.changes[0]), "ttnn::made_up " + recorded.calls.back().call.place + ": missing");
    EXPECT_EQ(change_text(comparison.changes[1]), "ttnn::add test: new");
}

TEST(CompareReplays, AnotherMachineIsNamed) {
    NumericEnvironment other = environment;
    other.version = "2";
    EXPECT_EQ(why_bits_may_differ(environment, other), "");
    other.blas = "B 2";
    EXPECT_EQ(why_bits_may_differ(environment, other), "the library of matrix products is another: B 1, here B 2");
    other.processor = "Q";
    EXPECT_EQ(why_bits_may_differ(environment, other), "the processor is another: P, here Q");
}

TEST(CompareReplays, WhatOneMachineCannotHoldIsNotCompared) {
    const auto calls = sample_calls();
    auto all = replayed(calls);
    const RecordedReplay recorded = read_text(recorded_text(all, environment));
    all[0].outcome = Outcome::TOO_LARGE;
    const ReplayComparison comparison = compare_replays(recorded, all, environment);
    EXPECT_FALSE(comparison.any());
    EXPECT_EQ(comparison.not_compared, 1U);
}

TEST(CompareReplays, HereIsDescribed) {
    const NumericEnvironment here = numeric_environment();
    EXPECT_FALSE(here.processor.empty());
    EXPECT_THAT(here.blas, HasSubstr("OpenBLAS"));
    EXPECT_THAT(here.libm, testing::StartsWith("glibc 2."));
    EXPECT_EQ(why_bits_may_differ(here, environment_from_json(to_json(here))), "");
}

TEST(RecordedReplays, BadFilesAreRefusedWithThePlace) {
    const auto problem = [](const std::string& text) -> std::string {
        try {
            read_text(text);
        } catch (const FileError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_THAT(problem("[1, 2]"), HasSubstr("recorded.json: is not a recorded replay"));
    EXPECT_THAT(problem("{broken"), HasSubstr("is not a recorded replay"));
    EXPECT_THAT(problem(R"({"format": "tracelift replay 2"})"), HasSubstr("\"tracelift replay 1\""));
    EXPECT_THAT(problem(std::string(100'000, '[')), HasSubstr("nested deeper than 64 levels"));
    const auto calls = sample_calls();
    const auto all = replayed(calls);
    const std::string good = recorded_text(std::span(all).first(2), environment);
    EXPECT_EQ(problem(good), "none");
    const auto broken = [&](const std::string& part, const std::string& by) {
        std::string text = good;
        return problem(text.replace(text.rfind(part), part.size(), by));
    };
    EXPECT_THAT(broken("\"seed\"", "\"sed\""), HasSubstr("call 1: "));
    EXPECT_THAT(broken("\"matched\"", "\"macthed\""), HasSubstr("call 1: no outcome is called 'macthed'"));
    EXPECT_THAT(broken("\"max_ulp\":", "\"max_ulp\":\"a\",\"x\":"),
                HasSubstr("call 1: expected a number as 'max_ulp'"));
    EXPECT_THAT(broken("\"blas\"", "\"bla\""), HasSubstr("environment: "));
}

}  // namespace
}  // namespace tracelift
