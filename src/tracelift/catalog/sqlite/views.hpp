// The views of the store, for questions in SQL (`tracelift sql`).
#pragma once

#include <string_view>

namespace tracelift::stored {

struct View {
    std::string_view name;
    std::string_view meaning;
    std::string_view select;
};

inline constexpr View views[] = {
    {"operations", "operations with their counts",
     "SELECT o.id, o.name, count(DISTINCT c.id) AS configurations, coalesce(sum(e.count), 0) AS "
     "executions FROM operation o JOIN configuration c ON c.operation_id = o.id LEFT JOIN execution e ON "
     "e.configuration_id = c.id GROUP BY o.id"},
    {"configurations", "configurations with operation, hardware, counts and the newest status",
     "SELECT c.id, o.name AS operation, c.identity, c.ordinal, c.bound, c.note, c.format, h.board_type, "
     "h.device_series, h.card_count, h.mesh_shape, h.device_count, c.dtype, c.layout, c.memory_layout, "
     "c.buffer_type, c.shape, c.unparsed, c.lost, c.legacy_hash AS config_hash, c.arguments, (SELECT "
     "sum(e.count) FROM execution e WHERE e.configuration_id = c.id) AS executions, (SELECT s.status FROM "
     "sweep_result s WHERE s.configuration_id = c.id ORDER BY s.sweep_run_id DESC, s.id DESC LIMIT 1) AS "
     "last_status FROM configuration c JOIN operation o ON o.id = c.operation_id LEFT JOIN hardware h ON "
     "h.id = c.hardware_id"},
    {"executions", "executions by names",
     "SELECT e.configuration_id, o.name AS operation, m.short_name AS model, m.name AS source, r.uid AS "
     "run, e.count, e.nanoseconds FROM execution e JOIN configuration c ON c.id = e.configuration_id JOIN "
     "operation o ON o.id = c.operation_id JOIN model m ON m.id = e.model_id JOIN trace_run r ON r.id = "
     "e.trace_run_id"},
    {"models", "models with their counts",
     "SELECT m.id, m.short_name AS name, m.family, m.name AS source, m.source_file, m.hf_model, (SELECT "
     "count(DISTINCT e.configuration_id) FROM execution e WHERE e.model_id = m.id) AS configurations, "
     "(SELECT coalesce(sum(e.count), 0) FROM execution e WHERE e.model_id = m.id) AS executions FROM "
     "model m"},
    {"runs", "runs with their hardware and counts",
     "SELECT r.id, r.uid, r.target, r.started, r.outcome, r.captured, r.kept, r.arguments, "
     "r.tool_version, r.git_commit, r.software, h.board_type, h.device_series, h.card_count, "
     "h.mesh_shape, (SELECT count(DISTINCT e.configuration_id) FROM execution e WHERE e.trace_run_id = "
     "r.id) AS configurations, (SELECT coalesce(sum(e.count), 0) FROM execution e WHERE e.trace_run_id = "
     "r.id) AS executions FROM trace_run r LEFT JOIN hardware h ON h.id = r.hardware_id"},
    {"results", "results of sweeps with the time of the sweep",
     "SELECT s.sweep_run_id AS sweep, w.started, s.configuration_id, s.operation, s.status, "
     "iif(s.exception = '', s.message, s.exception) AS message, s.pcc, s.max_ulp, s.max_relative, "
     "s.max_absolute, s.equal, s.milliseconds, s.sweep_name, s.suite, s.vector_id, s.identity, s.source, "
     "s.metrics, s.parameters FROM sweep_result s JOIN sweep_run w ON w.id = s.sweep_run_id"}};

}  // namespace tracelift::stored
