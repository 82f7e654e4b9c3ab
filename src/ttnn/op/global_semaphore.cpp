#include "ttnn/op/global_semaphore.hpp"

#include <atomic>

#include "ttnn/core/error.hpp"

namespace ttnn {

GlobalSemaphore create_global_semaphore(const std::shared_ptr<Device>& device, const CoreRangeSet& cores,
                                        uint32_t initial_value, BufferType buffer_type) {
    static std::atomic<uint64_t> last = 0;
    require(device != nullptr && device->is_open(), "create_global_semaphore: the device is closed");
    require(buffer_type == BufferType::L1 || buffer_type == BufferType::L1_SMALL,
            "create_global_semaphore: argument 'buffer_type' must be L1 or L1_SMALL, got {}", buffer_type);
    constexpr uint64_t distance = 16;  // of words that cores write on their own
    return {++last * distance, initial_value, cores, buffer_type, device};
}

}  // namespace ttnn
