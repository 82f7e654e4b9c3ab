// The tables of the store as a whole: how a new database gets them, and how an older one becomes a current one.
#pragma once

#include <string>

#include "tracelift/base/sqlite.hpp"

namespace tracelift {

int current_schema_version();
// All tables, indexes and views as they are declared, in an empty database.
void create_schema(Database& database);
// Brings the database to a version; a newer one is refused. In one transaction, safe against other processes. To an
// older version than the current one only by migrations, from the first.
void migrate(Database& database, int version = current_schema_version());

// The reference of the tables in docs/masters.md.
std::string schema_markdown();

}  // namespace tracelift
