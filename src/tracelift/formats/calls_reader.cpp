#include "tracelift/formats/calls_reader.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/formats/format1_values.hpp"
#include "tracelift/formats/json_tree.hpp"

namespace tracelift {
namespace {

using format1::at;

const std::string& text_at(const Value& dict, std::string_view name) {
    const auto* text = at(dict, name).as<std::string>();
    if (text == nullptr) {
        throw std::invalid_argument(fmt::format("expected '{}' to be a string", name));
    }
    return *text;
}

std::string last_part(std::string_view name) { return std::string(name.substr(name.find_last_of(".:") + 1)); }

Value upper_enum(const std::string& type, const std::string& text) {
    std::string member = last_part(text);
    std::ranges::transform(member, member.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return Value::Enum{type, std::move(member)};
}

// Others write shape and dims only; we add where the shards are.
Value read_shard_spec(const Value& tree) {
    if (tree.find("grid") == nullptr) {
        const auto* dict = tree.as<Value::Dict>();
        return Value::Struct{"ShardSpec", dict != nullptr ? *dict : Value::Dict{}};
    }
    return Value::Struct{"ShardSpec",
                         {{"grid", format1::read_grid(at(tree, "grid"))},
                          {"shape", format1::read_int_list("shape", at(tree, "shape"))},
                          {"orientation", upper_enum("ShardOrientation", text_at(tree, "orientation"))}}};
}

Value read_nd_shard_spec(const Value& tree) {
    return Value::Struct{"NdShardSpec",
                         {{"shard_shape", format1::read_int_list("shard_shape", at(tree, "shard_shape"))},
                          {"grid", format1::read_grid(at(tree, "grid"))},
                          {"orientation", upper_enum("ShardOrientation", text_at(tree, "orientation"))},
                          {"shard_distribution_strategy",
                           upper_enum("ShardDistributionStrategy", text_at(tree, "shard_distribution_strategy"))}}};
}

Value read_memory_config(const Value& tree) {
    Value::Dict fields = {{"memory_layout", upper_enum("TensorMemoryLayout", text_at(tree, "memory_layout"))},
                          {"buffer_type", upper_enum("BufferType", text_at(tree, "buffer_type"))}};
    if (const Value* spec = tree.find("nd_shard_spec"); spec != nullptr && !spec->is_null()) {
        fields.push_back({"nd_shard_spec", read_nd_shard_spec(*spec)});
    } else if (const Value* plain = tree.find("shard_spec"); plain != nullptr && !plain->is_null()) {
        fields.push_back({"shard_spec", read_shard_spec(*plain)});
    }
    return Value::Struct{"MemoryConfig", std::move(fields)};
}

Value read_tensor(const Value& tree) {
    const Value* memory = tree.find("memory_config");
    const bool placed = memory != nullptr && !memory->is_null();
    Value config = placed ? read_memory_config(*memory)
                          : Value::Struct{"MemoryConfig",
                                          {{"memory_layout", Value::Enum{"TensorMemoryLayout", "INTERLEAVED"}},
                                           {"buffer_type", Value::Enum{"BufferType", "DRAM"}}}};
    // Later writers add the layout; without it a memory layout that speaks of rows tells, as the original's replay
    // does.
    const Value* layout = tree.find("layout");
    const bool rows = placed && text_at(*memory, "memory_layout").find("ROW") != std::string::npos;
    const Value* storage = tree.find("storage_type");
    Value::Dict fields = {{"shape", format1::read_int_list("shape", at(tree, "shape"))},
                          {"dtype", upper_enum("DataType", text_at(tree, "dtype"))},
                          {"layout", layout != nullptr && layout->as<std::string>() != nullptr
                                         ? upper_enum("Layout", *layout->as<std::string>())
                                         : Value(Value::Enum{"Layout", rows ? "ROW_MAJOR" : "TILE"})},
                          {"storage_type", storage != nullptr && storage->as<std::string>() != nullptr
                                               ? upper_enum("StorageType", *storage->as<std::string>())
                                               : Value(Value::Enum{"StorageType", "DEVICE"})},
                          {"memory_config", std::move(config)}};
    for (const auto* extra : {"alignment", "tile"}) {
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
    if (type == "repr" || type == "path") {
        return Value::Struct{type, {{"value", at(tree, "value")}}};
    }
    const Value* fields = tree.find("fields");
    const auto* named = fields != nullptr && dict.size() == 2 ? fields->as<Value::Dict>() : nullptr;
    return Value::Struct{last_part(type), read_entries(named != nullptr ? *named : dict)};
}

FileCall read_tree(const Value& tree) {
    FileCall result;
    result.call.operation = text_at(tree, "op_name");
    const auto* inputs = at(tree, "inputs").as<Value::List>();
    if (inputs == nullptr) {
        throw std::invalid_argument("expected 'inputs' to be a list");
    }
    for (const Value& input : *inputs) {
        result.call.positional.emplace_back(read_call_value(input));
    }
    const Value* kwargs = tree.find("kwargs");
    if (const auto* named = kwargs != nullptr ? kwargs->as<Value::Dict>() : nullptr) {
        for (const auto& [key, value] : *named) {
            result.call.keywords.push_back({key, read_call_value(value)});
        }
    } else if (kwargs != nullptr && !kwargs->is_null()) {
        throw std::invalid_argument("expected 'kwargs' to be an object");
    }
    if (const Value* node = tree.find("test_nodeid"); node != nullptr && node->as<std::string>() != nullptr) {
        result.source = *node->as<std::string>();
    }
    if (const Value* run = tree.find("trace_uid"); run != nullptr && run->as<std::string>() != nullptr) {
        result.trace_uid = *run->as<std::string>();
    }
    if (const Value* spent = tree.find("duration_ms")) {
        const auto* number = spent->as<double>();
        const double milliseconds = number != nullptr ? *number : spent->as<int64_t>() ? *spent->as<int64_t>() : 0;
        result.nanoseconds = milliseconds > 0 && milliseconds < 1e12 ? static_cast<uint64_t>(milliseconds * 1e6) : 0;
    }
    if (const Value* error = tree.find("error"); error != nullptr && !error->is_null()) {
        const Value* message = error->find("message");
        result.error =
            message != nullptr && message->as<std::string>() ? *message->as<std::string>() : error->to_text();
        result.error = result.error.empty() ? "error" : result.error;
    }
    if (const Value* machine = tree.find("machine_info")) {
        result.hardware = hardware_of(*machine);
    } else if (const Value* board = tree.find("board"); board != nullptr && board->as<std::string>() != nullptr) {
        result.hardware = hardware_of_board(*board->as<std::string>());  // our own lines
    }
    return result;
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

FileCall read_call_line(std::string_view line, const std::string& name) {
    thread_local JsonParser parser;
    try {
        return read_tree(parser.parse(line));
    } catch (const JsonError& error) {
        throw FileError(fmt::format("{}: column {}: {}", name, error.offset() + 1, error.what()));
    } catch (const std::invalid_argument& error) {
        throw FileError(fmt::format("{}: {}", name, error.what()));
    }
}

CallsSummary read_calls(const std::filesystem::path& path, CallSink& sink) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    CallsSummary summary;
    std::string line;
    for (uint64_t number = 1; std::getline(file, line); ++number) {
        if (line.find_first_not_of(" \t\r") == line.npos) {
            continue;
        }
        ++summary.lines;
        const std::string name = fmt::format("{}: line {}", path.string(), number);
        try {
            FileCall call = read_call_line(line, name);
            ++summary.calls;
            sink.call(std::move(call));
        } catch (const FileError& error) {
            sink.unread({name, line, error.what()});
        }
    }
    return summary;
}

}  // namespace tracelift
