#include "tracelift/value/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace tracelift {
namespace {

Json entries_to_json(const Value::Dict& entries) {
    Json object = Json::object();
    for (const auto& entry : entries) {
        object[entry.key] = to_json(entry.value);
    }
    return object;
}

Json escaped_dict(const Value::Dict& entries) {
    Json pairs = Json::array();
    for (const auto& entry : entries) {
        pairs.push_back(Json::array({entry.key, to_json(entry.value)}));
    }
    return {{"$dict", std::move(pairs)}};
}

struct Writer {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool value) const { return value; }
    Json operator()(int64_t value) const { return value; }
    Json operator()(double value) const {
        if (std::isfinite(value)) {
            return value;
        }
        return {{"$float", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
    }
    Json operator()(const std::string& value) const { return value; }
    Json operator()(const Value::List& list) const {
        Json array = Json::array();
        for (const Value& item : list) {
            array.push_back(to_json(item));
        }
        return array;
    }
    Json operator()(const Value::Dict& dict) const {
        const bool clash = std::ranges::any_of(dict, [](const auto& entry) { return entry.key.starts_with('$'); });
        return clash ? escaped_dict(dict) : entries_to_json(dict);
    }
    Json operator()(const Value::Enum& value) const { return {{"$enum", Json::array({value.type, value.member})}}; }
    Json operator()(const Value::Struct& value) const {
        return {{"$struct", Json::array({value.type, entries_to_json(value.fields)})}};
    }
    Json operator()(const Value::Object& value) const { return {{"$object", Json::array({value.type, value.text})}}; }
    Json operator()(const Value::Unparsed& value) const {
        return {{"$unparsed", Json::array({value.text, value.reason})}};
    }
};

[[noreturn]] void bad(std::string_view what, const Json& json) {
    std::string text = json.dump();
    if (text.size() > 80) {
        text = text.substr(0, 77) + "...";
    }
    throw std::invalid_argument(fmt::format("expected {}, got {}", what, text));
}

Value::Dict entries_from_json(const Json& object) {
    if (!object.is_object()) {
        bad("an object", object);
    }
    Value::Dict entries;
    for (const auto& [key, value] : object.items()) {
        entries.push_back({key, from_json(value)});
    }
    return entries;
}

const std::string& text_at(const Json& pair, size_t index) {
    if (!pair.is_array() || pair.size() != 2 || !pair[index].is_string()) {
        bad("a pair with a string", pair);
    }
    return pair[index].get_ref<const std::string&>();
}

double special_float(const Json& json) {
    if (json == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (json == "inf" || json == "-inf") {
        return (json == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
    }
    bad("\"nan\", \"inf\" or \"-inf\"", json);
}

Value::Dict escaped_from_json(const Json& pairs) {
    if (!pairs.is_array()) {
        bad("a list of pairs", pairs);
    }
    Value::Dict dict;
    for (const Json& pair : pairs) {
        const std::string& key = text_at(pair, 0);
        dict.push_back({key, from_json(pair[1])});
    }
    return dict;
}

Value tagged_from_json(const std::string& tag, const Json& body) {
    if (tag == "$float") {
        return special_float(body);
    }
    if (tag == "$dict") {
        return escaped_from_json(body);
    }
    const std::string& first = text_at(body, 0);
    if (tag == "$struct") {
        return Value::Struct{first, entries_from_json(body[1])};
    }
    const std::string& second = text_at(body, 1);
    if (tag == "$enum") {
        return Value::Enum{first, second};
    }
    if (tag == "$object") {
        return Value::Object{first, second};
    }
    if (tag == "$unparsed") {
        return Value::Unparsed{first, second};
    }
    bad("$enum, $struct, $object, $unparsed, $float or $dict", tag);
}

}  // namespace

Json to_json(const Value& value) { return std::visit(Writer{}, value.data()); }

Value from_json(const Json& json) {
    switch (json.type()) {
        case Json::value_t::null: return {};
        case Json::value_t::boolean: return json.get<bool>();
        case Json::value_t::number_integer: return json.get<int64_t>();
        case Json::value_t::number_unsigned: {
            const auto number = json.get<uint64_t>();
            if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
                return Value::Object{"uint64", std::to_string(number)};
            }
            return static_cast<int64_t>(number);
        }
        case Json::value_t::number_float: return json.get<double>();
        case Json::value_t::string: return json.get<std::string>();
        case Json::value_t::array: {
            Value::List list;
            for (const Json& item : json) {
                list.push_back(from_json(item));
            }
            return list;
        }
        case Json::value_t::object:
            if (json.size() == 1 && json.begin().key().starts_with('$')) {
                return tagged_from_json(json.begin().key(), json.begin().value());
            }
            return entries_from_json(json);
        default: bad("a JSON value", json);
    }
}

}  // namespace tracelift
