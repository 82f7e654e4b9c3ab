#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tracelift/base/python_json.hpp"
#include "tracelift/dialects/format2_values.hpp"
#include "tracelift/dialects/json_tree.hpp"

namespace tracelift {
namespace {

std::string dotted(const Value& value) {
    const auto* tagged = value.as<Value::Enum>();
    return tagged != nullptr ? tagged->type + "." + tagged->member : value.to_text();
}

std::string member_of(const Value& value) {
    const auto* tagged = value.as<Value::Enum>();
    return tagged != nullptr ? tagged->member : value.to_text();
}

Json write_core(const Value& core) {
    Json object = Json::object();
    for (const auto& entry : core.as<Value::Struct>()->fields) {
        object[entry.key] = write_python_value(entry.value);
    }
    return object;
}

bool is_struct(const Value* value, std::string_view type) {
    const auto* record = value != nullptr ? value->as<Value::Struct>() : nullptr;
    return record != nullptr && record->type == type;
}

bool is_core(const Value* value) {
    const auto is_int = [&](std::string_view name) {
        const Value* part = value->find(name);
        return part != nullptr && part->as<int64_t>() != nullptr;
    };
    return is_struct(value, "CoreCoord") && value->as<Value::Struct>()->fields.size() == 2 && is_int("x") &&
           is_int("y");
}

// The ranges of a CoreRangeSet; nothing when it is not a complete one.
std::optional<Json> ranges_of(const Value* set) {
    const Value* ranges = is_struct(set, "CoreRangeSet") ? set->find("ranges") : nullptr;
    const auto* list = ranges != nullptr ? ranges->as<Value::List>() : nullptr;
    if (list == nullptr || set->as<Value::Struct>()->fields.size() != 1) {
        return std::nullopt;
    }
    Json array = Json::array();
    for (const Value& range : *list) {
        const Value* start = range.find("start");
        const Value* end = range.find("end");
        if (!is_struct(&range, "CoreRange") || !is_core(start) || !is_core(end)) {
            return std::nullopt;
        }
        array.push_back({{"start", write_core(*start)}, {"end", write_core(*end)}});
    }
    return array;
}

Json write_shard_spec(const Value& spec) {
    Json object = Json::object();
    for (const auto& [name, value] : spec.as<Value::Struct>()->fields) {
        object[name] = name == "grid"            ? ranges_of(&value).value_or(Json())
                       : name == "orientation"   ? Json(member_of(value))
                       : value.as<Value::Enum>() ? Json(dotted(value))
                                                 : write_python_value(value);
    }
    return object;
}

Json write_memory_config(const Value::Struct& config) {
    const Value value = config;
    const Value* layout = value.find("memory_layout");
    const Value* buffer = value.find("buffer_type");
    Json object = Json::object();
    object["memory_layout"] = layout != nullptr ? dotted(*layout) : "?";
    object["buffer_type"] = buffer != nullptr ? dotted(*buffer) : "?";
    const Value* spec = value.find("shard_spec");
    object["shard_spec"] = is_struct(spec, "ShardSpec") ? write_shard_spec(*spec) : Json();
    if (const Value* nd = value.find("nd_shard_spec"); is_struct(nd, "NdShardSpec")) {
        object["nd_shard_spec"] = write_shard_spec(*nd);
    }
    const bool interleaved = layout != nullptr && member_of(*layout) == "INTERLEAVED";
    object["is_sharded"] = !interleaved;
    object["interleaved"] = interleaved;
    return object;
}

Json write_tensor(const Value::Struct& tensor) {
    Json object{{"type", "ttnn.Tensor"}};
    for (const auto& [name, value] : tensor.fields) {
        if (name == "shape" || name == "dtype") {
            object["original_" + name] = name == "shape" ? write_python_value(value) : Json(dotted(value));
        } else if (name == "memory_config" && is_struct(&value, "MemoryConfig")) {
            object[name] = write_memory_config(*value.as<Value::Struct>());
        } else if (name == "layout" || name == "storage_type") {
            object[name] = dotted(value);
        } else {
            object[name] = write_python_value(value);
        }
    }
    return object;
}

Json write_compute_config(const Value::Struct& config) {
    Json object = Json::object();
    for (const auto& [name, value] : config.fields) {
        if (name == "math_approx_mode" && value.as<bool>() != nullptr) {
            object[name] = *value.as<bool>() ? "True" : "False";
        } else {
            object[name] = value.as<Value::Enum>() != nullptr ? Json(dotted(value)) : write_python_value(value);
        }
    }
    return object;
}

Json write_pairs(const Value::Dict& dict) {
    Json pairs = Json::array();
    for (const auto& [key, value] : dict) {
        pairs.push_back(Json::array({key, write_python_value(value)}));
    }
    return pairs;
}

bool reads_back(const Json& written, const Value& value) { return read_python_value(json_tree(written)) == value; }

// Whether {"type": T, <members>} may mean something else than a record with these members: its type or one of its
// members has a meaning of its own. Asking first is cheaper than reading everything back.
bool is_ambiguous(const Value::Struct& record) {
    static constexpr std::string_view types[] = {"Tensor", "ttnn.Tensor", "UnparsedElement", "dict",
                                                 "object", "record",      "CoreRangeSet"};
    static constexpr std::string_view members[] = {"type", "repr", "value"};
    return std::ranges::find(types, record.type) != std::end(types) || record.type.ends_with("MemoryConfig") ||
           record.type.ends_with("ComputeKernelConfig") ||
           std::ranges::any_of(record.fields, [](const Value::Entry& field) {
               return std::ranges::find(members, field.key) != std::end(members);
           });
}

// Member by member; in pairs where that reads as something else.
Json write_fields(const Value& value, const Value::Struct& record) {
    Json object{{"type", record.type}};
    for (const auto& [name, field] : record.fields) {
        object[name] = write_python_value(field);
    }
    if (is_ambiguous(record) && !reads_back(object, value)) {
        return {{"type", "record"}, {"class", record.type}, {"items", write_pairs(record.fields)}};
    }
    return object;
}

// In the usual form where that reads back the same, else member by member.
template <class Write>
Json usual_or_plain(const Value& value, const Value::Struct& record, const Write& write) {
    Json usual = write(record);
    return reads_back(usual, value) ? usual : write_fields(value, record);
}

Json write_tile(const Value::Struct& tile) {
    const auto* shape = tile.fields.size() == 1 ? tile.fields[0].value.as<Value::List>() : nullptr;
    std::string text;
    for (const Value& dim : shape != nullptr ? *shape : Value::List{}) {
        text += (text.empty() ? "" : ", ") + dim.to_text();
    }
    return {{"type", "Tile"}, {"value", fmt::format("Tile with shape: [{}]", text)}};
}

Json write_record(const Value& value, const Value::Struct& record) {
    if (record.type == "Tensor") {
        return usual_or_plain(value, record, write_tensor);
    }
    if (record.type == "MemoryConfig") {
        return usual_or_plain(value, record, write_memory_config);
    }
    if (record.type == "WormholeComputeKernelConfig") {
        return usual_or_plain(value, record, write_compute_config);
    }
    if (record.type == "Tile") {
        return usual_or_plain(value, record, write_tile);
    }
    if (is_core(&value)) {
        return write_core(value);
    }
    if (auto ranges = ranges_of(&value)) {
        return {{"type", "CoreRangeSet"}, {"ranges", std::move(*ranges)}};
    }
    return write_fields(value, record);
}

struct Writer {
    const Value& value;

    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool flag) const { return flag; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(python_float(number)); }
    Json operator()(const std::string& text) const {
        const bool plain = read_python_value(value) == value;
        return plain ? Json(text) : Json{{"type", "str"}, {"value", text}};
    }
    Json operator()(const Value::List& list) const {
        Json array = Json::array();
        for (const Value& item : list) {
            array.push_back(write_python_value(item));
        }
        return array;
    }
    Json operator()(const Value::Dict& dict) const {
        Json object = Json::object();
        for (const auto& [key, inner] : dict) {
            object[key] = write_python_value(inner);
        }
        return reads_back(object, value) ? object : Json{{"type", "dict"}, {"items", write_pairs(dict)}};
    }
    Json operator()(const Value::Enum& tagged) const {
        return {{"type", tagged.type}, {"repr", tagged.type + "." + tagged.member}};
    }
    Json operator()(const Value::Struct& record) const { return write_record(value, record); }
    Json operator()(const Value::Object& object) const {
        if (Json device{{"type", object.type}, {"repr", object.text}};
            object.type == "MeshDevice" && reads_back(device, value)) {
            return device;
        }
        if (object.type == "uint64" && !object.text.empty() && object.text.size() <= 20) {
            Json number = Json::parse(object.text, nullptr, false);
            if (json_tree(number) == value) {
                return number;
            }
        }
        return {{"type", "object"}, {"class", object.type}, {"text", object.text}};
    }
    Json operator()(const Value::Unparsed& unparsed) const {
        return {{"type", "UnparsedElement"}, {"element_info", unparsed.text}, {"error", unparsed.reason}};
    }
};

}  // namespace

Json write_python_value(const Value& value) { return std::visit(Writer{value}, value.data()); }

}  // namespace tracelift
