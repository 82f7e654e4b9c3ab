// GlobalSemaphore: what collectives are synchronised with on hardware. Chips are never out of step here, so it holds a
// number and takes no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "ttnn/device/device.hpp"
#include "ttnn/tensor/core_coord.hpp"
#include "ttnn/tensor/types.hpp"

namespace ttnn {

struct GlobalSemaphore {
    uint64_t address = 0;  // tells semaphores apart; 0: one that a trace only mentions
    uint32_t value = 0;
    CoreRangeSet cores{};
    BufferType buffer_type = BufferType::L1;
    std::weak_ptr<Device> device{};

    bool operator==(const GlobalSemaphore& other) const { return address == other.address; }
};

// Operations take one or several.
using SemaphoreArgument = std::variant<std::vector<GlobalSemaphore>, GlobalSemaphore>;

// At an address that no other semaphore of the process has.
GlobalSemaphore create_global_semaphore(const std::shared_ptr<Device>& device, const CoreRangeSet& cores,
                                        uint32_t initial_value, BufferType buffer_type = BufferType::L1);

}  // namespace ttnn
