// Circular buffers of a program and their placement.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ttnn/tensor/core_coord.hpp"

namespace ttnn {

class Buffer;

// One circular buffer as a program asks for it.
struct CircularBuffer {
    CoreRangeSet cores;
    uint64_t size = 0;               // bytes per core
    const Buffer* global = nullptr;  // set: lives in that sharded L1 buffer and takes no space of its own
};

struct PlacedCircularBuffer {
    const CircularBuffer* request = nullptr;
    uint64_t address = 0;
};

// Addresses of circular buffers in creation order: each at the highest end so far on its core ranges.
std::vector<PlacedCircularBuffer> place_circular_buffers(std::span<const CircularBuffer> requests, uint64_t l1_base,
                                                         uint32_t alignment);

}  // namespace ttnn
