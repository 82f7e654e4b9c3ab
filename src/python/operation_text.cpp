// Texts and descriptions of operations, all made from the table when they are asked for.
#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/operation_object.hpp"

namespace ttnn::python {
namespace {

nb::object default_object(const OpInfo& form, const FieldInfo& field) {
    PyObject* object =
        static_cast<PyObject*>(field.type->python.to_python(static_cast<const char*>(form.defaults) + field.offset));
    if (object == nullptr) {
        nb::raise_python_error();
    }
    return nb::steal(object);
}

std::string default_text(const OpInfo& form, const FieldInfo& field) {
    return nb::cast<std::string>(nb::repr(default_object(form, field)));
}

std::string reason(const Form& form, const Misfit& misfit, const Call& call) {
    const auto& fields = form.info->fields;
    switch (misfit.kind) {
        case Misfit::Kind::NONE: return "the arguments fit";
        case Misfit::Kind::TOO_MANY:
            return fmt::format("takes {} positional arguments but {} were given", form.positional, call.positional);
        case Misfit::Kind::UNKNOWN_KEYWORD:
            return fmt::format("has no argument '{}'",
                               nb::cast<std::string>(nb::handle(call.keyword(misfit.argument - call.positional))));
        case Misfit::Kind::GIVEN_TWICE: return fmt::format("argument '{}' is given twice", fields[misfit.field].name);
        case Misfit::Kind::MISSING: return fmt::format("argument '{}' is missing", fields[misfit.field].name);
        case Misfit::Kind::WRONG_TYPE:
            return fmt::format("argument '{}' must be {}, not {}", fields[misfit.field].name,
                               fields[misfit.field].type->name, type_text(call.values[misfit.argument]));
    }
    return {};
}

std::string reason(const Form& form, const Call& call) {
    AnyParams params(*form.info);
    try {
        return reason(form, bind_arguments(form, call, static_cast<std::byte*>(params.data())), call);
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace

std::string type_text(PyObject* object) {
    const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    auto name = nb::cast<std::string>(type.attr("__qualname__"));
    const nb::object module = nb::getattr(type, "__module__", nb::none());
    const std::string from = nb::isinstance<nb::str>(module) ? nb::cast<std::string>(module) : "";
    if (from != "builtins" && from != "tracelift._ttnn" && !from.empty()) {
        name = from + "." + name;
    }
    if (is_sequence(object) && sequence_size(object) > 0) {
        return name + " of " + type_text(sequence_item(object, 0));
    }
    if (PyLong_CheckExact(object)) {
        int64_t number = 0;
        return load(object, number) ? (number < 0 ? name + " " + std::to_string(number) : name)
                                    : name + " beyond 64 bits";
    }
    return name;
}

std::string python_name(const FieldInfo& field) {
    std::string name(field.name);
    if (!nb::cast<bool>(nb::module_::import_("keyword").attr("iskeyword")(name))) {
        return name;
    }
    return field.other_name.empty() ? name + "_" : std::string(field.other_name);
}

std::string signature_text(const OpInfo& form) {
    std::string text = "(";
    bool star = false;
    for (const FieldInfo& field : form.fields) {
        text += text.size() > 1 ? ", " : "";
        if (field.keyword_only() && !star) {
            text += "*, ";
            star = true;
        }
        text += fmt::format("{}: {}", python_name(field), field.type->name);
        if (!field.required()) {
            text += " = " + default_text(form, field);
        }
    }
    return text + ") -> " + form.result->name;
}

std::string mismatch_text(const OperationObject& operation, const Call& call) {
    const auto name = nb::cast<std::string>(nb::handle(operation.name));
    const auto& forms = *operation.forms;
    if (forms.size() == 1) {
        return fmt::format("{}(): {}\nincompatible function arguments; the signature is\n    {}{}", name,
                           reason(forms[0], call), name, signature_text(*forms[0].info));
    }
    std::string text = fmt::format("{}(): incompatible function arguments; the signatures are", name);
    for (size_t i = 0; i < forms.size(); ++i) {
        text += fmt::format("\n    {}. {}{}\n       {}", i + 1, name, signature_text(*forms[i].info),
                            reason(forms[i], call));
    }
    return text;
}

std::string operation_doc(const OperationObject& operation) {
    std::string text;
    for (const Form& form : *operation.forms) {
        const OpInfo& info = *form.info;
        text += fmt::format("{}{}{}\n\n{}\n", text.empty() ? "" : "\n", info.name, signature_text(info), info.doc);
        for (const FieldInfo& field : info.fields) {
            if (!field.doc.empty()) {
                text += fmt::format("    {}: {}\n", field.name, field.doc);
            }
        }
    }
    return text;
}

nb::object make_signature(const OperationObject& operation) {
    const nb::object inspect = nb::module_::import_("inspect");
    if (operation.python != nullptr) {
        return inspect.attr("signature")(nb::handle(operation.function));
    }
    const OpInfo& form = *operation.forms->front().info;
    const nb::object parameter = inspect.attr("Parameter");
    nb::list parameters;
    for (const FieldInfo& field : form.fields) {
        const nb::object kind = parameter.attr(field.keyword_only() ? "KEYWORD_ONLY" : "POSITIONAL_OR_KEYWORD");
        const nb::object unset = field.required() ? nb::object(parameter.attr("empty")) : default_object(form, field);
        parameters.append(
            parameter(python_name(field), kind, nb::arg("default") = unset, nb::arg("annotation") = field.type->name));
    }
    return inspect.attr("Signature")(parameters, nb::arg("return_annotation") = form.result->name);
}

nb::object describe(const OperationObject& operation) {
    nb::list overloads;
    for (const Form& form : *operation.forms) {
        const OpInfo& info = *form.info;
        nb::list parameters;
        for (const FieldInfo& field : info.fields) {
            nb::dict row;
            row["name"] = nb::str(field.name.data(), field.name.size());
            row["python_name"] = python_name(field);
            row["type"] = field.type->name;
            row["keyword_only"] = field.keyword_only();
            row["required"] = field.required();
            row["default"] = field.required() ? nb::none() : default_object(info, field);
            row["other_name"] = nb::str(field.other_name.data(), field.other_name.size());
            row["doc"] = nb::str(field.doc.data(), field.doc.size());
            parameters.append(row);
        }
        nb::dict entry;
        entry["parameters"] = parameters;
        entry["result"] = info.result->name;
        entry["doc"] = nb::str(info.doc.data(), info.doc.size());
        entry["has_reference"] = info.is_judged();
        overloads.append(entry);
    }
    return overloads;
}

}  // namespace ttnn::python
