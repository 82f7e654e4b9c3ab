// How chips are linked and what a collective does with their numbers: enums of the collective operations.
#pragma once

#include <cstdint>

#include "ttnn/core/enum_text.hpp"

namespace ttnn {

// Users call it Topology; that name means how a tensor is spread here (tensor/topology.hpp).
enum class CclTopology : uint8_t { Linear = 1, Ring = 2, Mesh = 3, Torus = 4 };
enum class ReduceType : uint8_t { Sum, Mean, Max, Min, Std, Var };

template <>
struct EnumInfo<CclTopology> {
    static constexpr std::string_view type = "Topology";
    static constexpr EnumMember<CclTopology> members[] = {{CclTopology::Linear, "Linear"},
                                                          {CclTopology::Ring, "Ring"},
                                                          {CclTopology::Mesh, "Mesh"},
                                                          {CclTopology::Torus, "Torus"}};
};
template <>
struct EnumInfo<ReduceType> {
    static constexpr std::string_view type = "ReduceType";
    static constexpr EnumMember<ReduceType> members[] = {{ReduceType::Sum, "Sum"}, {ReduceType::Mean, "Mean"},
                                                         {ReduceType::Max, "Max"}, {ReduceType::Min, "Min"},
                                                         {ReduceType::Std, "Std"}, {ReduceType::Var, "Var"}};
};

}  // namespace ttnn
