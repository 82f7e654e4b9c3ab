// Buffers as spans give the same rows as a snapshot per operation.
#include "tracelift/report/snapshots.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tracelift/report/schema.hpp"

namespace tracelift::report::testing {
namespace {

class SnapshotsTest : public ::testing::Test {
protected:
    static Database with_tables() {
        Database database;
        create_tables(database, Rules::R);
        create_indexes(database, Rules::R);
        return database;
    }

    // What the view says about an operation.
    std::vector<int64_t> addresses_at(int64_t operation) {
        Statement rows(database_, "SELECT address FROM buffers WHERE operation_id = ? ORDER BY address");
        rows.with(operation);
        std::vector<int64_t> addresses;
        while (rows.step()) {
            addresses.push_back(rows.integer(0));
        }
        return addresses;
    }
    void end(int64_t operation, int64_t epoch) {
        database_.run("INSERT INTO operation_details VALUES (" + std::to_string(operation) + ", 1, 0, 0, " +
                      std::to_string(epoch) + ", NULL, NULL, 0)");
    }
    int64_t spans() { return database_.integer("SELECT COUNT(*) FROM buffer_spans"); }

    Database database_ = with_tables();
    Insert<BufferSpanRow> rows_{database_};
    int64_t next_epoch_ = 1;
};

TEST_F(SnapshotsTest, AreThoseOfAListThatIsCopiedEveryTime) {
    SpanWriter writer(rows_, next_epoch_);
    std::mt19937 random(7);
    std::map<uint64_t, int64_t> live;
    std::map<int64_t, std::vector<int64_t>> wanted;
    uint64_t next_id = 0;
    int64_t changes = 0;
    for (int64_t operation = 1; operation <= 3000; ++operation) {
        for (size_t i = random() % 6; i > 0; --i, ++changes) {
            if (live.empty() || random() % 100 < 52) {
                const BufferFacts facts{.address = static_cast<int64_t>(next_id)};
                writer.add(next_id, facts, operation);
                live[next_id] = facts.address;
                ++next_id;
            } else {
                const auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(random() % live.size()));
                writer.remove(victim->first);
                live.erase(victim);
            }
        }
        end(operation, writer.end_operation(operation));
        for (const auto& [id, address] : live) {
            wanted[operation].push_back(address);
        }
    }
    writer.finish();
    EXPECT_GT(next_epoch_, 4);  // the borders of epochs were crossed
    EXPECT_LT(spans(), 2 * changes);
    for (int64_t operation = 1; operation <= 3000; ++operation) {
        ASSERT_EQ(addresses_at(operation), wanted[operation]) << operation;
    }
}

TEST_F(SnapshotsTest, ListsOfOperationsStoreTheirDifferences) {
    ListedSnapshots lists(rows_, next_epoch_);
    std::vector<BufferFacts> list;
    for (int64_t operation = 1; operation <= 1000; ++operation) {
        list.push_back({.address = operation});
        if (operation == 500) {
            list.push_back({.address = 1});  // the same twice counts twice
        }
        end(operation, lists.end_operation(operation, list));
    }
    lists.finish();
    EXPECT_EQ(addresses_at(499).size(), 499);
    EXPECT_EQ(addresses_at(500).size(), 501);
    EXPECT_EQ(addresses_at(500)[1], 1);
    EXPECT_LT(spans(), 3000);
}

TEST_F(SnapshotsTest, WhatComesAndGoesBetweenTwoOperationsIsNowhere) {
    SpanWriter writer(rows_, next_epoch_);
    writer.add(1, {.address = 10}, 1);
    writer.remove(1);
    writer.add(2, {.address = 20}, 1);
    end(1, writer.end_operation(1));
    writer.remove(2);
    end(2, writer.end_operation(2));
    writer.finish();
    EXPECT_EQ(addresses_at(1), std::vector<int64_t>{20});
    EXPECT_TRUE(addresses_at(2).empty());
}

}  // namespace
}  // namespace tracelift::report::testing
