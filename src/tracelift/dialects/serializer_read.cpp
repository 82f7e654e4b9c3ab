#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/dialects/format1_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/record_read.hpp"
#include "tracelift/dialects/serializer.hpp"

namespace tracelift {
namespace {

using records::at;
using records::read_enum_of_any_case;

const std::string& text_at(const Value& dict, std::string_view name) {
    const auto* text = at(dict, name).as<std::string>();
    if (text == nullptr) {
        throw std::invalid_argument(fmt::format("expected '{}' to be a string", name));
    }
    return *text;
}

std::string last_part(std::string_view name) { return std::string(name.substr(name.find_last_of(".:") + 1)); }

bool is_null(const Value* tree) { return tree == nullptr || tree->is_null(); }

constexpr records::Spelling spelling{read_enum_of_any_case, is_null};

// Others write shape and dims only; we add where the shards are.
Value read_shard_spec(const Value& tree) {
    if (tree.find("grid") == nullptr) {
        const auto* dict = tree.as<Value::Dict>();
        return Value::Struct{"ShardSpec", dict != nullptr ? *dict : Value::Dict{}};
    }
    return records::read_shard_spec(tree, spelling);
}

Value read_memory_config(const Value& tree) { return records::read_memory_config(tree, spelling, read_shard_spec); }

Value read_tensor(const Value& tree) {
    const Value* memory = tree.find("memory_config");
    const bool placed = memory != nullptr && !memory->is_null();
    Value config = placed ? read_memory_config(*memory) : records::dram_interleaved();
    // Later writers add the layout; without it a memory layout that speaks of rows tells, as the original's replay
    // does.
    const Value* layout = tree.find("layout");
    const bool rows = placed && text_at(*memory, "memory_layout").find("ROW") != std::string::npos;
    const Value* storage = tree.find("storage_type");
    Value::Dict fields = {{"shape", format1::read_int_list("shape", at(tree, "shape"))},
                          {"dtype", read_enum_of_any_case("DataType", at(tree, "dtype"))},
                          {"layout", layout != nullptr && layout->as<std::string>() != nullptr
                                         ? read_enum_of_any_case("Layout", *layout)
                                         : Value(Value::Enum{"Layout", rows ? "ROW_MAJOR" : "TILE"})},
                          {"storage_type", storage != nullptr && storage->as<std::string>() != nullptr
                                               ? read_enum_of_any_case("StorageType", *storage)
                                               : Value(Value::Enum{"StorageType", "DEVICE"})},
                          {"memory_config", std::move(config)}};
    for (const auto* extra : {"alignment", "tile", "tensor_placement"}) {
        if (const Value* found = tree.find(extra)) {
            fields.push_back({extra, read_call_value(*found)});
        }
    }
    return Value::Struct{"Tensor", std::move(fields)};
}

Value::Dict read_entries(const Value::Dict& dict) {
    Value::Dict entries;
    for (const auto& [key, value] : dict) {
        if (key != "__type__") {
            entries.push_back({key, read_call_value(value)});
        }
    }
    return entries;
}

Value read_typed(const std::string& type, const Value& tree, const Value::Dict& dict) {
    if (type == "ttnn.TensorRef") {
        return read_tensor(tree);
    }
    if (type == "ttnn.MemoryConfig") {
        return read_memory_config(tree);
    }
    if (type == "ttnn.MeshDevice") {
        const Value* shape = tree.find("mesh_shape");
        return Value::Object{"MeshDevice", shape != nullptr ? shape->to_text() : ""};
    }
    if (type == "float") {
        return format1::read_value(at(tree, "value"));
    }
    if (type == "repr" && tree.find("type") != nullptr && *tree.find("type") == Value("global_semaphore")) {
        return Value::Object{"global_semaphore", ""};
    }
    if (type == "repr" || type == "path") {
        return Value::Struct{type, {{"value", at(tree, "value")}}};
    }
    const Value* fields = tree.find("fields");
    const auto* named = fields != nullptr && dict.size() == 2 ? fields->as<Value::Dict>() : nullptr;
    return Value::Struct{last_part(type), read_entries(named != nullptr ? *named : dict)};
}

}  // namespace

Value read_call_value(const Value& tree) {
    if (const auto* list = tree.as<Value::List>()) {
        Value::List items;
        for (const Value& item : *list) {
            items.push_back(read_call_value(item));
        }
        return items;
    }
    const auto* dict = tree.as<Value::Dict>();
    if (dict == nullptr) {
        return tree;
    }
    try {
        if (tree.find("__enum__") != nullptr) {
            return Value::Enum{last_part(text_at(tree, "__enum__")), text_at(tree, "name")};
        }
        if (tree.find("__type__") != nullptr) {
            return read_typed(text_at(tree, "__type__"), tree, *dict);
        }
    } catch (const std::invalid_argument& error) {
        return Value::Unparsed{json_text(tree), error.what()};
    }
    return read_entries(*dict);
}

}  // namespace tracelift
