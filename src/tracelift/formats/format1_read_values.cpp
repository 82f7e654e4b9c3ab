#include <algorithm>
#include <cctype>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/formats/format1_fields.hpp"
#include "tracelift/formats/format1_values.hpp"
#include "tracelift/formats/scalar_text.hpp"

namespace tracelift::format1 {

const Json* find(const Json& object, std::string_view name) {
    const auto found = object.is_object() ? object.find(std::string(name)) : object.end();
    return found == object.end() ? nullptr : &*found;
}

const Json& at(const Json& object, std::string_view name) {
    const Json* found = find(object, name);
    if (found == nullptr) {
        throw std::invalid_argument(fmt::format("no field '{}'", name));
    }
    return *found;
}

bool is_absent(const Json* json) { return json == nullptr || (!json->is_structured() && read_value(*json).is_null()); }

Value read_enum(std::string_view type, const Json& json) {
    Value value = json.is_string() ? read_text(json.get<std::string>()) : Value();
    if (const auto* tagged = value.as<Value::Enum>(); tagged != nullptr && tagged->type == type) {
        return value;
    }
    if (const auto* member = value.as<std::string>(); member != nullptr && is_name(*member)) {
        return Value::Enum{std::string(type), *member};
    }
    throw std::invalid_argument(fmt::format("expected a {}, got {}", type, json.dump()));
}

Value read_int_list(std::string_view name, const Json& json) {
    Value value = read_value(json);
    const auto* list = value.as<Value::List>();
    const auto is_int = [](const Value& item) { return item.as<int64_t>() != nullptr; };
    if (list == nullptr || !std::ranges::all_of(*list, is_int)) {
        throw std::invalid_argument(fmt::format("{}: expected a list of ints, got {}", name, json.dump()));
    }
    return value;
}

namespace {

Value read_unsigned(uint64_t number) {
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return std::to_string(number);  // as read_text leaves it
    }
    return number;
}

// {"Kind": body}: type names begin with a capital.
bool is_wrapped(const Json& json) {
    return json.is_object() && json.size() == 1 &&
           std::isupper(static_cast<unsigned char>(json.begin().key().c_str()[0])) != 0;
}

Value read_field(std::string_view name, const Json& json) {
    if (const auto type = type_of_field(bare_enums, name); !type.empty() && !is_absent(&json)) {
        return read_enum(type, json);
    }
    const auto type = type_of_field(bare_records, name);
    const bool bare = json.is_structured() && !is_wrapped(json) && (type != "CoreRangeSet" || is_grid(json));
    return bare && !type.empty() ? read_record(type, json) : read_value(json);
}

Value::Dict read_fields(const Json& object) {
    Value::Dict fields;
    for (const auto& [name, value] : object.items()) {
        fields.push_back({name, read_field(name, value)});
    }
    return fields;
}

// Captures call the grid by an older name and print it as a pair.
Value read_attention_config(const Json& body) {
    Value::Dict fields = read_fields(body);
    for (auto& field : fields) {
        const auto* pair = field.value.as<Value::List>();
        if (field.key == "compute_grid" && pair != nullptr && pair->size() == 2) {
            field = {"compute_with_storage_grid_size",
                     Value::Struct{"CoreCoord", {{"x", (*pair)[0]}, {"y", (*pair)[1]}}}};
        }
    }
    return Value::Struct{"SDPAProgramConfig", std::move(fields)};
}

Value read_plain_record(std::string_view type, const Json& body) {
    if (body.is_object()) {
        return Value::Struct{std::string(type), read_fields(body)};
    }
    if (body.is_string() || body.is_null()) {
        return Value::Object{std::string(type), body.is_null() ? "..." : body.get<std::string>()};
    }
    return Value::Struct{std::string(type), {{"value", read_value(body)}}};
}

std::string text_member(const Json& object, std::string_view name) {
    const Json& text = at(object, name);
    return text.is_string() ? text.get<std::string>() : text.dump();
}

// Without a kind: told by its members.
Value read_object(const Json& json) {
    if (json.contains("tensor_spec")) {
        return read_tensor(json);
    }
    if (is_core(json)) {
        return read_core(json);
    }
    if (is_wrapped(json) || (json.size() == 1 && json.contains("dict"))) {
        return read_record(json.begin().key(), json.begin().value());
    }
    return read_fields(json);
}

}  // namespace

Value read_record(std::string_view type, const Json& body) {
    if (type == "Tensor") {
        return read_tensor(body);
    }
    if (type == "MemoryConfig") {
        return read_memory_config(body);
    }
    if (type == "ShardSpec") {
        return read_shard_spec(body);
    }
    if (type == "NdShardSpec") {
        return read_nd_shard_spec(body);
    }
    if (type == "CoreRangeSet") {
        return read_grid(body);
    }
    if (type == "Shape") {
        return read_int_list("Shape", body);
    }
    if (type == "SDPAProgramConfig" && body.is_object()) {
        return read_attention_config(body);
    }
    if (type == "dict" && body.is_object()) {
        return read_fields(body);
    }
    if (type == "UnparsedElement") {
        return Value::Unparsed{text_member(body, "element_info"), text_member(body, "error")};
    }
    if (type == unsupported_type) {
        const std::string name = body.is_string() ? body.get<std::string>() : body.dump();
        return read_text(fmt::format("[ unsupported type , {}]", name));
    }
    return read_plain_record(type, body);
}

Value read_value(const Json& json) {
    switch (json.type()) {
        case Json::value_t::boolean: return json.get<bool>();
        case Json::value_t::number_integer: return json.get<int64_t>();
        case Json::value_t::number_unsigned: return read_unsigned(json.get<uint64_t>());
        case Json::value_t::number_float: return json.get<double>();
        case Json::value_t::string: return read_text(json.get_ref<const std::string&>());
        case Json::value_t::object: return read_object(json);
        case Json::value_t::array: {
            Value::List list;
            for (const Json& item : json) {
                list.push_back(read_value(item));
            }
            return list;
        }
        default: return {};
    }
}

}  // namespace tracelift::format1
