// Results of sweeps: what goes in comes out, they outlive their configurations, and older stores bring theirs along.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/schema.hpp"
#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

ResultRecord result(std::string vector, Status status = Status::PASS, double milliseconds = 1) {
    ResultRecord record;
    record.vector_id = std::move(vector);
    record.sweep_name = "eltwise.unary.relu";
    record.suite = "nightly";
    record.operation = "ttnn.relu";
    record.status = status;
    record.milliseconds = milliseconds;
    return record;
}

class Results : public testing::Test {
protected:
    std::vector<ResultRecord> read(const ResultQuery& query = {}) {
        std::vector<ResultRecord> records;
        store_.visit_results(query, [&](int64_t, ResultRecord& record) {
            records.push_back(std::move(record));
            return true;
        });
        return records;
    }
    std::vector<std::string> read_ids(const ResultQuery& query) {
        std::vector<std::string> ids;
        store_.visit_results(query, [&](int64_t sweep, ResultRecord& record) {
            ids.push_back(std::to_string(sweep) + ":" + record.vector_id);
            return true;
        });
        return ids;
    }
    void add(int64_t sweep, const std::vector<ResultRecord>& results) { store_.add_results(sweep, results); }
    // A run of relu on one machine, and the identity of its configuration.
    std::string trace(const std::string& uid) {
        NewExecution fresh;
        fresh.configuration.call = Binder().bind({"ttnn.made_up", {Value(7)}, {}}, Order::PYTHON, "n150");
        fresh.model = "m";
        store_.add({uid, "target", "2026-01-01 00:00:00", "passed", 1, 1}, std::vector{fresh});
        return store_.configurations("ttnn.made_up").at(0).identity;
    }

    ScratchFolder scratch_;
    Store store_ = Store::open_for_writing(scratch_.path());
};

TEST_F(Results, OfASweepShorterThanASecondDoNotEndBeforeItBegan) {
    for (int i = 0; i < 20; ++i) {
        const int64_t sweep = store_.begin_sweep({});
        store_.finish_sweep(sweep);
        const auto run = store_.find_sweep(std::to_string(sweep));
        ASSERT_TRUE(run);
        EXPECT_GE(run->finished, run->started);  // the same form, so that texts compare as times
        EXPECT_EQ(run->finished.size(), run->started.size());
    }
}

TEST_F(Results, GiveBackEverythingOfASweep) {
    SweepRun run;
    run.started = "2026-01-15T10:46:16.123Z";
    run.version = "9.9";
    run.command = "sweep run relu";
    run.contents = "relu, nightly";
    run.host = "h";
    run.card_type = "wormhole_b0 (n150)";
    run.git_commit = "abc";
    run.git_branch = "main";
    run.git_author = "A B";
    run.environment = R"({"processor":"x"})";
    run.shard = "1/4";
    const int64_t sweep = store_.begin_sweep(run);
    ResultRecord record = result("v1", Status::FAIL, 2.5);
    record.message = "m \"quoted\" \xC3\xA9";
    record.exception = "e\nline";
    record.identity = "0123";
    record.pcc = 0.75;
    record.max_ulp = 3;
    record.max_relative = 0.5;
    record.max_absolute = 0.25;
    record.equal = false;
    record.started = "2026-01-15T10:46:17Z";
    record.ended = "2026-01-15T10:46:18Z";
    record.source = "a, b";
    record.metrics = {{"e2e_perf_ms", 1.5}, {"a", 2}};
    record.parameters = Json::parse(R"({"z": [1, 2.0, null], "a": {"b": "c"}})");
    add(sweep, {record, result("v2")});
    store_.finish_sweep(sweep);

    const auto read_run = store_.find_sweep(std::to_string(sweep));
    ASSERT_TRUE(read_run);
    EXPECT_EQ(read_run->id, sweep);
    EXPECT_EQ(read_run->started, run.started);
    EXPECT_NE(read_run->finished, "");
    EXPECT_EQ(read_run->version, run.version);
    EXPECT_EQ(read_run->command, run.command);
    EXPECT_EQ(read_run->contents, run.contents);
    EXPECT_EQ(read_run->host, run.host);
    EXPECT_EQ(read_run->card_type, run.card_type);
    EXPECT_EQ(read_run->git_commit, run.git_commit);
    EXPECT_EQ(read_run->git_branch, run.git_branch);
    EXPECT_EQ(read_run->git_author, run.git_author);
    EXPECT_EQ(read_run->environment, run.environment);
    EXPECT_EQ(read_run->shard, run.shard);

    const auto records = read();
    ASSERT_EQ(records.size(), 2U);
    const ResultRecord& back = records[0];
    EXPECT_EQ(back.vector_id, "v1");
    EXPECT_EQ(back.sweep_name, record.sweep_name);
    EXPECT_EQ(back.suite, record.suite);
    EXPECT_EQ(back.operation, record.operation);
    EXPECT_EQ(back.identity, record.identity);
    EXPECT_EQ(back.configuration, 0);
    EXPECT_EQ(back.status, Status::FAIL);
    EXPECT_EQ(back.message, record.message);
    EXPECT_EQ(back.exception, record.exception);
    EXPECT_EQ(back.pcc, record.pcc);
    EXPECT_EQ(back.max_ulp, record.max_ulp);
    EXPECT_EQ(back.max_relative, record.max_relative);
    EXPECT_EQ(back.max_absolute, record.max_absolute);
    EXPECT_EQ(back.equal, record.equal);
    EXPECT_EQ(back.milliseconds, record.milliseconds);
    EXPECT_EQ(back.started, record.started);
    EXPECT_EQ(back.ended, record.ended);
    EXPECT_EQ(back.source, record.source);
    EXPECT_EQ(back.parameters.dump(), record.parameters.dump());
    ASSERT_EQ(back.metrics.size(), 2U);
    EXPECT_EQ(back.metrics[0].name, "e2e_perf_ms");
    EXPECT_EQ(back.metrics[0].value, 1.5);
    EXPECT_FALSE(records[1].pcc.has_value());
    EXPECT_FALSE(records[1].equal.has_value());
}

TEST_F(Results, AVectorHasOneResultPerSweep) {
    const int64_t sweep = store_.begin_sweep({});
    ResultRecord elsewhere = result("v1", Status::FAIL);
    elsewhere.suite = "model_traced";
    add(sweep, {result("v1", Status::INFRA_WORKER_LOST), elsewhere});
    add(sweep, {result("v1", Status::PASS)});
    const auto records = read();
    ASSERT_EQ(records.size(), 2U);  // the same vector of another suite is another one
    EXPECT_EQ(records[0].status, Status::PASS);
    EXPECT_EQ(records[1].status, Status::FAIL);
}

TEST_F(Results, AreFoundByOperationStatusTimeAndSweep) {
    const int64_t first = store_.begin_sweep({.started = "2026-01-01T00:00:00Z"});
    const int64_t second = store_.begin_sweep({.started = "2026-02-01T00:00:00Z"});
    ResultRecord other = result("v3");
    other.operation = "ttnn.exp";
    add(first, {result("v1", Status::FAIL), result("v2"), other});
    add(second, {result("v1"), result("v4", Status::FAIL_CRASH)});
    EXPECT_THAT(read_ids({.operation = "ttnn.exp"}), ElementsAre("1:v3"));
    EXPECT_THAT(read_ids({.status = "fail"}), ElementsAre("1:v1"));
    EXPECT_THAT(read_ids({.since = "2026-01-15"}), ElementsAre("2:v1", "2:v4"));
    EXPECT_THAT(read_ids({.sweep = first}), ElementsAre("1:v1", "1:v2", "1:v3"));
    EXPECT_THAT(read_ids({.latest_only = true}), ElementsAre("1:v2", "1:v3", "2:v1", "2:v4"));
    EXPECT_THAT(read_ids({.status = "fail", .latest_only = true}), IsEmpty());  // it passed since
    EXPECT_EQ(second, first + 1);
}

TEST_F(Results, SweepsAreNamedByIdOrByAge) {
    EXPECT_FALSE(store_.find_sweep("latest"));
    const int64_t first = store_.begin_sweep({.command = "first"});
    store_.begin_sweep({.command = "second"});
    const auto command = [&](std::string_view text) {
        const auto found = store_.find_sweep(text);
        return found ? found->command : "none";
    };
    EXPECT_EQ(command("latest"), "second");
    EXPECT_EQ(command("latest~0"), "second");
    EXPECT_EQ(command("latest~1"), "first");
    EXPECT_EQ(command("latest~2"), "none");
    EXPECT_EQ(command(std::to_string(first)), "first");
    for (const auto* wrong : {"", "latest~", "latest1", "-1", "1x", "newest"}) {
        EXPECT_EQ(command(wrong), "none") << wrong;
    }
    const auto sweeps = store_.sweeps();
    ASSERT_EQ(sweeps.size(), 2U);
    EXPECT_EQ(sweeps[0].command, "second");
}

TEST_F(Results, OutliveTheirConfigurationAndFindItAgain) {
    const std::string identity = trace("u1");
    ResultRecord record = result("v1", Status::FAIL);
    record.identity = identity;
    const int64_t sweep = store_.begin_sweep({});
    add(sweep, {record});
    EXPECT_NE(read().at(0).configuration, 0);  // found by the hash alone
    ASSERT_TRUE(store_.delete_run(store_.runs().at(0).id));
    ASSERT_THAT(store_.configurations("ttnn.made_up"), IsEmpty());
    store_.collect_garbage();
    ASSERT_EQ(read().size(), 1U);
    EXPECT_EQ(read()[0].configuration, 0);
    EXPECT_EQ(read()[0].identity, identity);
    EXPECT_EQ(store_.database().integer("SELECT count(*) FROM results"), 1);

    ASSERT_EQ(trace("u2"), identity);
    EXPECT_EQ(read()[0].configuration, store_.configurations("ttnn.made_up").at(0).id);
    EXPECT_EQ(store_.database().integer("SELECT last_status = 'fail' FROM configurations"), 1);
}

TEST_F(Results, CostIsTheMedianOfWhatRan) {
    for (const double milliseconds : {1.0, 100.0, 3.0}) {
        ResultRecord record = result("v1", Status::PASS, milliseconds);
        record.identity = "hash";
        add(store_.begin_sweep({}), {record, result("v2", Status::NOT_RUN, 5)});
    }
    add(store_.begin_sweep({}), {result("v3", Status::PASS, 4), result("v1", Status::FAIL, 5)});
    for (const SweepRun& run : store_.sweeps()) {
        store_.finish_sweep(run.id);
    }
    const int64_t shard = store_.begin_sweep({.shard = "1/2"});
    add(shard, {result("v1", Status::PASS, 1000), result("v4", Status::PASS, 1)});
    store_.finish_sweep(shard);
    add(store_.begin_sweep({}), {result("v1", Status::PASS, 1000)});  // still running
    EXPECT_THAT(store_.recorded_cost(), UnorderedElementsAre(Pair("v1", 4), Pair("hash", 3), Pair("v3", 4)));
}

TEST(ResultsOfOldStores, AreCarriedOver) {
    const ScratchFolder folder;
    {
        Database old(folder.path() / database_name, Database::Mode::WRITE);
        migrate(old, 2);
        old.run(
            "INSERT INTO operation VALUES (1, 'ttnn.relu');"
            "INSERT INTO trace_run (id, uid, target, started, outcome, captured, kept) VALUES (1, 'u', 't', "
            "'2026-01-01 00:00:00', 'passed', 1, 1);"
            "INSERT INTO model (id, name, short_name) VALUES (1, 'm', 'm');"
            "INSERT INTO configuration (id, operation_id, identity, ordinal, canonical_version, bound, board, "
            "arguments) VALUES (5, 1, 'abc', 0, 1, 0, '', x'00'), (6, 1, 'abc', 1, 1, 0, '', x'00');"
            "INSERT INTO execution VALUES (5, 1, 1, 1, 1), (6, 1, 1, 1, 1);"
            "INSERT INTO sweep_run VALUES (3, '2026-01-02 00:00:00', NULL, '0.9', 'run relu');"
            "INSERT INTO sweep_result VALUES (3, 5, 'pass', '', 0.5, 1, 2, 3, 1, 4), "
            "(3, 6, 'fail', 'why', NULL, NULL, NULL, NULL, NULL, 6)");
    }
    Store store = Store::open_for_writing(folder.path());
    std::vector<ResultRecord> results;
    store.visit_results({.sweep = 3}, [&](int64_t, ResultRecord& record) {
        results.push_back(record);
        return true;
    });
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].vector_id, "abc");
    EXPECT_EQ(results[0].sweep_name, "ttnn.relu");
    EXPECT_EQ(results[0].suite, "model_traced");
    EXPECT_EQ(results[0].configuration, 5);
    EXPECT_EQ(results[0].pcc, 0.5);
    EXPECT_EQ(results[0].equal, true);
    EXPECT_EQ(results[0].milliseconds, 4);
    EXPECT_EQ(results[1].vector_id, "abc#1");
    EXPECT_EQ(results[1].exception, "why");
    EXPECT_FALSE(results[1].pcc.has_value());
    const auto sweeps = store.sweeps();
    ASSERT_EQ(sweeps.size(), 1U);
    EXPECT_EQ(sweeps[0].command, "run relu");
    EXPECT_EQ(sweeps[0].finished, "");
    EXPECT_TRUE(sweeps[0].started.ends_with("Z"));
    EXPECT_EQ(store.database().integer("SELECT count(*) FROM results WHERE message = 'why'"), 1);
    EXPECT_EQ(store.database().integer("SELECT count(*) FROM configurations WHERE last_status IN ('pass', 'fail')"), 2);
}

}  // namespace
}  // namespace tracelift
