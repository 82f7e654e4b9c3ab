// What an import reads of a store at once, against what the store says when it is asked for one row after the other.
#include "tracelift/catalog/sqlite/known_rows.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tracelift/base/scratch_folder.hpp"
#include "tracelift/catalog/sqlite/import.hpp"
#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {
namespace {

namespace fs = std::filesystem;

class KnownRowsTest : public testing::Test {
protected:
    // A master of format 2: `configurations` of one operation, each executed `count` times by two sources; the first is
    // listed twice.
    fs::path master(const std::string& operation, int configurations, int count) const {
        Json list = Json::array();
        for (int i = -1; i < configurations; ++i) {
            Json executions = Json::array();
            for (const auto* source : {"tests/a.py", "tests/b.py"}) {
                executions.push_back(
                    {{"source", source},
                     {"machine_info", {{"board_type", "Wormhole"}, {"device_series", "n150"}, {"card_count", 1}}},
                     {"count", count},
                     {"trace_uid", fmt::format("uid of {}", source)}});
            }
            list.push_back({{"arguments", {{"arg0", std::max(i, 0)}, {"arg1", "text"}}}, {"executions", executions}});
        }
        const fs::path path = scratch_.path() / fmt::format("{}_{}_{}.json", operation, configurations, count);
        std::ofstream(path) << Json{{"operations", {{operation, {{"configurations", list}}}}}}.dump(2);
        return path;
    }
    ImportReport import(const fs::path& file) const { return Store::open_for_writing(folder_).import_master(file, {}); }
    // Every execution as "operation argument source: count".
    std::vector<std::string> executions() const {
        Store store = Store::open_for_reading(folder_);
        std::vector<std::string> all;
        store.visit({}, [&](Configuration& configuration) {
            for (const Execution& execution : configuration.executions) {
                all.push_back(fmt::format("{} {}#{} {}: {}", configuration.call.operation,
                                          configuration.call.arguments.front().value.to_text(), configuration.ordinal,
                                          execution.model, execution.count));
            }
            return true;
        });
        return all;
    }

    ScratchFolder scratch_;
    fs::path folder_ = scratch_.path() / "store";
};

TEST_F(KnownRowsTest, AreThoseOfTheTables) {
    import(master("ttnn.made_up", 300, 2));
    Database database(folder_ / database_name, Database::Mode::READ);
    auto rows = KnownRows::read(database);
    ASSERT_TRUE(rows);
    Statement texts(database, "SELECT digest, identity, min(ordinal), id FROM configuration GROUP BY digest");
    int count = 0;
    for (; texts.step(); ++count) {
        const auto text = rows->text(texts.text(0));
        ASSERT_TRUE(text);
        EXPECT_EQ(text->identity, texts.text(1));
        EXPECT_EQ(text->ordinal, texts.integer(2));
        EXPECT_EQ(text->id, texts.integer(3));
    }
    EXPECT_EQ(count, 300);
    EXPECT_FALSE(rows->text("no such digest!!"));
    EXPECT_FALSE(rows->text(""));
    Statement executions(database, "SELECT configuration_id, trace_run_id, model_id, count FROM execution");
    for (count = 0; executions.step(); ++count) {
        const auto* found = rows->execution(executions.integer(0), executions.integer(1), executions.integer(2));
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->count, static_cast<uint64_t>(executions.integer(3)));
    }
    EXPECT_EQ(count, 602);
    EXPECT_EQ(rows->execution(1, 1, 1000), nullptr);
    EXPECT_EQ(rows->execution(100'000, 1, 1), nullptr);
}

// Into a store that holds little else, and into one that holds so much that rows are looked for one by one.
TEST_F(KnownRowsTest, AnImportEndsTheSameWithAndWithoutThem) {
    const auto merged = [&] {
        const ImportReport first = import(master("ttnn.made_up", 20, 5));
        EXPECT_EQ(first.added.configurations, 21U);
        const ImportReport again = import(master("ttnn.made_up", 20, 5));
        EXPECT_EQ(again.added.known, 21U);
        EXPECT_FALSE(again.added.changed);
        EXPECT_TRUE(import(master("ttnn.made_up", 20, 9)).added.changed);   // the larger count stays
        EXPECT_FALSE(import(master("ttnn.made_up", 20, 3)).added.changed);  // and stays again
        const ImportReport more = import(master("ttnn.made_up", 24, 9));
        EXPECT_EQ(more.added.known, 21U);
        EXPECT_EQ(more.added.configurations, 4U);
        std::vector<std::string> ours = executions();
        std::erase_if(ours, [](const std::string& each) { return each.starts_with("ttnn.other"); });
        return ours;
    };
    const auto alone = merged();
    EXPECT_EQ(alone.size(), 50U);
    EXPECT_EQ(alone.front(), "ttnn.made_up 0#0 tests/a.py: 9");
    fs::remove_all(folder_);
    import(master("ttnn.other", 2000, 1));
    EXPECT_EQ(merged(), alone);
}

}  // namespace
}  // namespace tracelift
