// The tables of the store, and how an older database becomes a current one.
#pragma once

#include "tracelift/base/sqlite.hpp"

namespace tracelift {

int current_schema_version();
// Brings the database to a version; a newer one is refused. In one transaction, safe against other processes.
void migrate(Database& database, int version = current_schema_version());

}  // namespace tracelift
