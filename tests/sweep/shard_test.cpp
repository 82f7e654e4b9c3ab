// Shards are a partition that follows from the vectors, and merging them has to balance.
#include "tracelift/sweep/shard.hpp"

#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracelift {
namespace {

using testing::HasSubstr;

std::vector<Vector> some_vectors(size_t count) {
    std::vector<Vector> vectors(count);
    for (size_t i = 0; i < count; ++i) {
        vectors[i].id = fmt::format("{:064x}", i * 2654435761U);
        vectors[i].sweep_name = "ttnn.add";
        vectors[i].suite = "model_traced";
    }
    return vectors;
}

std::map<std::string, double> some_costs(const std::vector<Vector>& vectors) {
    std::map<std::string, double> cost;
    std::mt19937 random(5);
    for (size_t i = 0; i < vectors.size(); i += 2) {  // the others never ran
        cost[vectors[i].id] = std::exponential_distribution<double>(0.01)(random);
    }
    return cost;
}

TEST(Shard, TextsAreReadAndRefused) {
    EXPECT_EQ(parse_shard("3/4").number, 3U);
    EXPECT_EQ(parse_shard("3/4").text(), "3/4");
    EXPECT_EQ(parse_shard("").count, 1U);
    for (const char* bad : {"0/4", "5/4", "1", "1/", "/4", "1/4x", "a/b", "-1/4"}) {
        EXPECT_THROW(parse_shard(bad), std::invalid_argument) << bad;
    }
}

TEST(Shard, EveryVectorIsInExactlyOneShardInAnyOrder) {
    std::vector<Vector> vectors = some_vectors(1001);
    const auto cost = some_costs(vectors);
    std::map<std::string, size_t> shard_of;
    for (size_t number = 1; number <= 7; ++number) {
        for (const size_t index : vectors_of_shard(vectors, cost, {number, 7})) {
            EXPECT_TRUE(shard_of.emplace(vectors[index].id, number).second);
        }
    }
    EXPECT_EQ(shard_of.size(), vectors.size());
    std::ranges::reverse(vectors);
    for (size_t number = 1; number <= 7; ++number) {
        for (const size_t index : vectors_of_shard(vectors, cost, {number, 7})) {
            EXPECT_EQ(shard_of.at(vectors[index].id), number);
        }
    }
}

TEST(Shard, RecordedCostIsBalanced) {
    const std::vector<Vector> vectors = some_vectors(1000);
    std::map<std::string, double> cost;
    for (size_t i = 0; i < vectors.size(); ++i) {
        cost[vectors[i].id] = i < 4 ? 10'000.0 : 10.0;  // four that are as dear as a thousand others
    }
    for (size_t number = 1; number <= 4; ++number) {
        double sum = 0;
        for (const size_t index : vectors_of_shard(vectors, cost, {number, 4})) {
            sum += cost.at(vectors[index].id);
        }
        EXPECT_NEAR(sum, (4 * 10'000.0 + 996 * 10.0) / 4, 10.0);
    }
}

std::vector<JournalContents> finished_shards(const std::vector<Vector>& vectors, size_t count) {
    std::vector<JournalContents> shards;
    for (size_t number = 1; number <= count; ++number) {
        JournalContents shard;
        shard.path = fmt::format("shard{}.jsonl", number);
        shard.head.run.shard = Shard{number, count}.text();
        shard.head.run.started = fmt::format("2026-01-01T00:00:0{}.000Z", number);
        shard.head.run.command = fmt::format("sweep run --all --shard {} --timeout 5", shard.head.run.shard);
        shard.head.key = shard.head.run.command;
        shard.head.ledger = ledger_of(vectors);
        shard.head.total = vectors.size();
        shard.finished = true;
        for (const size_t index : vectors_of_shard(vectors, {}, {number, count})) {
            ResultRecord result;
            result.vector_id = vectors[index].id;
            result.sweep_name = vectors[index].sweep_name;
            result.suite = vectors[index].suite;
            result.configuration = 7;
            shard.results.push_back(result);
        }
        shard.head.own = shard.results.size();
        shards.push_back(std::move(shard));
    }
    return shards;
}

std::string problem_of(const std::vector<JournalContents>& shards) {
    try {
        merge_shards(shards);
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

TEST(Merge, AllShardsAreOneRun) {
    const std::vector<Vector> vectors = some_vectors(103);
    const MergedShards merged = merge_shards(finished_shards(vectors, 4));
    std::set<std::string> ids;
    for (const ResultRecord& result : merged.results) {
        ids.insert(result.vector_id);
    }
    EXPECT_EQ(ids.size(), 103U);
    EXPECT_EQ(merged.head.run.shard, "");
    EXPECT_EQ(merged.head.run.started, "2026-01-01T00:00:01.000Z");
    EXPECT_EQ(merged.head.run.command, "sweep run --all --timeout 5") << "not the run of shard 1/4";
    EXPECT_EQ(merged.head.key, "sweep run --all --timeout 5");
    EXPECT_EQ(merged.results[0].configuration, 0) << "the shard's store has numbers of its own";
}

TEST(Merge, AWholeRunIsNoShard) {
    auto shards = finished_shards(some_vectors(40), 2);
    shards[0].head.run.shard.clear();
    EXPECT_EQ(problem_of(shards), "cannot merge: shard1.jsonl is a whole run, shard2.jsonl is shard 2/2");
}

TEST(Merge, WhatDoesNotBalanceIsNamed) {
    const std::vector<Vector> vectors = some_vectors(40);
    auto shards = finished_shards(vectors, 4);
    shards.erase(shards.begin() + 2);
    EXPECT_EQ(problem_of(shards), "cannot merge: shard 3/4 is missing");
    shards.erase(shards.begin());
    EXPECT_EQ(problem_of(shards), "cannot merge: shard 1/4, 3/4 are missing");

    shards = finished_shards(vectors, 4);
    shards.push_back(shards[1]);
    EXPECT_THAT(problem_of(shards), HasSubstr("are both shard 2/4"));

    shards = finished_shards(vectors, 4);
    shards[3].finished = false;
    shards[3].results.pop_back();
    EXPECT_THAT(problem_of(shards), HasSubstr("shard 4/4 (shard4.jsonl) is not finished: 9 of 10"));

    shards = finished_shards(vectors, 4);
    shards[3].results.pop_back();
    EXPECT_THAT(problem_of(shards), HasSubstr("39 results, the sweep 40 vectors"));

    shards = finished_shards(vectors, 4);
    shards[3].results.back() = shards[0].results.back();
    EXPECT_THAT(problem_of(shards), HasSubstr("has a result in shard 1/4 and in shard 4/4"));

    shards = finished_shards(vectors, 4);
    shards[1] = finished_shards(some_vectors(39), 4)[1];
    EXPECT_THAT(problem_of(shards), HasSubstr("different sweeps"));
}

}  // namespace
}  // namespace tracelift
