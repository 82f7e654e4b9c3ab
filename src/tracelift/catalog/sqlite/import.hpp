// Import: masters and capture files into the store's tables, configuration by configuration, in bounded memory.
//
// The configurations of one file stay apart even where their identity is equal: the first such configuration of any
// file is one row, the second of any file another (`ordinal`). So importing a file again finds every row again, in
// whatever order files come. A configuration whose text is known is not parsed or bound again.
#pragma once

#include <filesystem>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

// Inside a transaction of the caller. Throws FileError for a file that cannot be read.
ImportReport import_master(Database& database, const std::filesystem::path& file, const ImportOptions& options);

// Everything of another catalog but its sweeps. Inside a transaction of the caller.
ImportReport copy_catalog(Database& database, Catalog& from);

}  // namespace tracelift
