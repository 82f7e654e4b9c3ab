// Parts of a mesh as devices of their own, and other arrangements of its chips.
#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

#include "ttnn/core/error.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {

int Device::next_mesh_id() {
    static std::atomic<int> last = 0;
    return ++last;
}

void Device::reshape(const MeshShape& mesh) {
    require(mesh.num_chips() == num_chips(),
            "New shape must have the same number of devices as current shape: {} has {}, {} has {}", mesh.to_string(),
            mesh.num_chips(), mesh_.to_string(), num_chips());
    std::vector<int> ids;
    if (mesh.is_line()) {
        for (const uint32_t index : neighbour_path(mesh_)) {
            ids.push_back(chip_ids_[index]);
        }
    } else if (!options_.chip_ids.empty()) {
        ids = options_.chip_ids;
    } else {
        ids.resize(num_chips());
        std::iota(ids.begin(), ids.end(), options_.device_id);
    }
    reshape(mesh, std::move(ids));
}

std::shared_ptr<Device> Device::create_submesh(const MeshShape& shape, const std::optional<MeshCoordinate>& offset) {
    const MeshCoordinate first = offset.value_or(MeshCoordinate{std::vector<uint32_t>(mesh_.rank())});
    require(shape.rank() == mesh_.rank() && first.values.size() == mesh_.rank(),
            "Submesh shape {} and offset {} must have the same number of dimensions as the parent mesh {}",
            shape.to_string(), first.to_string(), mesh_.to_string());
    require(std::ranges::find(shape.dims, 0U) == shape.dims.end(),
            "Invalid submesh shape {}: all dimensions must be positive", shape.to_string());
    for (size_t i = 0; i < mesh_.rank(); ++i) {
        require(uint64_t{first.values[i]} + shape.dims[i] <= mesh_.dims[i],
                "Submesh shape {} at offset {} does not fit within parent mesh {}", shape.to_string(),
                first.to_string(), mesh_.to_string());
    }
    DeviceOptions options = options_;
    options.device_id = next_mesh_id();
    options.custom_board = board_;
    options.mesh = shape;
    options.chip_ids.clear();
    for (uint32_t i = 0; i < shape.num_chips(); ++i) {
        MeshCoordinate place = shape.coordinate_of(i);
        std::ranges::transform(place.values, first.values, place.values.begin(), std::plus());
        options.chip_ids.push_back(chip_ids_[mesh_.index_of(place)]);
    }
    return submeshes_.emplace_back(open(std::move(options)));
}

std::vector<std::shared_ptr<Device>> Device::create_submeshes(const MeshShape& shape) {
    require(shape.rank() == mesh_.rank(), "Submesh shape {} must have the same number of dimensions as the mesh {}",
            shape.to_string(), mesh_.to_string());
    MeshShape steps = mesh_;
    for (size_t i = 0; i < mesh_.rank(); ++i) {
        require(shape.dims[i] != 0 && mesh_.dims[i] % shape.dims[i] == 0,
                "Shape {} is not divisible by submesh shape {} along dimension {}", mesh_.to_string(),
                shape.to_string(), i);
        steps.dims[i] /= shape.dims[i];
    }
    std::vector<std::shared_ptr<Device>> made;
    for (uint32_t i = 0; i < steps.num_chips(); ++i) {
        MeshCoordinate offset = steps.coordinate_of(i);
        std::ranges::transform(offset.values, shape.dims, offset.values.begin(), std::multiplies());
        made.push_back(create_submesh(shape, offset));
    }
    return made;
}

}  // namespace ttnn
