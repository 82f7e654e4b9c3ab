#include "ttnn/device/allocator.hpp"

#include <algorithm>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn {

namespace {

// First block that starts at or after `address`.
auto block_from(std::vector<BankAllocator::Block>& blocks, uint64_t address) {
    return std::ranges::lower_bound(blocks, address, {}, &BankAllocator::Block::address);
}

}  // namespace

BankAllocator::BankAllocator(uint64_t begin, uint64_t end, uint32_t granularity)
    : begin_(begin), end_(end), granularity_(granularity) {
    require(granularity > 0 && begin % granularity == 0 && end % granularity == 0,
            "bank addresses {} to {} must be multiples of the granularity {}", begin, end, granularity);
    require(begin <= end, "a bank must not end below its begin, got {} to {}", begin, end);
    if (begin < end) {
        free_.push_back({begin, end - begin});
    }
}

std::optional<uint64_t> BankAllocator::allocate(uint64_t bytes, Direction direction) {
    if (bytes > end_ - begin_) {
        return std::nullopt;
    }
    bytes = std::max<uint64_t>(round_up<uint64_t>(bytes, granularity_), granularity_);
    for (size_t i = 0; i < free_.size(); ++i) {
        const size_t index = direction == Direction::BOTTOM_UP ? i : free_.size() - 1 - i;
        if (free_[index].size >= bytes) {
            return take(index, bytes, direction);
        }
    }
    return std::nullopt;
}

uint64_t BankAllocator::take(size_t free_index, uint64_t bytes, Direction direction) {
    Block& block = free_[free_index];
    const uint64_t address = direction == Direction::BOTTOM_UP ? block.address : block.address + block.size - bytes;
    taken_.insert(block_from(taken_, address), {address, bytes});
    allocated_ += bytes;
    block.size -= bytes;
    if (block.size == 0) {
        free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(free_index));
    } else if (direction == Direction::BOTTOM_UP) {
        block.address += bytes;
    }
    return address;
}

void BankAllocator::deallocate(uint64_t address) {
    const auto found = block_from(taken_, address);
    if (found == taken_.end() || found->address != address) {
        return;
    }
    const Block block = *found;
    taken_.erase(found);
    allocated_ -= block.size;

    auto next = block_from(free_, address);
    const bool joins_next = next != free_.end() && next->address == block.address + block.size;
    const bool joins_previous = next != free_.begin() && (next - 1)->address + (next - 1)->size == block.address;
    if (joins_previous) {
        (next - 1)->size += block.size + (joins_next ? next->size : 0);
        if (joins_next) {
            free_.erase(next);
        }
    } else if (joins_next) {
        next->address = block.address;
        next->size += block.size;
    } else {
        free_.insert(next, block);
    }
}

AllocationStatistics BankAllocator::statistics() const {
    AllocationStatistics statistics{end_ - begin_, allocated_, end_ - begin_ - allocated_, 0};
    for (const Block& block : free_) {
        statistics.largest_free_block = std::max(statistics.largest_free_block, block.size);
    }
    return statistics;
}

std::optional<uint64_t> BankAllocator::lowest_allocated_address() const {
    return taken_.empty() ? std::nullopt : std::optional(taken_.front().address);
}

}  // namespace ttnn
