#include "ttnn/device/circular_buffer.hpp"

#include <algorithm>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/device/buffer.hpp"

namespace ttnn {

namespace {

uint64_t address_of(const Buffer& buffer) {
    require(buffer.is_allocated() && buffer.buffer_type() == BufferType::L1,
            "a globally allocated circular buffer needs an allocated L1 buffer, got {} {} buffer",
            buffer.is_allocated() ? "an allocated" : "a deallocated", member_name(buffer.buffer_type()));
    return buffer.address();
}

}  // namespace

std::vector<PlacedCircularBuffer> place_circular_buffers(std::span<const CircularBuffer> requests, uint64_t l1_base,
                                                         uint32_t alignment) {
    std::vector<PlacedCircularBuffer> placed;
    placed.reserve(requests.size());
    for (const CircularBuffer& request : requests) {
        require(!request.cores.empty(), "a circular buffer needs at least one core");
        if (request.global != nullptr) {
            placed.push_back({&request, address_of(*request.global)});
            continue;
        }
        // The end on a core never falls, so the highest end over all cores in question is that of an earlier buffer.
        uint64_t end = l1_base;
        for (const PlacedCircularBuffer& earlier : placed) {
            if (earlier.request->global == nullptr && earlier.request->cores.intersects(request.cores)) {
                end = std::max(end, earlier.address + earlier.request->size);
            }
        }
        placed.push_back({&request, round_up<uint64_t>(end, alignment)});
    }
    return placed;
}

}  // namespace ttnn
