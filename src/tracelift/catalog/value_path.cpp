#include "tracelift/catalog/value_path.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"

namespace tracelift {
namespace {

struct Step {
    std::string_view name;  // empty: an index
    size_t index = 0;
};

std::vector<Step> steps_of(std::string_view path) {
    std::vector<Step> steps;
    while (!path.empty()) {
        const size_t end = std::min(path.find_first_of(".["), path.size());
        if (end > 0) {
            steps.push_back({path.substr(0, end), 0});
        }
        path.remove_prefix(end);
        if (path.starts_with('.')) {
            path.remove_prefix(1);
        } else if (path.starts_with('[')) {
            const size_t close = std::min(path.find(']'), path.size());
            size_t index = SIZE_MAX;
            std::from_chars(path.data() + 1, path.data() + close, index);
            steps.push_back({{}, index});
            path.remove_prefix(std::min(close + 1, path.size()));
        }
    }
    return steps;
}

const Value* shard_of(const Value& value) {
    const Value* config = value.find("memory_config");
    const Value& holder = config != nullptr ? *config : value;
    const Value* spec = holder.find("shard_spec");
    return spec != nullptr ? spec : holder.find("nd_shard_spec");
}

const Value* step_into(const Value& value, const Step& step) {
    if (step.name.empty()) {
        const auto* list = value.as<Value::List>();
        return list != nullptr && step.index < list->size() ? &(*list)[step.index] : nullptr;
    }
    const auto* record = value.as<Value::Struct>();
    if (record != nullptr && record->type == "MemoryConfig" && step.name == "layout") {
        return value.find("memory_layout");
    }
    if (const Value* found = value.find(step.name)) {
        return found;
    }
    if (step.name == "memory") {
        return value.find("memory_config");
    }
    if (step.name == "buffer") {
        const Value* config = value.find("memory_config");
        return (config != nullptr ? *config : value).find("buffer_type");
    }
    if (step.name == "storage") {
        return value.find("storage_type");
    }
    return step.name == "shard" ? shard_of(value) : nullptr;
}

const Value* walk(const Value* value, const std::vector<Step>& steps, size_t from) {
    for (size_t i = from; value != nullptr && i < steps.size(); ++i) {
        value = step_into(*value, steps[i]);
    }
    return value;
}

Value hardware_value(const Configuration& configuration, std::string_view name) {
    if (!configuration.hardware) {
        return {};
    }
    const Hardware& machine = *configuration.hardware;
    return name == "board_type"   ? Value(machine.board_type)
           : name == "card_count" ? Value(machine.card_count)
           : name == "mesh"       ? Value(mesh_text(machine.mesh_shape))
                                  : Value(machine.device_series);
}

// arg<i>
std::optional<size_t> position_of(std::string_view name) {
    size_t position = 0;
    const char* end = name.data() + name.size();
    if (!name.starts_with("arg") || name.size() == 3) {
        return std::nullopt;
    }
    const auto [stopped, problem] = std::from_chars(name.data() + 3, end, position);
    return problem == std::errc() && stopped == end ? std::optional(position) : std::nullopt;
}

std::string joined(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

void collect(const Value& value, const std::string& path, std::vector<std::pair<std::string, Value>>& leaves) {
    const auto* list = value.as<Value::List>();
    const auto* dict = value.as<Value::Dict>();
    const auto* record = value.as<Value::Struct>();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        collect((*list)[i], fmt::format("{}[{}]", path, i), leaves);
    }
    if (dict != nullptr || record != nullptr) {
        for (const auto& entry : dict != nullptr ? *dict : record->fields) {
            collect(entry.value, joined(path, entry.key), leaves);
        }
    }
    const bool inner = (list != nullptr && !list->empty()) || (dict != nullptr && !dict->empty()) ||
                       (record != nullptr && !record->fields.empty());
    if (!inner) {
        leaves.emplace_back(path, value);
    }
}

}  // namespace

const Value* value_at(const Value& value, std::string_view path) { return walk(&value, steps_of(path), 0); }

std::vector<Value> values_at(const Configuration& configuration, std::string_view path) {
    const auto steps = steps_of(path);
    if (steps.empty()) {
        return {};
    }
    const std::string_view first = steps[0].name;
    const auto named = std::ranges::find(configuration.call.arguments, first, &Value::Entry::key);
    if (named != configuration.call.arguments.end()) {
        const Value* found = walk(&named->value, steps, 1);
        return found != nullptr ? std::vector{*found} : std::vector<Value>();
    }
    const auto position = position_of(first);
    if (position && configuration.call.bound) {
        const auto positional = positional_arguments(configuration.call);
        if (*position < positional.size() && positional[*position]) {
            const Value* found = walk(&*positional[*position], steps, 1);
            return found != nullptr ? std::vector{*found} : std::vector<Value>();
        }
        return {};
    }
    if (steps.size() > 1) {
        return {};
    }
    if (first == "model") {
        std::vector<Value> models;
        for (const Execution& execution : configuration.executions) {
            models.emplace_back(execution.model);
        }
        return models;
    }
    if (first == "hardware" || first == "board_type" || first == "card_count" || first == "mesh") {
        return {hardware_value(configuration, first)};
    }
    if (first == "bound") {
        return {configuration.call.bound};
    }
    return first == "format" ? std::vector<Value>{configuration.format} : std::vector<Value>();
}

std::string plain_text(const Value& value) {
    if (value.is_null()) {
        return "none";
    }
    if (const auto* tagged = value.as<Value::Enum>()) {
        return tagged->member;
    }
    if (const auto* text = value.as<std::string>()) {
        return *text;
    }
    if (const auto* number = value.as<double>()) {
        return python_float(*number);
    }
    if (const auto* flag = value.as<bool>()) {
        return *flag ? "true" : "false";
    }
    if (const auto* list = value.as<Value::List>()) {
        std::string inner;
        for (const Value& item : *list) {
            inner += (inner.empty() ? "" : ", ") + plain_text(item);
        }
        return "[" + inner + "]";
    }
    return value.to_text();
}

std::vector<std::pair<std::string, Value>> leaves_of(const Value& value, const std::string& path) {
    std::vector<std::pair<std::string, Value>> leaves;
    collect(value, path, leaves);
    return leaves;
}

}  // namespace tracelift
