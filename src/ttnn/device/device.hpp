// Device: a mesh of emulated chips; most often of one. All chips are alike and allocate in lock step, so that banks,
// addresses and statistics are those of any of them. A value: several live side by side.
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
#include <utility>
#include <vector>

#include "ttnn/device/allocator.hpp"
#include "ttnn/device/board.hpp"
#include "ttnn/device/buffer.hpp"
#include "ttnn/device/circular_buffer.hpp"
#include "ttnn/device/mesh.hpp"
#include "ttnn/device/program_cache.hpp"
#include "ttnn/device/user_generators.hpp"

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
    MeshShape mesh{};
    std::vector<int> chip_ids{};      // row-major; empty: device_id and the numbers after it
    uint32_t num_command_queues = 1;  // what Python asks for; operations are done when they return
};

class Device : public std::enable_shared_from_this<Device> {
public:
    static std::shared_ptr<Device> open(DeviceOptions options = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    int id() const { return id_; }
    const MeshShape& mesh() const { return mesh_; }
    uint32_t num_chips() const { return static_cast<uint32_t>(chip_ids_.size()); }
    const std::vector<int>& chip_ids() const { return chip_ids_; }  // row-major
    // Another arrangement of the same chips; as many as before.
    void reshape(MeshShape mesh, std::vector<int> chip_ids);
    // The same in the order that hardware has: along neighbours to a line, else as it was opened.
    void reshape(const MeshShape& mesh);

    // A device of some of the chips, with memory of its own and everything else as here. It is closed with this one.
    // Throws where the shape at the offset (default: the first chip) lies outside of the mesh.
    std::shared_ptr<Device> create_submesh(const MeshShape& shape,
                                           const std::optional<MeshCoordinate>& offset = std::nullopt);
    // As many as cover the mesh, row-major.
    std::vector<std::shared_ptr<Device>> create_submeshes(const MeshShape& shape);
    const std::vector<std::shared_ptr<Device>>& submeshes() const { return submeshes_; }
    // A number for a mesh, which is none of its chips'. Unique in the process, ascending from 1.
    static int next_mesh_id();

    const DeviceOptions& options() const { return options_; }  // what it was opened with

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

    // Test hook: the byte at (bank, address) as the hardware would see it; poke changes it on every chip. Throws when
    // no live buffer holds data there.
    std::byte peek(BufferType type, uint32_t bank, uint64_t address) const;
    void poke(BufferType type, uint32_t bank, uint64_t address, std::byte value);

    ProgramCache& program_cache() { return programs_; }
    const ProgramCache& program_cache() const { return programs_; }
    // What its users draw from (ttnn.sampling), as ttnn.manual_seed left it.
    UserGenerators& user_generators() { return generators_; }

    // Checks before dispatch: throws where circular buffers outgrow L1 or clash with an L1 buffer.
    void check_circular_buffers(std::span<const PlacedCircularBuffer> placed, std::string_view program) const;

private:
    friend class Buffer;
    // Sizes are multiples of the granularity.
    Device(DeviceOptions options, Board board, uint64_t l1_small_size, uint64_t trace_region_size);

    void reserve(Buffer& buffer, Direction direction);
    void pretend(Buffer& buffer);  // allocated, at no address
    bool release(Buffer& buffer);  // false: it was deallocated before
    void check_shard_grid(BufferType type, const CoreRangeSet& grid) const;
    uint32_t bank_of_shard(BufferType type, CoreCoord core) const {
        return type == BufferType::DRAM || type == BufferType::TRACE ? core.x : bank_of_core(core);
    }
    BankAllocator& allocator(BufferType type);
    const BankAllocator& allocator(BufferType type) const;
    // The buffer that has a byte there, and its place in storage; with the mutex held.
    std::pair<Buffer*, uint64_t> byte_at(BufferType type, uint32_t bank, uint64_t address) const;

    DeviceOptions options_;
    int id_;
    MeshShape mesh_;
    std::vector<int> chip_ids_;
    std::vector<std::shared_ptr<Device>> submeshes_;
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
    ProgramCache programs_;
    double operation_timeout_ = 0;
    UserGenerators generators_;
};

}  // namespace ttnn
