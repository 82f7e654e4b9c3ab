#include "tracelift/dialects/json_tree.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>
#include <simdjson.h>

#include "tracelift/base/json_text.hpp"

namespace tracelift {
namespace {

namespace dom = simdjson::dom;

// The last of several equal keys counts, as in Python.
void add_entry(Value::Dict& dict, std::string_view key, Value value) {
    constexpr size_t few = 64;  // a longer dict is checked once, at its end
    if (dict.size() < few) {
        const auto known = std::ranges::find(dict, key, &Value::Entry::key);
        if (known != dict.end()) {
            known->value = std::move(value);
            return;
        }
    }
    dict.push_back({std::string(key), std::move(value)});
}

void drop_earlier_duplicates(Value::Dict& dict) {
    std::vector<std::pair<std::string_view, size_t>> order;
    for (size_t i = 0; i < dict.size(); ++i) {
        order.emplace_back(dict[i].key, i);
    }
    std::ranges::sort(order);
    std::vector<bool> dropped(dict.size(), false);
    for (size_t i = 0; i + 1 < order.size(); ++i) {
        dropped[order[i].second] = order[i].first == order[i + 1].first;
    }
    if (std::ranges::find(dropped, true) == dropped.end()) {
        return;
    }
    Value::Dict kept;
    for (size_t i = 0; i < dict.size(); ++i) {
        if (!dropped[i]) {
            kept.push_back(std::move(dict[i]));
        }
    }
    dict = std::move(kept);
}

Value of_unsigned(uint64_t number) {
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return Value::Object{"uint64", std::to_string(number)};
    }
    return static_cast<int64_t>(number);
}

Value tree_of(dom::element element) {
    switch (element.type()) {
        case dom::element_type::NULL_VALUE: return {};
        case dom::element_type::BOOL: return bool(element);
        case dom::element_type::INT64: return int64_t(element);
        case dom::element_type::UINT64: return of_unsigned(uint64_t(element));
        case dom::element_type::DOUBLE: return double(element);
        case dom::element_type::STRING: return std::string_view(element);
        case dom::element_type::ARRAY: {
            const dom::array array = element;
            Value::List list;
            list.reserve(array.size());
            for (const dom::element item : array) {
                list.push_back(tree_of(item));
            }
            return list;
        }
        case dom::element_type::OBJECT: {
            const dom::object object = element;
            Value::Dict dict;
            dict.reserve(object.size());
            for (const auto field : object) {
                add_entry(dict, field.key, tree_of(field.value));
            }
            if (dict.size() > 64) {
                drop_earlier_duplicates(dict);
            }
            return dict;
        }
    }
    return {};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Python's bare tokens for floats that JSON lacks, in quotes.
std::string quote_non_finite(std::string_view text) {
    std::string result;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (in_string && text[i] == '\\' && i + 1 < text.size()) {
            result += text[i++];
        } else if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && (i == 0 || !is_word(text[i - 1]))) {
            for (const std::string_view token : {"-Infinity", "Infinity", "NaN"}) {
                if (text.substr(i).starts_with(token)) {
                    result += fmt::format("\"{}\"", token);
                    i += token.size();
                    break;
                }
            }
        }
        if (i < text.size()) {
            result += text[i];
        }
    }
    return result;
}

bool too_deep(const Json& json, int levels) {
    return levels == 0 || (json.is_structured() && std::ranges::any_of(json, [levels](const Json& inner) {
                               return too_deep(inner, levels - 1);
                           }));
}

// Slower, and says where the text is broken.
Value parse_liberally(std::string_view text) {
    try {
        const Json json = Json::parse(quote_non_finite(text));
        if (too_deep(json, deepest_json)) {
            throw JsonError(fmt::format("nested deeper than {} levels", deepest_json), 0);
        }
        return json_tree(json);
    } catch (const Json::exception& error) {
        const auto* place = dynamic_cast<const Json::parse_error*>(&error);
        throw JsonError(error.what(), place == nullptr || place->byte == 0 ? 0 : place->byte - 1);
    }
}

}  // namespace

struct JsonParser::Implementation {
    dom::parser parser;
};

JsonParser::JsonParser() : implementation_(new Implementation) {}
JsonParser::~JsonParser() { delete implementation_; }

Value JsonParser::parse(std::string_view text) {
    dom::parser& parser = implementation_->parser;
    if (parser.allocate(std::max(text.size(), parser.capacity()), deepest_json) == simdjson::SUCCESS) {
        const auto element = parser.parse(text.data(), text.size(), /*realloc_if_needed=*/true);
        if (element.error() == simdjson::SUCCESS) {
            return tree_of(element.value_unsafe());
        }
    }
    return parse_liberally(text);
}

Value parse_json(std::string_view text) { return JsonParser().parse(text); }

Value json_tree(const Json& json) {
    switch (json.type()) {
        case Json::value_t::boolean: return json.get<bool>();
        case Json::value_t::number_integer: return json.get<int64_t>();
        case Json::value_t::number_unsigned: return of_unsigned(json.get<uint64_t>());
        case Json::value_t::number_float: return json.get<double>();
        case Json::value_t::string: return json.get_ref<const std::string&>();
        case Json::value_t::array: {
            Value::List list;
            for (const Json& item : json) {
                list.push_back(json_tree(item));
            }
            return list;
        }
        case Json::value_t::object: {
            Value::Dict dict;
            for (const auto& [key, value] : json.items()) {
                dict.push_back({key, json_tree(value)});
            }
            return dict;
        }
        default: return {};
    }
}

namespace {

struct Writer {
    Json operator()(const Value::List& list) const {
        Json array = Json::array();
        for (const Value& item : list) {
            array.push_back(std::visit(*this, item.data()));
        }
        return array;
    }
    Json operator()(const Value::Dict& dict) const {
        Json object = Json::object();
        for (const auto& entry : dict) {
            object[entry.key] = std::visit(*this, entry.value.data());
        }
        return object;
    }
    Json operator()(const Value::Object& object) const {
        if (object.type == "uint64") {
            return std::stoull(object.text);
        }
        return to_json(Value(object));
    }
    template <class T>
    Json operator()(const T& other) const {
        return to_json(Value(other));
    }
    Json operator()(std::monostate) const { return nullptr; }
};

}  // namespace

std::string json_text(const Value& tree) { return json_text(std::visit(Writer{}, tree.data())); }

std::string place_of(std::string_view text, size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const size_t start = before.rfind('\n');
    return fmt::format("line {}, column {}", line, before.size() - (start == before.npos ? 0 : start + 1) + 1);
}

}  // namespace tracelift
