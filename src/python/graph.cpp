// Graph capture and analyses for Python. Traces go through as JSON text; python/tracelift/ttnn/graph.py makes lists of
// dicts of them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/graph/analysis.hpp"
#include "ttnn/graph/graph_processor.hpp"
#include "ttnn/graph/levelized_graph.hpp"
#include "ttnn/graph/pretty_print.hpp"
#include "ttnn/graph/query.hpp"
#include "ttnn/graph/report.hpp"
#include "ttnn/graph/stack.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace ttnn::python {
namespace {

using namespace ttnn::graph;  // NOLINT(google-build-using-namespace): what this file brings to Python

// File names need not be UTF-8.
std::string text_of(nb::handle text) {
    const auto bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    return bytes.is_valid() ? std::string(PyBytes_AsString(bytes.ptr())) : std::string();
}

// As tracebacks print frames, innermost first.
std::string frames_of_this_thread() {
    if (!Py_IsInitialized()) {
        return {};
    }
    const nb::gil_scoped_acquire gil;
    std::string text;
    PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame != nullptr) {
        PyCodeObject* code = PyFrame_GetCode(frame);
        const nb::handle facts(reinterpret_cast<PyObject*>(code));
        text += fmt::format("File \"{}\", line {}, in {}\n", text_of(facts.attr("co_filename")),
                            PyFrame_GetLineNumber(frame), text_of(facts.attr("co_name")));
        Py_DECREF(code);
        PyFrameObject* outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    return text;
}

// Another thread may need the interpreter to end what this one waits for.
void wait_without_interpreter(FunctionRef<void()> wait) {
    if (!Py_IsInitialized() || PyGILState_Check() == 0) {
        return wait();
    }
    const nb::gil_scoped_release release;
    wait();
}

Trace trace_of(const std::string& json) { return read_trace(json, "the trace"); }

void bind_capture(nb::module_& module) {
    module.def(
        "begin_graph_capture",
        [](bool dispatch, bool process_wide, bool literal_sample) {
            GraphProcessor::begin_graph_capture(
                CaptureOptions{.mode = dispatch ? RunMode::NORMAL : RunMode::NO_DISPATCH,
                               .process_wide = process_wide,
                               .literal_sample = literal_sample});
        },
        nb::arg("dispatch"), nb::arg("process_wide"), nb::arg("literal_sample"));
    module.def("end_graph_capture", [] { return to_json(GraphProcessor::end_graph_capture()); });
    module.def("end_graph_capture_to_file", [](const std::filesystem::path& path) {
        return to_json(GraphProcessor::end_graph_capture_to_file(path));
    });
    module.def("get_current_report", GraphProcessor::get_current_report);
    module.def("is_capturing", GraphProcessor::is_capturing);
    module.def("dispatch_blocked", &dispatch_blocked, "Whether operations of this thread compute nothing now.");
    module.def("add_error", GraphProcessor::add_error);
    module.def("enable_stack_traces", GraphProcessor::enable_stack_traces, nb::arg("cpp_frames") = false);
    module.def("disable_stack_traces", GraphProcessor::disable_stack_traces);
    module.def("is_stack_trace_enabled", GraphProcessor::is_stack_trace_enabled);
    module.def("enable_buffer_pages", GraphProcessor::enable_buffer_pages);
    module.def("disable_buffer_pages", GraphProcessor::disable_buffer_pages);
    module.def("is_buffer_pages_enabled", GraphProcessor::is_buffer_pages_enabled);
    module.def("enable_detailed_arguments", GraphProcessor::enable_detailed_arguments);
    module.def("disable_detailed_arguments", GraphProcessor::disable_detailed_arguments);
    module.def("is_detailed_arguments_enabled", GraphProcessor::is_detailed_arguments_enabled);
    module.def("enable_later_names", GraphProcessor::enable_later_names);
    module.def("disable_later_names", GraphProcessor::disable_later_names);
    module.def("is_later_names_enabled", GraphProcessor::is_later_names_enabled);
    module.attr("REPORT_VERSION") = report_version;
}

// `call` takes a list of tensors and gives a list of tensors.
TensorCall tensor_call(const nb::callable& call) {
    return [call](const std::vector<Tensor>& inputs) {
        nb::list arguments;
        for (const Tensor& input : inputs) {
            arguments.append(TensorObject(input));
        }
        std::vector<Tensor> outputs;
        for (const nb::handle output : call(arguments)) {
            outputs.push_back(nb::cast<const TensorObject&>(output));
        }
        return outputs;
    };
}

nb::dict outcome(QueryStatus status, const std::string& error_message) {
    nb::dict result;
    result["success"] = status == QueryStatus::SUCCESS;
    result["error_message"] = error_message;
    return result;
}

void bind_queries(nb::module_& module) {
    module.def("query_op_constraints", [](const nb::callable& call, const std::shared_ptr<Device>& device,
                                          const std::vector<TensorSpec>& inputs, bool count_inputs) {
        const auto response = query_op_constraints(tensor_call(call), device, inputs, {.count_inputs = count_inputs});
        const ResourceUsage& usage = response.resource_usage;
        nb::dict result = outcome(response.status, response.error_message);
        result["usage"] = nb::make_tuple(usage.cb_peak_size_per_core, usage.l1_buffers_peak_per_core,
                                         usage.peak_memory_usage_per_core, usage.l1_output_buffer_per_core);
        result["specs"] = response.output_tensor_specs;
        return result;
    });
    module.def("query_op_runtime", [](const nb::callable& call, const std::shared_ptr<Device>& device,
                                      const std::vector<TensorSpec>& inputs) {
        const auto response = query_op_runtime(tensor_call(call), device, inputs);
        nb::dict result = outcome(response.status, response.error_message);
        result["runtime_ns"] = response.runtime_ns;
        return result;
    });
    module.def("extract_l1_output_buffer_allocation_size_per_core", [](const TensorObject& tensor, size_t cores) {
        return extract_l1_output_buffer_allocation_size_per_core(tensor, cores);
    });
}

void bind_results(nb::module_& module) {
    nb::class_<TensorInfo>(module, "TensorInfo")
        .def_ro("shape", &TensorInfo::shape)
        .def_ro("size", &TensorInfo::size)
        .def_ro("type", &TensorInfo::type)
        .def("__repr__", [](const TensorInfo& info) { return repr(info); });
    nb::class_<PeakMemoryUsagePerCore>(module, "PeakMemoryUsagePerCore")
        .def_ro("peak_cb", &PeakMemoryUsagePerCore::peak_cb)
        .def_ro("peak_l1", &PeakMemoryUsagePerCore::peak_l1)
        .def_ro("peak_total", &PeakMemoryUsagePerCore::peak_total)
        .def("__repr__", [](const PeakMemoryUsagePerCore& usage) { return repr(usage); })
        .def("__str__", [](const PeakMemoryUsagePerCore& usage) { return graph::to_string(usage); });
}

void bind_analyses(nb::module_& module) {
    module.def("extract_calltrace", [](const std::string& json) { return extract_calltrace(trace_of(json)); });
    module.def("extract_peak_L1_memory_usage",
               [](const std::string& json) { return extract_peak_L1_memory_usage(trace_of(json)); });
    module.def("count_intermediate_and_output_tensors",
               [](const std::string& json) { return count_intermediate_and_output_tensors(trace_of(json)); });
    module.def("extract_output_info", [](const std::string& json) { return extract_output_info(trace_of(json)); });
    module.def("extract_output_tensors",
               [](const std::string& json) { return extract_output_tensors(trace_of(json)); });
    module.def("extract_resource_usage_per_core", [](const std::string& json, size_t cores) {
        return extract_resource_usage_per_core(trace_of(json), cores);
    });
    module.def("extract_dram_usage", [](const std::string& json) {
        const DramUsage usage = extract_dram_usage(trace_of(json));
        nb::dict result;
        result["peak"] = usage.peak;
        result["total_allocations"] = usage.total_allocations;
        result["total_deallocations"] = usage.total_deallocations;
        return result;
    });
    module.def("extract_arguments", [](const std::string& json) {
        nb::list result;
        for (const OperationArguments& call : extract_arguments(trace_of(json))) {
            nb::dict entry;
            entry["operation"] = call.operation_name;
            entry["arguments"] = call.arguments;
            result.append(entry);
        }
        return result;
    });
    module.def("extract_operation_durations",
               [](const std::string& json) { return extract_operation_durations(trace_of(json)); });
    module.def("extract_total_duration",
               [](const std::string& json) { return extract_total_duration(trace_of(json)); });
    module.def("explain_peak", [](const std::string& json, bool dram) {
        return to_json(explain_peak(trace_of(json), dram ? graph::MemoryKind::DRAM : graph::MemoryKind::L1));
    });
    module.def("format_memory_table",
               [](const std::string& json) { return format_memory_table(extract_memory_table(trace_of(json))); });
    module.def("extract_levelized_graph", [](const std::string& json, size_t max_level) {
        return LevelizedGraph(trace_of(json), max_level).to_json();
    });
    module.def("pretty_format", [](const std::string& json) { return pretty_format(trace_of(json)); });
    module.def(
        "to_svg",
        [](const std::string& json, const std::string& calls, const std::string& source) {
            SvgOptions options{.source = source};
            if (!calls.empty()) {
                options.choose_calls(calls);
            }
            return to_svg(trace_of(json), options);
        },
        nb::arg("trace"), nb::arg("calls") = "", nb::arg("source") = "REPORT.json");
}

}  // namespace

void bind_graph(nb::module_& module) {
    nb::module_ submodule = module.def_submodule("graph", "Graph capture and analyses.");
    bind_capture(submodule);
    bind_results(submodule);
    bind_queries(submodule);
    bind_analyses(submodule);
    graph::python_frames = frames_of_this_thread;
    run_waiting = wait_without_interpreter;
}

}  // namespace ttnn::python
