#include "tracelift/dialects/format1.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/repair.hpp"

namespace tracelift {
namespace {

constexpr int deepest = 64;  // levels of an argument; real ones have about ten
constexpr std::string_view too_deep_text = "nested deeper than 64 levels";

[[noreturn]] void malformed(size_t position, std::string_view what) {
    throw std::invalid_argument(fmt::format("argument {}: {}", position, what));
}

bool too_deep(const Value& tree, int levels = deepest) {
    if (levels == 0) {
        return true;
    }
    if (const auto* list = tree.as<Value::List>()) {
        return std::ranges::any_of(*list, [levels](const Value& item) { return too_deep(item, levels - 1); });
    }
    const auto* dict = tree.as<Value::Dict>();
    return dict != nullptr && std::ranges::any_of(*dict, [levels](const Value::Entry& entry) {
               return too_deep(entry.value, levels - 1);
           });
}

const Value::Entry& single_entry(const Value& tree, size_t position) {
    const Value::Entry* entry = format1::only_entry(tree);
    if (entry == nullptr) {
        const auto* dict = tree.as<Value::Dict>();
        malformed(position, dict != nullptr ? fmt::format("expected one key, got {}", dict->size())
                                            : fmt::format("expected an object, got a {}", tree.kind()));
    }
    return *entry;
}

std::string key_at(size_t position) { return fmt::format("arg{}", position); }

std::string wrong_key(const std::string& key, size_t position) {
    return fmt::format("expected the key \"{}\", got \"{}\"", key_at(position), key);
}

// What stays unreadable keeps its text and says why.
Value read_element(const Value& element, size_t position) {
    const Value* text = element.find("element_info");
    const Value* error = element.find("error");
    if (text == nullptr || text->as<std::string>() == nullptr) {
        malformed(position, "UnparsedElement without the string \"element_info\"");
    }
    const std::string& info = *text->as<std::string>();
    const auto repaired = repair(info);
    const Value::Entry* entry = repaired ? format1::only_entry(*repaired) : nullptr;
    if (entry == nullptr) {
        const auto* told = error != nullptr ? error->as<std::string>() : nullptr;
        return Value::Unparsed{info, told != nullptr ? *told : "not JSON"};
    }
    if (entry->key != key_at(position)) {
        return Value::Unparsed{info, wrong_key(entry->key, position)};
    }
    if (too_deep(*repaired)) {
        return Value::Unparsed{info, std::string(too_deep_text)};
    }
    try {
        return format1::read_body(entry->value);
    } catch (const std::invalid_argument& reason) {
        return Value::Unparsed{info, reason.what()};
    }
}

// A record that lacks something keeps its text.
Value read_plain(const Value& argument, const Value& body, size_t position) {
    if (too_deep(argument)) {
        malformed(position, too_deep_text);
    }
    try {
        return format1::read_body(body);
    } catch (const std::invalid_argument& error) {
        return Value::Unparsed{json_text(argument), error.what()};
    }
}

Json write_argument(const Value& value, size_t position, Typing typing) {
    Json body = format1::write_body(value, typing);
    if (value.as<Value::Unparsed>() != nullptr && body.is_object() && typing == Typing::DECLARED) {
        return body;
    }
    return {{key_at(position), std::move(body)}};
}

}  // namespace

std::optional<Value> read_argument(const Value& tree, size_t position) {
    const auto& [key, body] = single_entry(tree, position);
    Value value;
    if (key == "UnparsedElement") {
        value = read_element(body, position);
    } else if (key == key_at(position)) {
        value = read_plain(tree, body, position);
    } else {
        malformed(position, wrong_key(key, position));
    }
    return value.is_null() ? std::nullopt : std::optional(std::move(value));
}

Arguments read_arguments(const Value& list) {
    const auto* items = list.as<Value::List>();
    if (items == nullptr) {
        throw std::invalid_argument(fmt::format("expected a list of arguments, got a {}", list.kind()));
    }
    Arguments arguments;
    arguments.reserve(items->size());
    for (const Value& item : *items) {
        arguments.push_back(read_argument(item, arguments.size()));
    }
    return arguments;
}

Arguments read_arguments(const Json& list) { return read_arguments(json_tree(list)); }

Json write_arguments(const Arguments& arguments, Typing typing) {
    Json list = Json::array();
    for (size_t i = 0; i < arguments.size(); ++i) {
        list.push_back(write_argument(arguments[i].value_or(Value()), i, typing));
    }
    return list;
}

}  // namespace tracelift
