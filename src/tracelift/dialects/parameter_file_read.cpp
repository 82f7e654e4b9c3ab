#include <algorithm>

#include <fmt/format.h>

#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/parameter_file.hpp"

namespace tracelift {
namespace {

constexpr int64_t most_positions = 1000;

std::string string_at(const Value& dict, std::string_view name) {
    const Value* found = dict.find(name);
    const auto* text = found != nullptr ? found->as<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

// The first mesh that an argument carries, depth first.
const Value* find_mesh(const Value& tree) {
    if (const auto* list = tree.as<Value::List>()) {
        for (const Value& item : *list) {
            if (const Value* found = find_mesh(item)) {
                return found;
            }
        }
    }
    const auto* dict = tree.as<Value::Dict>();
    if (dict == nullptr) {
        return nullptr;
    }
    if (const Value* mesh = tree.find("mesh_device"); mesh != nullptr && mesh->find("shape") != nullptr) {
        return mesh;
    }
    if (const Value* type = tree.find("type"); type != nullptr && *type == Value("MeshDevice") && tree.find("shape")) {
        return &tree;
    }
    for (const auto& entry : *dict) {
        if (const Value* found = find_mesh(entry.value)) {
            return found;
        }
    }
    return nullptr;
}

void add_mesh(const Value& mesh, std::optional<Hardware>& hardware) {
    const auto* shape = mesh.find("shape")->as<Value::List>();
    if (!hardware || shape == nullptr) {
        return;
    }
    hardware->mesh_shape.clear();
    for (const Value& dim : *shape) {
        hardware->mesh_shape.push_back(dim.as<int64_t>() != nullptr ? *dim.as<int64_t>() : 0);
    }
    const Value* ids = mesh.find("device_ids");
    if (const auto* list = ids != nullptr ? ids->as<Value::List>() : nullptr) {
        hardware->device_count = static_cast<int64_t>(list->size());
    }
}

[[noreturn]] void malformed(const std::string& name, std::string_view what) {
    throw FileError(fmt::format("{}: {}", name, what));
}

void read_positional(const Value& list, const std::string& name, StoredCall& call) {
    const auto* items = list.as<Value::List>();
    if (items == nullptr) {
        malformed(name, "expected 'args' to be a list of {position, value}");
    }
    for (size_t i = 0; i < items->size(); ++i) {
        const Value& item = (*items)[i];
        const Value* value = item.find("value");
        const Value* position = item.find("position");
        const auto* at = position != nullptr ? position->as<int64_t>() : nullptr;
        if (value == nullptr || at == nullptr || *at < 0 || *at > most_positions) {
            malformed(name, fmt::format("args[{}]: expected {{position, value}}, got {}", i, item.to_text()));
        }
        call.positional.resize(std::max(call.positional.size(), static_cast<size_t>(*at) + 1));
        call.positional[static_cast<size_t>(*at)] = read_python_value(*value);
    }
}

}  // namespace

FileCall read_param_tree(const Value& tree, const std::string& name, const Hardware* machine) {
    FileCall result;
    result.call.operation = string_at(tree, "operation_name");
    const Value* args = tree.find("args");
    if (result.call.operation.empty() || args == nullptr) {
        malformed(name, "expected an object with 'operation_name' and 'args'");
    }
    read_positional(*args, name, result.call);
    const Value* kwargs = tree.find("kwargs");
    const auto* named = kwargs != nullptr ? kwargs->as<Value::Dict>() : nullptr;
    if (kwargs != nullptr && !kwargs->is_null() && named == nullptr) {
        malformed(name, "expected 'kwargs' to be an object");
    }
    for (const auto& [key, value] : named != nullptr ? *named : Value::Dict{}) {
        result.call.keywords.push_back({key, read_python_value(value)});
    }
    if (machine != nullptr) {
        result.hardware = *machine;
    }
    const Value* mesh = find_mesh(*args);
    if (mesh == nullptr && kwargs != nullptr) {
        mesh = find_mesh(*kwargs);
    }
    if (mesh != nullptr) {
        if (const std::string board = string_at(*mesh, "board"); machine == nullptr && !board.empty()) {
            result.hardware = hardware_of_board(board);  // our own files
        } else {
            add_mesh(*mesh, result.hardware);
        }
    }
    return result;
}

FileCall read_param_file(std::string_view text, const std::string& name) {
    try {
        return read_param_tree(parse_json(text), name, nullptr);
    } catch (const JsonError& error) {
        throw FileError(fmt::format("{}: {}: {}", name, place_of(text, error.offset()), error.what()));
    }
}

}  // namespace tracelift
