#include "python/operation_type.hpp"

#include <algorithm>
#include <map>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

#include "python/bindings.hpp"
#include "python/operation_object.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/op/nearest.hpp"

namespace ttnn::python {

PyTypeObject* operation_type = nullptr;
PyObject* interceptor = nullptr;

namespace {

OperationObject& self_of(PyObject* self) { return *reinterpret_cast<OperationObject*>(self); }

// Every operation by name and alias; owned. Emptied at exit, before the interpreter looks for leaks.
std::map<std::string, PyObject*, std::less<>>& table() {
    static std::map<std::string, PyObject*, std::less<>> operations;
    return operations;
}

PyObject* intern(std::string_view text) { return PyUnicode_InternFromString(std::string(text).c_str()); }

Form make_form(const OpInfo& info) {
    Form form{.info = &info, .names = {}, .other_names = {}, .required = required_fields(info), .positional = 0};
    for (size_t i = 0; i < info.fields.size(); ++i) {
        const FieldInfo& field = info.fields[i];
        require(field.keyword_only() || form.positional == i,
                "{}: positional '{}' stands after a keyword-only parameter", info.name, field.name);
        form.names.push_back(intern(field.name));
        const std::string other = field.other_name.empty() ? python_name(field) : std::string(field.other_name);
        form.other_names.push_back(other == field.name ? nullptr : intern(other));
        form.positional += field.keyword_only() ? 0 : 1;
    }
    return form;
}

OperationObject* new_operation(std::string_view name) {
    auto* object = PyObject_GC_New(OperationObject, operation_type);
    if (object == nullptr) {
        nb::raise_python_error();
    }
    object->vectorcall = call_cpp_operation;
    object->name = intern(name);
    object->function = nullptr;
    object->dict = nullptr;
    object->weak_references = nullptr;
    object->forms = new std::vector<Form>();
    object->python = nullptr;
    object->is_experimental = name.find(".experimental.") != std::string_view::npos;
    object->intercepted = true;
    PyObject_GC_Track(object);
    return object;
}

nb::object make_cpp_operation(const OpInfo& info, bool intercepted) {
    OperationObject* object = new_operation(info.name);
    nb::object owner = nb::steal(reinterpret_cast<PyObject*>(object));
    object->intercepted = intercepted;
    for (const OpInfo* form = &info; form != nullptr; form = form->next_overload) {
        object->forms->push_back(make_form(*form));
    }
    return owner;
}

// --- slots of the type -----------------------------------------------------------------------------------------------

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self_of(self).function);
    Py_VISIT(self_of(self).dict);
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(self_of(self).function);
    Py_CLEAR(self_of(self).dict);
    return 0;
}

void dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    OperationObject& object = self_of(self);
    if (object.weak_references != nullptr) {
        PyObject_ClearWeakRefs(self);
    }
    clear(self);
    Py_CLEAR(object.name);
    for (const Form& form : *object.forms) {
        for (PyObject* name : form.names) {
            Py_DECREF(name);
        }
        for (PyObject* name : form.other_names) {
            Py_XDECREF(name);
        }
    }
    delete object.forms;
    if (object.python != nullptr) {
        destroy_python_operation(object.python);
    }
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<operation %U>", self_of(self).name); }

Py_hash_t hash(PyObject* self) { return PyObject_Hash(self_of(self).name); }

PyObject* compare(PyObject* a, PyObject* b, int comparison) {
    if (Py_TYPE(b) != operation_type) {
        return Py_NewRef(Py_NotImplemented);
    }
    if (comparison == Py_EQ || comparison == Py_NE) {
        return PyBool_FromLong((a == b) == (comparison == Py_EQ));
    }
    return PyObject_RichCompare(self_of(a).name, self_of(b).name, comparison);
}

// Turns exceptions of an attribute's code into Python errors.
template <class Work>
PyObject* guarded(Work work) {
    try {
        return nb::object(work()).release().ptr();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

nb::object get_name(const OperationObject& self) { return nb::borrow(self.name); }
nb::object get_is_cpp(const OperationObject& self) { return nb::steal(PyBool_FromLong(self.python == nullptr)); }
nb::object get_is_experimental(const OperationObject& self) { return nb::steal(PyBool_FromLong(self.is_experimental)); }
nb::object get_marker(const OperationObject&) { return nb::borrow(Py_True); }
nb::object get_signature(const OperationObject& self) { return make_signature(self); }
nb::object get_doc(const OperationObject& self) {
    return self.python != nullptr ? nb::object(nb::getattr(nb::handle(self.function), "__doc__"))
                                  : nb::cast(operation_doc(self));
}
nb::object get_function(OperationObject& self) {
    if (self.function == nullptr) {
        self.function = self.intercepted ? make_cpp_operation(*self.forms->front().info, false).release().ptr()
                                         : Py_NewRef(reinterpret_cast<PyObject*>(&self));
    }
    return nb::borrow(self.function);
}

template <auto Get>
PyObject* getter(PyObject* self, void*) {
    return guarded([&] { return Get(self_of(self)); });
}

PyObject* reduce(PyObject* self, PyObject*) {
    return guarded([&] {
        const nb::object find = nb::module_::import_("tracelift._pickle").attr("operation");
        return nb::make_tuple(find, nb::make_tuple(nb::handle(self_of(self).name)));
    });
}

PyGetSetDef attributes[] = {{"__name__", getter<get_name>, nullptr, nullptr, nullptr},
                            {"__qualname__", getter<get_name>, nullptr, nullptr, nullptr},
                            {"__doc__", getter<get_doc>, nullptr, nullptr, nullptr},
                            {"__signature__", getter<get_signature>, nullptr, nullptr, nullptr},
                            {"__ttnn_operation__", getter<get_marker>, nullptr, nullptr, nullptr},
                            {"python_fully_qualified_name", getter<get_name>, nullptr, nullptr, nullptr},
                            {"function", getter<get_function>, nullptr, nullptr, nullptr},
                            {"is_cpp_operation", getter<get_is_cpp>, nullptr, nullptr, nullptr},
                            {"is_experimental", getter<get_is_experimental>, nullptr, nullptr, nullptr},
                            {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperationObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OperationObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OperationObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}

void make_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(dealloc)},
                           {Py_tp_traverse, slot(traverse)},
                           {Py_tp_clear, slot(clear)},
                           {Py_tp_repr, slot(repr)},
                           {Py_tp_hash, slot(hash)},
                           {Py_tp_richcompare, slot(compare)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_getset, attributes},
                           {Py_tp_methods, methods},
                           {Py_tp_members, members},
                           {0, nullptr}};
    PyType_Spec spec{
        "tracelift._ttnn.Operation", sizeof(OperationObject), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        slots};
    const nb::object type = nb::steal(PyType_FromSpec(&spec));
    if (!type.is_valid()) {
        nb::raise_python_error();
    }
    for (const char* attribute : {"golden_function", "preprocess_golden_function_inputs",
                                  "postprocess_golden_function_outputs", "other_form"}) {
        type.attr(attribute) = nb::none();  // an operation's own value hides it
    }
    operation_type = reinterpret_cast<PyTypeObject*>(nb::object(type).release().ptr());
}

OperationObject& operation_of(nb::handle object) {
    if (Py_TYPE(object.ptr()) != operation_type) {
        throw nb::type_error("an operation is expected");
    }
    return self_of(object.ptr());
}

nb::object register_python(const std::string& name, nb::object function, const nb::list& fields, const std::string& doc,
                           bool is_experimental) {
    require(!table().contains(name), "{} is already registered", name);
    OperationObject* object = new_operation(name);
    nb::object owner = nb::steal(reinterpret_cast<PyObject*>(object));
    object->vectorcall = call_python_operation;
    object->function = function.release().ptr();
    object->python = make_python_operation(name, doc, fields);
    object->is_experimental = object->is_experimental || is_experimental;
    table().emplace(name, nb::object(owner).release().ptr());
    return owner;
}

void register_all() {
    for (const OpInfo* info : all_operations()) {
        const nb::object operation = make_cpp_operation(*info, true);
        table().emplace(std::string(info->name), nb::object(operation).release().ptr());
        for (const OpInfo* form = info; form != nullptr; form = form->next_overload) {
            for (const std::string_view alias : form->aliases) {
                if (!table().contains(alias)) {
                    table().emplace(std::string(alias), nb::object(operation).release().ptr());
                }
            }
        }
    }
}

}  // namespace

nb::object find_operation_object(const char* name) {
    const auto found = table().find(std::string_view(name));
    require(found != table().end(), "there is no operation {}", name);
    return nb::borrow(found->second);
}

void release_python_objects() {
    Py_CLEAR(interceptor);
    for (auto& [name, operation] : table()) {
        Py_DECREF(operation);
    }
    table().clear();
}

void bind_operations(nb::module_& module) {
    make_type();
    module.attr("Operation") = nb::handle(reinterpret_cast<PyObject*>(operation_type));
    register_all();
    module.def(
        "operations",
        [] {
            nb::dict all;
            for (const auto& [name, operation] : table()) {
                all[name.c_str()] = nb::handle(operation);
            }
            return all;
        },
        "Every operation by name and alias.", nb::sig("def operations() -> dict[str, Operation]"));
    module.def(
        "find_operation", [](const std::string& name) { return find_operation_object(name.c_str()); }, nb::arg("name"),
        nb::sig("def find_operation(name: str) -> Operation"));
    module.def(
        "nearest_names",
        [](const std::string& wanted, const std::vector<std::string>& known) { return nearest_names(wanted, known); },
        nb::arg("wanted"), nb::arg("known"), "The best of `known` for a name that may be misspelt, best first.");
    module.def(
        "did_you_mean", [](const std::vector<std::string>& names) { return did_you_mean(names); }, nb::arg("names"));
    module.def("register_python", &register_python, nb::arg("name"), nb::arg("function"), nb::arg("fields"),
               nb::arg("doc"), nb::arg("is_experimental"),
               nb::sig("def register_python(name: str, function: typing.Callable, fields: list, doc: str, "
                       "is_experimental: bool) -> Operation"));
    module.def(
        "describe", [](nb::handle operation) { return describe(operation_of(operation)); }, nb::arg("operation"),
        "The overloads of an operation as dicts.",
        nb::sig("def describe(operation: Operation) -> list[dict[str, typing.Any]]"));
    module.def(
        "has_reference",
        [](nb::handle operation) {
            return std::ranges::any_of(*operation_of(operation).forms,
                                       [](const Form& form) { return form.info->is_judged(); });
        },
        nb::arg("operation"));
    module.def(
        "call_directly",
        [](nb::handle operation, const nb::tuple& arguments, const nb::dict& keywords) {
            return call_directly(operation_of(operation), arguments, keywords);
        },
        nb::arg("operation"), nb::arg("args"), nb::arg("kwargs"), "Calls an operation past the interceptor.",
        nb::sig("def call_directly(operation: Operation, args: tuple, kwargs: dict) -> typing.Any"));
    module.def(
        "reference",
        [](nb::handle operation, const nb::tuple& arguments, const nb::dict& keywords) {
            return call_reference(operation_of(operation), arguments, keywords);
        },
        nb::arg("operation"), nb::arg("args"), nb::arg("kwargs"),
        "The fp64 reference of an operation on host tensors, as numpy arrays.",
        nb::sig("def reference(operation: Operation, args: tuple, kwargs: dict) -> list[numpy.typing.NDArray]"));
    module.def(
        "mutated_reference",
        [](nb::handle operation, const nb::tuple& arguments, const nb::dict& keywords) {
            return call_mutated_reference(operation_of(operation), arguments, keywords);
        },
        nb::arg("operation"), nb::arg("args"), nb::arg("kwargs"),
        "What arguments hold after a call that writes into them, by name.",
        nb::sig("def mutated_reference(operation: Operation, args: tuple, kwargs: dict) -> dict[str, "
                "numpy.typing.NDArray]"));
    module.def(
        "set_interceptor",
        [](nb::object function) { Py_XSETREF(interceptor, function.is_none() ? nullptr : function.release().ptr()); },
        nb::arg("function").none(), "Calls function(operation, args, kwargs) in place of every operation.");
    module.def(
        "get_interceptor", [] { return interceptor == nullptr ? nb::none() : nb::borrow(interceptor); },
        nb::sig("def get_interceptor() -> typing.Any"));
}

}  // namespace ttnn::python
