#include "tracelift/dialects/default_alignment.hpp"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ttnn/core/error.hpp"
#include "ttnn/tensor/tensor_spec.hpp"

namespace tracelift {
namespace {

// The dimensions of a shape; nothing when it is none, or not of a tensor that could be.
std::optional<std::vector<uint32_t>> dims_of(const Value* shape) {
    const auto* list = shape != nullptr ? shape->as<Value::List>() : nullptr;
    if (list == nullptr || list->empty()) {
        return std::nullopt;
    }
    std::vector<uint32_t> dims;
    for (const Value& item : *list) {
        const auto* dim = item.as<int64_t>();
        if (dim == nullptr || *dim < 1 || *dim > std::numeric_limits<uint32_t>::max()) {
            return std::nullopt;
        }
        dims.push_back(static_cast<uint32_t>(*dim));
    }
    return dims;
}

std::optional<ttnn::Tile> tile_of(const Value* tile) {
    if (tile == nullptr || tile->is_null()) {
        return ttnn::Tile();
    }
    const auto dims = dims_of(tile->find("tile_shape"));
    if (!dims || dims->size() != 2) {
        return std::nullopt;
    }
    try {
        return ttnn::Tile({(*dims)[0], (*dims)[1]});
    } catch (const ttnn::Error&) {
        return std::nullopt;  // no tile that a card has
    }
}

std::optional<uint32_t> shard_width(const Value& memory_config) {
    for (const auto& [spec, shape] : {std::pair("nd_shard_spec", "shard_shape"), std::pair("shard_spec", "shape")}) {
        const Value* found = memory_config.find(spec);
        if (const auto dims = found != nullptr ? dims_of(found->find(shape)) : std::nullopt) {
            return dims->back();
        }
    }
    return std::nullopt;
}

}  // namespace

Value default_alignment(const Value& layout, const Value& memory_config, const Value* tile) {
    const auto* named = layout.as<Value::Enum>();
    const auto member = named != nullptr ? ttnn::member_of<ttnn::Layout>(named->member) : std::nullopt;
    const auto known_tile = tile_of(tile);
    if (!member || !known_tile) {
        return {};
    }
    Value::List dims;
    for (const uint32_t dim : ttnn::default_alignment(*member, *known_tile, shard_width(memory_config))) {
        dims.emplace_back(dim);
    }
    return dims;
}

}  // namespace tracelift
