// Reading of the store's tables, and the few facts that stand in `meta`.
#pragma once

#include "tracelift/catalog/sqlite/store.hpp"

namespace tracelift {

std::string meta(Database& database, std::string_view key);  // empty when absent
void set_meta(Database& database, std::string_view key, std::string_view value);

std::string mesh_text(const std::vector<int64_t>& shape);  // "4x8"

// The machine in five columns of a row, beginning with its board type; the arguments in a column's bytes.
std::optional<Hardware> hardware_at(const Statement& row, int column);
Value::Dict arguments_of(std::string_view bytes);

std::vector<OperationSummary> read_operations(Database& database);   // in the order they came
std::vector<OperationSummary> count_operations(Database& database);  // the same without executions, which is cheap
void visit_configurations(Database& database, const ConfigurationQuery& query,
                          ttnn::FunctionRef<bool(Configuration&)> visit);
std::vector<std::string> read_models(Database& database);
std::vector<ModelSummary> read_model_summaries(Database& database);
std::vector<RunSummary> read_runs(Database& database);
std::optional<std::string> read_stored_text(Database& database, int64_t configuration);

bool is_empty(Database& database);  // no configuration in it

// How many bytes of configurations the store holds, about: what decides whether a master is written beside it.
uint64_t text_bytes(Database& database);
void add_text_bytes(Database& database, uint64_t bytes);
void count_text_bytes(Database& database);  // anew

}  // namespace tracelift
