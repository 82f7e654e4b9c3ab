// Reading and writing of the store's tables, inside a transaction of the caller.
#pragma once

#include "tracelift/store/store.hpp"

namespace tracelift {

std::string meta(Database& database, std::string_view key);  // empty when absent
void set_meta(Database& database, std::string_view key, std::string_view value);

// Adds what is new of a run; of what is there, the larger count stays.
Added add_executions(Database& database, const TraceRun& run, std::span<const NewExecution> executions);

std::vector<OperationSummary> read_operations(Database& database);  // in the order they came
std::vector<Configuration> read_configurations(Database& database, std::string_view operation, std::string_view model);
std::vector<std::string> read_models(Database& database);
std::optional<std::string> stored_text(Database& database, int64_t configuration);

}  // namespace tracelift
