// Makes the tables, and tells about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/report/tables.hpp"

namespace tracelift::report {

inline constexpr std::string_view schema_version = "3.3";

// What is missing of the tables. Under R, `buffers` is a view unless it is there as a table.
void create_tables(Database& database, Rules rules);
// Makes `buffers` a table with the rows of the view. Where it is one already, adds the rows of the reports from
// `first_new_report` on.
void materialize_buffers(Database& database, int64_t first_new_report);
bool buffers_is_view(Database& database);
// What requests of the viewer look for. Made last: filling an index row by row costs more.
void create_indexes(Database& database, Rules rules);
// Those of `buffers`, once it is known whether it is a table.
void create_buffer_indexes(Database& database);

struct TableText {
    std::string name, meaning;
    bool only_r = false;
    bool own = false;  // not of the visualizer
    std::vector<ColumnText> columns;
};
std::vector<TableText> describe_tables();
// The reference part of docs/visualizer.md.
std::string tables_markdown();

}  // namespace tracelift::report
