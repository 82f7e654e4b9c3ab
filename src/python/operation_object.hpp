// The memory of an operation object, shared by the files that make, call and describe it.
#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "ttnn/core/observer.hpp"
#include "ttnn/op/bind.hpp"

namespace ttnn::python {

// One overload, prepared for calls.
struct Form {
    const OpInfo* info = nullptr;
    std::vector<PyObject*> names;        // interned and owned, one per field
    std::vector<PyObject*> other_names;  // the same; nullptr where a field has one name only
    FieldSet required;                   // those without a default
    size_t positional = 0;               // fields before the star
};

// What an operation written in Python has instead: its function's parameters as a table.
struct PythonOperation {
    OpInfo info;
    std::string name;
    std::vector<std::string> field_names;
    std::vector<PyObject*> defaults;  // owned; nullptr: no default
    std::vector<std::byte> default_params;
};

struct OperationObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* name;      // "ttnn.add"
    PyObject* function;  // Python operations: the function. Others: the operation without interception, made when asked
    PyObject* dict;
    PyObject* weak_references;
    std::vector<Form>* forms;  // empty for operations written in Python
    PythonOperation* python;   // nullptr for operations written in C++
    bool is_experimental;
    bool intercepted;  // false for what `function` of a C++ operation gives
};

struct Call {
    PyObject* const* values;  // positional ones, then those of the keywords
    size_t positional;
    PyObject* keywords;  // tuple of names or nullptr

    size_t num_keywords() const { return keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords)); }
    PyObject* keyword(size_t index) const { return PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(index)); }
    PyObject* keyword_value(size_t index) const { return values[positional + index]; }
};

// The same for observers of the operation that begins next; they may ask without holding the interpreter's lock.
class PythonCall final : public GivenCall {
public:
    explicit PythonCall(const Call& call) : call_(call), told_(this) {}
    size_t positional() const override { return call_.positional; }
    size_t count() const override { return call_.positional + call_.num_keywords(); }
    std::string_view keyword(size_t index) const override;
    void put(size_t index, tracelift::ValueSink& sink) const override;
    std::string_view error_type() const override { return error_type_; }
    void set_error_type(std::string type) { error_type_ = std::move(type); }

private:
    const Call& call_;
    std::string error_type_;
    ContextScope<&CallContext::given> told_;
};

extern PyTypeObject* operation_type;
// Called as interceptor(operation, args, kwargs) instead of the operation when set; owned.
extern PyObject* interceptor;

// --- operation_call.cpp ----------------------------------------------------------------------------------------------
PyObject* call_cpp_operation(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords);
// Converts the arguments into `params`, which holds the defaults.
Misfit bind_arguments(const Form& form, const Call& call, std::byte* params);
bool is_queue_keyword(PyObject* name);
// The operation without interception.
nanobind::object call_directly(const OperationObject& operation, const nanobind::tuple& arguments,
                               const nanobind::dict& keywords);
// The fp64 reference of the first overload that fits, as a list of numpy arrays. Of an operation that looks at several
// chips: as on one chip.
nanobind::object call_reference(const OperationObject& operation, const nanobind::tuple& arguments,
                                const nanobind::dict& keywords);
// What the arguments hold afterwards that the call writes into, by name: of those that have a reference.
nanobind::object call_mutated_reference(const OperationObject& operation, const nanobind::tuple& arguments,
                                        const nanobind::dict& keywords);
// Sets the Python error that stands for the C++ exception being handled.
void set_python_error() noexcept;

// --- operation_text.cpp ----------------------------------------------------------------------------------------------
std::string signature_text(const OpInfo& form);  // with defaults as Python writes them
// How Python code writes a parameter: its second name, or "from_", where the grammar has taken the first.
std::string python_name(const FieldInfo& field);
std::string operation_doc(const OperationObject& operation);
std::string mismatch_text(const OperationObject& operation, const Call& call);
nanobind::object make_signature(const OperationObject& operation);  // inspect.Signature
// One dict per overload: parameters (name, type, kind, default, doc), result, doc.
nanobind::object describe(const OperationObject& operation);

// --- python_operation.cpp --------------------------------------------------------------------------------------------
PyObject* call_python_operation(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords);
PyObject* dispatch_python_operation(const OperationObject& operation, const Call& call);
// Fields are tuples (name, keyword_only, has_default, default).
PythonOperation* make_python_operation(const std::string& name, const std::string& doc, const nanobind::list& fields);
void destroy_python_operation(PythonOperation* operation);

}  // namespace ttnn::python
