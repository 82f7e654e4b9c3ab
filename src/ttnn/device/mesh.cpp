#include "ttnn/device/mesh.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"

namespace ttnn {

namespace {

// A walk through a mesh of rows and columns that sees every chip once, depth first.
class Walk {
public:
    Walk(uint32_t rows, uint32_t columns) : rows_(rows), columns_(columns), seen_(size_t{rows} * columns) {}

    // False where there is none, or where it was not found in time.
    bool find(bool ring) {
        ring_ = ring;
        steps_left_ = 100'000;
        return go(0, 0);
    }
    std::vector<uint32_t> path() const { return path_; }

private:
    bool go(int64_t row, int64_t column) {
        const bool outside = row < 0 || column < 0 || row >= rows_ || column >= columns_;
        const auto index = static_cast<uint32_t>(row * columns_ + column);
        if (outside || seen_[index]) {
            return false;
        }
        --steps_left_;
        seen_[index] = true;
        path_.push_back(index);
        const bool beside_first = row + column == 1;
        if (path_.size() == seen_.size() && (!ring_ || beside_first)) {
            return true;
        }
        // To the right, down, to the left, up.
        constexpr std::array<std::array<int64_t, 2>, 4> ways = {{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
        for (const auto& [down, right] : ways) {
            if (steps_left_ > 0 && go(row + down, column + right)) {
                return true;
            }
        }
        seen_[index] = false;
        path_.pop_back();
        return false;
    }

    int64_t rows_;
    int64_t columns_;
    std::vector<bool> seen_;
    std::vector<uint32_t> path_;
    bool ring_ = false;
    int64_t steps_left_ = 0;
};

}  // namespace

std::string MeshCoordinate::to_string() const { return fmt::format("[{}]", fmt::join(values, ", ")); }

MeshCoordinateSet::MeshCoordinateSet(std::vector<MeshCoordinate> members) : members_(std::move(members)) {
    std::ranges::sort(members_, {}, &MeshCoordinate::values);
    const auto [first, last] = std::ranges::unique(members_);
    members_.erase(first, last);
}

bool MeshCoordinateSet::contains(const MeshCoordinate& coordinate) const {
    return std::ranges::binary_search(members_, coordinate.values, {}, &MeshCoordinate::values);
}

std::string MeshCoordinateSet::to_string() const {
    std::vector<std::string> texts;
    for (const MeshCoordinate& member : members_) {
        texts.push_back(fmt::format("MeshCoordinate({})", member.to_string()));
    }
    std::ranges::sort(texts);
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

uint32_t MeshShape::num_chips() const {
    uint32_t product = 1;
    for (const uint32_t dim : dims) {
        product *= dim;
    }
    return product;
}

uint32_t MeshShape::index_of(const MeshCoordinate& coordinate) const {
    require(coordinate.values.size() == dims.size(), "a coordinate in a mesh of {} must have {} numbers, got {}",
            to_string(), dims.size(), coordinate.to_string());
    uint32_t index = 0;
    for (size_t i = 0; i < dims.size(); ++i) {
        require(coordinate.values[i] < dims[i], "coordinate {} lies outside of a mesh of {}", coordinate.to_string(),
                to_string());
        index = index * dims[i] + coordinate.values[i];
    }
    return index;
}

MeshCoordinate MeshShape::coordinate_of(uint32_t index) const {
    MeshCoordinate result{std::vector<uint32_t>(dims.size())};
    for (size_t i = dims.size(); i-- > 0;) {
        result.values[i] = index % dims[i];
        index /= dims[i];
    }
    return result;
}

bool MeshShape::is_line() const {
    return std::ranges::count_if(dims, [](uint32_t dim) { return dim > 1; }) <= 1;
}

std::string MeshShape::to_string() const { return fmt::format("{}", fmt::join(dims, "x")); }

std::vector<std::vector<uint32_t>> groups_along(const MeshShape& mesh, std::optional<uint32_t> axis) {
    std::vector<std::vector<uint32_t>> groups;
    if (!axis) {
        groups.emplace_back();
        for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
            groups.back().push_back(chip);
        }
        return groups;
    }
    require(*axis < mesh.rank(), "a mesh of {} has no dimension {}", mesh.to_string(), *axis);
    for (uint32_t chip = 0; chip < mesh.num_chips(); ++chip) {
        MeshCoordinate coordinate = mesh.coordinate_of(chip);
        if (coordinate.values[*axis] != 0) {
            continue;
        }
        std::vector<uint32_t>& group = groups.emplace_back();
        for (uint32_t i = 0; i < mesh.dims[*axis]; ++i) {
            coordinate.values[*axis] = i;
            group.push_back(mesh.index_of(coordinate));
        }
    }
    return groups;
}

std::vector<uint32_t> neighbour_path(const MeshShape& mesh) {
    std::vector<uint32_t> path(mesh.num_chips());
    std::iota(path.begin(), path.end(), 0U);
    if (mesh.is_line() || mesh.rank() != 2) {
        return path;
    }
    Walk walk(mesh.dims[0], mesh.dims[1]);
    const bool even = mesh.num_chips() % 2 == 0;  // a ring changes between two colours of a chess board
    return (even && walk.find(true)) || walk.find(false) ? walk.path() : path;
}

std::vector<MeshCoordinate> distribution_to_mesh(const MeshShape& distribution, const MeshShape& mesh) {
    require(distribution.num_chips() <= mesh.num_chips(), "a distribution over {} chips does not fit a mesh of {}",
            distribution.to_string(), mesh.to_string());
    bool fits = distribution.rank() == mesh.rank();
    for (size_t i = 0; fits && i < mesh.rank(); ++i) {
        fits = distribution.dims[i] <= mesh.dims[i];
    }
    std::vector<MeshCoordinate> coordinates;
    for (uint32_t i = 0; i < distribution.num_chips(); ++i) {
        coordinates.push_back(fits ? distribution.coordinate_of(i) : mesh.coordinate_of(i));
    }
    return coordinates;
}

}  // namespace ttnn
