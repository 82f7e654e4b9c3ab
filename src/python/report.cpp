// The importer of graph reports for Python; python/tracelift/ttnn/graph_report.py is the face of it.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "tracelift/report/import.hpp"

namespace ttnn::python {
namespace {

using namespace tracelift::report;

nb::dict import_report(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& directory,
                       const std::string& database, const std::string& rules, const std::string& existing, bool svg,
                       bool materialize) {
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

}  // namespace

void bind_report(nb::module_& module) {
    module.def("import_report", import_report, nb::arg("inputs"), nb::arg("directory"), nb::arg("database"),
               nb::arg("rules"), nb::arg("existing"), nb::arg("svg"), nb::arg("materialize"));
}

}  // namespace ttnn::python
