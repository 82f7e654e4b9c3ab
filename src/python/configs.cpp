// UnaryWithParam and the configuration records: classes made from the field tables.
#include <algorithm>
#include <deque>

#include <nanobind/stl/string.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "python/values.hpp"
#include "ttnn/op/leaf_types.hpp"

namespace ttnn::python {
namespace {

// nanobind keeps the pointer of a signature; the number of them is bounded by the fields of all records.
const char* keep(std::string text) {
    static std::deque<std::string> kept;
    return kept.emplace_back(std::move(text)).c_str();
}

nb::object read_field(const FieldInfo& field, const void* record) {
    PyObject* object =
        static_cast<PyObject*>(field.type->python.to_python(static_cast<const char*>(record) + field.offset));
    if (object == nullptr) {
        nb::raise_python_error();
    }
    return nb::steal(object);
}

void write_field(const FieldInfo& field, void* record, nb::handle value) {
    if (!field.type->python.from_python(value.ptr(), static_cast<char*>(record) + field.offset)) {
        throw nb::type_error(
            fmt::format("'{}' must be {}, not {}", field.name, field.type->name, type_text(value.ptr())).c_str());
    }
}

void fill_record(std::string_view name, const std::vector<FieldInfo>& fields, void* record, const nb::dict& values) {
    size_t used = 0;
    for (const FieldInfo& field : fields) {
        const nb::str key(field.name.data(), field.name.size());
        if (values.contains(key)) {
            write_field(field, record, values[key]);
            ++used;
        } else if (field.required()) {
            throw nb::type_error(fmt::format("{}(): keyword '{}' is missing", name, field.name).c_str());
        }
    }
    if (used == values.size()) {
        return;
    }
    for (auto [key, value] : values) {
        const auto text = nb::cast<std::string>(key);
        if (std::ranges::find(fields, text, &FieldInfo::name) == fields.end()) {
            throw nb::type_error(fmt::format("{}() has no keyword '{}'", name, text).c_str());
        }
    }
}

// How the original prints a record: matmul configs as Python would, attention configs with C++ words, the rest densely.
struct TextStyle {
    std::string_view separator, none, no, yes;
    bool cpp_enums;
};
TextStyle style_of(std::string_view record) {
    if (record.starts_with("Matmul")) {
        return {", ", "None", "False", "True", false};
    }
    if (record.starts_with("SDPA")) {
        return {", ", "std::nullopt", "false", "true", true};
    }
    return {",", "std::nullopt", "0", "1", true};
}

std::string field_text(const FieldInfo& field, const void* record, const TextStyle& style) {
    const auto value = field.type->encode(static_cast<const char*>(record) + field.offset);
    if (value.is_null()) {
        return std::string(style.none);
    }
    if (const auto* flag = value.as<bool>()) {
        return std::string(*flag ? style.yes : style.no);
    }
    if (const auto* member = value.as<tracelift::Value::Enum>()) {
        return fmt::format("{}{}{}", member->type, style.cpp_enums ? "::" : ".", member->member);
    }
    return nb::cast<std::string>(nb::repr(read_field(field, record)));
}

std::string record_text(std::string_view name, const std::vector<FieldInfo>& fields, const void* record) {
    const TextStyle style = style_of(name);
    std::string text;
    for (const FieldInfo& field : fields) {
        text +=
            fmt::format("{}{}={}", text.empty() ? "" : style.separator, field.name, field_text(field, record, style));
    }
    return fmt::format("{}({})", name, text);
}

std::string constructor_signature(const std::vector<FieldInfo>& fields, const void* defaults) {
    std::string text = "def __init__(self";
    for (size_t i = 0; i < fields.size(); ++i) {
        const FieldInfo& field = fields[i];
        text += fmt::format("{}, {}: {}", i == 0 ? ", *" : "", field.name, field.type->name);
        if (!field.required()) {
            const auto value = field.type->encode(static_cast<const char*>(defaults) + field.offset);
            const bool simple = value.as<tracelift::Value::Struct>() == nullptr;
            text += " = " + (simple ? nb::cast<std::string>(nb::repr(read_field(field, defaults))) : "...");
        }
    }
    return text + ") -> None";
}

std::string json_text(const tracelift::Value& value) {
    return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(object_of(value)));
}

tracelift::Value record_value(const std::vector<FieldInfo>& fields, const void* record) {
    tracelift::Value::Dict values;
    for (const FieldInfo& field : fields) {
        values.push_back(
            {std::string(field.name), field.type->encode(static_cast<const char*>(record) + field.offset)});
    }
    return values;
}

template <class T>
T record_from_json(const std::string& text) {
    const nb::object parsed = nb::module_::import_("json").attr("loads")(text);
    T record{};
    const tracelift::Value values = value_of(parsed.ptr());
    for (const FieldInfo& field : record_fields<T>()) {
        if (const auto* value = values.find(field.name)) {
            field.type->decode(*value, {}, reinterpret_cast<char*>(&record) + field.offset);
        }
    }
    return record;
}

template <class T>
void bind_record(nb::module_& module) {
    if (bound_type<T> != nullptr) {
        return;
    }
    static const T defaults{};
    const std::string name(RecordInfo<T>::name);
    nb::class_<T> python_class(module, name.c_str(), RecordInfo<T>::doc.data());
    python_class.def(
        "__init__",
        [](T* self, const nb::kwargs& values) {
            T record{};
            fill_record(RecordInfo<T>::name, record_fields<T>(), &record, values);
            new (self) T(std::move(record));
        },
        nb::sig(keep(constructor_signature(record_fields<T>(), &defaults))));
    for (const FieldInfo& info : record_fields<T>()) {
        const std::string field_name(info.name);
        python_class.def_prop_rw(
            field_name.c_str(), [&info](const T& self) { return read_field(info, &self); },
            [&info](T& self, nb::handle value) { write_field(info, &self, value); },
            nb::for_getter(nb::sig(keep(fmt::format("def {}(self) -> {}", info.name, info.type->name)))),
            nb::for_setter(
                nb::sig(keep(fmt::format("def {}(self, value: {}, /) -> None", info.name, info.type->name)))),
            nb::for_setter(nb::arg("value").none()));
    }
    python_class.def("to_json", [](const T& self) { return json_text(record_value(record_fields<T>(), &self)); })
        .def_static("from_json", &record_from_json<T>, nb::arg("json"))
        .def("__eq__", &equal<T>, nb::is_operator(), nb::sig(equal_signature))
        .def("__repr__", [](const T& self) { return record_text(RecordInfo<T>::name, record_fields<T>(), &self); })
        .def("__reduce__",
             [](const T& self) {
                 return nb::make_tuple(
                     nb::module_::import_("tracelift._pickle").attr("from_json"),
                     nb::make_tuple(RecordInfo<T>::name.data(), json_text(record_value(record_fields<T>(), &self))));
             })
        .def("__copy__", [](const T& self) { return self; })
        .def(
            "__deepcopy__", [](const T& self, nb::handle) { return self; }, nb::arg("memo"));
    remember_type<T>();
}

void bind_unary_with_param(nb::module_& module) {
    nb::class_<UnaryWithParam>(module, "UnaryWithParam", "A unary function with its parameters.")
        .def(
            "__init__",
            [](UnaryWithParam* self, UnaryOpType type, const nb::args& params) {
                std::vector<float> numbers;
                for (nb::handle param : params) {
                    numbers.push_back(static_cast<float>(argument<double>(param, "params", "float")));
                }
                new (self) UnaryWithParam(type, std::move(numbers));
            },
            nb::arg("op_type"), nb::arg("params"),
            nb::sig("def __init__(self, op_type: UnaryOpType, *params: float) -> None"))
        .def_ro("op_type", &UnaryWithParam::op_type)
        .def_prop_ro(
            "params",
            [](const UnaryWithParam& self) {
                return nb::steal(put(std::vector<double>(self.params.begin(), self.params.end())));
            },
            nb::for_getter(nb::sig("def params(self) -> list[float]")))
        .def("__eq__", &equal<UnaryWithParam>, nb::is_operator(), nb::sig(equal_signature))
        .def("__hash__",
             [](const UnaryWithParam& self) { return static_cast<size_t>(self.op_type) * 31 + self.params.size(); })
        .def("__repr__", &UnaryWithParam::to_string);
    remember_type<UnaryWithParam>();
}

}  // namespace

void bind_configs(nb::module_& module) {
    bind_unary_with_param(module);
    for_each_leaf_type([&]<class T>() {
        if constexpr (Record<T>) {
            bind_record<T>(module);
        }
    });
}

}  // namespace ttnn::python
