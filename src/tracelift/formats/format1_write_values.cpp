#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/formats/format1_fields.hpp"
#include "tracelift/formats/format1_values.hpp"
#include "tracelift/formats/python_json.hpp"
#include "tracelift/formats/scalar_text.hpp"

namespace tracelift::format1 {

const Value& field(const Value& record, std::string_view name) {
    const Value* found = record.find(name);
    if (found == nullptr) {
        throw std::invalid_argument(fmt::format("cannot write {}: no field '{}'", record.to_text(), name));
    }
    return *found;
}

namespace {

constexpr std::string_view absent = "std::nullopt";

Json write_record(const Value& value, const Value::Struct& record);

Json write_field(std::string_view name, const Value& value) {
    if (const auto* record = value.as<Value::Struct>(); record && record->type == type_of_field(bare_records, name)) {
        return write_record(value, *record);
    }
    if (const auto* tagged = value.as<Value::Enum>(); tagged && tagged->type == type_of_field(bare_enums, name)) {
        return tagged->member;
    }
    return write_value(value);
}

Json write_fields(const Value::Dict& fields) {
    Json object = Json::object();
    for (const auto& entry : fields) {
        object[entry.key] = write_field(entry.key, entry.value);
    }
    return object;
}

// Without the type name.
Json write_record(const Value& value, const Value::Struct& record) {
    if (record.type == "Tensor") {
        return write_tensor(value);
    }
    if (record.type == "MemoryConfig") {
        return write_memory_config(value);
    }
    if (record.type == "CoreRangeSet") {
        return write_grid(value);
    }
    return write_fields(record.fields);
}

struct Writer {
    const Value& value;

    Json operator()(std::monostate) const { return absent; }
    Json operator()(bool flag) const { return flag ? 1 : 0; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(python_float(number)); }
    Json operator()(const std::string& text) const { return text_of_string(text); }
    Json operator()(const Value::List& list) const {
        Json array = Json::array();
        for (const Value& item : list) {
            const auto* record = item.as<Value::Struct>();
            // as in the vectors of captures: tensors stand without their name
            array.push_back(record != nullptr && record->type == "Tensor" ? write_tensor(item) : write_value(item));
        }
        return array;
    }
    Json operator()(const Value::Dict& dict) const { return {{"dict", write_fields(dict)}}; }
    Json operator()(const Value::Enum& tagged) const { return tagged.type + "::" + tagged.member; }
    Json operator()(const Value::Struct& record) const { return {{record.type, write_record(value, record)}}; }
    Json operator()(const Value::Object& object) const { return {{object.type, object.text}}; }
    Json operator()(const Value::Unparsed& unparsed) const {
        if (read_text(unparsed.text) == value) {
            return unparsed.text;
        }
        return {{"UnparsedElement", {{"error", unparsed.reason}, {"element_info", unparsed.text}}}};
    }
};

}  // namespace

Json write_value(const Value& value) {
    const auto* record = value.as<Value::Struct>();
    if (record != nullptr && record->type == "CoreCoord") {
        return write_fields(record->fields);
    }
    return std::visit(Writer{value}, value.data());
}

}  // namespace tracelift::format1
