// Tables that follow from others, made anew for all reports of the database.
#include "tracelift/report/context.hpp"

namespace tracelift::report {

void derive_tables(Database& database) {
    database.run(
        "DELETE FROM tensor_consumers; DELETE FROM tensor_producers; DELETE FROM tensor_lifetime;"
        "INSERT OR IGNORE INTO tensor_consumers SELECT tensor_id, operation_id, input_index, rank FROM input_tensors "
        "ORDER BY tensor_id, operation_id, input_index;"
        "INSERT OR IGNORE INTO tensor_producers SELECT tensor_id, operation_id, output_index, rank FROM output_tensors "
        "ORDER BY tensor_id, operation_id, output_index;");
    // Frees do not count as use. Golden tensors of comparisons live outside the run.
    database.run(
        "CREATE TEMP TABLE frees AS SELECT operation_id, rank FROM operations WHERE name IN "
        "('ttnn::deallocate', 'ttnn.deallocate', 'Tensor::deallocate');"
        "CREATE INDEX temp.frees_by_operation ON frees (operation_id, rank);"
        "CREATE TEMP TABLE uses AS SELECT c.tensor_id, c.rank, "
        "MAX(CASE WHEN f.operation_id IS NULL THEN c.operation_id END) AS last_use, "
        "MIN(f.operation_id) AS freed FROM tensor_consumers c LEFT JOIN temp.frees f ON f.operation_id = "
        "c.operation_id AND f.rank = c.rank GROUP BY c.tensor_id, c.rank;"
        "CREATE INDEX temp.uses_by_tensor ON uses (tensor_id, rank);"
        "INSERT INTO tensor_lifetime SELECT t.tensor_id, p.operation_id, u.last_use, u.freed, "
        "pd.source_file, pd.source_line, ud.source_file, ud.source_line, t.rank FROM tensors t "
        "LEFT JOIN (SELECT tensor_id, rank, MIN(operation_id) AS operation_id FROM tensor_producers "
        "GROUP BY tensor_id, rank) p ON p.tensor_id = t.tensor_id AND p.rank = t.rank "
        "LEFT JOIN temp.uses u ON u.tensor_id = t.tensor_id AND u.rank = t.rank "
        "LEFT JOIN operation_details pd ON pd.operation_id = p.operation_id AND pd.rank = t.rank "
        "LEFT JOIN operation_details ud ON ud.operation_id = u.last_use AND ud.rank = t.rank "
        "WHERE NOT EXISTS (SELECT 1 FROM local_tensor_comparison_records r WHERE r.golden_tensor_id = t.tensor_id) "
        "AND NOT EXISTS (SELECT 1 FROM global_tensor_comparison_records r WHERE r.golden_tensor_id = t.tensor_id) "
        "ORDER BY t.tensor_id;"
        "DROP TABLE temp.uses; DROP TABLE temp.frees;");
}

}  // namespace tracelift::report
