// Reading of the store's tables, and the few facts that stand in `meta`.
#pragma once

#include "tracelift/base/sqlite.hpp"
#include "tracelift/catalog/catalog.hpp"
#include "tracelift/catalog/sqlite/rows.hpp"

namespace tracelift {

std::string meta(Database& database, std::string_view key);  // empty when absent
void set_meta(Database& database, std::string_view key, std::string_view value);

// The machine that a row is of, where it is known (`board_type` is not NULL); the arguments in a column's bytes.
struct MachineColumns {
    std::optional<std::string> board_type, device_series;
    int64_t card_count = 0;
    std::string mesh_shape;
    int64_t device_count = 0;
};
// Of the table `hardware h`, whose row may be missing.
inline constexpr auto machine_columns = std::tuple{
    Column{"h.board_type", &MachineColumns::board_type}, Column{"h.device_series", &MachineColumns::device_series},
    Column{"coalesce(h.card_count, 0)", &MachineColumns::card_count},
    Column{"coalesce(h.mesh_shape, '')", &MachineColumns::mesh_shape},
    Column{"coalesce(h.device_count, 0)", &MachineColumns::device_count}};
std::optional<Hardware> hardware_of(const MachineColumns& row);
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
