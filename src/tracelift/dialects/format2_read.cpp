#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/graph_text.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/record_read.hpp"
#include "tracelift/value/non_finite.hpp"
#include "ttnn/op/record_types.hpp"

namespace tracelift {
namespace {

using records::at;
using records::read_enum_of_any_case;

bool is_none(const Value* tree) { return format1::is_absent(tree) || *tree == Value("None"); }

constexpr records::Spelling spelling{read_enum_of_any_case, is_none};

Value read_shard_spec(const Value& tree) {
    if (const auto* text = tree.as<std::string>()) {
        const auto parsed = cpp_tree(*text);
        const Value::Entry* entry = parsed ? format1::only_entry(*parsed) : nullptr;
        if (entry == nullptr || entry->key != "ShardSpec") {
            throw std::invalid_argument(fmt::format("expected a ShardSpec, got {}", tree.to_text()));
        }
        return format1::read_shard_spec(entry->value);
    }
    return records::read_shard_spec(tree, spelling);
}

Value read_memory_config(const Value& tree) { return records::read_memory_config(tree, spelling, read_shard_spec); }

// str(list) of Python: strings in single quotes.
std::string list_text(const Value& tree) {
    const auto* list = tree.as<Value::List>();
    if (list == nullptr) {
        const auto* text = tree.as<std::string>();
        return text != nullptr ? *text : tree.to_text();
    }
    std::string inner;
    for (const Value& item : *list) {
        const auto* text = item.as<std::string>();
        inner += (inner.empty() ? "" : ", ") + (text != nullptr ? fmt::format("'{}'", *text) : item.to_text());
    }
    return "[" + inner + "]";
}

// On one device there is nothing to place.
bool is_single_device(const Value& mesh) {
    const Value* ids = mesh.find("device_ids");
    const auto* list = ids != nullptr ? ids->as<Value::List>() : nullptr;
    return list != nullptr && list->size() == 1;
}

// Masters have the placement beside the tensor; parameter files have the mesh it came from.
Value read_placement(const Value& tensor) {
    Value::Dict placement;
    if (const Value* given = tensor.find("tensor_placement"); given != nullptr && given->as<Value::Dict>()) {
        for (const auto* name : {"placement", "distribution_shape", "mesh_device_shape"}) {
            if (const Value* part = given->find(name)) {
                placement.push_back({name, list_text(*part)});
            }
        }
    } else if (const Value* mesh = tensor.find("mesh_device");
               mesh != nullptr && mesh->find("placements") != nullptr && !is_single_device(*mesh)) {
        placement.push_back({"placement", list_text(*mesh->find("placements"))});
        if (const Value* shape = mesh->find("distribution_shape")) {
            placement.push_back({"distribution_shape", list_text(*shape)});
        }
        if (const Value* shape = mesh->find("shape")) {
            placement.push_back({"mesh_device_shape", list_text(*shape)});
        }
    }
    return placement.empty() ? Value() : Value(std::move(placement));
}

const Value& either(const Value& tree, std::string_view first, std::string_view second) {
    const Value* found = tree.find(first);
    return found != nullptr ? *found : at(tree, second);
}

Value read_tensor(const Value& tree) {
    const Value* memory = tree.find("memory_config");
    const Value* layout = tree.find("layout");
    const Value* storage = tree.find("storage_type");
    const bool placed = !is_none(memory) && memory->as<Value::Dict>() != nullptr;
    Value::Dict fields;
    fields.push_back({"shape", format1::read_int_list("shape", either(tree, "original_shape", "shape"))});
    fields.push_back({"dtype", read_enum_of_any_case("DataType", either(tree, "original_dtype", "dtype"))});
    fields.push_back({"layout", read_enum_of_any_case("Layout", is_none(layout) ? Value("TILE") : *layout)});
    fields.push_back(
        {"storage_type", read_enum_of_any_case("StorageType", is_none(storage) ? Value("DEVICE") : *storage)});
    fields.push_back({"memory_config", placed ? read_memory_config(*memory) : records::dram_interleaved()});
    if (const Value* alignment = tree.find("alignment"); !is_none(alignment)) {
        fields.push_back({"alignment", format1::read_int_list("alignment", *alignment)});
    }
    if (const Value* tile = tree.find("tile"); !is_none(tile)) {
        fields.push_back({"tile", read_python_value(*tile)});
    }
    if (Value placement = read_placement(tree); !placement.is_null()) {
        fields.push_back({"tensor_placement", std::move(placement)});
    }
    return Value::Struct{"Tensor", std::move(fields)};
}

Value read_flag(const Value& tree) {
    if (tree == Value("True") || tree == Value("False")) {
        return tree == Value("True");
    }
    return tree;
}

constexpr std::string_view compute_config = "WormholeComputeKernelConfig";

// The enum that a declared record has under this name; empty where it has something else.
std::string_view enum_of_field(std::string_view record, std::string_view name) {
    const ttnn::RecordType* type = ttnn::find_record_type(record);
    if (type == nullptr) {
        return {};
    }
    const auto field = std::ranges::find(*type->fields, name, &ttnn::FieldInfo::name);
    if (field == type->fields->end() || !ttnn::is_enum_type(ttnn::type_name_of(*field))) {
        return {};
    }
    return ttnn::type_name_of(*field);
}

Value read_compute_config(const Value::Dict& dict) {
    Value::Dict fields;
    for (const auto& [name, value] : dict) {
        if (const std::string_view type = enum_of_field(compute_config, name); !type.empty()) {
            fields.push_back({name, read_enum_of_any_case(type, value)});
        } else if (name != "type") {
            fields.push_back({name, read_flag(read_python_value(value))});
        }
    }
    return Value::Struct{std::string(compute_config), std::move(fields)};
}

std::optional<Value> ints_between(std::string_view text, char open, char close) {
    const size_t start = text.find(open);
    const size_t end = text.rfind(close);
    if (start == text.npos || end == text.npos || end < start) {
        return std::nullopt;
    }
    Value value = format1::read_value(Value(text.substr(start, end - start + 1)));
    return value.as<Value::List>() != nullptr ? std::optional(std::move(value)) : std::nullopt;
}

// Members of a Python set come in no order.
std::string sorted_set(const std::string& text) {
    if (!text.starts_with('{') || !text.ends_with('}')) {
        return text;
    }
    std::vector<std::string> members;
    std::string member;
    int depth = 0;
    for (const char c : text.substr(1, text.size() - 2)) {
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (c == ',' && depth == 0) {
            members.push_back(std::exchange(member, {}));
        } else if (c != ' ' || !member.empty()) {
            member += c;
        }
    }
    members.push_back(std::move(member));
    std::ranges::sort(members);
    return fmt::format("{{{}}}", fmt::join(members, ", "));
}

Value read_text(const std::string& text) {
    const auto number = non_finite_number(text);
    return number ? Value(*number) : Value(text);
}

// {"type": T, "repr" | "value": text}
Value read_described(const std::string& type, const std::string& key, const std::string& text) {
    if (text.starts_with(type + ".")) {
        return Value::Enum{type, text.substr(type.size() + 1)};
    }
    if (type == "Shape") {
        if (auto shape = ints_between(text, '[', ']')) {
            return std::move(*shape);
        }
    }
    if (type == "Tile" && text.starts_with("Tile with shape")) {
        if (auto shape = ints_between(text, '[', ']')) {
            return Value::Struct{"Tile", {{"tile_shape", std::move(*shape)}}};
        }
    }
    if (type == "MeshDevice") {
        return Value::Object{type, text};
    }
    if (type == "set") {
        return Value::Struct{type, {{key, sorted_set(text)}}};
    }
    if (type == "str") {
        return text;
    }
    if (type == "float") {
        return read_text(text);
    }
    if (text.starts_with(type + "(")) {
        Value value = read_cpp_text(text);
        if (const auto* record = value.as<Value::Struct>(); record != nullptr && record->type == type) {
            return value;
        }
    }
    return Value::Struct{type, {{key, text}}};
}

Value read_object(const std::string& type, const Value& tree) {
    const Value& text = at(tree, "text");
    return Value::Object{type, text.as<std::string>() != nullptr ? *text.as<std::string>() : json_text(text)};
}

enum class TypeKey { DROPPED, KEPT };

Value::Dict read_dict(const Value::Dict& dict, TypeKey type_key) {
    Value::Dict fields;
    fields.reserve(dict.size());
    for (const auto& [name, value] : dict) {
        if (type_key == TypeKey::KEPT || name != "type") {
            fields.push_back({name, read_python_value(value)});
        }
    }
    return fields;
}

// Pairs of key and value, which we write where a dict or a record would read as something else.
Value::Dict read_pairs(const Value& items) {
    const auto* list = items.as<Value::List>();
    Value::Dict dict;
    for (const Value& item : list != nullptr ? *list : Value::List{}) {
        const auto* pair = item.as<Value::List>();
        if (pair == nullptr || pair->size() != 2 || (*pair)[0].as<std::string>() == nullptr) {
            throw std::invalid_argument("expected pairs of key and value");
        }
        dict.push_back({*(*pair)[0].as<std::string>(), read_python_value((*pair)[1])});
    }
    return dict;
}

bool is_number(const Value& value) {
    return value.as<int64_t>() != nullptr || value.as<double>() != nullptr || value.as<bool>() != nullptr;
}

Value read_typed(const std::string& type, const Value& tree, const Value::Dict& dict) {
    if (type == "ttnn.Tensor" || type == "Tensor") {
        return read_tensor(tree);
    }
    if (type.ends_with("MemoryConfig") && tree.find("memory_layout") != nullptr) {
        return read_memory_config(tree);
    }
    if (type.ends_with("ComputeKernelConfig") && tree.find("math_fidelity") != nullptr) {
        return read_compute_config(dict);
    }
    if (type == "UnparsedElement") {
        const auto* text = at(tree, "element_info").as<std::string>();
        const auto* error = at(tree, "error").as<std::string>();
        return Value::Unparsed{text != nullptr ? *text : "", error != nullptr ? *error : ""};
    }
    if (type == "dict" && dict.size() == 2 && tree.find("items") != nullptr) {
        return read_pairs(*tree.find("items"));
    }
    if (type == "record" && dict.size() == 3 && tree.find("class") != nullptr && tree.find("items") != nullptr &&
        tree.find("class")->as<std::string>() != nullptr) {
        return Value::Struct{*tree.find("class")->as<std::string>(), read_pairs(*tree.find("items"))};
    }
    if (type == "object" && tree.find("class") != nullptr && tree.find("class")->as<std::string>() != nullptr) {
        return read_object(*tree.find("class")->as<std::string>(), tree);
    }
    if (type == "CoreRangeSet" && tree.find("ranges") != nullptr) {
        return records::read_grid(*tree.find("ranges"));
    }
    for (const auto* key : {"repr", "value"}) {
        const Value* described = tree.find(key);
        if (described == nullptr || (dict.size() > 2 && type != "MeshDevice")) {
            continue;
        }
        if (const auto* text = described->as<std::string>()) {
            return read_described(type, key, *text);
        }
        if ((type == "int" || type == "float" || type == "bool") && is_number(*described)) {
            return *described;
        }
    }
    return Value::Struct{type, read_dict(dict, TypeKey::DROPPED)};
}

Value read_untyped(const Value& tree, const Value::Dict& dict) {
    if (tree.find("memory_layout") != nullptr && tree.find("buffer_type") != nullptr) {
        return read_memory_config(tree);
    }
    if (tree.find("math_fidelity") != nullptr && tree.find("fp32_dest_acc_en") != nullptr) {
        return read_compute_config(dict);
    }
    if (records::is_core(tree)) {
        return records::read_core(tree);
    }
    return read_dict(dict, TypeKey::KEPT);
}

}  // namespace

Value read_python_value(const Value& tree) {
    if (const auto* text = tree.as<std::string>()) {
        return read_text(*text);
    }
    if (const auto* list = tree.as<Value::List>()) {
        Value::List items;
        items.reserve(list->size());
        for (const Value& item : *list) {
            items.push_back(read_python_value(item));
        }
        return items;
    }
    const auto* dict = tree.as<Value::Dict>();
    if (dict == nullptr) {
        return tree;
    }
    try {
        const Value* type = tree.find("type");
        const auto* name = type != nullptr ? type->as<std::string>() : nullptr;
        return name != nullptr ? read_typed(*name, tree, *dict) : read_untyped(tree, *dict);
    } catch (const std::invalid_argument& error) {
        return Value::Unparsed{json_text(tree), error.what()};
    }
}

}  // namespace tracelift
