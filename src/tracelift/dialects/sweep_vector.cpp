#include "tracelift/dialects/sweep_vector.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/ranges.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"
#include "ttnn/tensor/types.hpp"

namespace tracelift {
namespace {

constexpr const char* memory_config_type = "ttnn._ttnn.tensor.MemoryConfig";

bool is_record(const Value& value, std::string_view type) {
    const auto* record = value.as<Value::Struct>();
    return record != nullptr && record->type == type;
}

std::string enum_text(const Value::Enum& tagged) { return fmt::format("{}.{}", tagged.type, tagged.member); }

// Orientations stay numbers where buffer types and layouts are names.
int orientation_number(const Value* orientation) {
    const auto* tagged = orientation != nullptr ? orientation->as<Value::Enum>() : nullptr;
    return tagged != nullptr && tagged->member == "COL_MAJOR" ? 1 : 0;
}

Json grid_json(const Value* grid) {
    Json list = Json::array();
    const Value* ranges = grid != nullptr ? grid->find("ranges") : nullptr;
    if (ranges == nullptr || ranges->as<Value::List>() == nullptr) {
        return list;
    }
    for (const Value& range : *ranges->as<Value::List>()) {
        list.push_back(
            {{"end", write_python_value(*range.find("end"))}, {"start", write_python_value(*range.find("start"))}});
    }
    return list;
}

std::string member(const Value* value) {
    const auto* tagged = value != nullptr ? value->as<Value::Enum>() : nullptr;
    return tagged != nullptr ? tagged->member : "";
}

Json memory_config_json(const Value& config) {
    Json data{{"buffer_type", member(config.find("buffer_type"))},
              {"created_with_nd_shard_spec", false},
              {"memory_layout", member(config.find("memory_layout"))}};
    if (const Value* nd = config.find("nd_shard_spec"); nd != nullptr && !nd->is_null()) {
        data["created_with_nd_shard_spec"] = true;
        data["nd_shard_spec"] = {
            {"grid", grid_json(nd->find("grid"))},
            {"orientation", orientation_number(nd->find("orientation"))},
            {"shard_distribution_strategy", member(nd->find("shard_distribution_strategy")) == "GRID_2D" ? 1 : 0},
            {"shard_shape", write_python_value(*nd->find("shard_shape"))}};
    } else if (const Value* spec = config.find("shard_spec"); spec != nullptr && !spec->is_null()) {
        data["shard_spec"] = {{"grid", grid_json(spec->find("grid"))},
                              {"orientation", orientation_number(spec->find("orientation"))},
                              {"shape", write_python_value(*spec->find("shape"))}};
    }
    return {{"type", memory_config_type}, {"data", std::move(data)}};
}

void numbers_to_names(Json& spec) {
    const auto rename = [&](const char* key, const char* zero, const char* one) {
        if (const auto found = spec.find(key); found != spec.end() && found->is_number_integer()) {
            *found = found->get<int>() == 1 ? one : zero;
        }
    };
    rename("orientation", "ROW_MAJOR", "COL_MAJOR");
    rename("shard_distribution_strategy", "ROUND_ROBIN_1D", "GRID_2D");
}

// {"type", "data"}, whose data older files have as text.
Value read_memory_config(const Json& json) {
    Json data = json.at("data");
    if (data.is_string()) {
        data = Json::parse(data.get<std::string>());
    }
    for (const char* key : {"shard_spec", "nd_shard_spec"}) {
        if (const auto spec = data.find(key); spec != data.end() && spec->is_object()) {
            numbers_to_names(*spec);
        }
    }
    return read_python_value(json_tree(data));
}

std::string tuple_text(const Value& shape) {
    const auto* list = shape.as<Value::List>();
    if (list == nullptr) {
        return shape.to_text();
    }
    std::vector<std::string> sizes;
    for (const Value& size : *list) {
        sizes.push_back(size.to_text());
    }
    return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

Value read_tuple(const std::string& text) {
    std::string list = text;
    std::ranges::replace(list, '(', '[');
    std::ranges::replace(list, ')', ']');
    if (const size_t comma = list.find(",]"); comma != list.npos) {
        list.erase(comma, 1);
    }
    return parse_json(list);
}

Json plain_json(const Value& value) {
    if (const auto* tagged = value.as<Value::Enum>()) {
        return enum_text(*tagged);
    }
    if (is_record(value, "MemoryConfig")) {
        return memory_config_json(value);
    }
    return write_python_value(value);
}

void put_tensor(const std::string& name, const Value::Struct& tensor, std::vector<Parameter>& to) {
    for (const auto& [field, value] : tensor.fields) {
        if (field == "shape") {
            to.emplace_back(name + "_shape", tuple_text(value));
        } else if (field != "storage_type" || member(&value) != "DEVICE") {
            to.emplace_back(fmt::format("{}_{}", name, field), plain_json(value));
        }
    }
}

// A text of the form Type.MEMBER, as enums are written.
std::optional<Value::Enum> as_enum(const std::string& text) {
    const size_t dot = text.find('.');
    const auto is_name = [](std::string_view part) {
        return !part.empty() && std::isalpha(static_cast<unsigned char>(part[0])) != 0 &&
               std::ranges::all_of(part,
                                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
    };
    if (dot == text.npos || !is_name(text.substr(0, dot)) || !is_name(text.substr(dot + 1)) ||
        std::isupper(static_cast<unsigned char>(text[0])) == 0) {
        return std::nullopt;
    }
    return Value::Enum{text.substr(0, dot), text.substr(dot + 1)};
}

Value read_parameter(const Json& json) {
    if (json.is_object() && json.size() == 2 && json.contains("data") && json.contains("type")) {
        return read_memory_config(json);
    }
    if (json.is_string()) {
        if (auto tagged = as_enum(json.get_ref<const std::string&>())) {
            return std::move(*tagged);
        }
    }
    return read_python_value(json_tree(json));
}

constexpr std::string_view tensor_fields[] = {"shape",         "dtype",     "layout", "storage_type",
                                              "memory_config", "alignment", "tile",   "tensor_placement"};

// "t_0_shape" -> {"t_0", "shape"}, where t_0 has a shape and a dtype.
std::optional<std::pair<std::string, std::string>> tensor_part(const Json& parameters, const std::string& key) {
    for (const std::string_view field : tensor_fields) {
        if (!key.ends_with(field) || key.size() < field.size() + 2 || key[key.size() - field.size() - 1] != '_') {
            continue;
        }
        const std::string tensor = key.substr(0, key.size() - field.size() - 1);
        if (parameters.contains(tensor + "_shape") && parameters.contains(tensor + "_dtype")) {
            return std::pair(tensor, std::string(field));
        }
    }
    return std::nullopt;
}

// "tensors_0" -> {"tensors", 0}
std::optional<std::pair<std::string, size_t>> list_item(const std::string& name) {
    const size_t dash = name.rfind('_');
    if (dash == name.npos || dash + 1 == name.size() ||
        !std::all_of(name.begin() + static_cast<ptrdiff_t>(dash) + 1, name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; })) {
        return std::nullopt;
    }
    return std::pair(name.substr(0, dash), std::stoul(name.substr(dash + 1)));
}

bool all_tensors(const Value::List& list) {
    return !list.empty() && std::ranges::all_of(list, [](const Value& item) { return is_record(item, "Tensor"); });
}

void put_field(Value::Dict& fields, const std::string& field, const Json& json) {
    const bool tuple = field == "shape" && json.is_string();
    fields.push_back({field, tuple ? read_tuple(json.get<std::string>()) : read_parameter(json)});
}

// In the order of a tensor's own fields, with the storage type that was left out.
Value tensor_of(Value::Dict fields) {
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(fields, [&](const Value::Entry& entry) { return entry.key == name; });
    };
    if (!has("storage_type")) {
        fields.push_back({"storage_type", Value::Enum{"StorageType", "DEVICE"}});
    }
    std::ranges::sort(fields, {}, [](const Value::Entry& entry) {
        return std::ranges::find(tensor_fields, entry.key) - std::begin(tensor_fields);
    });
    return Value::Struct{"Tensor", std::move(fields)};
}

void append_compact(const Json& json, std::string& text) {
    if (json.is_object()) {
        std::map<std::string_view, const Json*> sorted;
        for (const auto& [key, value] : json.items()) {
            sorted.emplace(key, &value);
        }
        text += '{';
        for (const auto& [key, value] : sorted) {
            text += text.back() == '{' ? "" : ",";
            text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace);
            text += ':';
            append_compact(*value, text);
        }
        text += '}';
    } else if (json.is_array()) {
        text += '[';
        bool first = true;
        for (const Json& item : json) {
            text += first ? "" : ",";
            first = false;
            append_compact(item, text);
        }
        text += ']';
    } else if (json.is_number_float()) {
        text += python_float(json.get<double>());
    } else {
        text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

}  // namespace

std::vector<Parameter> parameters_of(const std::string& argument, const Value& value) {
    std::vector<Parameter> parameters;
    const auto* list = value.as<Value::List>();
    if (is_record(value, "Tensor")) {
        put_tensor(argument, *value.as<Value::Struct>(), parameters);
    } else if (list != nullptr && all_tensors(*list)) {
        for (size_t i = 0; i < list->size(); ++i) {
            put_tensor(fmt::format("{}_{}", argument, i), *(*list)[i].as<Value::Struct>(), parameters);
        }
    } else {
        parameters.emplace_back(argument, plain_json(value));
    }
    return parameters;
}

Json native_parameters(const Value::Dict& arguments) {
    Json parameters = Json::object();
    for (const auto& [name, value] : arguments) {
        for (auto& [key, json] : parameters_of(name, value)) {
            parameters[key] = std::move(json);
        }
    }
    return parameters;
}

Value::Dict arguments_of(const Json& parameters) {
    Value::Dict arguments;
    std::vector<std::string> tensors;  // in order
    std::map<std::string, Value::Dict> fields;
    for (const auto& [key, json] : parameters.items()) {
        try {
            if (const auto part = tensor_part(parameters, key)) {
                if (!fields.contains(part->first)) {
                    tensors.push_back(part->first);
                }
                put_field(fields[part->first], part->second, json);
            } else {
                arguments.push_back({key, read_parameter(json)});
            }
        } catch (const std::exception& error) {
            throw std::invalid_argument(fmt::format("parameter '{}': {}", key, error.what()));
        }
    }
    std::map<std::string, std::map<size_t, Value>> lists;
    for (const std::string& name : tensors) {
        Value tensor = tensor_of(std::move(fields[name]));
        if (const auto item = list_item(name)) {
            lists[item->first].emplace(item->second, std::move(tensor));
        } else {
            arguments.push_back({name, std::move(tensor)});
        }
    }
    for (auto& [name, items] : lists) {
        Value::List list;
        for (auto& [index, tensor] : items) {
            list.push_back(std::move(tensor));
        }
        arguments.push_back({name, std::move(list)});
    }
    return arguments;
}

std::string compact_json(const Json& json) {
    std::string text;
    append_compact(json, text);
    return text;
}

}  // namespace tracelift
