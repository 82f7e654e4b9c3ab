// Buffer: the packed bytes of one tensor on every chip of a device, behind the address that the bank allocator gave
// out. The chips of a mesh allocate in lock step: one address holds for all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ttnn/device/allocator.hpp"
#include "ttnn/device/chip_bytes.hpp"
#include "ttnn/tensor/core_coord.hpp"
#include "ttnn/tensor/tensor_spec.hpp"

namespace ttnn {

class Device;

// Where one page lives.
struct PageLocation {
    uint32_t bank = 0;
    CoreCoord core{};  // the bank's core for L1; (bank, 0) for DRAM
    uint64_t address = 0;
    bool operator==(const PageLocation&) const = default;
};

// How the pages of a spec are spread over banks: pure arithmetic, shared by allocation, data access and page reports.
//
// Pages are numbered row by row over the page grid of the spec ("tensor order"). The bytes of a buffer are held in
// "storage order": for interleaved buffers that is tensor order; for sharded ones core by core, each core's slots one
// after the other, padding slots of edge shards included.
class PageMap {
public:
    // Throws for a sharded config without a shard spec.
    PageMap(const TensorSpec& spec, uint32_t num_banks, uint32_t page_alignment);

    uint64_t page_size() const { return page_size_; }
    uint64_t aligned_page_size() const { return aligned_page_size_; }
    uint64_t num_pages() const { return num_pages_; }
    uint64_t num_slots() const { return num_slots_; }  // pages in storage, >= num_pages
    // Interleaved: all banks. 2-D sharded: the cores of the whole shard grid. N-D sharded: the cores that hold data.
    uint32_t num_banks_used() const { return banks_used_; }
    uint64_t slots_per_bank() const { return slots_per_bank_; }
    uint64_t bytes_per_bank() const { return slots_per_bank_ * aligned_page_size_; }
    uint64_t storage_bytes() const { return num_slots_ * page_size_; }
    uint64_t aligned_bytes() const { return num_slots_ * aligned_page_size_; }
    // True when tensor order and storage order agree.
    bool identity() const { return !shards_; }

    // Slot in storage order of a page in tensor order.
    uint64_t slot_of(uint64_t page) const { return shards_ ? sharded_slot_of(page) : page; }
    // Bank (an index into the banks; for L1 shards the bank of the core) and offset inside that bank of a slot.
    // For sharded buffers bank ids are row-major core numbers of the compute grid, resolved by the device.
    struct Place {
        uint32_t shard_index = 0;  // sharded: index into shard_cores(); interleaved: the bank id
        uint64_t offset = 0;       // bytes from the buffer's address
    };
    Place place_of_slot(uint64_t slot) const;
    // The reverse, for a byte: where in storage the byte at a place is; nullopt for bytes that belong to no page.
    std::optional<uint64_t> storage_offset(const Place& place) const;
    // Empty for interleaved buffers. For DRAM shards the "core" (x, 0) is bank x.
    const std::vector<CoreCoord>& shard_cores() const;

private:
    struct Shards;  // apart, so that interleaved maps own no memory; copies share it
    uint64_t sharded_slot_of(uint64_t page) const;

    uint64_t page_size_ = 0;
    uint64_t aligned_page_size_ = 0;
    uint64_t num_pages_ = 0;
    uint64_t num_slots_ = 0;
    uint64_t slots_per_bank_ = 0;
    uint32_t banks_used_ = 0;
    std::shared_ptr<const Shards> shards_;
};

class Buffer {
public:
    // Reserves an address range on `device` and zeroed storage. Throws OutOfMemory with the original's text. DRAM is
    // filled bottom-up and everything else top-down unless a direction is given.
    static std::shared_ptr<Buffer> allocate(const std::shared_ptr<Device>& device, const TensorSpec& spec,
                                            std::optional<Direction> direction = std::nullopt);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    const std::shared_ptr<Device>& device() const { return device_; }
    uint64_t id() const { return id_; }  // unique in the process, ascending
    uint64_t address() const { return address_; }
    BufferType buffer_type() const { return buffer_type_; }
    TensorMemoryLayout memory_layout() const { return memory_layout_; }
    uint64_t size() const { return size_; }  // pages x unaligned page size
    uint64_t reserved_per_bank() const { return reserved_per_bank_; }
    const PageMap& pages() const { return pages_; }
    // Made while nothing is dispatched: it has no address and no bytes.
    bool is_mocked() const { return mocked_; }
    bool is_allocated() const { return allocated_.load(std::memory_order_acquire); }
    // Gives the range back and drops the bytes; a second call does nothing.
    void deallocate();

    // In storage order; none once deallocated.
    ChipBytes& bytes() { return bytes_; }
    const ChipBytes& bytes() const { return bytes_; }

    PageLocation locate(uint64_t page) const;  // page in tensor order

private:
    friend class Device;
    Buffer(const std::shared_ptr<Device>& device, const TensorSpec& spec, std::optional<Direction> direction);

    std::shared_ptr<Device> device_;
    uint64_t id_ = 0;
    uint64_t address_ = 0;
    uint64_t size_ = 0;
    uint64_t reserved_per_bank_ = 0;
    BufferType buffer_type_ = BufferType::DRAM;
    TensorMemoryLayout memory_layout_ = TensorMemoryLayout::INTERLEAVED;
    bool mocked_ = false;
    std::atomic<bool> allocated_ = false;  // changed under the device's mutex only
    PageMap pages_;
    ChipBytes bytes_;
};

}  // namespace ttnn
