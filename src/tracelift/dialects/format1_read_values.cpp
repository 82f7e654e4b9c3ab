#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/format1_fields.hpp"
#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/record_read.hpp"
#include "tracelift/dialects/scalar_text.hpp"

namespace tracelift::format1 {

using records::at;
using records::is_core;
using records::is_grid;
using records::read_core;
using records::read_grid;

bool is_structured(const Value& tree) { return tree.as<Value::Dict>() != nullptr || tree.as<Value::List>() != nullptr; }

bool is_absent(const Value* tree) {
    if (tree == nullptr || tree->is_null()) {
        return true;
    }
    const auto* text = tree->as<std::string>();
    return text != nullptr && read_text(*text).is_null();
}

const Value::Entry* only_entry(const Value& tree) {
    const auto* dict = tree.as<Value::Dict>();
    return dict != nullptr && dict->size() == 1 ? &dict->front() : nullptr;
}

Value read_enum(std::string_view type, const Value& tree) {
    const auto* text = tree.as<std::string>();
    Value value = text != nullptr ? read_text(*text) : Value();
    if (const auto* tagged = value.as<Value::Enum>(); tagged != nullptr && tagged->type == type) {
        return value;
    }
    if (const auto* member = value.as<std::string>(); member != nullptr && is_name(*member)) {
        return Value::Enum{std::string(type), *member};
    }
    throw std::invalid_argument(fmt::format("expected a {}, got {}", type, tree.to_text()));
}

Value read_int_list(std::string_view name, const Value& tree) {
    Value value = read_value(tree);
    const auto* list = value.as<Value::List>();
    const auto is_int = [](const Value& item) { return item.as<int64_t>() != nullptr; };
    if (list == nullptr || !std::ranges::all_of(*list, is_int)) {
        throw std::invalid_argument(fmt::format("{}: expected a list of ints, got {}", name, tree.to_text()));
    }
    return value;
}

namespace {

// {"Kind": body}: type names begin with a capital.
bool is_wrapped(const Value& tree) {
    const Value::Entry* entry = only_entry(tree);
    return entry != nullptr && std::isupper(static_cast<unsigned char>(entry->key.c_str()[0])) != 0;
}

}  // namespace

Value read_field(std::string_view name, const Value& tree) {
    if (const auto type = bare_enum_of(name); !type.empty() && !is_absent(&tree)) {
        return read_enum(type, tree);
    }
    const auto type = bare_record_of(name);
    const bool bare = is_structured(tree) && !is_wrapped(tree) && (type != "CoreRangeSet" || is_grid(tree));
    return bare && !type.empty() ? read_record(type, tree) : read_value(tree);
}

namespace {

Value::Dict read_fields(const Value::Dict& dict) {
    Value::Dict fields;
    for (const auto& [name, value] : dict) {
        fields.push_back({name, read_field(name, value)});
    }
    return fields;
}

// Captures call the grid by an older name and print it as a pair.
Value read_attention_config(const Value::Dict& body) {
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

Value read_plain_record(std::string_view type, const Value& body) {
    if (const auto* dict = body.as<Value::Dict>()) {
        return Value::Struct{std::string(type), read_fields(*dict)};
    }
    if (const auto* text = body.as<std::string>(); text != nullptr || body.is_null()) {
        return Value::Object{std::string(type), text == nullptr ? "..." : *text};
    }
    return Value::Struct{std::string(type), {{"value", read_value(body)}}};
}

std::string text_of(const Value& tree) {
    const auto* text = tree.as<std::string>();
    return text != nullptr ? *text : json_text(tree);
}

// Without a kind: told by its members.
Value read_object(const Value& tree, const Value::Dict& dict) {
    if (tree.find("tensor_spec") != nullptr) {
        return read_tensor(tree);
    }
    if (is_core(tree)) {
        return read_core(tree);
    }
    if (is_wrapped(tree) || (dict.size() == 1 && dict.front().key == "dict")) {
        return read_record(dict.front().key, dict.front().value);
    }
    return read_fields(dict);
}

}  // namespace

Value read_record(std::string_view type, const Value& body) {
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
    const auto* dict = body.as<Value::Dict>();
    if (type == "SDPAProgramConfig" && dict != nullptr) {
        return read_attention_config(*dict);
    }
    if (type == "dict" && dict != nullptr) {
        return read_fields(*dict);
    }
    if (type == "UnparsedElement") {
        return Value::Unparsed{text_of(at(body, "element_info")), text_of(at(body, "error"))};
    }
    if (type == exact_type) {
        return from_json(Json::parse(json_text(body), nullptr, /*allow_exceptions=*/false));
    }
    if (type == unsupported_type) {
        return read_text(fmt::format("[ unsupported type , {}]", text_of(body)));
    }
    return read_plain_record(type, body);
}

Value read_value(const Value& tree) {
    if (const auto* text = tree.as<std::string>()) {
        return read_text(*text);
    }
    if (const auto* dict = tree.as<Value::Dict>()) {
        return read_object(tree, *dict);
    }
    if (const auto* list = tree.as<Value::List>()) {
        Value::List items;
        items.reserve(list->size());
        for (const Value& item : *list) {
            items.push_back(read_value(item));
        }
        return items;
    }
    if (const auto* wide = tree.as<Value::Object>()) {
        return wide->text;  // an int beyond 64 bits signed, as read_text leaves it
    }
    return tree;
}

Value read_body(const Value& tree) {
    const Value::Entry* entry = only_entry(tree);
    return entry != nullptr ? read_record(entry->key, entry->value) : read_value(tree);
}

}  // namespace tracelift::format1
