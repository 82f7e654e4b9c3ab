// Traced calls for Python: parameter files, op-call lines, result rows.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python/bindings.hpp"
#include "python/values.hpp"
#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/calls/line_file.hpp"
#include "tracelift/calls/results_csv.hpp"
#include "tracelift/dialects/parameter_file.hpp"
#include "tracelift/value/private_text.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn::python {
namespace {

using tracelift::CallTracing;
using tracelift::LineFile;

CallTracing& tracing() { return CallTracing::instance(); }

// Writes the file of a call of an operation that is not ours.
std::string write_parameters(const std::string& name, const nb::tuple& args, const nb::dict& kwargs,
                             nb::handle return_value, const std::string& directory, bool values) {
    const EncodeTensorValues wanted(values);
    const tracelift::Untraced untraced;
    tracelift::TracedCall call;
    call.operation = name;
    for (nb::handle value : args) {
        call.args.push_back(value_of(value.ptr()));
    }
    for (auto [key, value] : kwargs) {
        call.kwargs.push_back({nb::cast<std::string>(key), value_of(value.ptr())});
    }
    call.result = value_of(return_value.ptr());
    auto& files = tracing().parameter_files();
    return (directory.empty() ? files.write(call) : files.write(call, directory)).string();
}

// The JSON text of one value, as the file of a call shows it.
std::string value_text(nb::handle value, bool values) {
    const EncodeTensorValues wanted(values);
    const tracelift::Untraced untraced;
    std::string board;
    visit_python_tensors(value.ptr(), [&](const Tensor& tensor) {
        if (board.empty() && tensor.is_on_device()) {
            board = tensor.device()->board().name;
        }
    });
    return tracelift::parameter_value_text(value_of(value.ptr()), board);
}

void bind_line_file(nb::module_& module) {
    nb::class_<LineFile>(module, "LineFile", "A file of lines that several processes write; see line_file.hpp.")
        .def(
            "__init__", [](LineFile* self, const std::string& path) { new (self) LineFile(path); }, nb::arg("path"))
        .def("begin", &LineFile::begin, nb::arg("line"))
        .def("finish", &LineFile::finish, nb::arg("ticket"), nb::arg("line"));
    module.def(
        "tracing_collect_parts", [](const std::string& path) { tracelift::collect_parts(path); }, nb::arg("path"));
}

}  // namespace

// python/tracelift/_tracing.py gives these their names.
void bind_tracing(nb::module_& module) {
    tracelift::cancel_program_results();  // the pytest plugin writes the rows of Python processes
    module.def(
        "tracing_trace_parameters", [](bool on) { tracing().trace_parameters(on); }, nb::arg("on"));
    module.def("tracing_traces_parameters", [] { return tracing().traces_parameters(); });
    module.def(
        "tracing_trace_values", [](bool on) { tracing().trace_values(on); }, nb::arg("on"));
    module.def("tracing_traces_values", [] { return tracing().traces_values(); });
    module.def("tracing_is_serializing", [] { return tracelift::Untraced::here(); });
    module.def("tracing_parameter_count", [] { return tracing().parameter_files().count(); });
    module.def(
        "tracing_set_parameter_count", [](uint64_t count) { tracing().parameter_files().set_count(count); },
        nb::arg("count"));
    module.def("tracing_parameter_directory", [] { return tracing().parameter_files().directory().string(); });
    module.def(
        "tracing_set_parameter_directory",
        [](const std::string& directory) { tracing().parameter_files().set_directory(directory); },
        nb::arg("directory"));
    module.def("tracing_remember_parameter_files", [] { tracing().parameter_files().remember(); });
    module.def("tracing_remove_parameter_files", [] { return tracing().parameter_files().remove_remembered(); });
    module.def("tracing_write_parameters", &write_parameters, nb::arg("name"), nb::arg("args"), nb::arg("kwargs"),
               nb::arg("return_value").none(), nb::arg("directory"), nb::arg("values"));
    module.def("tracing_value_text", &value_text, nb::arg("value").none(), nb::arg("values"));
    module.def(
        "tracing_write_lines", [](const std::string& path) { tracing().write_lines(path); }, nb::arg("path"));
    module.def(
        "tracing_set_context",
        [](const std::string& run_id, const std::string& test_nodeid, const std::string& test_module) {
            tracing().set_context({run_id, test_nodeid, test_module});
        },
        nb::arg("run_id"), nb::arg("test_nodeid"), nb::arg("module"));
    module.def(
        "tracing_append_result",
        [](const std::string& path, const std::map<std::string, std::string>& row) {
            tracelift::append_result(path, {row.begin(), row.end()});
        },
        nb::arg("path"), nb::arg("row"));
    nb::list columns;
    for (const std::string_view column : tracelift::result_columns) {
        columns.append(nb::str(column.data(), column.size()));
    }
    module.attr("RESULT_COLUMNS") = nb::tuple(columns);
    module.def(
        "tracing_private_text", [](const std::string& text) { return tracelift::private_text(text); }, nb::arg("text"));
    bind_line_file(module);
}

}  // namespace ttnn::python
