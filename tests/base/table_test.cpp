// Declared tables: what SQLite makes of their statements, and that rows come back as they went in.
#include "tracelift/base/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracelift::sample {

template <class Row>
struct Table;
template <class Row>
Table<Row> table_of(const Row* row);

struct PlantRow {
    std::optional<int64_t> id{};
    std::string name{};
    std::optional<std::string> family{};
    double height = 0;
    std::optional<double> weight{};
    bool edible = false;
    std::optional<bool> rare{};
};
template <>
struct Table<PlantRow> : TableDefaults {
    using Row = PlantRow;
    static constexpr std::string_view name = "plant";
    static constexpr std::string_view unique = "name, family";
    static constexpr Index indexes[] = {{"plant_by_family", "family", "family IS NOT NULL"}};
    static constexpr auto columns = std::tuple{Column{"id", &Row::id, "", "INTEGER PRIMARY KEY"},
                                               Column{"name", &Row::name, "as gardeners say"},
                                               Column{"family", &Row::family},
                                               Column{"height", &Row::height},
                                               Column{"weight", &Row::weight},
                                               Column{"edible", &Row::edible},
                                               Column{"rare", &Row::rare}};
};

struct NamedHeight {
    std::string name;
    double doubled = 0;
};
template <>
struct Table<NamedHeight> : TableDefaults {
    using Row = NamedHeight;
    static constexpr auto columns =
        std::tuple{Column{"upper(p.name)", &Row::name}, Column{"2 * p.height", &Row::doubled}};
};

struct PointRow {
    int64_t x = 0;
    int64_t y = 0;
};
template <>
struct Table<PointRow> : TableDefaults {
    using Row = PointRow;
    static constexpr std::string_view name = "point";
    static constexpr std::string_view primary_key = "x, y";
    static constexpr size_t batch = 3;
    static constexpr auto columns = std::tuple{Column{"x", &Row::x}, Column{"y", &Row::y}};
};

namespace {

using testing::ElementsAre;

class Tables : public testing::Test {
protected:
    Tables() {
        database_.run(create_statement<PlantRow>());
        for (const std::string& statement : index_statements<PlantRow>()) {
            database_.run(statement);
        }
        database_.run(create_statement<PointRow>());
    }
    std::vector<std::string> texts(const std::string& sql) { return Statement(database_, sql).values<std::string>(); }

    Database database_;
};

TEST_F(Tables, AreMadeAsDeclared) {
    EXPECT_THAT(texts("SELECT name || ' ' || type || ' ' || \"notnull\" FROM pragma_table_info('plant')"),
                ElementsAre("id INTEGER 0", "name TEXT 1", "family TEXT 0", "height REAL 1", "weight REAL 0",
                            "edible INTEGER 1", "rare INTEGER 0"));
    EXPECT_THAT(texts("SELECT name FROM pragma_index_list('plant') WHERE partial"), ElementsAre("plant_by_family"));
    EXPECT_THAT(texts("SELECT name FROM pragma_table_list WHERE wr"), ElementsAre("point"));
}

TEST_F(Tables, GiveRowsBackAsTheyWentIn) {
    Insert<PlantRow> insert(database_);
    const int64_t first = insert.id_of({{}, "rose", "rosaceae", 1.5, 0.25, false, true});
    const int64_t second = insert.id_of({{}, "moss \xC3\xA9\n", {}, 0.01, {}, true, {}});
    EXPECT_NE(first, second);
    const auto rows = Select<PlantRow>(database_, "ORDER BY id").all();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].id, first);
    EXPECT_EQ(rows[0].name, "rose");
    EXPECT_EQ(rows[0].family, "rosaceae");
    EXPECT_EQ(rows[0].height, 1.5);
    EXPECT_EQ(rows[0].weight, 0.25);
    EXPECT_FALSE(rows[0].edible);
    EXPECT_EQ(rows[0].rare, true);
    EXPECT_EQ(rows[1].name, "moss \xC3\xA9\n");
    EXPECT_FALSE(rows[1].family.has_value());
    EXPECT_FALSE(rows[1].weight.has_value());
    EXPECT_TRUE(rows[1].edible);
    EXPECT_FALSE(rows[1].rare.has_value());

    Select<PlantRow> by_name(database_, "WHERE name = ?");
    EXPECT_EQ(by_name.with("rose").one()->id, first);
    EXPECT_FALSE(by_name.with("oak").one().has_value());
    EXPECT_EQ(by_name.with("rose").one()->id, first);  // ready again
}

TEST_F(Tables, ReadJoinsIntoMembersToo) {
    Insert<PlantRow>(database_).id_of({{}, "rose", {}, 1.5, {}, false, {}});
    const auto row = Select<NamedHeight>(database_, "FROM plant p").one();
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(row->name, "ROSE");
    EXPECT_EQ(row->doubled, 3);
}

TEST_F(Tables, AnUpsertReplacesAllButTheKeyAndWhatIsKept) {
    Insert<PlantRow> upsert(database_, "INSERT", upsert_clause<PlantRow>(TableOf<PlantRow>::unique, "id, height"));
    upsert({{}, "rose", "rosaceae", 1, {}, false, {}});
    upsert({{}, "rose", "rosaceae", 2, 7.0, true, {}});
    const auto rows = Select<PlantRow>(database_).all();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].id, 1);
    EXPECT_EQ(rows[0].height, 1);
    EXPECT_EQ(rows[0].weight, 7);
    EXPECT_TRUE(rows[0].edible);
}

TEST_F(Tables, ABatchArrivesWhenItIsFullOrFlushed) {
    Insert<PointRow> insert(database_);
    const auto stored = [&] { return database_.integer("SELECT count(*) FROM point"); };
    insert({1, 1});
    insert({1, 2});
    EXPECT_EQ(stored(), 0);
    insert({1, 3});
    EXPECT_EQ(stored(), 3);
    insert({2, 1});
    insert.flush();
    EXPECT_EQ(stored(), 4);
    EXPECT_EQ(insert.count(), 4);
}

}  // namespace
}  // namespace tracelift::sample
