// MeshShape, MeshCoordinate: sizes of and places in a mesh of chips, row-major.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ttnn {

struct MeshCoordinate {
    std::vector<uint32_t> values;
    std::string to_string() const;  // "[0, 1]"
    bool operator==(const MeshCoordinate&) const = default;
};

// Some places of a mesh, in rising order and each once.
class MeshCoordinateSet {
public:
    MeshCoordinateSet() = default;
    explicit MeshCoordinateSet(std::vector<MeshCoordinate> members);

    const std::vector<MeshCoordinate>& members() const { return members_; }
    bool contains(const MeshCoordinate& coordinate) const;
    std::string to_string() const;  // "{MeshCoordinate([0, 1]), MeshCoordinate([0, 2])}", in the order of the texts
    bool operator==(const MeshCoordinateSet&) const = default;

private:
    std::vector<MeshCoordinate> members_;
};

struct MeshShape {
    std::vector<uint32_t> dims{1, 1};

    size_t rank() const { return dims.size(); }
    uint32_t num_chips() const;
    // The chip's number in row-major order, and the reverse. Throws for a coordinate outside of the mesh.
    uint32_t index_of(const MeshCoordinate& coordinate) const;
    MeshCoordinate coordinate_of(uint32_t index) const;
    bool is_line() const;           // at most one dimension is larger than 1
    std::string to_string() const;  // "4x8"
    bool operator==(const MeshShape&) const = default;
};

// The chips that differ from each other only along one dimension of the mesh, in rising order; one list per such group.
// Without a dimension all chips are one group.
std::vector<std::vector<uint32_t>> groups_along(const MeshShape& mesh, std::optional<uint32_t> axis);

// All chips in the order of a walk from neighbour to neighbour that begins at the first one and, where the mesh has
// such a walk, ends beside it: a ring.
std::vector<uint32_t> neighbour_path(const MeshShape& mesh);

// Where each coordinate of a distribution lies in a mesh: at the same coordinate where it fits inside dim by dim, else
// in the row-major order of both.
std::vector<MeshCoordinate> distribution_to_mesh(const MeshShape& distribution, const MeshShape& mesh);

}  // namespace ttnn
