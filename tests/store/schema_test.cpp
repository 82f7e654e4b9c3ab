// A store that was made from the declarations has the tables of one that came through all migrations.
#include "tracelift/catalog/sqlite/schema.hpp"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/catalog/sqlite/views.hpp"

namespace tracelift {
namespace {

using testing::HasSubstr;

std::vector<std::string> texts(Database& database, const std::string& sql) {
    return Statement(database, sql).values<std::string>();
}

// Everything SQLite knows of the tables, fact by fact; how their statements were written does not matter.
std::vector<std::string> facts_of(Database& database) {
    std::vector<std::string> facts = texts(database,
                                           "SELECT printf('table %s: without rowid %d, strict %d', name, wr, strict) "
                                           "FROM pragma_table_list WHERE schema = "
                                           "'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name");
    const auto tables = texts(database,
                              "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER "
                              "BY name");
    const auto add = [&](const std::string& sql) {
        for (std::string& fact : texts(database, sql)) {
            facts.push_back(std::move(fact));
        }
    };
    for (const std::string& table : tables) {
        add(
            fmt::format("SELECT printf('{0}: column %d %s %s, not null %d, default %s, key %d', cid, name, type, "
                        "\"notnull\", dflt_value, pk) FROM pragma_table_xinfo('{0}')",
                        table));
        add(
            fmt::format("SELECT printf('{0}: %s refers to %s, on delete %s', \"from\", \"table\", on_delete) FROM "
                        "pragma_foreign_key_list('{0}') ORDER BY \"from\"",
                        table));
        // Indexes that constraints make are told by their columns; their names are numbered.
        add(
            fmt::format("SELECT printf('{0}: index %s (%s), unique %d, partial %d, %s', iif(l.origin = 'c', l.name, "
                        "l.origin), (SELECT group_concat(x.name) FROM pragma_index_xinfo(l.name) x WHERE x.key), "
                        "l.\"unique\", l.partial, coalesce((SELECT substr(sql, instr(sql, 'WHERE')) FROM sqlite_master "
                        "WHERE name = l.name AND l.partial), '')) FROM pragma_index_list('{0}') l ORDER BY 1",
                        table));
    }
    // Of views, the words they were made of.
    for (std::string& view : texts(database, "SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY name")) {
        std::istringstream words(view);
        std::string fact = "view:";
        for (std::string word; words >> word;) {
            fact += " " + word;
        }
        facts.push_back(fact);
    }
    return facts;
}

TEST(StoreSchema, IsThatOfAStoreThatCameThroughAllMigrations) {
    Database fresh;
    migrate(fresh);
    Database migrated;
    for (int version = 1; version <= current_schema_version(); ++version) {
        if (version < current_schema_version()) {
            migrate(migrated, version);
        }
    }
    migrate(migrated);
    const auto declared = facts_of(fresh);
    EXPECT_GT(declared.size(), 100U);
    EXPECT_EQ(declared, facts_of(migrated));
    EXPECT_EQ(fresh.integer("PRAGMA user_version"), migrated.integer("PRAGMA user_version"));
}

TEST(StoreSchema, TheComparisonBites) {
    Database fresh;
    migrate(fresh);
    const auto declared = facts_of(fresh);
    for (const auto* change :
         {"ALTER TABLE model ADD COLUMN extra TEXT", "CREATE INDEX more ON model (family)", "DROP VIEW runs",
          "DROP INDEX configuration_by_digest; CREATE INDEX configuration_by_digest ON configuration (digest, ordinal, "
          "identity)"}) {
        Database changed;
        migrate(changed);
        changed.run(change);
        EXPECT_NE(declared, facts_of(changed)) << change;
    }
}

std::string docs() {
    std::ifstream file(std::string(TRACELIFT_SOURCE_DIR) + "/docs/masters.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(StoreSchema, IsDocumented) {
    const std::string text = docs();
    EXPECT_THAT(text, HasSubstr(schema_markdown()));
    Database fresh;
    migrate(fresh);
    for (const stored::View& view : stored::views) {
        const auto columns = texts(fresh, fmt::format("SELECT name FROM pragma_table_info('{}')", view.name));
        ASSERT_FALSE(columns.empty());
        const size_t line = text.find(fmt::format("| `{}` |", view.name));
        ASSERT_NE(line, text.npos) << view.name;
        const std::string described = text.substr(line, text.find('\n', line) - line);
        for (const std::string& column : columns) {
            EXPECT_THAT(described, HasSubstr(column)) << view.name;
        }
    }
}

}  // namespace
}  // namespace tracelift
