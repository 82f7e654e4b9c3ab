// Neighbours: the calls that pass nearest to one that fails and the fields in which they differ, and the fields that
// tell calls that fail from calls that pass. Calls are of one operation and bound to its declaration.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tracelift/bind/binding.hpp"

namespace tracelift {

inline constexpr std::string_view not_given = "not given";

// A field in which two calls differ. An argument that is not given has its default; one that a capture lost is left
// out.
struct FieldDifference {
    std::string path{};    // "input_tensor.layout", "dim", "memory_config.shard_spec"
    std::string passes{};  // its value in the call that passes: "TILE", "[1, 32]", not_given
    std::string fails{};
    size_t cost = 0;
};

// What a difference costs; the distance of two calls is the sum.
struct DifferenceCost {
    static constexpr size_t kind = 1;       // another member of an enum: dtype, layout, kind of memory
    static constexpr size_t dimension = 1;  // every dimension of a shape, counted from the last
    static constexpr size_t value = 2;      // another number, flag or text
    static constexpr size_t presence = 4;   // what only one of them has, or has as another type
};

std::vector<FieldDifference> field_differences(const BoundCall& passing, const BoundCall& failing);

struct Neighbour {
    const BoundCall* call = nullptr;
    size_t distance = 0;
    std::vector<FieldDifference> differences{};
};

// The nearest of the passing calls, at most `most`; of equally near ones those that come first.
std::vector<Neighbour> nearest_passing(const BoundCall& failing, std::span<const BoundCall* const> passing,
                                       size_t most);

// A field with a value that calls which fail have and no call that passes.
struct SeparatingField {
    std::string path{};
    size_t apart = 0;                        // failing calls with such a value
    std::map<std::string, size_t> fails{};   // all values of failing calls, and how many have each
    std::map<std::string, size_t> passes{};  // and of passing ones
};

// Those that separate most failing calls come first; of these the ones with the fewest values, which are the least
// likely to do so by chance. Fields of tensors are also their rank and the rests of their last two dimensions over
// tiles ("input_tensor.shape[-1] % 32"). A part of something that separates as well is left out.
std::vector<SeparatingField> separating_fields(std::span<const BoundCall* const> failing,
                                               std::span<const BoundCall* const> passing);

}  // namespace tracelift
