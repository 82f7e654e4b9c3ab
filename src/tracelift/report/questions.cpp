#include "tracelift/report/questions.hpp"

#include <cctype>

#include <fmt/format.h>
#include <sqlite3.h>

namespace tracelift::report {
namespace {

bool has_table(Database& database, std::string_view name) {
    Statement find(database, "SELECT 1 FROM sqlite_master WHERE name = ?");
    return find.with(name).step();
}

// Names are texts of unknown origin: JSON can hold them all, since reports are UTF-8.
Json value_of(const Statement& row, int column) {
    switch (row.kind(column)) {
        case SQLITE_NULL: return nullptr;
        case SQLITE_INTEGER: return row.integer(column);
        case SQLITE_FLOAT: return row.number(column);
        default: return std::string(row.text(column));
    }
}

Json object_of(const Statement& row) {
    Json object = Json::object();
    for (int i = 0; i < row.columns(); ++i) {
        object[row.name(i)] = value_of(row, i);
    }
    return object;
}

template <class... Args>
Json rows_of(Database& database, std::string_view sql, const Args&... args) {
    Statement statement(database, sql);
    statement.with(args...);
    Json list = Json::array();
    while (statement.step()) {
        list.push_back(object_of(statement));
    }
    return list;
}

// Names of operations are compared in one spelling: `ttnn::add` and `ttnn.add` are the same, whoever wrote which.
// The second parameter is the rank, -1 for all.
constexpr const char* name_and_rank_match = "instr(lower(replace(o.name, '::', '.')), ?1) > 0 AND ?2 IN (-1, o.rank)";

std::string spelled_alike(std::string_view name) {
    std::string result;
    for (size_t i = 0; i < name.size(); ++i) {
        const bool colons = name.substr(i, 2) == "::";
        result += colons ? '.' : static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
        i += colons ? 1 : 0;
    }
    return result;
}

}  // namespace

Json ask_stats(Database& database) {
    Json counts = Json::object();
    for (const std::string table :
         {"devices", "operations", "operation_arguments", "tensors", "device_tensors", "input_tensors",
          "output_tensors", "buffer_spans", "buffer_pages", "buffer_chunks", "captured_graph", "functions",
          "memory_events", "performance", "stack_traces", "errors"}) {
        if (has_table(database, table)) {
            counts[table] = database.integer("SELECT COUNT(*) FROM " + table);
        }
    }
    return {{"reports", has_table(database, "reports") ? rows_of(database, "SELECT * FROM reports") : Json::array()},
            {"metadata", rows_of(database, "SELECT key, value FROM report_metadata")},
            {"devices", rows_of(database, "SELECT * FROM devices")},
            {"seconds_in_operations",
             rows_of(database, "SELECT COALESCE(SUM(duration), 0) AS seconds FROM operations")[0]["seconds"]},
            {"slowest", rows_of(database,
                                "SELECT name, COUNT(*) AS calls, SUM(duration) AS seconds FROM operations GROUP BY "
                                "name ORDER BY seconds DESC, name LIMIT 10")},
            {"rows", counts}};
}

bool has_performance(Database& database) {
    return has_table(database, "performance") && database.integer("SELECT COUNT(*) FROM performance") > 0;
}

Json ask_operations(Database& database, const Selection& selection) {
    // Of the devices that run a device operation together the slowest one counts.
    const std::string device_time =
        has_performance(database)
            ? "(SELECT SUM(longest) FROM (SELECT MAX(p.device_kernel_duration_ns) AS longest FROM performance p WHERE "
              "p.operation_id = o.operation_id AND p.rank = o.rank GROUP BY p.device_operation)) AS device_ns, "
            : "";
    return rows_of(database,
                   "SELECT operation_id, name, duration, rank, " + device_time +
                       "(SELECT COUNT(*) FROM input_tensors i WHERE i.operation_id = o.operation_id AND i.rank = "
                       "o.rank) AS inputs, (SELECT COUNT(*) FROM output_tensors i WHERE i.operation_id = "
                       "o.operation_id AND i.rank = o.rank) AS outputs FROM operations o WHERE " +
                       name_and_rank_match + " ORDER BY rank, operation_id LIMIT ?3",
                   spelled_alike(selection.name), selection.rank.value_or(-1), selection.limit);
}

Json ask_operation(Database& database, int64_t id, std::optional<int64_t> rank) {
    Json operations =
        rows_of(database, "SELECT * FROM operations WHERE operation_id = ? AND ? IN (-1, rank) ORDER BY rank LIMIT 1",
                id, rank.value_or(-1));
    if (operations.empty()) {
        throw std::runtime_error(
            fmt::format("there is no operation {}{}", id, rank ? fmt::format(" of rank {}", *rank) : ""));
    }
    const auto host = operations[0]["rank"].get<int64_t>();
    constexpr std::string_view tensors =
        "SELECT t.*, l.producer_operation_id, l.last_use_operation_id, l.deallocate_operation_id FROM {0} i JOIN "
        "tensors t ON t.tensor_id = i.tensor_id AND t.rank = i.rank LEFT JOIN {1} l ON l.tensor_id = t.tensor_id AND "
        "l.rank = t.rank WHERE i.operation_id = ? AND i.rank = ? ORDER BY i.{2}";
    const bool lifetimes = has_table(database, "tensor_lifetime");
    const std::string lifetime =
        lifetimes ? "tensor_lifetime"
                  : "(SELECT NULL AS tensor_id, NULL AS rank, NULL AS producer_operation_id, NULL AS "
                    "last_use_operation_id, NULL AS deallocate_operation_id)";
    const auto list = [&](std::string_view table, std::string_view index) {
        return rows_of(database, fmt::format(fmt::runtime(tensors), table, lifetime, index), id, host);
    };
    Json answer = operations[0];
    answer["arguments"] = rows_of(
        database, "SELECT name, value FROM operation_arguments WHERE operation_id = ? AND rank = ? ORDER BY rowid", id,
        host);
    answer["inputs"] = list("input_tensors", "input_index");
    answer["outputs"] = list("output_tensors", "output_index");
    answer["stack_trace"] =
        rows_of(database, "SELECT stack_trace FROM stack_traces WHERE operation_id = ? AND rank = ?", id, host);
    answer["errors"] = rows_of(database, "SELECT * FROM errors WHERE operation_id = ? AND rank = ?", id, host);
    if (has_performance(database)) {
        answer["performance"] = rows_of(database,
                                        "SELECT op_code, device_id, core_count, device_kernel_duration_ns, "
                                        "host_duration_ns, line FROM performance WHERE operation_id = ? AND rank = ? "
                                        "ORDER BY device_operation, device_id",
                                        id, host);
    }
    if (has_table(database, "functions")) {
        answer["functions"] = rows_of(database,
                                      "SELECT f.depth, f.name, f.duration_ns FROM functions f JOIN reports r ON "
                                      "r.report_id = f.report_id WHERE f.operation_id = ? AND r.rank = ? ORDER BY "
                                      "f.report_id, f.function_id",
                                      id, host);
    }
    return answer;
}

Json ask_tensors(Database& database, const Selection& selection) {
    const std::string chosen =
        "WHERE (instr(t.shape, ?1) > 0 OR ?1 = '') AND (?2 < 0 OR EXISTS (SELECT 1 FROM input_tensors i WHERE "
        "i.operation_id = ?2 AND i.tensor_id = t.tensor_id AND i.rank = t.rank) OR EXISTS (SELECT 1 FROM "
        "output_tensors "
        "i WHERE i.operation_id = ?2 AND i.tensor_id = t.tensor_id AND i.rank = t.rank)) AND ?4 IN (-1, t.rank) ORDER "
        "BY "
        "t.rank, t.tensor_id LIMIT ?3";
    const std::string with_lifetimes =
        "SELECT t.tensor_id, t.shape, t.dtype, t.layout, t.memory_config, t.device_id, t.address, t.buffer_type, "
        "t.size, l.producer_operation_id, l.last_use_operation_id, l.deallocate_operation_id, t.rank FROM tensors t "
        "LEFT JOIN tensor_lifetime l ON l.tensor_id = t.tensor_id AND l.rank = t.rank ";
    const std::string alone = "SELECT * FROM tensors t ";
    return rows_of(database, (has_table(database, "tensor_lifetime") ? with_lifetimes : alone) + chosen, selection.name,
                   selection.operation.value_or(-1), selection.limit, selection.rank.value_or(-1));
}

Json ask_buffers(Database& database, const Selection& selection) {
    if (selection.operation) {
        return rows_of(database,
                       "SELECT b.*, (SELECT t.tensor_id FROM tensors t WHERE t.address = b.address AND t.device_id = "
                       "b.device_id AND t.rank = b.rank ORDER BY t.tensor_id DESC LIMIT 1) AS latest_tensor_id FROM "
                       "buffers b WHERE b.operation_id = ? AND ? IN (-1, b.rank) ORDER BY b.rank, b.device_id, "
                       "b.buffer_type, b.address LIMIT ?",
                       *selection.operation, selection.rank.value_or(-1), selection.limit);
    }
    return rows_of(
        database,
        std::string() +
            "SELECT o.operation_id, o.name, o.rank, COUNT(b.address) AS buffers, "
            "COALESCE(SUM(CASE WHEN b.buffer_type IN (1, 3) THEN b.max_size_per_bank END), 0) AS l1_per_bank, "
            "COALESCE(SUM(CASE WHEN b.buffer_type = 0 THEN b.max_size_per_bank END), 0) AS dram_per_bank "
            "FROM operations o LEFT JOIN buffers b ON b.operation_id = o.operation_id AND b.rank = o.rank "
            "WHERE " +
            name_and_rank_match + " GROUP BY o.rank, o.operation_id ORDER BY o.rank, o.operation_id LIMIT ?3",
        spelled_alike(selection.name), selection.rank.value_or(-1), selection.limit);
}

Json ask_errors(Database& database) {
    return rows_of(database,
                   "SELECT e.*, (SELECT name FROM operations o WHERE o.operation_id = e.operation_id AND o.rank = "
                   "e.rank) AS in_operation FROM errors e ORDER BY rank, operation_id");
}

}  // namespace tracelift::report
