// Operations written in Python: the same callable, and the same table for whoever observes the call.
#include <algorithm>

#include <nanobind/stl/string.h>

#include "python/operation_object.hpp"
#include "python/values.hpp"
#include "tracelift/capture/device_argument.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/op/parameter_types.hpp"

namespace ttnn::python {
namespace {

namespace nb = nanobind;

// Parameters of a call: how many there are, and the values, which are owned.
struct ObjectParams {
    size_t count;
    PyObject* values[1];  // really `count`

    static size_t bytes(size_t count) { return sizeof(size_t) + count * sizeof(PyObject*); }
    static uint32_t offset(size_t index) { return static_cast<uint32_t>(bytes(index)); }
};

PyObject* object_at(const void* field) { return *static_cast<PyObject* const*>(field); }

bool same_object(const void* a, const void* b) {
    const nb::gil_scoped_acquire gil;
    PyObject* left = object_at(a);
    PyObject* right = object_at(b);
    if (left == right) {
        return true;
    }
    return value_of(left) == value_of(right);
}

const TypeInfo& any_type() {
    static const TypeInfo info{
        .name = "object",
        .size = sizeof(PyObject*),
        .has_tensors = true,
        .put =
            [](const void* from, tracelift::ValueSink& sink) {
                const nb::gil_scoped_acquire gil;
                tracelift::emit(value_of(object_at(from)), sink);
            },
        .decode = [](const tracelift::Value&, const DecodeContext&,
                     void*) { throw DecodeError("arguments of an operation written in Python cannot be rebuilt"); },
        .equal = same_object,
        .visit_tensors =
            [](const void* from, TensorVisitor visit) {
                const nb::gil_scoped_acquire gil;
                visit_python_tensors(object_at(from), visit);
            },
        .python = {.from_python =
                       [](void* object, void* to) {
                           Py_XSETREF(*static_cast<PyObject**>(to), Py_NewRef(static_cast<PyObject*>(object)));
                           return true;
                       },
                   .to_python = [](const void* from) -> void* { return Py_NewRef(object_at(from)); }}};
    return info;
}

// The device that an argument of a Python operation is. The object keeps it alive during the call.
const Device* device_in(const FieldInfo& field, const void* value) {
    if (field.type != &any_type()) {
        return nullptr;
    }
    const nb::gil_scoped_acquire gil;
    PyObject* object = object_at(value);
    DeviceHandle device;
    const bool is_device = object != Py_None && type_info<DeviceHandle>().python.from_python(object, &device);
    return is_device ? device.get() : nullptr;
}

void copy_object_params(void* to, const void* from) {
    const nb::gil_scoped_acquire gil;
    const auto& source = *static_cast<const ObjectParams*>(from);
    auto& target = *static_cast<ObjectParams*>(to);
    target.count = source.count;
    for (size_t i = 0; i < source.count; ++i) {
        target.values[i] = Py_NewRef(source.values[i]);
    }
}

void destroy_object_params(void* params) {
    const nb::gil_scoped_acquire gil;
    const auto& record = *static_cast<ObjectParams*>(params);
    for (size_t i = 0; i < record.count; ++i) {
        Py_DECREF(record.values[i]);
    }
}

// Puts the arguments of a call where the table says; what does not fit is left to the function to complain about.
void assign(const PythonOperation& operation, const Call& call, ObjectParams& params) {
    for (size_t i = 0; i < std::min(call.positional, params.count); ++i) {
        Py_SETREF(params.values[i], Py_NewRef(call.values[i]));
    }
    for (size_t k = 0; k < call.num_keywords(); ++k) {
        const auto keyword = nb::cast<std::string>(nb::handle(call.keyword(k)));
        const auto found = std::ranges::find(operation.field_names, keyword);
        if (found != operation.field_names.end()) {
            Py_SETREF(params.values[found - operation.field_names.begin()], Py_NewRef(call.keyword_value(k)));
        }
    }
}

struct ErrorText {
    std::string type;
    std::string message;
};
ErrorText current_error() {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    ErrorText text;
    text.type = type == nullptr ? "" : nb::cast<std::string>(nb::handle(type).attr("__name__"));
    text.message = value == nullptr ? "" : nb::cast<std::string>(nb::str(nb::handle(value)));
    PyErr_Restore(type, value, trace);
    return text;
}

PyObject* call_function(const OperationObject& operation, const Call& call) {
    return PyObject_Vectorcall(operation.function, call.values, call.positional, call.keywords);
}

PyObject* call_observed(const OperationObject& operation, const Call& call) {
    const OpInfo& info = operation.python->info;
    AnyParams params(info);
    assign(*operation.python, call, *static_cast<ObjectParams*>(params.data()));
    PythonCall given(call);
    notify_begin(info, params.data());
    PyObject* result = call_function(operation, call);
    if (result == nullptr) {
        ErrorText error = current_error();
        given.set_error_type(std::move(error.type));
        notify([&](Observer& observer) { observer.operation_failed(info, error.message); });
        return nullptr;
    }
    notify([&](Observer& observer) { observer.operation_end(info, &result); });
    return result;
}

// queue_id and cq_id, unless the function has a parameter of that name.
bool is_stripped(const PythonOperation& operation, PyObject* keyword) {
    if (!is_queue_keyword(keyword)) {
        return false;
    }
    const auto& names = operation.field_names;
    return std::ranges::find(names, nb::cast<std::string>(nb::handle(keyword))) == names.end();
}

// The call without queue_id and cq_id, which every operation accepts.
class WithoutQueue {
public:
    WithoutQueue(const PythonOperation& operation, const Call& call)
        : values_(call.values, call.values + call.positional) {
        nb::list kept;
        for (size_t k = 0; k < call.num_keywords(); ++k) {
            if (!is_stripped(operation, call.keyword(k))) {
                kept.append(nb::handle(call.keyword(k)));
                values_.push_back(call.keyword_value(k));
            }
        }
        names_ = nb::tuple(kept);
        call_ = {values_.data(), call.positional, names_.empty() ? nullptr : names_.ptr()};
    }
    const Call& call() const { return call_; }

private:
    std::vector<PyObject*> values_;
    nb::tuple names_;
    Call call_{};
};

bool has_stripped_keyword(const PythonOperation& operation, const Call& call) {
    for (size_t k = 0; k < call.num_keywords(); ++k) {
        if (is_stripped(operation, call.keyword(k))) {
            return true;
        }
    }
    return false;
}

PyObject* dispatch(const OperationObject& operation, const Call& call) {
    const CallScope scope;
    return captured() ? call_observed(operation, call) : call_function(operation, call);
}

}  // namespace

PyObject* dispatch_python_operation(const OperationObject& operation, const Call& call) {
    if (call.keywords != nullptr && has_stripped_keyword(*operation.python, call)) {
        return dispatch(operation, WithoutQueue(*operation.python, call).call());
    }
    return dispatch(operation, call);
}

PyObject* call_python_operation(PyObject* self, PyObject* const* arguments, size_t count, PyObject* keywords) {
    const auto& operation = *reinterpret_cast<const OperationObject*>(self);
    const Call call{arguments, static_cast<size_t>(PyVectorcall_NARGS(count)), keywords};
    try {
        if (interceptor != nullptr) [[unlikely]] {
            return call_cpp_operation(self, arguments, count, keywords);
        }
        return dispatch_python_operation(operation, call);
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

PythonOperation* make_python_operation(const std::string& name, const std::string& doc, const nb::list& fields) {
    tracelift::foreign_device = device_in;
    auto operation = std::make_unique<PythonOperation>();
    operation->name = name;
    for (nb::handle field : fields) {
        operation->field_names.push_back(nb::cast<std::string>(field[0]));
    }
    const size_t count = fields.size();
    operation->default_params.resize(ObjectParams::bytes(count));
    auto& defaults = *reinterpret_cast<ObjectParams*>(operation->default_params.data());
    defaults.count = count;
    OpInfo& info = operation->info;
    info.name = operation->name;
    info.doc = *new std::string(doc);  // OpInfo looks at texts that live as long as the program
    for (size_t i = 0; i < count; ++i) {
        const nb::handle field = fields[i];
        const bool has_default = nb::cast<bool>(field[2]);
        defaults.values[i] = nb::object(field[3]).release().ptr();
        info.fields.push_back({.name = operation->field_names[i],
                               .offset = ObjectParams::offset(i),
                               .flags = static_cast<uint8_t>((has_default ? 0 : kRequired) |
                                                             (nb::cast<bool>(field[1]) ? kKeywordOnly : 0)),
                               .type = &any_type(),
                               .doc = {},
                               .other_name = {}});
        info.tensor_fields.push_back(static_cast<uint16_t>(i));
    }
    info.host_inputs = true;
    info.params_size = ObjectParams::bytes(count);
    info.params_align = alignof(ObjectParams);
    info.defaults = operation->default_params.data();
    info.copy_params = copy_object_params;
    info.destroy_params = destroy_object_params;
    info.result = &any_type();
    return operation.release();
}

void destroy_python_operation(PythonOperation* operation) {
    destroy_object_params(operation->default_params.data());
    delete operation;
}

}  // namespace ttnn::python
