// What format 1 leaves to the name of a field: type names inside an object are not written.
#pragma once

#include <array>
#include <string_view>

namespace tracelift {

struct FieldType {
    std::string_view field;
    std::string_view type;
};

// Records that stand without their type name under these fields.
inline constexpr std::array bare_records = {
    FieldType{"grid", "CoreRangeSet"},
    FieldType{"hop_cores", "CoreRangeSet"},
    FieldType{"sub_core_grids", "CoreRangeSet"},
    FieldType{"memory_config", "MemoryConfig"},
    FieldType{"shard_spec", "ShardSpec"},
    FieldType{"nd_shard_spec", "NdShardSpec"},
    FieldType{"fused_activation", "UnaryWithParam"},
};
// Enumerators that stand without their type.
inline constexpr std::array bare_enums = {FieldType{"math_fidelity", "MathFidelity"}};

// Empty when the field says nothing.
template <size_t N>
constexpr std::string_view type_of_field(const std::array<FieldType, N>& table, std::string_view field) {
    for (const FieldType& entry : table) {
        if (entry.field == field) {
            return entry.type;
        }
    }
    return {};
}

}  // namespace tracelift
