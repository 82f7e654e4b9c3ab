// MachineFilter: which vectors of traced modules are to run, by the machines that they were traced on.
#pragma once

#include <optional>
#include <string>

#include "tracelift/bind/hardware.hpp"

namespace tracelift {

struct MachineFilter {
    std::string mesh{};                  // "4x8": what was traced on this mesh; empty: on any
    std::optional<Hardware> hardware{};  // what was traced on such a machine; none: on any

    // MESH_DEVICE_SHAPE=4x8, and LEAD_MODELS_RUN=1 for the machine that TRACELIFT_BOARD stands for. Throws
    // std::invalid_argument.
    static MachineFilter from_environment();

    // By a vector's `traced_machine_info`: an object or a list of them, one of which is enough. What it does not say
    // is taken to match.
    bool takes(const Json& machine_info) const;
};

}  // namespace tracelift
