#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/format1_fields.hpp"
#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/scalar_text.hpp"
#include "tracelift/value/bytes.hpp"

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

// Equal, and of the same types down to the last one; a NaN equals itself.
bool is_same(const Value& a, const Value& b) {
    ByteWriter first;
    ByteWriter second;
    emit(a, first);
    emit(b, second);
    return first.bytes() == second.bytes();
}

Json write_field(std::string_view name, const Value& value, Typing typing);

class Writer {
public:
    Writer(const Value& value, Typing typing) : value_(value), typing_(typing) {}

    Json operator()(std::monostate) const { return absent; }
    Json operator()(bool flag) const { return typing_ == Typing::OWN ? Json(flag) : Json(flag ? 1 : 0); }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(python_float(number)); }
    Json operator()(const std::string& text) const { return text_of_string(text); }
    Json operator()(const Value::List& list) const {
        Json array = Json::array();
        for (const Value& item : list) {
            Json written = write_value(item, typing_);
            const bool tensor = written.is_object() && written.size() == 1 && written.begin().key() == "Tensor";
            array.push_back(tensor ? written.front() : written);  // as in the vectors of captures, without its name
        }
        return array;
    }
    Json operator()(const Value::Dict& dict) const { return {{"dict", fields(dict)}}; }
    Json operator()(const Value::Enum& tagged) const { return tagged.type + "::" + tagged.member; }
    Json operator()(const Value::Struct& record) const { return {{record.type, bare(record)}}; }
    Json operator()(const Value::Object& object) const { return {{object.type, object.text}}; }
    Json operator()(const Value::Unparsed& unparsed) const {
        if (read_text(unparsed.text) == value_) {
            return unparsed.text;
        }
        return {{"UnparsedElement", {{"error", unparsed.reason}, {"element_info", unparsed.text}}}};
    }

    // A record without its type name.
    Json bare(const Value::Struct& record) const {
        if (record.type == "Tensor") {
            return write_tensor(value_);
        }
        if (record.type == "MemoryConfig") {
            return write_memory_config(value_);
        }
        if (record.type == "CoreRangeSet") {
            return write_grid(value_);
        }
        return fields(record.fields);
    }

private:
    Json fields(const Value::Dict& entries) const {
        Json object = Json::object();
        for (const auto& entry : entries) {
            object[entry.key] = write_field(entry.key, entry.value, typing_);
        }
        return object;
    }

    const Value& value_;
    Typing typing_;
};

Json usual_form(const Value& value, Typing typing) {
    const Writer writer(value, typing);
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == "CoreCoord" ? writer.bare(*record) : std::visit(writer, value.data());
}

Json usual_form_of_field(std::string_view name, const Value& value, Typing typing) {
    if (const auto* record = value.as<Value::Struct>(); record && record->type == bare_record_of(name)) {
        return Writer(value, typing).bare(*record);
    }
    if (const auto* tagged = value.as<Value::Enum>(); tagged && tagged->type == bare_enum_of(name)) {
        return tagged->member;
    }
    return usual_form(value, typing);
}

// `write()` where `read` gives the value back from that, else the exact form.
template <class Write, class Read>
Json checked(const Value& value, const Write& write, const Read& read) {
    try {
        Json written = write();
        if (is_same(read(json_tree(written)), value)) {
            return written;
        }
    } catch (const std::invalid_argument&) {  // a record that lacks a field has no usual form
    }
    return {{exact_type, to_json(value)}};
}

Json write_field(std::string_view name, const Value& value, Typing typing) {
    const auto write = [&] { return usual_form_of_field(name, value, typing); };
    const auto read = [&](const Value& tree) { return read_field(name, tree); };
    return typing == Typing::OWN ? checked(value, write, read) : write();
}

// As inside an object, except that numbers and lists of numbers are text.
Json usual_form_of_body(const Value& value, Typing typing) {
    if (value.is_null()) {
        return "nullopt";
    }
    if (is_number_list(value)) {
        std::string text = text_of_number_list(*value.as<Value::List>());
        if (typing == Typing::DECLARED || read_text(text) == value) {  // flags among the numbers are lost otherwise
            return text;
        }
    }
    if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "CoreCoord") {
        return {{record->type, usual_form(value, typing)}};
    }
    Json json = write_value(value, typing);
    if (json.is_number_float()) {
        return python_float(json.get<double>());
    }
    return json.is_number() ? Json(json.dump()) : json;
}

}  // namespace

Json write_value(const Value& value, Typing typing) {
    const auto write = [&] { return usual_form(value, typing); };
    return typing == Typing::OWN ? checked(value, write, read_value) : write();
}

Json write_body(const Value& value, Typing typing) {
    const auto write = [&] { return usual_form_of_body(value, typing); };
    return typing == Typing::OWN ? checked(value, write, read_body) : write();
}

}  // namespace tracelift::format1
