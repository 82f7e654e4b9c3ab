// Traced configurations for Python; python/tracelift/sweep_framework makes objects of the installed ttnn of them.
//
// Neutral values come as plain Python: None, bool, int, float, str, list and dict are themselves, everything else is a
// tuple that begins with its kind: ("enum", type, member), ("struct", type, {field: value}), ("object", type, text),
// ("unparsed", text, reason).
#include "tracelift/sweep/traced.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.hpp"

namespace ttnn::python {
namespace {

using tracelift::Value;

nb::str text(std::string_view value) { return nb::str(value.data(), value.size()); }

nb::object neutral(const Value& value);

nb::dict neutral(const Value::Dict& entries) {
    nb::dict result;
    for (const auto& entry : entries) {
        result[text(entry.key)] = neutral(entry.value);
    }
    return result;
}

struct ToPython {
    nb::object operator()(std::monostate /*null*/) const { return nb::none(); }
    nb::object operator()(bool value) const { return nb::bool_(value); }
    nb::object operator()(int64_t value) const { return nb::int_(value); }
    nb::object operator()(double value) const { return nb::float_(value); }
    nb::object operator()(const std::string& value) const { return text(value); }
    nb::object operator()(const Value::List& items) const {
        nb::list result;
        for (const Value& item : items) {
            result.append(neutral(item));
        }
        return result;
    }
    nb::object operator()(const Value::Dict& entries) const { return neutral(entries); }
    nb::object operator()(const Value::Enum& value) const {
        return nb::make_tuple("enum", text(value.type), text(value.member));
    }
    nb::object operator()(const Value::Struct& value) const {
        return nb::make_tuple("struct", text(value.type), neutral(value.fields));
    }
    nb::object operator()(const Value::Object& value) const {
        return nb::make_tuple("object", text(value.type), text(value.text));
    }
    nb::object operator()(const Value::Unparsed& value) const {
        return nb::make_tuple("unparsed", text(value.text), text(value.reason));
    }
};

nb::object neutral(const Value& value) { return std::visit(ToPython{}, value.data()); }

nb::dict configuration(const tracelift::TracedConfiguration& configuration) {
    nb::list arguments;
    for (const auto& argument : configuration.arguments) {
        const nb::object position = argument.position ? nb::object(nb::int_(*argument.position)) : nb::none();
        arguments.append(nb::make_tuple(text(argument.name), position, neutral(argument.value)));
    }
    nb::list sources;
    for (const auto& source : configuration.sources) {
        sources.append(nb::make_tuple(neutral(source.source), neutral(source.machine_info)));
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
        "traced_value", [](const std::string& json) { return neutral(tracelift::traced_value(json)); },
        nb::arg("json"));
}

}  // namespace ttnn::python
