#include "tracelift/report/check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tracelift/report/element.hpp"
#include "tracelift/report/schema.hpp"

namespace tracelift::report {
namespace {

// `offenders` selects one text per violation.
struct SqlRule {
    std::string_view name;
    std::string_view meaning;
    std::string_view offenders;
    bool only_r = true;
};

constexpr SqlRule sql_rules[] = {
    {"operation-ids", "operations are numbered from 1",
     "SELECT 'operation ' || operation_id FROM operations WHERE operation_id < 1"},
    {"durations", "durations are not negative",
     "SELECT 'operation ' || operation_id FROM operations WHERE duration < 0", false},
    {"known-inputs", "every input is a tensor of the database",
     "SELECT 'operation ' || operation_id || ' takes tensor ' || tensor_id FROM input_tensors i WHERE NOT EXISTS "
     "(SELECT 1 FROM tensors t WHERE t.tensor_id = i.tensor_id AND t.rank = i.rank)"},
    {"known-outputs", "every output is a tensor of the database",
     "SELECT 'operation ' || operation_id || ' gives tensor ' || tensor_id FROM output_tensors i WHERE NOT EXISTS "
     "(SELECT 1 FROM tensors t WHERE t.tensor_id = i.tensor_id AND t.rank = i.rank)"},
    {"dense-inputs", "inputs of an operation are numbered 0, 1, 2, ...",
     "SELECT 'operation ' || operation_id FROM input_tensors GROUP BY operation_id, rank HAVING MAX(input_index) <> "
     "COUNT(*) - 1 OR MIN(input_index) <> 0 OR COUNT(DISTINCT input_index) <> COUNT(*)"},
    {"dense-outputs", "outputs of an operation are numbered 0, 1, 2, ...",
     "SELECT 'operation ' || operation_id FROM output_tensors GROUP BY operation_id, rank HAVING MAX(output_index) "
     "<> COUNT(*) - 1 OR MIN(output_index) <> 0 OR COUNT(DISTINCT output_index) <> COUNT(*)"},
    {"known-operations", "rows about operations refer to operations in the database",
     "SELECT DISTINCT t || ': operation ' || operation_id FROM (SELECT 'operation_arguments' AS t, operation_id, rank "
     "FROM operation_arguments UNION SELECT 'input_tensors', operation_id, rank FROM input_tensors UNION SELECT "
     "'output_tensors', operation_id, rank FROM output_tensors UNION SELECT 'captured_graph', operation_id, rank FROM "
     "captured_graph UNION SELECT 'stack_traces', operation_id, rank FROM stack_traces UNION SELECT 'nodes', "
     "operation_id, rank FROM nodes UNION SELECT 'operation_details', operation_id, rank FROM operation_details) r "
     "WHERE NOT EXISTS (SELECT 1 FROM operations o WHERE o.operation_id = r.operation_id AND o.rank = r.rank)"},
    {"one-graph", "every operation has one captured graph and one row of details",
     "SELECT 'operation ' || operation_id FROM operations o WHERE (SELECT COUNT(*) FROM captured_graph g WHERE "
     "g.operation_id = o.operation_id AND g.rank = o.rank) <> 1 OR (SELECT COUNT(*) FROM operation_details d WHERE "
     "d.operation_id = o.operation_id AND d.rank = o.rank) <> 1"},
    {"errors-placed", "an error belongs to an operation, or to the first id of a report",
     "SELECT 'error at ' || operation_id FROM errors e WHERE NOT EXISTS (SELECT 1 FROM operations o WHERE "
     "o.operation_id = e.operation_id AND o.rank = e.rank) AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.base_id = "
     "e.operation_id AND r.rank = e.rank)",
     false},
    {"buffer-types", "buffer types are 0 to 4",
     "SELECT 'tensor ' || tensor_id FROM tensors WHERE buffer_type NOT BETWEEN 0 AND 4 UNION ALL SELECT 'buffer at ' "
     "|| address FROM buffer_spans WHERE buffer_type NOT BETWEEN 0 AND 4"},
    {"device-numbers", "device ids are small, because the viewer makes lists indexed by them",
     "SELECT 'tensor ' || tensor_id FROM device_tensors WHERE device_id NOT BETWEEN 0 AND 4095 UNION ALL SELECT "
     "'tensor ' || tensor_id FROM tensors WHERE device_id NOT BETWEEN 0 AND 4095"},
    {"spans", "buffer spans begin before they end, in an epoch that operations have",
     "SELECT 'buffer at ' || address || ' from operation ' || first_operation_id FROM buffer_spans s WHERE "
     "first_operation_id > last_operation_id UNION ALL SELECT 'epoch ' || epoch FROM (SELECT DISTINCT epoch FROM "
     "buffer_spans) WHERE epoch NOT IN (SELECT epoch FROM operation_details)"},
    {"lifetimes", "lifetimes name operations of the database",
     "SELECT 'tensor ' || tensor_id FROM tensor_lifetime l WHERE EXISTS (SELECT 1 FROM (SELECT "
     "l.producer_operation_id AS id UNION ALL SELECT l.last_use_operation_id UNION ALL SELECT "
     "l.deallocate_operation_id) u WHERE u.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operations o WHERE "
     "o.operation_id = u.id AND o.rank = l.rank))"},
    {"mirrors", "tensor_consumers and tensor_producers are input_tensors and output_tensors",
     "SELECT 'tensor_consumers' WHERE (SELECT COUNT(*) FROM tensor_consumers) <> (SELECT COUNT(*) FROM input_tensors) "
     "UNION ALL SELECT 'tensor_producers' WHERE (SELECT COUNT(*) FROM tensor_producers) <> (SELECT COUNT(*) FROM "
     "output_tensors)"},
    {"functions", "every function is one level below the function around it",
     "SELECT 'function ' || f.function_id FROM functions f JOIN reports r ON r.report_id = f.report_id LEFT JOIN "
     "(SELECT report_id, function_id, depth FROM functions) p ON p.report_id = f.report_id AND p.function_id = "
     "f.parent_id WHERE (f.depth = 0) <> (f.parent_id IS NULL) OR (f.depth > 0 AND (p.depth IS NULL OR p.depth <> "
     "f.depth - 1))"},
    {"memory-totals", "memory totals change by the size of each event",
     "SELECT 'node ' || counter FROM (SELECT counter, kind, size, buffer_type, l1_total - LAG(l1_total, 1, 0) OVER w "
     "AS l1, cb_total - LAG(cb_total, 1, 0) OVER w AS cb, dram_total - LAG(dram_total, 1, 0) OVER w AS dram FROM "
     "memory_events WINDOW w AS (PARTITION BY report_id ORDER BY rowid)) WHERE CASE kind WHEN 'input' THEN l1 <> size "
     "WHEN 'circular_buffer' THEN cb <> size WHEN 'release' THEN cb <> -size WHEN 'allocate' THEN l1 + dram NOT IN "
     "(size, 0) ELSE l1 + dram NOT IN (-size, 0) END"},
    {"chunks", "buffer chunks have bytes and pages",
     "SELECT 'chunk at ' || chunk_address FROM buffer_chunks WHERE chunk_size < page_size OR num_pages < 1"},
    {"schema-version", "the viewer finds the version of the schema",
     "SELECT 'report_metadata' WHERE NOT EXISTS (SELECT 1 FROM report_metadata WHERE key = 'schema_version' AND value "
     "= '3.3')"},
    {"id-ranges", "ids of operations lie in the range of a report",
     "SELECT 'operation ' || operation_id FROM operations o WHERE NOT EXISTS (SELECT 1 FROM reports r WHERE r.rank = "
     "o.rank AND o.operation_id BETWEEN r.base_id AND r.last_id)",
     false},
};

class Check {
public:
    explicit Check(Database& database) : database_(database) {}

    CheckResult run() {
        integrity();
        if (!tables()) {
            return std::move(result_);  // other rules could not even ask
        }
        const bool is_s = database_.integer("SELECT COUNT(*) FROM reports WHERE rules = 's'") > 0;
        for (const SqlRule& rule : sql_rules) {
            if (!is_s || !rule.only_r) {
                sql(rule);
            }
        }
        graphs(!is_s);
        return std::move(result_);
    }

private:
    void violate(std::string_view rule, std::string_view meaning, const std::string& example) {
        auto& all = result_.violations;
        if (all.empty() || all.back().rule != rule) {
            all.push_back({std::string(rule), std::string(meaning), 0, example});
        }
        ++all.back().count;
    }

    void integrity() {
        result_.rules.emplace_back("integrity");
        Statement statement(database_, "PRAGMA integrity_check");
        while (statement.step()) {
            if (statement.text(0) != "ok") {
                violate("integrity", "the file is a sound SQLite database", std::string(statement.text(0)));
            }
        }
    }

    bool tables() {
        result_.rules.emplace_back("tables");
        const bool known = database_.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'reports'") > 0;
        const bool is_s = known && database_.integer("SELECT COUNT(*) FROM reports WHERE rules = 's'") > 0;
        bool good = true;
        for (const TableText& table : describe_tables()) {
            if (table.only_r && is_s) {
                continue;
            }
            std::vector<std::string> found;
            Statement columns(database_, "SELECT name FROM pragma_table_info(?)");
            columns.with(table.name);
            while (columns.step()) {
                found.emplace_back(columns.text(0));
            }
            for (const ColumnText& column : table.columns) {
                if (std::ranges::find(found, column.name) == found.end()) {
                    violate("tables", "all tables and columns exist", table.name + "." + column.name);
                    good = false;
                }
            }
        }
        return good;
    }

    void sql(const SqlRule& rule) {
        result_.rules.emplace_back(rule.name);
        Statement offenders(database_, rule.offenders);
        while (offenders.step()) {
            violate(rule.name, rule.meaning, std::string(offenders.text(0)));
        }
    }

    // The viewer puts the text into its answers without reading it.
    void graphs(bool numbered) {
        constexpr std::string_view meaning = "captured graphs are JSON lists of nodes whose links lead to nodes";
        result_.rules.emplace_back("graphs");
        Statement graphs(database_, "SELECT operation_id, captured_graph FROM captured_graph");
        simdjson::dom::parser parser;
        while (graphs.step()) {
            const std::string_view text = graphs.text(1);
            Element list;
            if (text.empty()) {
                continue;
            }
            const bool is_list =
                parser.parse(text.data(), text.size()).get(list) == simdjson::SUCCESS && list.is_array();
            if (!is_list || (numbered && !links_resolve(list))) {
                violate("graphs", meaning, fmt::format("operation {}", graphs.integer(0)));
            }
        }
    }

    static bool links_resolve(const Element& list) {
        const auto size = static_cast<int64_t>(items(list).size());
        for (const Element node : items(list)) {
            for (const std::string_view key : {"connections", "input_tensors"}) {
                const auto links = member(node, key);
                if (!links || !links->is_array()) {
                    continue;
                }
                for (const Element link : items(*links)) {
                    const auto number = as_integer(link);
                    if (!number || *number < 0 || *number >= size) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    Database& database_;
    CheckResult result_;
};

}  // namespace

CheckResult check_database(Database& database) { return Check(database).run(); }

}  // namespace tracelift::report
