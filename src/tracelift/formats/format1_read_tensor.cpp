#include <stdexcept>

#include "tracelift/formats/format1_values.hpp"
#include "tracelift/formats/tensor_spec.hpp"

namespace tracelift::format1 {

bool is_core(const Json& json) {
    return json.is_object() && json.size() == 2 && json.contains("x") && json.contains("y") &&
           json["x"].is_number_integer() && json["y"].is_number_integer();
}

Value read_core(const Json& json) {
    if (!is_core(json)) {
        throw std::invalid_argument("expected a core {x, y}");
    }
    return Value::Struct{"CoreCoord", {{"x", read_value(json["x"])}, {"y", read_value(json["y"])}}};
}

namespace {

Value core_range(const Json& start, const Json& end) {
    return Value::Struct{"CoreRange", {{"start", read_core(start)}, {"end", read_core(end)}}};
}

Value read_range(const Json& json) {
    if (json.is_array() && json.size() == 2) {
        return core_range(json[0], json[1]);
    }
    return core_range(at(json, "start"), at(json, "end"));
}

}  // namespace

Value read_grid(const Json& json) {
    Value::List ranges;
    if (json.is_array() && json.size() == 2 && is_core(json[0])) {
        ranges.push_back(read_range(json));
    } else if (json.is_array()) {
        for (const Json& range : json) {
            ranges.push_back(read_range(range));
        }
    } else if (!json.is_object() || !json.empty()) {
        throw std::invalid_argument("grid: expected a list of core ranges");
    }
    return Value::Struct{"CoreRangeSet", {{"ranges", std::move(ranges)}}};
}

bool is_grid(const Json& json) {
    if (!json.is_array()) {
        return json.is_object() && json.empty();
    }
    const Json& first = json.empty() ? json : json[0];
    return is_core(first) || (first.is_array() && !first.empty() && is_core(first[0])) ||
           (first.is_object() && first.contains("start"));
}

namespace {

bool is_flag_set(const Json* json) {
    return json != nullptr && (*json == 1 || *json == true || *json == "1" || *json == "true");
}

}  // namespace

Value read_shard_spec(const Json& json) {
    return Value::Struct{"ShardSpec",
                         {{"grid", read_grid(at(json, "grid"))},
                          {"shape", read_int_list("shape", at(json, "shape"))},
                          {"orientation", read_enum("ShardOrientation", at(json, "orientation"))}}};
}

Value read_nd_shard_spec(const Json& json) {
    return Value::Struct{"NdShardSpec",
                         {{"shard_shape", read_int_list("shard_shape", at(json, "shard_shape"))},
                          {"grid", read_grid(at(json, "grid"))},
                          {"orientation", read_enum("ShardOrientation", at(json, "orientation"))},
                          {"shard_distribution_strategy",
                           read_enum("ShardDistributionStrategy", at(json, "shard_distribution_strategy"))}}};
}

// Of the two shard specs only the one that the config was made with: the other follows from it.
Value read_memory_config(const Json& json) {
    Value::Dict fields = {{"memory_layout", read_enum("TensorMemoryLayout", at(json, "memory_layout"))},
                          {"buffer_type", read_enum("BufferType", at(json, "buffer_type"))}};
    const Json* spec = find(json, "shard_spec");
    const Json* nd_spec = find(json, "nd_shard_spec");
    if (is_flag_set(find(json, "created_with_nd_shard_spec")) && !is_absent(nd_spec)) {
        fields.push_back({"nd_shard_spec", read_nd_shard_spec(*nd_spec)});
    } else if (!is_absent(spec)) {
        fields.push_back({"shard_spec", read_shard_spec(*spec)});
    }
    return Value::Struct{"MemoryConfig", std::move(fields)};
}

namespace {

// Row-major tensors align only their width. Without an alignment either: TILE, as the original's loaders assume.
Value read_layout(const Json& tensor, const Json* alignment) {
    if (const Json* layout = find(tensor, "layout"); !is_absent(layout)) {
        return read_enum("Layout", *layout);
    }
    return Value::Enum{"Layout", alignment != nullptr && alignment->size() == 1 ? "ROW_MAJOR" : "TILE"};
}

Value read_storage_type(const Json& tensor) {
    const Json* storage = find(tensor, "storage_type");
    return is_absent(storage) ? Value::Enum{"StorageType", "DEVICE"} : read_enum("StorageType", *storage);
}

// The tile of a page config; null for the usual one, which traces leave out.
Value read_tile(const Json* page_config) {
    const Json* config = page_config != nullptr ? find(*page_config, "config") : nullptr;
    const Json* tile = config != nullptr ? find(*config, "tile") : nullptr;
    if (tile == nullptr) {
        return {};
    }
    Value::Dict fields = {{"tile_shape", read_int_list("tile_shape", at(*tile, "tile_shape"))}};
    const bool transposed = is_flag_set(find(*tile, "transpose_tile"));
    if (!transposed && fields.front().value == Value(Value::List{32, 32})) {
        return {};
    }
    if (transposed) {
        fields.push_back({"transpose_tile", 1});
    }
    return Value::Struct{"Tile", std::move(fields)};
}

bool has_default_alignment(const Value& tensor) {
    const auto spec = tensor_spec_of(tensor);
    return spec && spec->has_default_alignment();
}

Value assemble_tensor(Value::Dict fields, Value alignment, Value tile) {
    const auto with_tile = [&tile](Value::Dict all) {
        if (!tile.is_null()) {
            all.push_back({"tile", tile});
        }
        return Value(Value::Struct{"Tensor", std::move(all)});
    };
    Value::Dict aligned = fields;
    aligned.push_back({"alignment", alignment});
    Value full = with_tile(std::move(aligned));
    return alignment.is_null() || has_default_alignment(full) ? with_tile(std::move(fields)) : full;
}

}  // namespace

Value read_tensor(const Json& json) {
    const Json& spec = at(json, "tensor_spec");
    const Json& layout = at(spec, "tensor_layout");
    const Json* alignment = find(layout, "alignment");
    return assemble_tensor({{"shape", read_int_list("logical_shape", at(spec, "logical_shape"))},
                            {"dtype", read_enum("DataType", at(layout, "dtype"))},
                            {"layout", read_layout(json, alignment)},
                            {"storage_type", read_storage_type(json)},
                            {"memory_config", read_memory_config(at(layout, "memory_config"))}},
                           is_absent(alignment) ? Value() : read_int_list("alignment", *alignment),
                           read_tile(find(layout, "page_config")));
}

}  // namespace tracelift::format1
