#include "ttnn/op/tensor_placement.hpp"

#include <charconv>
#include <span>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "ttnn/device/device.hpp"
#include "ttnn/op/type_info.hpp"

namespace ttnn {
namespace {

using tracelift::Value;

constexpr std::string_view placement_key = "placement";
constexpr std::string_view distribution_key = "distribution_shape";
constexpr std::string_view mesh_key = "mesh_device_shape";
constexpr std::string_view replicate = "PlacementReplicate";
constexpr std::string_view shard = "PlacementShard(";
constexpr uint64_t most_chips = 4096;

std::string list_text(const MeshShape& shape) { return fmt::format("[{}]", fmt::join(shape.dims, ", ")); }

// As Python prints a list of them.
std::string list_text(std::span<const Placement> placements) {
    std::string text;
    for (const Placement& placement : placements) {
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", placement.to_string());
    }
    return "[" + text + "]";
}

// What stands between the commas of "[a, b]", without blanks and quotation marks.
std::vector<std::string_view> items_of(const Value& value, std::string_view key) {
    const Value* member = value.find(key);
    const auto* text = member != nullptr ? member->as<std::string>() : nullptr;
    if (text == nullptr || text->size() < 2 || text->front() != '[' || text->back() != ']') {
        throw DecodeError(fmt::format("expected '{}' to be the text of a list, got {}", key, value.to_text()));
    }
    std::vector<std::string_view> items;
    std::string_view rest = std::string_view(*text).substr(1, text->size() - 2);
    while (!rest.empty()) {
        const size_t comma = std::min(rest.find(','), rest.size());
        std::string_view item = rest.substr(0, comma);
        constexpr std::string_view around = " '\"";
        item.remove_prefix(std::min(item.find_first_not_of(around), item.size()));
        item = item.substr(0, item.find_last_not_of(around) + 1);
        items.push_back(item);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return items;
}

template <class T>
T number_of(std::string_view text, std::string_view key) {
    T number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        throw DecodeError(fmt::format("expected a number in '{}', got '{}'", key, text));
    }
    return number;
}

MeshShape shape_of(const Value& value, std::string_view key) {
    MeshShape shape{{}};
    uint64_t chips = 1;
    for (const std::string_view item : items_of(value, key)) {
        shape.dims.push_back(number_of<uint32_t>(item, key));
        chips *= shape.dims.back();
        if (chips == 0 || chips > most_chips) {
            throw DecodeError(fmt::format("expected '{}' to be of 1 to {} chips, got {}", key, most_chips,
                                          value.find(key)->to_text()));
        }
    }
    return shape;
}

Placement placement_of(std::string_view text) {
    if (text == replicate || text == fmt::format("{}()", replicate)) {
        return {};
    }
    if (!text.starts_with(shard) || !text.ends_with(')')) {
        throw DecodeError(fmt::format("expected {} or {}n), got '{}'", replicate, shard, text));
    }
    return {number_of<int32_t>(text.substr(shard.size(), text.size() - shard.size() - 1), placement_key)};
}

// The parts hold the same values: who fills a host tensor fills all of it.
Tensor with_parts(const Tensor& tensor, const Topology& topology) {
    const std::vector<Tensor> parts(topology.distribution.num_chips(), tensor);
    return parts.size() == 1 ? tensor : Tensor::from_parts(parts, topology);
}

}  // namespace

std::optional<TensorPlacement> TensorPlacement::of_several_chips(const Tensor& tensor) {
    const Topology& topology = tensor.topology();
    if (!tensor.chip() && topology.distribution.num_chips() == 1) {
        return std::nullopt;
    }
    if (tensor.buffer() != nullptr) {
        return TensorPlacement{topology, tensor.buffer()->device()->mesh()};
    }
    // On the host there is no mesh but the one that the parts themselves make.
    const MeshShape& parts = topology.distribution;
    return TensorPlacement{topology, parts.rank() == 1 ? MeshShape{{1, parts.dims[0]}} : parts};
}

void TensorPlacement::put(tracelift::ValueSink& sink) const {
    sink.dict(3);
    sink.key(placement_key);
    sink.text(list_text(topology.placements));
    sink.key(distribution_key);
    sink.text(list_text(topology.distribution));
    sink.key(mesh_key);
    sink.text(list_text(mesh));
}

TensorPlacement TensorPlacement::decode(const Value& value) {
    TensorPlacement placement{{{}, shape_of(value, distribution_key)}, shape_of(value, mesh_key)};
    for (const std::string_view item : items_of(value, placement_key)) {
        placement.topology.placements.push_back(placement_of(item));
    }
    const MeshShape& distribution = placement.topology.distribution;
    if (distribution.rank() == 0 || placement.topology.placements.size() != distribution.rank() ||
        distribution.num_chips() > placement.mesh.num_chips()) {
        throw DecodeError(fmt::format("a tensor cannot lie on a mesh as {} says", value.to_text()));
    }
    return placement;
}

uint32_t TensorPlacement::num_different_parts() const {
    uint32_t parts = 1;
    for (size_t i = 0; i < topology.placements.size(); ++i) {
        parts *= topology.placements[i].is_shard() ? topology.distribution.dims[i] : 1;
    }
    return parts;
}

Tensor placed(Tensor tensor, const Value& placement, const std::shared_ptr<Device>& device) {
    if (!tensor.is_allocated() || device == nullptr || device->num_chips() == 1) {
        return tensor;
    }
    const TensorPlacement given = TensorPlacement::decode(placement);
    if (!tensor.is_on_device()) {
        return with_parts(tensor, given.topology);
    }
    if (given.mesh != device->mesh()) {
        throw DecodeError(fmt::format("expected a tensor on a mesh of {}, as the device is, got one on {}",
                                      device->mesh().to_string(), given.mesh.to_string()));
    }
    if (given.topology.distribution.num_chips() == 1) {
        return tensor.part(0);
    }
    tensor.set_topology(given.topology);
    return tensor;
}

}  // namespace ttnn
