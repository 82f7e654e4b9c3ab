#include "python/values.hpp"

#include <algorithm>
#include <set>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/foreign_object.hpp"
#include "python/type_codecs.hpp"
#include "tracelift/dialects/value_parts.hpp"
#include "tracelift/value/private_text.hpp"
#include "ttnn/op/leaf_types.hpp"
#include "ttnn/op/values_text.hpp"

namespace ttnn::python {

namespace nb = nanobind;
using tracelift::Value;

namespace {

nb::object dict_of(const Value::Dict& entries) {
    nb::dict dict;
    for (const auto& entry : entries) {
        dict[nb::str(entry.key.data(), entry.key.size())] = object_of(entry.value);
    }
    return dict;
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

template <class T>
concept EncodedByItsType = std::is_same_v<T, Shape> || std::is_same_v<T, CoreCoord> || std::is_same_v<T, CoreGrid> ||
    std::is_same_v<T, CoreRangeSet> || std::is_same_v<T, Tile> || std::is_same_v<T, MemoryConfig> ||
    std::is_same_v<T, UnaryWithParam> || std::is_same_v<T, MeshCoordinate> || std::is_same_v<T, GlobalSemaphore>;
// Handles, whose Python classes hold something else.
template <class T>
concept LoadedByItsType = std::is_same_v<T, Tensor> || std::is_same_v<T, DeviceHandle>;

// A value of one of our bound types, in the form that its own codec gives it. Only instances: a tuple stays a list, and
// a CoreGrid is no CoreCoord, though an operation takes either.
template <class T>
bool encode_as(PyObject* object, Value& to) {
    if constexpr (NamedEnum<T>) {
        T member{};
        if (!load(object, member)) {
            return false;
        }
        to = Value::Enum{std::string(EnumInfo<T>::type), std::string(member_name(member))};
        return true;
    } else if constexpr (Record<T>) {
        const T* record = instance_of<T>(object);
        if (record == nullptr) {
            return false;
        }
        Value::Struct fields{std::string(RecordInfo<T>::name), {}};
        for (const FieldInfo& field : record_fields<T>()) {
            fields.fields.push_back(
                {std::string(field.name), field.type->encode(reinterpret_cast<const char*>(record) + field.offset)});
        }
        to = std::move(fields);
        return true;
    } else if constexpr (EncodedByItsType<T>) {
        const T* value = instance_of<T>(object);
        if (value == nullptr) {
            return false;
        }
        to = type_info<T>().encode(value);
        return true;
    } else if constexpr (LoadedByItsType<T>) {
        T value{};
        if (!load(object, value)) {
            return false;
        }
        to = type_info<T>().encode(&value);
        return true;
    }
    return false;
}

bool encode_bound(PyObject* object, Value& to) {
    bool done = false;
    for_each_leaf_type([&]<class T>() { done = done || encode_as<T>(object, to); });
    return done;
}

// Deeper values are cut off: JSON readers have limits of their own.
constexpr size_t deepest = 200;

// Without addresses, which change from run to run, and without anything about the user.
std::string stable_text(std::string text) {
    for (size_t at = text.find(" at 0x"); at != std::string::npos; at = text.find(" at 0x", at)) {
        const size_t end = text.find_first_not_of("0123456789abcdefABCDEF", at + 6);
        text.erase(at, end == std::string::npos ? std::string::npos : end - at);
    }
    return tracelift::private_text(text);
}

// Values of an array of torch or numpy as JSON text; bfloat16 as float32.
std::string array_values(nb::object array) {
    if (nb::hasattr(array, "detach")) {
        array = array.attr("detach")().attr("cpu")();
        if (text_of(array.attr("dtype")) == "torch.bfloat16") {
            array = array.attr("float")();
        }
        array = array.attr("numpy")();
    }
    const std::string kind = text_of(array.attr("dtype").attr("kind"));
    if (kind != "f") {
        return text_of(nb::module_::import_("json").attr("dumps")(array.attr("tolist")()));
    }
    const nb::object doubles = nb::module_::import_("numpy").attr("asarray")(array, "float64", nb::arg("order") = "C");
    const auto view = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(doubles);
    std::vector<uint32_t> dims;
    for (size_t i = 0; i < view.ndim(); ++i) {
        dims.push_back(static_cast<uint32_t>(view.shape(i)));
    }
    return values_text({view.data(), view.size()}, dims, false);
}

class Encoder {
public:
    explicit Encoder(Fidelity fidelity) : faithful_(fidelity == Fidelity::FAITHFUL) {}

    // Never throws: when an object's own code fails, that is not the model's problem.
    Value value(PyObject* object) {
        const size_t depth = open_.size();
        try {
            return any(object);
        } catch (const std::exception&) {  // of Python, or a text that is not UTF-8
            open_.resize(depth);
            return Value::Object{neutral_type_name(object), {}};
        }
    }

private:
    Value any(PyObject* object) {
        if (object == Py_None) {
            return {};
        }
        if (PyBool_Check(object)) {
            return object == Py_True;
        }
        if (faithful_ && !is_plain(object)) {
            if (auto member = enum_member(object)) {  // one that is also an int or a str
                return Value::Enum{neutral_type_name(object), std::move(*member)};
            }
        }
        if (PyLong_Check(object)) {
            int64_t integer = 0;
            return load(object, integer) ? Value(integer) : Value(Value::Object{"int", digits(object)});
        }
        if (PyFloat_Check(object)) {
            return PyFloat_AS_DOUBLE(object);
        }
        if (PyUnicode_Check(object)) {
            return text(object);
        }
        if (is_sequence(object) || PyDict_Check(object)) {
            return container(object);
        }
        Value bound;
        return encode_bound(object, bound) ? bound : foreign(object);
    }

    static bool is_plain(PyObject* object) {
        return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) ||
               is_sequence(object) || PyDict_Check(object);
    }

    std::string shown(const std::string& text) const { return faithful_ ? text : tracelift::private_text(text); }

    static std::string digits(PyObject* object) { return text_of(nb::steal(PyNumber_ToBase(object, 10))); }

    // Python allows halves of surrogate pairs in texts, UTF-8 does not.
    Value text(PyObject* object) const {
        Py_ssize_t size = 0;
        const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size);
        if (utf8 == nullptr) {
            PyErr_Clear();
            return Value::Object{"str", text_of(nb::steal(PyObject_ASCII(object)))};
        }
        return shown({utf8, static_cast<size_t>(size)});
    }

    Value container(PyObject* object) {
        if (std::ranges::find(open_, object) != open_.end()) {
            return Value::Object{neutral_type_name(object), "contains itself"};
        }
        if (open_.size() >= deepest) {
            return Value::Object{neutral_type_name(object), "nested too deeply"};
        }
        open_.push_back(object);
        Value result = PyDict_Check(object) ? dict(nb::borrow<nb::dict>(object)) : list(object);
        open_.pop_back();
        return result;
    }

    Value list(PyObject* object) {
        Value::List items;
        items.reserve(sequence_size(object));
        for (size_t i = 0; i < sequence_size(object); ++i) {
            items.push_back(value(sequence_item(object, i)));
        }
        return items;
    }

    Value dict(const nb::dict& object) {
        Value::Dict entries;
        std::set<std::string> keys;
        for (auto [key, item] : object) {
            const Value name = value(key.ptr());
            const auto* plain = name.as<std::string>();
            entries.push_back({plain != nullptr ? *plain : stable_text(text_of(nb::repr(key))), value(item.ptr())});
            if (!keys.insert(entries.back().key).second) {
                return Value::Object{"dict", "has keys of different types with the same text"};
            }
        }
        return entries;
    }

    Value foreign(PyObject* object) {
        static const nb::handle path_type = nb::object(nb::module_::import_("pathlib").attr("PurePath")).release();
        if (auto member = enum_member(object)) {
            return Value::Enum{neutral_type_name(object), std::move(*member)};
        }
        if (PyObject_IsInstance(object, path_type.ptr()) == 1) {
            return Value::Object{"path", shown(text_of(object))};
        }
        if (auto shape = foreign_device(object)) {
            return Value::Object{"MeshDevice", std::move(*shape)};
        }
        if (const auto found = foreign_record(object)) {
            return record(object, *found);
        }
        return Value::Object{neutral_type_name(object), object_text(object)};
    }

    Value record(PyObject* object, const ForeignRecord& found) {
        if (std::ranges::find(open_, object) != open_.end()) {
            return Value::Object{found.type, "contains itself"};
        }
        if (open_.size() >= deepest) {
            return Value::Object{found.type, "nested too deeply"};
        }
        open_.push_back(object);
        Value::Struct record{found.type, {}};
        for (const auto& [name, field] : found.fields) {
            record.fields.push_back({name, value(field.ptr())});
        }
        open_.pop_back();
        if (call_context.encode_values && tracelift::is_foreign_array(found.type)) {
            record.fields.push_back({"values", Value::Object{"values", array_values(nb::borrow(object))}});
        }
        return record;
    }

    // A text of its own, unless it would show values of tensors.
    static std::string object_text(PyObject* object) {
        constexpr size_t longest = 1000;
        if (Py_TYPE(object)->tp_repr == PyBaseObject_Type.tp_repr) {
            return {};
        }
        std::string text = text_of(nb::repr(nb::handle(object)));
        if (text.find("tensor(") != std::string::npos || text.find("array(") != std::string::npos) {
            return {};
        }
        if (text.size() > longest) {
            text.resize(longest);
            text += "...";
        }
        return stable_text(std::move(text));
    }

    bool faithful_;
    std::vector<PyObject*> open_;  // what the value stands in
};

nb::str text(std::string_view value) { return nb::str(value.data(), value.size()); }

nb::dict neutral_dict(const Value::Dict& entries) {
    nb::dict result;
    for (const auto& entry : entries) {
        result[text(entry.key)] = neutral_object(entry.value);
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
            result.append(neutral_object(item));
        }
        return result;
    }
    nb::object operator()(const Value::Dict& entries) const { return neutral_dict(entries); }
    nb::object operator()(const Value::Enum& value) const {
        return nb::make_tuple("enum", text(value.type), text(value.member));
    }
    nb::object operator()(const Value::Struct& value) const {
        return nb::make_tuple("struct", text(value.type), neutral_dict(value.fields));
    }
    nb::object operator()(const Value::Object& value) const {
        return nb::make_tuple("object", text(value.type), text(value.text));
    }
    nb::object operator()(const Value::Unparsed& value) const {
        return nb::make_tuple("unparsed", text(value.text), text(value.reason));
    }
};

}  // namespace

nb::object neutral_object(const Value& value) { return std::visit(ToPython{}, value.data()); }

nb::object object_of(const Value& value) {
    if (const auto* flag = value.as<bool>()) {
        return nb::steal(put(*flag));
    }
    if (const auto* number = value.as<int64_t>()) {
        return nb::steal(put(*number));
    }
    if (const auto* number = value.as<double>()) {
        return nb::steal(put(*number));
    }
    if (const auto* text = value.as<std::string>()) {
        return nb::steal(put(*text));
    }
    if (const auto* list = value.as<Value::List>()) {
        nb::list items;
        for (const auto& item : *list) {
            items.append(object_of(item));
        }
        return items;
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        return dict_of(*dict);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return dict_of(record->fields);
    }
    if (const auto* member = value.as<Value::Enum>()) {
        return nb::steal(put(member->member));
    }
    return value.is_null() ? nb::none() : nb::steal(put(value.to_text()));
}

Value value_of(PyObject* object, Fidelity fidelity) { return Encoder(fidelity).value(object); }

void put_value(PyObject* object, tracelift::ValueSink& sink) {
    if (const auto* tensor = instance_of<TensorObject>(object)) {
        const Tensor& plain = *tensor;
        type_info<Tensor>().put(&plain, sink);
    } else if (const auto* config = instance_of<MemoryConfig>(object)) {
        type_info<MemoryConfig>().put(config, sink);
    } else {
        tracelift::emit(value_of(object), sink);
    }
}

void visit_python_tensors(PyObject* object, TensorVisitor visit) {
    if (const auto* tensor = instance_of<TensorObject>(object)) {
        if (*tensor) {
            visit(*tensor);
        }
    } else if (is_sequence(object)) {
        for (size_t i = 0; i < sequence_size(object); ++i) {
            visit_python_tensors(sequence_item(object, i), visit);
        }
    } else if (PyDict_Check(object)) {
        for (auto [key, item] : nb::borrow<nb::dict>(object)) {
            visit_python_tensors(item.ptr(), visit);
        }
    }
}

}  // namespace ttnn::python
