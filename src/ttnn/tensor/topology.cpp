#include "ttnn/tensor/topology.hpp"

#include <utility>

#include <fmt/format.h>

namespace ttnn {

std::string Placement::to_string() const {
    return dim ? fmt::format("PlacementShard({})", *dim) : "PlacementReplicate";
}

std::vector<uint32_t> chips_of(const Topology& topology, const MeshShape& mesh) {
    std::vector<uint32_t> chips;
    for (const MeshCoordinate& coordinate : distribution_to_mesh(topology.distribution, mesh)) {
        chips.push_back(mesh.index_of(coordinate));
    }
    return chips;
}

Topology merged(std::span<const Topology* const> inputs) {
    const Topology* largest = nullptr;
    for (const Topology* input : inputs) {
        const bool larger = largest == nullptr || input->distribution.rank() > largest->distribution.rank();
        largest = larger ? input : largest;
    }
    if (largest == nullptr) {
        return {};
    }
    Topology result = *largest;
    for (const Topology* input : inputs) {
        if (input->distribution.rank() != result.distribution.rank()) {
            continue;
        }
        for (size_t i = 0; i < result.placements.size(); ++i) {
            Topology cut = result;
            cut.placements[i] = input->placements[i];
            cut.distribution.dims[i] = input->distribution.dims[i];
            // Other grids of the same chips may not go together.
            const bool fits = cut.distribution.num_chips() <= result.distribution.num_chips();
            if (input->placements[i].is_shard() && !result.placements[i].is_shard() && fits) {
                result = std::move(cut);
            }
        }
    }
    return result;
}

}  // namespace ttnn
