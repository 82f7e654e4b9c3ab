#include "ttnn/device/device.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"

namespace ttnn {

namespace {

std::atomic<uint64_t> next_buffer_id = 1;

// Bank counts besides powers of two that interleaved buffers can be spread over.
constexpr std::array<uint32_t, 18> odd_bank_counts = {7,  12,  20,  48,  56,  63,  70,  72,  80,
                                                      94, 108, 110, 117, 120, 124, 126, 130, 140};

bool can_interleave(uint32_t banks) {
    return std::has_single_bit(banks) || std::ranges::find(odd_bank_counts, banks) != odd_bank_counts.end();
}

bool is_dram(BufferType type) { return type == BufferType::DRAM || type == BufferType::TRACE; }

Board choose_board(const DeviceOptions& options) {
    if (options.custom_board) {
        return *options.custom_board;
    }
    return find_board(options.board.empty() ? default_board() : options.board, options.default_dispatch);
}

void check_board(const Board& board) {
    require(board.num_compute_cores() > 0 && board.dram_banks > 0,
            "board '{}' must have compute cores and DRAM banks, got a compute grid of {} and {} banks", board.name,
            board.compute_grid, board.dram_banks);
    require(board.l1_alignment > 0 && board.dram_alignment > 0 && board.granularity > 0,
            "alignments and granularity of board '{}' must not be 0", board.name);
    require(board.l1_base < board.l1_size, "l1_base {} of board '{}' must be below its l1_size {}", board.l1_base,
            board.name, board.l1_size);
    require(board.dram_base < board.dram_bank_size, "dram_base {} of board '{}' must be below its dram_bank_size {}",
            board.dram_base, board.name, board.dram_bank_size);
}

}  // namespace

std::shared_ptr<Device> Device::open(DeviceOptions options) {
    Board board = choose_board(options);
    check_board(board);
    if (options.worker_l1_size != 0) {
        require(options.worker_l1_size <= board.l1_size, "worker_l1_size must be at most the {} B of L1, got {}",
                board.l1_size, options.worker_l1_size);
        board.l1_base = round_up<uint64_t>(board.l1_size - options.worker_l1_size, board.granularity);
    }
    const uint64_t l1_small_size = round_up<uint64_t>(options.l1_small_size, board.granularity);
    require(l1_small_size < board.cb_limit(), "l1_small_size must be smaller than the L1 bank size of {} B, got {}",
            board.cb_limit(), options.l1_small_size);
    const uint64_t trace_region_size = round_up<uint64_t>(options.trace_region_size, board.granularity);
    require(trace_region_size < board.dram_bank_size - board.dram_base,
            "trace_region_size must be smaller than the DRAM bank size of {} B, got {}",
            board.dram_bank_size - board.dram_base, options.trace_region_size);
    const uint32_t chips = options.mesh.num_chips();
    require(chips > 0 && options.mesh.rank() > 0, "a mesh needs at least one chip, got {}", options.mesh.to_string());
    require(options.chip_ids.empty() || options.chip_ids.size() == chips, "a mesh of {} needs {} chip ids, got {}",
            options.mesh.to_string(), chips, options.chip_ids.size());
    std::shared_ptr<Device> device(new Device(std::move(options), std::move(board), l1_small_size, trace_region_size));
    if (const char* seconds = std::getenv("TT_METAL_OPERATION_TIMEOUT_SECONDS")) {
        device->operation_timeout_ = std::strtod(seconds, nullptr);
    }
    return device;
}

Device::Device(DeviceOptions options, Board board, uint64_t l1_small_size, uint64_t trace_region_size)
    : options_(std::move(options)),
      id_(options_.device_id),
      mesh_(options_.mesh),
      chip_ids_(options_.chip_ids),
      board_(std::move(board)),
      l1_small_size_(l1_small_size),
      l1_(board_.l1_base, board_.l1_size - l1_small_size, board_.granularity),
      l1_small_(board_.l1_size - l1_small_size, board_.l1_size, board_.granularity),
      dram_(board_.dram_base, board_.dram_bank_size - trace_region_size, board_.granularity),
      trace_(board_.dram_bank_size - trace_region_size, board_.dram_bank_size, board_.granularity) {
    if (chip_ids_.empty()) {
        chip_ids_.resize(mesh_.num_chips());
        std::iota(chip_ids_.begin(), chip_ids_.end(), id_);
    }
}

// Buffers hold their device, so none is left.
Device::~Device() = default;

void Device::reshape(MeshShape mesh, std::vector<int> chip_ids) {
    require(mesh.num_chips() == num_chips() && chip_ids.size() == chip_ids_.size(),
            "New shape must have the same number of devices as current shape: {} has {}, {} has {}", mesh.to_string(),
            mesh.num_chips(), mesh_.to_string(), num_chips());
    mesh_ = std::move(mesh);
    chip_ids_ = std::move(chip_ids);
}

void Device::close() {
    for (const std::shared_ptr<Device>& submesh : submeshes_) {
        submesh->close();
    }
    const std::lock_guard lock(mutex_);
    open_.store(false, std::memory_order_release);
    for (Buffer* buffer : live_) {
        allocator(buffer->buffer_type_).deallocate(buffer->address_);
        buffer->allocated_.store(false, std::memory_order_release);
        buffer->bytes_.reset();
    }
    live_.clear();
}

// --- facts -----------------------------------------------------------------------------------------------------------

const BankAllocator& Device::allocator(BufferType type) const {
    switch (type) {
        case BufferType::DRAM: return dram_;
        case BufferType::L1: return l1_;
        case BufferType::L1_SMALL: return l1_small_;
        case BufferType::TRACE: return trace_;
        case BufferType::SYSTEM_MEMORY: break;
    }
    fail("{} is not memory of a device: DRAM, L1, L1_SMALL or TRACE is allowed", type);
}

BankAllocator& Device::allocator(BufferType type) {
    return const_cast<BankAllocator&>(std::as_const(*this).allocator(type));
}

uint32_t Device::num_banks(BufferType type) const {
    return is_dram(type) ? board_.dram_banks : board_.num_compute_cores();
}

uint32_t Device::alignment(BufferType type) const {
    const bool in_l1 = type == BufferType::L1 || type == BufferType::L1_SMALL;
    return in_l1 ? board_.l1_alignment : board_.dram_alignment;
}

uint64_t Device::bank_size(BufferType type) const { return allocator(type).end() - allocator(type).begin(); }

CoreCoord Device::core_of_bank(BufferType type, uint32_t bank) const {
    require(bank < num_banks(type), "bank must be below the {} {} banks of the device, got {}", num_banks(type),
            member_name(type), bank);
    return is_dram(type) ? CoreCoord{bank, 0} : CoreCoord{bank % board_.compute_grid.x, bank / board_.compute_grid.x};
}

AllocationStatistics Device::statistics(BufferType type) const {
    const std::lock_guard lock(mutex_);
    return allocator(type).statistics();
}

std::optional<uint64_t> Device::lowest_l1_address() const {
    const std::lock_guard lock(mutex_);
    return l1_.lowest_allocated_address();
}

std::vector<const Buffer*> Device::live_buffers() const {
    const std::lock_guard lock(mutex_);
    return {live_.begin(), live_.end()};
}

std::vector<BankAllocator::Block> Device::free_blocks(BufferType type) const {
    const std::lock_guard lock(mutex_);
    return allocator(type).free_blocks();
}

std::vector<BankAllocator::Block> Device::allocated_blocks(BufferType type) const {
    const std::lock_guard lock(mutex_);
    return allocator(type).allocated_blocks();
}

// --- placement -------------------------------------------------------------------------------------------------------

void Device::check_placement(const MemoryConfig& config) const {
    const BufferType type = config.buffer_type();
    allocator(type);
    if (config.is_sharded()) {
        if (config.created_with_nd_shard_spec()) {
            check_shard_grid(type, config.nd_shard_spec()->grid);
        } else if (config.shard_spec()) {
            check_shard_grid(type, config.shard_spec()->grid);
        }
        return;
    }
    require(type != BufferType::L1_SMALL, "L1_SMALL only supports sharded allocations, got {}", config);
    require(can_interleave(num_banks(type)),
            "interleaved buffers need a number of banks that is a power of two or one of {}, but board '{}' has {} {} "
            "banks",
            fmt::join(odd_bank_counts, ", "), board_.name, num_banks(type), member_name(type));
}

void Device::check_shard_grid(BufferType type, const CoreRangeSet& grid) const {
    const bool dram = is_dram(type);
    const CoreCoord limit = dram ? CoreCoord{board_.dram_banks, 1} : board_.compute_grid;
    require(dram || grid.num_cores() <= num_banks(type),
            "{} sharded buffer: expected number of shards {} to be less than or equal to total number of L1 banks {}",
            member_name(type), grid.num_cores(), num_banks(type));
    for (const CoreRange& range : grid.ranges()) {
        require(range.end.x < limit.x && range.end.y < limit.y,
                "shard grid {} of a {} buffer must lie inside the {} {}", grid, member_name(type),
                dram ? "DRAM banks" : "compute grid", CoreRange({0, 0}, {limit.x - 1, limit.y - 1}));
    }
}

void Device::reserve(Buffer& buffer, Direction direction) {
    const BufferType type = buffer.buffer_type_;
    const PageMap& pages = buffer.pages_;
    const std::lock_guard lock(mutex_);
    require(open_, "device {} is closed: buffers cannot be allocated on it", id_);
    BankAllocator& banks = allocator(type);
    const auto address = banks.allocate(pages.bytes_per_bank(), direction);
    if (!address) {
        const AllocationStatistics now = banks.statistics();
        throw OutOfMemory(fmt::format(
            "Out of Memory: Not enough space to allocate {} B {} buffer across {} banks, where each bank needs to "
            "store {} B, but bank size is {} B (allocated: {} B, free: {} B, largest free block: {} B)",
            pages.aligned_bytes(), member_name(type), pages.num_banks_used(), pages.bytes_per_bank(),
            now.total_allocatable, now.total_allocated, now.total_free, now.largest_free_block));
    }
    if (type == BufferType::L1 && pages.identity() && *address < board_.l1_base) {
        banks.deallocate(*address);
        throw OutOfMemory(fmt::format("Out of Memory: Cannot allocate at an address below {}. Allocation at {}",
                                      board_.l1_base, *address));
    }
    buffer.address_ = *address;
    buffer.reserved_per_bank_ =
        round_up<uint64_t>(std::max<uint64_t>(pages.bytes_per_bank(), board_.granularity), board_.granularity);
    buffer.id_ = next_buffer_id.fetch_add(1, std::memory_order_relaxed);  // under the mutex: live_ stays sorted
    buffer.allocated_.store(true, std::memory_order_release);
    live_.push_back(&buffer);
}

void Device::pretend(Buffer& buffer) {
    require(is_open(), "device {} is closed: buffers cannot be allocated on it", id_);
    buffer.mocked_ = true;
    buffer.id_ = next_buffer_id.fetch_add(1, std::memory_order_relaxed);
    buffer.allocated_.store(true, std::memory_order_release);
}

bool Device::release(Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    if (!buffer.allocated_.load(std::memory_order_relaxed)) {
        return false;
    }
    if (buffer.mocked_) {
        buffer.allocated_.store(false, std::memory_order_release);
        return true;
    }
    allocator(buffer.buffer_type_).deallocate(buffer.address_);
    buffer.allocated_.store(false, std::memory_order_release);
    live_.erase(std::ranges::lower_bound(live_, buffer.id_, {}, &Buffer::id));
    return true;
}

// --- test hooks ----------------------------------------------------------------------------------------------------

std::pair<Buffer*, uint64_t> Device::byte_at(BufferType type, uint32_t bank, uint64_t address) const {
    for (Buffer* buffer : live_) {
        const bool here = buffer->buffer_type_ == type && address >= buffer->address_ &&
                          address - buffer->address_ < buffer->reserved_per_bank_;
        if (!here) {
            continue;
        }
        PageMap::Place place{bank, address - buffer->address_};
        if (!buffer->pages_.identity()) {
            const auto& cores = buffer->pages_.shard_cores();
            const auto core = std::ranges::find(cores, bank, [&](CoreCoord c) { return bank_of_shard(type, c); });
            place.shard_index = static_cast<uint32_t>(core - cores.begin());
        }
        if (const auto offset = buffer->pages_.storage_offset(place)) {
            return {buffer, *offset};
        }
    }
    fail("no live buffer holds data at address {} of {} bank {}", address, member_name(type), bank);
}

std::byte Device::peek(BufferType type, uint32_t bank, uint64_t address) const {
    const std::lock_guard lock(mutex_);
    const auto [buffer, offset] = byte_at(type, bank, address);
    return buffer->bytes_.read(0)[offset];
}

void Device::poke(BufferType type, uint32_t bank, uint64_t address, std::byte value) {
    const std::lock_guard lock(mutex_);
    const auto [buffer, offset] = byte_at(type, bank, address);
    for (uint32_t chip = 0; chip < num_chips(); ++chip) {
        buffer->bytes_.write(chip)[offset] = value;
    }
}

// --- circular buffers ----------------------------------------------------------------------------------------------

void Device::check_circular_buffers(std::span<const PlacedCircularBuffer> placed, std::string_view program) const {
    uint64_t highest_end = 0;
    for (const PlacedCircularBuffer& cb : placed) {
        for (const CoreRange& range : cb.request->cores.ranges()) {
            require(range.end.x < board_.compute_grid.x && range.end.y < board_.compute_grid.y,
                    "circular buffer core range {} of program {} must lie inside the compute grid {}", range, program,
                    board_.compute_grid);
        }
        if (cb.request->global == nullptr) {
            highest_end = std::max(highest_end, cb.address + cb.request->size);
        }
    }
    const auto lowest = lowest_l1_address();
    if (highest_end <= board_.l1_size && (!lowest || highest_end <= *lowest)) {
        return;
    }
    for (const PlacedCircularBuffer& cb : placed) {
        if (cb.request->global != nullptr) {
            continue;
        }
        const CoreRangeSet merged = cb.request->cores.merge({});
        for (const CoreRange& range : merged.ranges()) {
            uint64_t end = 0;
            for (const PlacedCircularBuffer& other : placed) {
                if (other.request->global == nullptr && other.request->cores.intersects(CoreRangeSet(range))) {
                    end = std::max(end, other.address + other.request->size);
                }
            }
            require(end <= board_.l1_size,
                    "Statically allocated circular buffers on core range {} grow to {} B which is beyond max L1 size "
                    "of {} B",
                    range, end, board_.l1_size);
            require(!lowest || end <= *lowest,
                    "Statically allocated circular buffers in program {} clash with L1 buffers on core range {}. L1 "
                    "buffer allocated at {} and static circular buffer region ends at {}",
                    program, range, lowest.value_or(0), end);
        }
    }
}

}  // namespace ttnn
