// The tables of the store, and how an older database becomes a current one.
#pragma once

#include "tracelift/store/sqlite.hpp"

namespace tracelift {

// Brings the database to the current version; a newer one is refused. In one transaction, safe against other processes.
void migrate(Database& database);
int current_schema_version();

}  // namespace tracelift
