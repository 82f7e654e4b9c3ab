// Traced configurations for Python, as neutral objects (values.hpp); python/tracelift/ttnn_objects.py makes objects of
// the installed ttnn of them.
#include "tracelift/sweep/traced.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"
#include "python/values.hpp"

namespace ttnn::python {
namespace {

nb::str text(std::string_view value) { return nb::str(value.data(), value.size()); }

nb::dict configuration(const tracelift::TracedConfiguration& configuration) {
    nb::list arguments;
    for (const auto& argument : configuration.arguments) {
        const nb::object position = argument.position ? nb::object(nb::int_(*argument.position)) : nb::none();
        arguments.append(nb::make_tuple(text(argument.name), position, neutral_object(argument.value)));
    }
    nb::list sources;
    for (const auto& source : configuration.sources) {
        sources.append(nb::make_tuple(neutral_object(source.source), neutral_object(source.machine_info)));
    }
    nb::dict result;
    result["text"] = text(configuration.text);
    result["arguments"] = arguments;
    result["sources"] = sources;
    result["hash"] = text(configuration.hash);
    result["identity"] = text(configuration.identity);
    return result;
}

tracelift::TracedOperation traced_operation(const std::filesystem::path& master, const std::string& name) {
    const nb::gil_scoped_release others_run;
    return tracelift::traced_operation(master, name);
}

nb::tuple summary(const tracelift::TracedOperation& operation) {
    const auto [shapes, dtypes, layouts, memory_configs] = operation.summary();
    return nb::make_tuple(shapes, dtypes, layouts, memory_configs);
}

}  // namespace

void bind_traced(nb::module_& module) {
    using tracelift::TracedOperation;
    nb::class_<TracedOperation>(module, "TracedOperation", "The traced configurations of one operation.")
        .def_prop_ro("name", &TracedOperation::name)
        .def("__len__", &TracedOperation::size)
        .def("problem", &TracedOperation::problem, nb::arg("index"))
        .def("summary", summary)
        .def(
            "configuration",
            [](TracedOperation& self, size_t index) { return configuration(self.configuration(index)); },
            nb::arg("index"));
    module.def("traced_operation", traced_operation, nb::arg("master"), nb::arg("name"));
    module.def("traced_operation_names", tracelift::traced_operation_names, nb::arg("master"));
    module.def(
        "traced_value", [](const std::string& json) { return neutral_object(tracelift::traced_value(json)); },
        nb::arg("json"));
}

}  // namespace ttnn::python
