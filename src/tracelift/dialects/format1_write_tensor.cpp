#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "tracelift/dialects/default_alignment.hpp"
#include "tracelift/dialects/format1_values.hpp"
#include "ttnn/tensor/tile.hpp"

namespace tracelift::format1 {
namespace {

constexpr std::string_view absent = "std::nullopt";

Json write_range(const Value& range) {
    return Json::array({write_value(field(range, "start")), write_value(field(range, "end"))});
}

std::pair<int64_t, int64_t> pair_of(const Value& value) {
    const auto* list = value.as<Value::List>();
    if (list == nullptr || list->size() != 2 || !(*list)[0].as<int64_t>() || !(*list)[1].as<int64_t>()) {
        throw std::invalid_argument(fmt::format("cannot write {}: expected two ints", value.to_text()));
    }
    return {*(*list)[0].as<int64_t>(), *(*list)[1].as<int64_t>()};
}

// "{64, 32}": captures have the shape of a 2-D shard as text, that of an n-D one as a list.
std::string braced(const Value& shape) {
    const auto [height, width] = pair_of(shape);
    return fmt::format("{{{}, {}}}", height, width);
}

Json write_shard_spec(const Value* spec) {
    if (spec == nullptr || spec->is_null()) {
        return absent;
    }
    Json object = Json::object();
    for (const auto* name : {"shard_shape", "grid", "shape", "orientation", "shard_distribution_strategy"}) {
        if (const Value* part = spec->find(name)) {
            object[name] = std::string_view(name) == "grid"    ? write_grid(*part)
                           : std::string_view(name) == "shape" ? Json(braced(*part))
                                                               : write_value(*part);
        }
    }
    return object;
}

// Faces are 16 wide and at most 16 high.
Json write_page_config(const Value* tile) {
    const ttnn::Tile usual;
    int64_t height = usual.height();
    int64_t width = usual.width();
    if (tile != nullptr) {
        std::tie(height, width) = pair_of(field(*tile, "tile_shape"));
    }
    const int64_t face_height = std::clamp<int64_t>(height, 1, 16);
    Json written = {{"tile_shape", fmt::format("{{{}, {}}}", height, width)},
                    {"face_shape", fmt::format("{{{}, 16}}", face_height)},
                    {"num_faces", height / face_height * (width / 16)}};
    if (tile != nullptr && tile->find("transpose_tile") != nullptr) {
        written["transpose_tile"] = 1;
    }
    return {{"config", {{"tile", std::move(written)}}}};
}

// The alignment that the runtime gives where the trace names none; null when it cannot tell.
Json write_alignment(const Value& tensor) {
    if (const Value* given = tensor.find("alignment")) {
        return write_value(*given);
    }
    const Value usual = default_alignment(field(tensor, "layout"), field(tensor, "memory_config"), tensor.find("tile"));
    return usual.is_null() ? Json() : write_value(usual);
}

}  // namespace

Json write_grid(const Value& grid) {
    Json ranges = Json::array();
    const auto* list = field(grid, "ranges").as<Value::List>();
    for (const Value& range : list != nullptr ? *list : Value::List{}) {
        ranges.push_back(write_range(range));
    }
    if (ranges.empty()) {
        return Json::object();
    }
    return ranges.size() == 1 ? Json(ranges[0]) : ranges;
}

Json write_memory_config(const Value& config) {
    const Value* nd_spec = config.find("nd_shard_spec");
    Json object = Json::object();
    object["memory_layout"] = write_value(field(config, "memory_layout"));
    object["buffer_type"] = write_value(field(config, "buffer_type"));
    object["shard_spec"] = write_shard_spec(config.find("shard_spec"));
    object["nd_shard_spec"] = write_shard_spec(nd_spec);
    object["created_with_nd_shard_spec"] = nd_spec != nullptr && !nd_spec->is_null() ? 1 : 0;
    return object;
}

Json write_tensor(const Value& tensor) {
    Json layout = {{"dtype", write_value(field(tensor, "dtype"))},
                   {"page_config", write_page_config(tensor.find("tile"))},
                   {"memory_config", write_memory_config(field(tensor, "memory_config"))}};
    if (Json alignment = write_alignment(tensor); !alignment.is_null()) {
        layout["alignment"] = std::move(alignment);
    }
    Json spec = {{"logical_shape", write_value(field(tensor, "shape"))}, {"tensor_layout", std::move(layout)}};
    Json object{{"storage", Json::object()},
                {"tensor_spec", std::move(spec)},
                {"storage_type", write_value(field(tensor, "storage_type"))},
                {"layout", write_value(field(tensor, "layout"))}};
    if (const Value* placement = tensor.find("tensor_placement")) {
        object["tensor_placement"] = to_json(*placement);  // texts only
    }
    return object;
}

}  // namespace tracelift::format1
