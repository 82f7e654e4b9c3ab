// Device: an emulated chip. A value with its own banks and statistics; several live side by side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ttnn/device/allocator.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/device/buffer.hpp"
#include "ttnn/device/circular_buffer.hpp"

namespace ttnn {

struct DeviceOptions {
    int device_id = 0;
    // A board name, see find_board; empty: environment variable TRACELIFT_BOARD, else "n150".
    std::string board{};
    DispatchCoreType default_dispatch = DispatchCoreType::WORKER;  // where the name does not say (Python: ETH on n300)
    uint64_t l1_small_size = 0;
    uint64_t trace_region_size = 0;
    uint64_t worker_l1_size = 0;          // 0: the board's own; else base = L1 size - this, rounded up
    std::optional<Board> custom_board{};  // overrides `board` altogether
};

class Device : public std::enable_shared_from_this<Device> {
public:
    static std::shared_ptr<Device> open(DeviceOptions options = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    int id() const { return id_; }
    const Board& board() const { return board_; }
    Arch arch() const { return board_.arch; }
    CoreCoord compute_grid() const { return board_.compute_grid; }
    const CoreRangeSet& full_grid() const { return full_grid_; }  // the whole compute grid
    uint32_t num_banks(BufferType type) const;
    uint32_t alignment(BufferType type) const;  // of pages
    uint64_t bank_size(BufferType type) const;  // what buffers can use of it
    uint64_t l1_small_size() const { return l1_small_size_; }

    // Seconds that an operation may take; 0: as long as it likes. TT_METAL_OPERATION_TIMEOUT_SECONDS when it was
    // opened.
    double operation_timeout() const { return operation_timeout_; }

    bool is_open() const { return open_.load(std::memory_order_acquire); }
    // Frees every buffer; tensors that still refer to them become unallocated.
    void close();

    AllocationStatistics statistics(BufferType type) const;
    std::optional<uint64_t> lowest_l1_address() const;
    std::vector<const Buffer*> live_buffers() const;  // by id; valid while nothing is freed
    // Free and allocated blocks of a memory type, ascending.
    std::vector<BankAllocator::Block> free_blocks(BufferType type) const;
    std::vector<BankAllocator::Block> allocated_blocks(BufferType type) const;

    // Which bank a core of the compute grid is, and the reverse (identity order, row-major).
    uint32_t bank_of_core(CoreCoord core) const { return core.y * board_.compute_grid.x + core.x; }
    CoreCoord core_of_bank(BufferType type, uint32_t bank) const;

    // Throws where no buffer of such a config can be placed on this device, however much memory is free.
    void check_placement(const MemoryConfig& config) const;

    // Test hook: the byte at (bank, address) as the hardware would see it. Throws when no live buffer holds data there.
    std::byte peek(BufferType type, uint32_t bank, uint64_t address) const;
    void poke(BufferType type, uint32_t bank, uint64_t address, std::byte value);

    // Remembers a program; true when it is new, i.e. has to be compiled.
    bool compile(uint64_t program_key);
    size_t num_programs() const;
    void forget_programs();

    // Checks before dispatch: throws where circular buffers outgrow L1 or clash with an L1 buffer.
    void check_circular_buffers(std::span<const PlacedCircularBuffer> placed, std::string_view program) const;

private:
    friend class Buffer;
    // Sizes are multiples of the granularity.
    Device(int id, Board board, uint64_t l1_small_size, uint64_t trace_region_size);

    void reserve(Buffer& buffer, Direction direction);
    void pretend(Buffer& buffer);  // allocated, at no address
    bool release(Buffer& buffer);  // false: it was deallocated before
    void check_shard_grid(BufferType type, const CoreRangeSet& grid) const;
    uint32_t bank_of_shard(BufferType type, CoreCoord core) const {
        return type == BufferType::DRAM || type == BufferType::TRACE ? core.x : bank_of_core(core);
    }
    BankAllocator& allocator(BufferType type);
    const BankAllocator& allocator(BufferType type) const;
    std::byte& byte_at(BufferType type, uint32_t bank, uint64_t address) const;  // with the mutex held

    int id_;
    Board board_;
    CoreRangeSet full_grid_{CoreRange({0, 0}, {board_.compute_grid.x - 1, board_.compute_grid.y - 1})};
    uint64_t l1_small_size_;
    std::atomic<bool> open_ = true;  // changed under the mutex only
    mutable std::mutex mutex_;
    BankAllocator l1_;
    BankAllocator l1_small_;
    BankAllocator dram_;
    BankAllocator trace_;
    std::vector<Buffer*> live_;  // by id
    std::unordered_set<uint64_t> programs_;
    double operation_timeout_ = 0;
};

}  // namespace ttnn
