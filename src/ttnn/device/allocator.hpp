// BankAllocator: one free list that serves all banks of a memory type in lock step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ttnn {

struct AllocationStatistics {  // all per bank
    uint64_t total_allocatable = 0;
    uint64_t total_allocated = 0;
    uint64_t total_free = 0;
    uint64_t largest_free_block = 0;
};

enum class Direction : uint8_t { BOTTOM_UP, TOP_DOWN };

class BankAllocator {
public:
    // Addresses [begin, end) of every bank; both must be multiples of `granularity`, as all addresses and sizes are.
    BankAllocator(uint64_t begin, uint64_t end, uint32_t granularity);

    // First fit by address. Sizes are rounded up to the granularity (at least one unit). nullopt when nothing fits.
    std::optional<uint64_t> allocate(uint64_t bytes, Direction direction);
    // Frees what starts at `address` and merges with free neighbours; unknown addresses are ignored.
    void deallocate(uint64_t address);

    uint64_t begin() const { return begin_; }
    uint64_t end() const { return end_; }
    AllocationStatistics statistics() const;
    std::optional<uint64_t> lowest_allocated_address() const;

    struct Block {
        uint64_t address = 0;
        uint64_t size = 0;
        bool operator==(const Block&) const = default;
    };
    const std::vector<Block>& free_blocks() const { return free_; }        // ascending
    const std::vector<Block>& allocated_blocks() const { return taken_; }  // ascending

private:
    uint64_t take(size_t free_index, uint64_t bytes, Direction direction);

    uint64_t begin_;
    uint64_t end_;
    uint32_t granularity_;
    uint64_t allocated_ = 0;
    std::vector<Block> free_;   // ascending, never adjacent
    std::vector<Block> taken_;  // ascending
};

}  // namespace ttnn
