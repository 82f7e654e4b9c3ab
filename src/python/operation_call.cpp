// From a Python call to OpInfo::call: defaults, conversion, overloads, errors.
#include <new>
#include <optional>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/operation_object.hpp"
#include "python/type_codecs.hpp"
#include "python/values.hpp"
#include "tracelift/calls/call_tracing.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/reference/array.hpp"

namespace ttnn::python {
namespace {

// Up to this many elements the interpreter lock is kept during the call: passing it on costs more than it gives.
constexpr uint64_t elements_worth_releasing = uint64_t{1} << 16;

constexpr size_t stack_bytes = 3072;

// Room on the stack for parameters or a result; larger ones go to the heap.
class Storage {
public:
    Storage(size_t size, size_t alignment) {
        if (size > sizeof(stack_)) [[unlikely]] {
            alignment_ = alignment;
            heap_ = ::operator new(size, std::align_val_t(alignment));
        }
    }
    ~Storage() {
        if (heap_ != nullptr) [[unlikely]] {
            ::operator delete(heap_, std::align_val_t(alignment_));
        }
    }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    std::byte* data() { return heap_ != nullptr ? static_cast<std::byte*>(heap_) : stack_; }

private:
    alignas(std::max_align_t) std::byte stack_[stack_bytes];
    void* heap_ = nullptr;
    size_t alignment_ = 0;
};

class Params {
public:
    explicit Params(const OpInfo& op) : op_(op), storage_(op.params_size, op.params_align) {
        op.copy_params(storage_.data(), op.defaults);
    }
    ~Params() { op_.destroy_params(storage_.data()); }
    Params(const Params&) = delete;
    Params& operator=(const Params&) = delete;
    std::byte* data() { return storage_.data(); }

private:
    const OpInfo& op_;
    Storage storage_;
};

class Result {
public:
    explicit Result(const OpInfo& op) : op_(op), storage_(op.result->size, alignof(std::max_align_t)) {}
    ~Result() {
        if (made_) {
            op_.destroy_result(storage_.data());
        }
    }
    Result(const Result&) = delete;
    Result& operator=(const Result&) = delete;
    void make(std::byte* params) {
        op_.call(op_, params, storage_.data());
        made_ = true;
    }
    const std::byte* data() { return storage_.data(); }

private:
    const OpInfo& op_;
    Storage storage_;
    bool made_ = false;
};

size_t find_field(const Form& form, PyObject* keyword) {
    const size_t count = form.names.size();
    for (size_t i = 0; i < count; ++i) {
        if (form.names[i] == keyword || form.other_names[i] == keyword) {
            return i;
        }
    }
    for (size_t i = 0; i < count; ++i) {  // keywords that were not written in source code are not interned
        if (PyUnicode_Compare(form.names[i], keyword) == 0 ||
            (form.other_names[i] != nullptr && PyUnicode_Compare(form.other_names[i], keyword) == 0)) {
            return i;
        }
    }
    return count;
}

// The arguments of ttnn::bind_arguments, as Python gives them.
class PythonArguments {
public:
    PythonArguments(const Form& form, const Call& call) : form_(form), call_(call) {}
    size_t positional() const { return call_.positional; }
    size_t count() const { return call_.positional + call_.num_keywords(); }
    size_t most_positional() const { return form_.positional; }
    size_t field_of(size_t argument) const {
        return argument < call_.positional ? argument : find_field(form_, call_.keyword(argument - call_.positional));
    }
    bool ignores(size_t argument) const { return is_queue_keyword(call_.keyword(argument - call_.positional)); }
    bool convert(size_t argument, const FieldInfo& field, void* to) const {
        return field.type->python.from_python(call_.values[argument], to);
    }

private:
    const Form& form_;
    const Call& call_;
};

bool is_large(const OpInfo& op, const std::byte* params) {
    if (op.tensor_fields.empty()) {
        return true;  // nothing tells how much there is to do
    }
    uint64_t elements = 0;
    for (const uint16_t index : op.tensor_fields) {
        const FieldInfo& field = op.fields[index];
        field.type->visit_tensors(params + field.offset,
                                  [&](const Tensor& tensor) { elements += tensor.logical_volume(); });
    }
    return elements > elements_worth_releasing;
}

// The argument that is the result (in-place operations, preallocated outputs): Python gets the same object back.
PyObject* same_tensor_argument(const Call& call, const Tensor& result) {
    const size_t count = call.positional + call.num_keywords();
    for (size_t i = 0; i < count; ++i) {
        if (Py_TYPE(call.values[i]) == bound_type<TensorObject> &&
            *nb::inst_ptr<TensorObject>(call.values[i]) == result) {
            return Py_NewRef(call.values[i]);
        }
    }
    return nullptr;
}

PyObject* run(const OpInfo& op, Params& params, const Call& call) {
    Result result(op);
    std::optional<PythonCall> given;
    if (captured()) [[unlikely]] {
        given.emplace(call);
    }
    if (is_large(op, params.data())) {
        const nb::gil_scoped_release release;
        result.make(params.data());
    } else {
        result.make(params.data());
    }
    if (op.result == &type_info<Tensor>()) {
        const auto& tensor = *reinterpret_cast<const Tensor*>(result.data());
        if (PyObject* argument = same_tensor_argument(call, tensor)) {
            return argument;
        }
    }
    return static_cast<PyObject*>(op.result->python.to_python(result.data()));
}

// Lines of traced calls have those, too, that no overload takes.
void tell_refused(const OperationObject& operation, const Call& call, const tracelift::CallError& error) {
    if (captured()) [[unlikely]] {
        const PythonCall given(call);
        tracelift::CallTracing::instance().refused(*operation.forms->front().info, given, error);
    }
}

// What Python code hangs on an operation as `other_form`: called with arguments that no overload takes, in forms that
// only Python knows. It calls the operation again with arguments that one does, or gives NotImplemented.
nb::object other_form(const OperationObject& operation) {
    if (operation.dict == nullptr) {
        return {};
    }
    PyObject* found = PyDict_GetItemString(operation.dict, "other_form");
    return found == nullptr || found == Py_None ? nb::object() : nb::borrow(found);
}

// Tries the overloads in order. A value that fits its type but not the rules of it (a negative dimension in a shape)
// raises only when no later overload takes the call.
PyObject* call_first_that_fits(const OperationObject& operation, const Call& call) {
    std::exception_ptr refused;
    std::string why;
    for (const Form& form : *operation.forms) {
        Params params(*form.info);
        Misfit misfit;
        try {
            misfit = bind_arguments(form, call, params.data());
        } catch (const std::exception& error) {
            why = refused ? why : error.what();
            refused = refused ? refused : std::current_exception();
            continue;
        }
        if (!misfit) {
            return run(*form.info, params, call);
        }
    }
    if (refused) {
        tell_refused(operation, call, {"RuntimeError", why});
        std::rethrow_exception(refused);
    }
    if (const nb::object other = other_form(operation); other.is_valid()) {
        PyObject* result = PyObject_Vectorcall(other.ptr(), call.values, call.positional, call.keywords);
        if (result != Py_NotImplemented) {
            return result;
        }
        Py_DECREF(result);
    }
    why = mismatch_text(operation, call);
    tell_refused(operation, call, {"TypeError", why});
    PyErr_SetString(PyExc_TypeError, why.c_str());
    return nullptr;
}

PyObject* intercept(PyObject* self, const Call& call) {
    nb::object arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(call.positional)));
    for (size_t i = 0; i < call.positional; ++i) {
        PyTuple_SET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(call.values[i]));
    }
    nb::dict keywords;
    for (size_t i = 0; i < call.num_keywords(); ++i) {
        keywords[nb::handle(call.keyword(i))] = nb::handle(call.keyword_value(i));
    }
    PyObject* values[] = {self, arguments.ptr(), keywords.ptr()};
    const nb::object keep = nb::borrow(interceptor);  // it may replace itself
    return PyObject_Vectorcall(keep.ptr(), values, 3, nullptr);
}

// A call whose arguments come as a tuple and a dict.
class UnpackedCall {
public:
    UnpackedCall(const nb::tuple& arguments, const nb::dict& keywords) {
        for (nb::handle value : arguments) {
            values_.push_back(value.ptr());
        }
        nb::list names;
        for (auto [name, value] : keywords) {
            names.append(name);
            values_.push_back(value.ptr());
        }
        names_ = nb::tuple(names);
        call_ = {values_.data(), arguments.size(), names_.empty() ? nullptr : names_.ptr()};
    }
    const Call& call() const { return call_; }

private:
    std::vector<PyObject*> values_;
    nb::tuple names_;
    Call call_{};
};

nb::object numpy_of(reference::Array array) {
    auto* values = new std::vector<double>(std::move(array.values.held()));
    const nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    const std::vector<size_t> dims(array.shape.begin(), array.shape.end());
    return nb::cast(nb::ndarray<nb::numpy, double>(values->data(), dims.size(), dims.data(), owner));
}

// What `ask(overload, params)` gives for the first judged overload that fits.
template <class Ask>
nb::object ask_reference(const OperationObject& operation, const nb::tuple& arguments, const nb::dict& keywords,
                         Ask ask) {
    const UnpackedCall unpacked(arguments, keywords);
    const Call& call = unpacked.call();
    bool any = false;
    for (const Form& form : *operation.forms) {
        if (!form.info->is_judged()) {
            continue;
        }
        any = true;
        Params params(*form.info);
        if (!bind_arguments(form, call, params.data())) {
            return ask(*form.info, params.data());
        }
    }
    require(any, "{} does not have a golden function", operation.forms->front().info->name);
    throw nb::type_error(mismatch_text(operation, call).c_str());
}

}  // namespace

std::string_view PythonCall::keyword(size_t index) const {
    const nb::gil_scoped_acquire gil;
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(call_.keyword(index - call_.positional), &size);  // kept by the name
    return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(size));
}

void PythonCall::put(size_t index, tracelift::ValueSink& sink) const {
    const nb::gil_scoped_acquire gil;
    put_value(call_.values[index], sink);
}

bool is_queue_keyword(PyObject* name) {
    return PyUnicode_CompareWithASCIIString(name, "queue_id") == 0 ||
           PyUnicode_CompareWithASCIIString(name, "cq_id") == 0;
}

Misfit bind_arguments(const Form& form, const Call& call, std::byte* params) {
    return ttnn::bind_arguments(*form.info, form.required, PythonArguments(form, call), params);
}

PyObject* call_cpp_operation(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords) {
    const auto& operation = *reinterpret_cast<const OperationObject*>(self);
    const Call call{arguments, static_cast<size_t>(PyVectorcall_NARGS(count)), keywords};
    try {
        if (interceptor != nullptr && operation.intercepted) [[unlikely]] {
            return intercept(self, call);
        }
        return call_first_that_fits(operation, call);
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

nb::object call_directly(const OperationObject& operation, const nb::tuple& arguments, const nb::dict& keywords) {
    const UnpackedCall unpacked(arguments, keywords);
    PyObject* result = operation.python != nullptr ? dispatch_python_operation(operation, unpacked.call())
                                                   : call_first_that_fits(operation, unpacked.call());
    if (result == nullptr) {
        nb::raise_python_error();
    }
    return nb::steal(result);
}

nb::object call_reference(const OperationObject& operation, const nb::tuple& arguments, const nb::dict& keywords) {
    return ask_reference(operation, arguments, keywords, [](const OpInfo& op, const void* params) {
        std::vector<reference::Array> arrays;
        if (op.mesh_reference != nullptr) {
            arrays = op.mesh_reference(params, 0);
        } else if (op.reference != nullptr) {
            arrays = op.reference(params);
        }
        nb::list outputs;
        for (reference::Array& array : arrays) {
            outputs.append(numpy_of(std::move(array)));
        }
        return outputs;
    });
}

nb::object call_mutated_reference(const OperationObject& operation, const nb::tuple& arguments,
                                  const nb::dict& keywords) {
    return ask_reference(operation, arguments, keywords, [](const OpInfo& op, const void* params) {
        nb::dict written;
        for (const FieldInfo& field : op.fields) {
            if (op.mutated_reference == nullptr || !field.mutates() || !field.type->has_tensors) {
                continue;
            }
            bool given = false;
            field.type->visit_tensors(static_cast<const std::byte*>(params) + field.offset,
                                      [&](const Tensor&) { given = true; });
            if (given) {
                written[nb::str(field.name.data(), field.name.size())] =
                    numpy_of(op.mutated_reference(params, field.name));
            }
        }
        return written;
    });
}

void set_python_error() noexcept {
    try {
        throw;
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const nb::builtin_exception& error) {
        PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const std::bad_alloc& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const std::out_of_range& error) {
        PyErr_SetString(PyExc_IndexError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "an exception that is not a std::exception");
    }
}

}  // namespace ttnn::python
