// Import: masters and capture files into the store's tables, configuration by configuration, in bounded memory.
//
// The configurations of one file stay apart even where their identity is equal: the first such configuration of any
// file is one row, the second of any file another (`ordinal`). So importing a file again finds every row again, in
// whatever order files come. A configuration whose text is known is not parsed or bound again.
#pragma once

#include <functional>
#include <map>

#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {

struct OperationCount {
    size_t configurations = 0;
    uint64_t executions = 0;
};

struct ImportReport {
    Added added;
    uint64_t configurations = 0;  // in the file
    uint64_t executions = 0;      // calls they stand for
    uint64_t unbound = 0;         // of the new ones: no declaration took them
    uint64_t with_lost = 0;       // of the new ones: bound without arguments that the capture lost
    uint64_t total_operations = 0;
    std::map<std::string, OperationCount> operations;  // by dotted name
    std::map<std::string, std::string> problems;       // operation -> why one is unbound
};

// A file that was taken in before, by its trace uid.
class KnownTrace : public StoreError {
public:
    KnownTrace(const std::string& file, const std::string& uid)
        : StoreError(file + ": the trace " + uid +
                     " is already in the store; nothing was imported (--merge-known imports what is new in it)") {}
};

struct ImportOptions {
    bool refuse_known = false;           // throw KnownTrace at a trace uid that the store has
    std::optional<std::string> model{};  // instead of the sources in the file
    std::function<void(uint64_t configurations)> progress{};
};

// Inside a transaction of the caller. Throws FileError for a file that cannot be read.
ImportReport import_master(Database& database, const std::filesystem::path& file, const ImportOptions& options);

// Everything of another store but its sweeps. Inside a transaction of the caller.
ImportReport copy_store(Database& database, Store& from);

}  // namespace tracelift
