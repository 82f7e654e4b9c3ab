// Journals keep every whole line, whatever happened to the process that wrote them.
#include "tracelift/sweep/journal.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/sweep/record_json.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;

JournalHead head_at(const std::string& started, const std::string& key) {
    JournalHead head;
    head.run.started = started;
    head.key = key;
    head.ledger = "abc";
    head.total = 3;
    head.own = 2;
    head.vectors = {"a", "b"};
    return head;
}

ResultRecord some_result(const std::string& id) {
    ResultRecord result;
    result.vector_id = id;
    result.sweep_name = "eltwise.unary.x.x";
    result.suite = "nightly";
    result.status = Status::FAIL_CRASH;
    result.exception = "the worker was killed\nby \"SIGSEGV\"";
    result.pcc = std::nan("");
    result.max_ulp = INFINITY;
    result.equal = false;
    result.milliseconds = 1.5;
    result.metrics = {{"e2e_perf_ms", 0.25}};
    result.parameters = {{"shape", "(1, 32)"}, {"nested", {{"a", {1, 2}}}}};
    return result;
}

void append_to(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

TEST(Journal, WhatWasWrittenIsRead) {
    const ScratchFolder folder;
    Journal journal = Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
    const ResultRecord result = some_result("1234");
    journal.append(result);
    const JournalContents contents = read_journal(journal.path());
    EXPECT_FALSE(contents.finished);
    EXPECT_EQ(contents.head.key, "run x");
    EXPECT_EQ(contents.head.vectors, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(contents.results.size(), 1U);
    EXPECT_EQ(to_json(contents.results[0]).dump(), to_json(result).dump());
    EXPECT_TRUE(std::isnan(*contents.results[0].pcc));
    EXPECT_TRUE(std::isinf(*contents.results[0].max_ulp));
    journal.finish("2026-01-15T10:46:17.123Z");
    EXPECT_TRUE(read_journal(journal.path()).finished);
    EXPECT_EQ(read_journal(journal.path().parent_path()).head.run.finished, "2026-01-15T10:46:17.123Z");
}

TEST(Journal, ABrokenLastLineIsLeftOutAndCutOffWhereTheRunGoesOn) {
    const ScratchFolder folder;
    std::filesystem::path path;
    {
        Journal journal = Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
        journal.append(some_result("1"));
        path = journal.path();
    }
    append_to(path, R"({"vector_id": "2", "sweep)");
    JournalContents contents = read_journal(path);
    EXPECT_EQ(contents.results.size(), 1U);
    Journal::reopen(contents).append(some_result("3"));
    const JournalContents after = read_journal(path);
    ASSERT_EQ(after.results.size(), 2U);
    EXPECT_EQ(after.results[1].vector_id, "3");
}

TEST(Journal, DamageInTheMiddleIsAnErrorWithItsLine) {
    const ScratchFolder folder;
    Journal journal = Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
    append_to(journal.path(), "rubbish\n");
    try {
        read_journal(journal.path());
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("results.jsonl: line 2: expected a result"));
    }
}

TEST(Journal, OneProcessWritesAtATime) {
    const ScratchFolder folder;
    const Journal journal = Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
    JournalContents contents = read_journal(journal.path());
    EXPECT_THROW(Journal::reopen(contents), std::runtime_error);
}

TEST(Journal, WhatAnotherProcessWroteAfterItWasReadIsKept) {
    const ScratchFolder folder;
    JournalContents contents;
    {
        Journal journal = Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
        journal.append(some_result("1"));
        contents = read_journal(journal.path());
        journal.append(some_result("2"));
    }
    Journal::reopen(contents).append(some_result("3"));
    EXPECT_EQ(contents.results.size(), 2U) << "so that nobody runs 2 again";
    EXPECT_EQ(read_journal(contents.path).results.size(), 3U);
}

TEST(Journal, TheNewestOfACommandIsFound) {
    const ScratchFolder folder;
    Journal::create(folder.path(), head_at("2026-01-15T10:46:16.123Z", "run x"));
    Journal::create(folder.path(), head_at("2026-01-15T10:46:18.000Z", "run x")).append(some_result("1"));
    Journal::create(folder.path(), head_at("2026-01-15T10:46:19.000Z", "run y"));
    std::filesystem::create_directory(folder.path() / "20260115104620000_1");  // killed before its first line
    const auto found = last_journal(folder.path(), "run x");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->results.size(), 1U);
    EXPECT_FALSE(last_journal(folder.path(), "run z"));
    EXPECT_FALSE(last_journal(folder.path() / "nothing", "run x"));
}

}  // namespace
}  // namespace tracelift
