#include "tracelift/formats/tensor_spec.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "tracelift/value/json.hpp"

namespace tracelift {
namespace {

const Value& member(const Value& record, std::string_view name) {
    const Value* value = record.find(name);
    if (value == nullptr) {
        throw std::invalid_argument(fmt::format("no field '{}'", name));
    }
    return *value;
}

template <class E>
E enum_of(const Value& value) {
    const auto* tagged = value.as<Value::Enum>();
    const auto found = ttnn::member_of<E>(tagged != nullptr ? tagged->member : std::string());
    if (!found) {
        throw std::invalid_argument(fmt::format("not a {}: {}", ttnn::EnumInfo<E>::type, value.to_text()));
    }
    return *found;
}

ttnn::Shape shape_of(const Value& value) {
    const auto* list = value.as<Value::List>();
    std::vector<int64_t> dims;
    for (const Value& item : list != nullptr ? *list : Value::List{value}) {
        const auto* dim = item.as<int64_t>();
        if (dim == nullptr) {
            throw std::invalid_argument(fmt::format("not a shape: {}", value.to_text()));
        }
        dims.push_back(*dim);
    }
    return ttnn::Shape::from_ints(dims);
}

// The JSON that ttnn::MemoryConfig::from_json reads: records as objects, enumerators by name, a grid as its ranges.
Json plain_json(const Value& value) {
    if (const auto* tagged = value.as<Value::Enum>()) {
        return tagged->member;
    }
    if (const auto* list = value.as<Value::List>()) {
        Json array = Json::array();
        for (const Value& item : *list) {
            array.push_back(plain_json(item));
        }
        return array;
    }
    const auto* record = value.as<Value::Struct>();
    if (record == nullptr) {
        return to_json(value);
    }
    if (record->type == "CoreRangeSet") {
        return plain_json(member(value, "ranges"));
    }
    Json object = Json::object();
    for (const auto& field : record->fields) {
        object[field.key] = plain_json(field.value);
    }
    return object;
}

ttnn::Tile tile_of(const Value& value) {
    const ttnn::Shape shape = shape_of(member(value, "tile_shape"));
    const Value* transposed = value.find("transpose_tile");
    return ttnn::Tile({shape[0], shape[1]},
                      transposed != nullptr && (*transposed == Value(true) || *transposed == Value(1)));
}

}  // namespace

std::optional<ttnn::TensorSpec> tensor_spec_of(const Value& tensor) {
    try {
        const Value* tile = tensor.find("tile");
        const Value* alignment = tensor.find("alignment");
        return ttnn::TensorSpec(shape_of(member(tensor, "shape")), enum_of<ttnn::DataType>(member(tensor, "dtype")),
                                enum_of<ttnn::Layout>(member(tensor, "layout")),
                                ttnn::MemoryConfig::from_json(plain_json(member(tensor, "memory_config")).dump()),
                                tile != nullptr ? tile_of(*tile) : ttnn::Tile(),
                                alignment != nullptr ? std::optional(shape_of(*alignment)) : std::nullopt);
    } catch (const std::exception&) {
        return std::nullopt;  // the caller does without it
    }
}

}  // namespace tracelift
