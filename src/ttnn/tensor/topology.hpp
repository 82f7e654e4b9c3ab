// Topology: how the parts of a tensor that is spread over a mesh belong together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ttnn/device/mesh.hpp"

namespace ttnn {

// What one dimension of a distribution does to the tensor.
struct Placement {
    std::optional<int32_t> dim{};  // of the tensor, cut into parts; none: every part is the whole

    bool is_shard() const { return dim.has_value(); }
    std::string to_string() const;  // "PlacementShard(2)", "PlacementReplicate"
    bool operator==(const Placement&) const = default;
};

struct Topology {
    std::vector<Placement> placements{{}};  // one for every dimension of the distribution
    MeshShape distribution{{1}};

    // The same on every one of some chips.
    static Topology replicated(uint32_t chips) { return {{{}}, {{chips}}}; }
    bool operator==(const Topology&) const = default;
};

// On which chips of a mesh the parts lie, by their numbers in row-major order. Throws where the mesh is too small.
std::vector<uint32_t> chips_of(const Topology& topology, const MeshShape& mesh);

// Of what an operation makes from tensors with these: the largest distribution, cut wherever an input is cut.
Topology merged(std::span<const Topology* const> inputs);

}  // namespace ttnn
