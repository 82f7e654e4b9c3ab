#include "tracelift/formats/format1.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/formats/format1_values.hpp"
#include "tracelift/formats/python_json.hpp"
#include "tracelift/formats/repair.hpp"
#include "tracelift/formats/scalar_text.hpp"

namespace tracelift {
namespace {

constexpr int deepest = 64;  // levels of an argument; real ones have about ten
constexpr std::string_view too_deep_text = "nested deeper than 64 levels";

[[noreturn]] void malformed(size_t position, std::string_view what) {
    throw std::invalid_argument(fmt::format("argument {}: {}", position, what));
}

bool too_deep(const Json& json, int levels = deepest) {
    return levels == 0 || (json.is_structured() && std::ranges::any_of(json, [levels](const Json& inner) {
                               return too_deep(inner, levels - 1);
                           }));
}

std::string single_key(const Json& json, size_t position) {
    if (!json.is_object() || json.size() != 1) {
        malformed(position, json.is_object() ? fmt::format("expected one key, got {}", json.size())
                                             : fmt::format("expected an object, got a {}", json.type_name()));
    }
    return json.begin().key();
}

std::string key_at(size_t position) { return fmt::format("arg{}", position); }

std::string wrong_key(const std::string& key, size_t position) {
    return fmt::format("expected the key \"{}\", got \"{}\"", key_at(position), key);
}

Value read_body(const Json& body) {
    // an argument names its kind even where the name is not like a type's
    const bool named = body.is_object() && body.size() == 1;
    return named ? format1::read_record(body.begin().key(), body.begin().value()) : format1::read_value(body);
}

// What stays unreadable keeps its text and says why.
Value read_element(const Json& element, size_t position) {
    const Json* text = format1::find(element, "element_info");
    const Json* error = format1::find(element, "error");
    if (text == nullptr || !text->is_string()) {
        malformed(position, "UnparsedElement without the text \"element_info\"");
    }
    const auto& info = text->get_ref<const std::string&>();
    const auto repaired = repair(info);
    if (!repaired || repaired->size() != 1) {
        const bool told = error != nullptr && error->is_string();
        return Value::Unparsed{info, told ? error->get<std::string>() : "not JSON"};
    }
    if (const std::string& key = repaired->begin().key(); key != key_at(position)) {
        return Value::Unparsed{info, wrong_key(key, position)};
    }
    if (too_deep(*repaired)) {
        return Value::Unparsed{info, std::string(too_deep_text)};
    }
    try {
        return read_body(repaired->begin().value());
    } catch (const std::invalid_argument& reason) {
        return Value::Unparsed{info, reason.what()};
    }
}

// A record that lacks something keeps its text.
Value read_plain(const Json& argument, size_t position) {
    if (too_deep(argument)) {
        malformed(position, too_deep_text);
    }
    try {
        return read_body(argument.begin().value());
    } catch (const std::invalid_argument& error) {
        return Value::Unparsed{argument.dump(), error.what()};
    }
}

std::optional<Value> read_argument(const Json& json, size_t position) {
    const std::string key = single_key(json, position);
    Value value;
    if (key == "UnparsedElement") {
        value = read_element(json.begin().value(), position);
    } else if (key == key_at(position)) {
        value = read_plain(json, position);
    } else {
        malformed(position, wrong_key(key, position));
    }
    return value.is_null() ? std::nullopt : std::optional(std::move(value));
}

// As inside an object, except that numbers and lists of numbers are text.
Json write_body(const Value& value) {
    if (value.is_null()) {
        return "nullopt";
    }
    if (is_number_list(value)) {
        return text_of_number_list(*value.as<Value::List>());
    }
    if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == "CoreCoord") {
        return {{record->type, format1::write_value(value)}};
    }
    Json json = format1::write_value(value);
    if (json.is_number_float()) {
        return python_float(json.get<double>());
    }
    return json.is_number() ? Json(json.dump()) : json;
}

Json write_argument(const Value& value, size_t position) {
    Json body = write_body(value);
    if (value.as<Value::Unparsed>() != nullptr && body.is_object()) {
        return body;
    }
    return {{key_at(position), std::move(body)}};
}

}  // namespace

Arguments read_arguments(const Json& list) {
    if (!list.is_array()) {
        throw std::invalid_argument(fmt::format("expected a list of arguments, got a {}", list.type_name()));
    }
    Arguments arguments;
    for (const Json& json : list) {
        arguments.push_back(read_argument(json, arguments.size()));
    }
    return arguments;
}

Json write_arguments(const Arguments& arguments) {
    Json list = Json::array();
    for (size_t i = 0; i < arguments.size(); ++i) {
        list.push_back(write_argument(arguments[i].value_or(Value()), i));
    }
    return list;
}

}  // namespace tracelift
