// Planted bugs, found in worker processes and shrunk to the smallest call that shows them.
#include "tracelift/replay/shrink_call.hpp"

#include <chrono>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/calls.hpp"
#include "tracelift/replay/test_case.hpp"
#include "ttnn/check/traced_call.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;
using ttnn::TensorMemoryLayout;

ReplayCall planted(const std::string& bug, Value::Dict arguments) {
    ReplayCall call;
    call.call = {"ttnn.planted_" + bug, std::move(arguments), true, {}};
    call.place = "test";
    return call;
}

// With the time it took, for people.
ShrunkCall timed(const ReplayCall& call, const ShrinkOptions& options = {}) {
    const auto begin = std::chrono::steady_clock::now();
    ShrunkCall shrunk = shrink_call(call, options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << call.call.operation << ": " << shrunk.tried << " calls, " << shrunk.alike << " alike, "
              << seconds.count() << " s\n";
    return shrunk;
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

// What a call has that has nothing to do with the bug.
Value::Dict arguments_of(const ttnn::Shape& shape, const ttnn::MemoryConfig& memory) {
    return {{"input_tensor", tensor_value(shape, {.memory = memory})},
            {"scale", 2.5},
            {"memory_config", memory_value(memory)}};
}

TEST(ShrinkCall, AWrongResultWhereADimensionIsNotAligned) {
    const ttnn::MemoryConfig memory = sharded_memory(TensorMemoryLayout::HEIGHT_SHARDED, 6, 3, {32, 128});
    const ShrunkCall shrunk = timed(planted("unaligned", arguments_of({2, 3, 96, 100}, memory)));
    EXPECT_EQ(shrunk.outcome, Outcome::DIFFERS);
    EXPECT_EQ(shrunk.signature, "element N is N where the reference gives N (N ULP, N allowed)");
    EXPECT_EQ(shrunk.end, ShrinkEnd::SMALLEST);
    EXPECT_TRUE(shrunk.steady);
    // One element is less than a tile.
    const TensorOptions plainest{.dtype = ttnn::DataType::FLOAT32, .layout = ttnn::Layout::ROW_MAJOR};
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(),
              Value(Value::Dict{{"input_tensor", tensor_value({1}, plainest)}}).to_text());
}

TEST(ShrinkCall, ACrashWhereBlockShardsLieOnTwoRows) {
    const ttnn::MemoryConfig memory = sharded_memory(TensorMemoryLayout::BLOCK_SHARDED, 8, 4, {64, 32});
    const ShrunkCall shrunk = timed(planted("block_rows", arguments_of({1, 1, 256, 256}, memory)));
    EXPECT_EQ(shrunk.outcome, Outcome::FAILED);
    EXPECT_EQ(shrunk.result.status, Status::FAIL_CRASH);
    EXPECT_THAT(shrunk.signature, HasSubstr("semaphore of the second row"));
    EXPECT_EQ(shrunk.end, ShrinkEnd::SMALLEST);
    // A row for each of two cores, one above the other.
    const TensorOptions smallest{.dtype = ttnn::DataType::FLOAT32,
                                 .layout = ttnn::Layout::ROW_MAJOR,
                                 .memory = sharded_memory(TensorMemoryLayout::BLOCK_SHARDED, 1, 2, {1, 1})};
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(),
              Value(Value::Dict{{"input_tensor", tensor_value({2, 1}, smallest)}}).to_text());
    // The test is written without making the call here.
    const TestCase test = failing_test(shrunk.call, "fail_crash", TestForm::GTEST);
    EXPECT_THAT(pytest_repro(test).text, HasSubstr("def test_planted_block_rows_repro(device):"));
    EXPECT_THAT(gtest_repro(test).text, HasSubstr("EXPECT_EQ(call.value_problem(), \"\");"));
}

TEST(ShrinkCall, AWrongColumnWhereTilesArePadded) {
    const ShrunkCall shrunk = timed(planted("padded_column", arguments_of({2, 64, 100}, ttnn::l1_memory_config())));
    EXPECT_EQ(shrunk.outcome, Outcome::DIFFERS);
    EXPECT_EQ(shrunk.end, ShrinkEnd::SMALLEST);
    // Rows have no padding, and a single column has none before it.
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(),
              Value(Value::Dict{{"input_tensor", tensor_value({2}, {.dtype = ttnn::DataType::FLOAT32})}}).to_text());
}

Value::Dict smallest_in_l1(uint32_t width) {
    return {{"input_tensor", tensor_value({width}, {.dtype = ttnn::DataType::FLOAT32,
                                                    .layout = ttnn::Layout::ROW_MAJOR,
                                                    .memory = ttnn::l1_memory_config()})}};
}

TEST(ShrinkCall, ARefusalKeepsItsReason) {
    const ShrunkCall shrunk = timed(planted("wide_in_l1", arguments_of({4, 64, 512}, ttnn::l1_memory_config())));
    EXPECT_EQ(shrunk.outcome, Outcome::REJECTED);
    EXPECT_EQ(shrunk.result.message, "ttnn.planted_wide_in_l1: a width of 101 is beyond all measure");
    EXPECT_EQ(shrunk.signature, "OPERATION: a width of N is beyond all measure");
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(), Value(smallest_in_l1(101)).to_text());
}

TEST(ShrinkCall, AnyReasonWillDoWhereOnlyTheStatusIsExpected) {
    ShrinkOptions options;
    options.expect = "rejected";
    const ShrunkCall shrunk =
        timed(planted("wide_in_l1", arguments_of({4, 64, 512}, ttnn::l1_memory_config())), options);
    EXPECT_EQ(shrunk.result.message, "ttnn.planted_wide_in_l1: 33 columns are more than a tile has");
    EXPECT_TRUE(shrunk.signature.empty());
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(), Value(smallest_in_l1(33)).to_text());
}

TEST(ShrinkCall, WorkersDoNotChangeTheResult) {
    const ReplayCall call = planted("padded_column", arguments_of({2, 64, 100}, ttnn::l1_memory_config()));
    std::vector<ShrunkCall> results;
    for (const unsigned workers : {1U, 3U}) {
        ShrinkOptions options;
        options.replay.pool.workers = workers;
        results.push_back(shrink_call(call, options));
    }
    EXPECT_EQ(results[0].call.call.arguments, results[1].call.call.arguments);
    EXPECT_EQ(results[0].tried, results[1].tried);
}

TEST(ShrinkCall, WhatPassesIsNotShrunkUnlessAskedFor) {
    const ReplayCall call = planted("unaligned", arguments_of({32, 64}, {}));
    EXPECT_THAT(message_of([&] { shrink_call(call, {}); }), HasSubstr("it does not fail"));
    ShrinkOptions options;
    options.expect = "rejected";
    EXPECT_THAT(message_of([&] { shrink_call(call, options); }), HasSubstr("expected rejected, but it is matched"));
    options.expect = "pass";
    const ShrunkCall shrunk = timed(call, options);
    EXPECT_EQ(shrunk.outcome, Outcome::MATCHED);
    const TensorOptions plainest{.dtype = ttnn::DataType::FLOAT32, .layout = ttnn::Layout::ROW_MAJOR};
    EXPECT_EQ(Value(shrunk.call.call.arguments).to_text(),
              Value(Value::Dict{{"input_tensor", tensor_value({32}, plainest)}}).to_text());
}

TEST(ShrinkCall, WhatCannotBeReplayedSaysWhy) {
    ReplayCall unknown = planted("no_such_thing", {});
    unknown.call.bound = false;
    EXPECT_THAT(message_of([&] { shrink_call(unknown, {}); }),
                HasSubstr("has no operation 'ttnn.planted_no_such_thing'"));
}

TEST(ShrinkCall, EndsWithItsBudget) {
    ShrinkOptions options;
    options.attempts = 3;
    const ShrunkCall few = shrink_call(planted("unaligned", arguments_of({2, 3, 96, 100}, {})), options);
    EXPECT_EQ(few.end, ShrinkEnd::ATTEMPTS);
    EXPECT_EQ(few.tried, 3U);
    EXPECT_EQ(few.outcome, Outcome::DIFFERS);
    // Cut off after the first call: what was found until then is what there is.
    options.attempts = 1000;
    bool first_ended = false;
    options.replay.pool.go_on = [&] { return !first_ended; };
    const ShrunkCall cut = shrink_call(planted("unaligned", arguments_of({2, 3, 96, 100}, {})), options,
                                       [&](const Replayed&) { first_ended = true; });
    EXPECT_EQ(cut.end, ShrinkEnd::INTERRUPTED);
    EXPECT_TRUE(cut.changes.empty());
    EXPECT_EQ(cut.outcome, Outcome::DIFFERS);
}

TEST(QuotedLines, NothingEndsThem) {
    EXPECT_EQ(quoted_lines("a \"\"\" b\\\nc", "# ", 20), "# a \'\'\' b/\n# c\n");
    EXPECT_EQ(quoted_lines("one two three", "// ", 10), "// one two\n// three\n");
    EXPECT_EQ(quoted_lines("unbreakable", "// ", 5), "// unbreakable\n");
    EXPECT_EQ(quoted_lines("", "// ", 10), "");
}

TEST(TracedCall, ValuesAloneAskNothingOfTheOutputs) {
    using ttnn::DataType;
    using ttnn::Layout;
    ttnn::TracedCall good("ttnn.relu");
    good.tensor("input_tensor", {32, 64}, DataType::BFLOAT16, Layout::TILE);
    EXPECT_EQ(good.value_problem(), "");
    EXPECT_EQ(good.problem(), "1 outputs, expected 0");
    ttnn::TracedCall wrong("ttnn.planted_unaligned");
    wrong.tensor("input_tensor", {3}, DataType::FLOAT32, Layout::ROW_MAJOR);
    EXPECT_THAT(wrong.value_problem(), HasSubstr("where the reference gives"));
    ttnn::TracedCall refused("ttnn.matmul");
    refused.tensor("input_tensor_a", {2}, DataType::FLOAT32, Layout::TILE);
    refused.tensor("input_tensor_b", {1}, DataType::FLOAT32, Layout::TILE);
    EXPECT_THAT(refused.value_problem(), HasSubstr("must be equal to the height"));
}

}  // namespace
}  // namespace tracelift
