// What people ask a database first. Answers are JSON: the command prints them as they are, or as tables.
#pragma once

#include <optional>
#include <string>

#include "tracelift/base/sqlite.hpp"
#include "tracelift/value/json.hpp"

namespace tracelift::report {

struct Selection {
    std::string name;                  // part of an operation's name in any spelling, or of a shape; "" for all
    std::optional<int64_t> operation;  // one operation with everything about it; its tensors; what is in memory then
    int64_t limit = -1;                // rows; -1: all
    std::optional<int64_t> rank{};     // of one host; ids count anew on each
};

Json ask_stats(Database& database);
Json ask_operations(Database& database, const Selection& selection);
// One operation: arguments, inputs, outputs, functions inside, stack trace, errors. Without a rank, of the first host
// that has one of this id.
Json ask_operation(Database& database, int64_t operation_id, std::optional<int64_t> rank = std::nullopt);
Json ask_tensors(Database& database, const Selection& selection);
// What is in memory at the end of an operation, or a sum per operation.
Json ask_buffers(Database& database, const Selection& selection);
Json ask_errors(Database& database);

// Highest memory of each report, and what it is made of. It needs a database made with rules R.
// The figures are those of ttnn::graph::extract_peak_L1_memory_usage and extract_dram_usage.
Json ask_peak(Database& database);

}  // namespace tracelift::report
