// Results of sweeps and the configurations they are of. A result knows its configuration by hash; the row beside the
// hash is there only while the store has it.
#pragma once

#include "tracelift/base/sqlite.hpp"

namespace tracelift {

// Before configurations that nothing executes go: their results stay, without a row to point to.
void part_results(Database& database);
// After configurations came: results whose configuration is back point to it again.
void join_results(Database& database);

}  // namespace tracelift
