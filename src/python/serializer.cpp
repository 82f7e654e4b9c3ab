// The serializer of configurations for Python; python/tracelift/serialize_configs.py makes objects of what it reads.
#include "tracelift/dialects/serializer.hpp"

#include <nanobind/stl/string.h>

#include "python/bindings.hpp"
#include "python/values.hpp"
#include "tracelift/calls/call_tracing.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "ttnn/op/record_types.hpp"

namespace ttnn::python {
namespace {

std::string serialized(nb::handle object, bool faithful) {
    const tracelift::Untraced untraced;  // operations that describing an object calls are not the model's
    tracelift::JsonText json;
    tracelift::SerializerSink sink(json);
    tracelift::emit(value_of(object.ptr(), faithful ? Fidelity::FAITHFUL : Fidelity::TRACED), sink);
    return std::move(json.buffer());
}

nb::object deserialized(const std::string& text) {
    return neutral_object(tracelift::read_call_value(tracelift::parse_json(text)));
}

// {record: {field: type}}, as declared.
nb::dict record_types() {
    nb::dict records;
    for (const RecordType& record : ttnn::record_types()) {
        nb::dict fields;
        for (const FieldInfo& field : *record.fields) {
            fields[nb::str(field.name.data(), field.name.size())] =
                nb::str(field.type->name.data(), field.type->name.size());
        }
        records[nb::str(record.name.data(), record.name.size())] = fields;
    }
    return records;
}

}  // namespace

void bind_serializer(nb::module_& module) {
    module.def("serialized", &serialized, nb::arg("object").none(), nb::arg("faithful"));
    module.def("deserialized", &deserialized, nb::arg("text"));
    module.def("record_types", &record_types);
}

}  // namespace ttnn::python
