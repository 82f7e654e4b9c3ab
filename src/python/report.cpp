// The importer of graph reports for Python; python/tracelift/ttnn/graph_report.py is the face of it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "tracelift/report/import.hpp"
#include "tracelift/report/perf_export.hpp"
#include "tracelift/report/schema.hpp"
#include "tracelift/report/viewer_params.hpp"

namespace ttnn::python {
namespace {

using namespace tracelift::report;  // NOLINT(google-build-using-namespace): what this file brings to Python

nb::dict import_report(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& directory,
                       const std::string& database, const std::string& rules, const std::string& existing, bool svg,
                       bool materialize, bool source_files) {
    ImportOptions options;
    options.inputs = inputs;
    options.directory = directory;
    options.database = database;
    options.rules = rules == "s" ? Rules::S : Rules::R;
    options.existing = existing == "append"    ? Existing::APPEND
                       : existing == "replace" ? Existing::REPLACE
                                               : Existing::REFUSE;
    options.svg = svg;
    options.materialize = materialize;
    options.source_files = source_files;
    ImportSummary summary;
    {
        const nb::gil_scoped_release others_run;
        summary = import_reports(options);
    }
    nb::dict result;
    result["database"] = summary.database;
    result["reports"] = summary.reports;
    result["nodes"] = summary.nodes;
    result["rows"] = summary.rows;
    result["files"] = summary.files;
    result["warnings"] = summary.warnings;
    result["text"] = summary_text(summary);
    return result;
}

nb::dict write_performance_report(const std::filesystem::path& report, const std::filesystem::path& folder) {
    PerfSummary summary;
    {
        const nb::gil_scoped_release others_run;
        summary = write_perf_report(report, folder);
    }
    nb::dict result;
    result["table"] = summary.table;
    result["device_log"] = summary.device_log;
    result["operations"] = summary.operations;
    result["empty_columns"] = summary.empty_columns;
    return result;
}

// The statements that make the tables and indexes of a database into which rows are written while a program runs: those
// of rules R, which the viewer asks for, and `buffers` as a table.
std::vector<std::string> report_schema() {
    tracelift::Database database;
    create_tables(database, Rules::S);
    create_tables(database, Rules::R);  // what is missing; `buffers` is there
    create_indexes(database, Rules::R);
    create_buffer_indexes(database);
    std::vector<std::string> statements;
    tracelift::Statement made(database, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index'");
    while (made.step()) {
        statements.emplace_back(made.text(0));
    }
    return statements;
}

}  // namespace

void bind_report(nb::module_& module) {
    module.def("import_report", import_report, nb::arg("inputs"), nb::arg("directory"), nb::arg("database"),
               nb::arg("rules"), nb::arg("existing"), nb::arg("svg"), nb::arg("materialize"), nb::arg("source_files"));
    module.def("write_performance_report", write_performance_report, nb::arg("report"), nb::arg("folder"));
    module.def("report_schema", report_schema);
    module.def("viewer_graph", viewer_graph, nb::arg("nodes"), nb::arg("devices"));
    module.attr("REPORT_SCHEMA_VERSION") = nb::str(schema_version.data(), schema_version.size());
}

}  // namespace ttnn::python
