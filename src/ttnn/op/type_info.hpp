// TypeInfo: what the derived machinery must know about the type of a parameter, once per type.
//
// The set of parameter types is closed: type_info<T>() is only declared here and instantiated for the list in
// type_info.cpp. A type that is missing there is a link error that names it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/sink.hpp"
#include "ttnn/core/call_context.hpp"
#include "ttnn/core/error.hpp"
#include "ttnn/core/function_ref.hpp"
#include "ttnn/tensor/tensor.hpp"

namespace ttnn {

// Where decoding gets the things that a value can only describe.
struct DecodeContext {
    std::shared_ptr<Device> device;
    // Makes the tensor that a spec describes; default: zeros of that spec in the given storage.
    std::function<Tensor(const TensorSpec&, StorageType)> make_tensor;
};

// A value that does not fit its parameter; the text says what was expected and what was there.
class __attribute__((visibility("default"))) DecodeError : public Error {
public:
    using Error::Error;
};

// While one lives, tensors of this thread are encoded with their values: a field "values", an Object that holds them as
// JSON text, with "inf", "-inf" and "nan" for numbers that JSON lacks.
using EncodeTensorValues = ContextScope<&CallContext::encode_values>;

// Calls back for each tensor inside a parameter.
using TensorVisitor = FunctionRef<void(const Tensor&)>;

// Filled in by the Python module; the runtime does not know what is behind it.
struct PythonCodec {
    // Converts `object` (a PyObject*) into the constructed T at `to`. False: wrong type, nothing raised.
    bool (*from_python)(void* object, void* to) = nullptr;
    // A new reference, nullptr when a Python error is set.
    void* (*to_python)(const void* from) = nullptr;
};

struct TypeInfo {
    std::string name;  // as a signature shows it: "Tensor | float | int", "MemoryConfig | None"
    size_t size = 0;
    bool has_tensors = false;
    void (*put)(const void* from, tracelift::ValueSink& sink) = nullptr;
    void (*decode)(const tracelift::Value& from, const DecodeContext& context, void* to) = nullptr;
    bool (*equal)(const void* a, const void* b) = nullptr;  // tensors: the same storage
    void (*visit_tensors)(const void* value, TensorVisitor visit) = nullptr;
    mutable PythonCodec python{};

    tracelift::Value encode(const void* from) const;
};

template <class T>
const TypeInfo& type_info();

// Every type of the list, e.g. for the Python module to check that it can convert them all.
std::vector<const TypeInfo*> all_type_infos();

}  // namespace ttnn
