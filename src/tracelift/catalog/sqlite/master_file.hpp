// The master JSON beside the database: format 1 of the master files, with provenance in a list in front of the
// configurations of each operation.
//
//   {"operations": {"ttnn::add": {"executions": [{"configuration": 0, "source": ..., "machine_info": {...},
//                                                 "count": 12, "trace_uid": ...}, ...],
//                                 "configurations": [[{"arg0": ...}, ...], ...]}},
//    "metadata": {...}}
//
// Configurations that were read from a file stand there as that file had them. A store whose master would be larger
// than `master_limit` has one without operations that says so; `tracelift export` writes the whole.
#pragma once

#include <functional>

#include "tracelift/base/replaced_file.hpp"
#include "tracelift/base/sqlite.hpp"
#include "tracelift/base/text_sink.hpp"
#include "tracelift/base/whole_file.hpp"
#include "tracelift/dialects/call_stream.hpp"

namespace tracelift {

using MasterError = FileError;

// TRACELIFT_MASTER_LIMIT (in megabytes), else 16 MB.
uint64_t master_limit();
// Whether the master of this store holds its configurations, or says how to export them.
bool master_holds_all(Database& database);

void write_master(Database& database, const TextSink& sink);

}  // namespace tracelift
