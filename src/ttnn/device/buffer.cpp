#include "ttnn/device/buffer.hpp"

#include <algorithm>

#include "ttnn/core/error.hpp"
#include "ttnn/core/math.hpp"
#include "ttnn/core/observer.hpp"
#include "ttnn/device/device.hpp"

namespace ttnn {

namespace {

PageMap map_pages(const Device& device, const TensorSpec& spec) {
    device.check_placement(spec.memory_config());
    const BufferType type = spec.memory_config().buffer_type();
    return PageMap(spec, device.num_banks(type), device.alignment(type));
}

}  // namespace

// --- PageMap -------------------------------------------------------------------------------------------------------

// A page grid of any rank cut into shards that are dealt to cores. Dimensions run from the outermost one in.
struct PageMap::Shards {
    size_t rank = 2;
    std::vector<uint64_t> pages;            // of the tensor
    std::vector<uint64_t> pages_per_shard;  // along each dimension
    std::vector<uint64_t> counts;           // shards along each dimension
    uint64_t shard_pages = 1;               // in one shard
    uint64_t count = 1;                     // of shards
    uint64_t grid_stride = 0;               // GRID_2D: cores from one row of shards to the next; 0: dealt round robin
    uint64_t cores_dealt_to = 1;            // round robin
    std::vector<CoreCoord> cores;

    void count_shards() {
        counts.resize(rank);
        for (size_t i = 0; i < rank; ++i) {
            counts[i] = div_up(pages[i], pages_per_shard[i]);
            shard_pages *= pages_per_shard[i];
            count *= counts[i];
        }
    }

    uint64_t slots_per_core() const {
        return grid_stride != 0 ? shard_pages : div_up(count, cores_dealt_to) * shard_pages;
    }

    // Every core of the grid counts, whether it holds data or not.
    static Shards cut_2d(const TensorSpec& spec) {
        const ShardSpec& shard_spec = *spec.memory_config().shard_spec();
        const bool row_major = shard_spec.orientation == ShardOrientation::ROW_MAJOR;
        Shards shards;
        shards.pages = {spec.page_rows(), spec.page_columns()};
        shards.pages_per_shard = {div_up<uint64_t>(shard_spec.shape[0], spec.page_height()),
                                  div_up<uint64_t>(shard_spec.shape[1], spec.page_width())};
        shards.count_shards();
        shards.count = std::max<uint64_t>(shards.count, 1);  // an empty tensor takes its shard all the same
        shards.cores = shard_spec.grid.cores(row_major);
        shards.cores_dealt_to = shards.cores.size();
        if (spec.memory_config().memory_layout() == TensorMemoryLayout::BLOCK_SHARDED) {
            const CoreCoord grid = shard_spec.grid.bounding_box().grid_size();
            shards.grid_stride = row_major ? grid.x : grid.y;
        }
        return shards;
    }

    // Only cores that hold data count.
    static Shards cut_nd(const TensorSpec& spec) {
        const NdShardSpec& shard_spec = *spec.memory_config().nd_shard_spec();
        const bool row_major = shard_spec.orientation == ShardOrientation::ROW_MAJOR;
        Shards shards;
        shards.rank = std::max<size_t>(shard_spec.shard_shape.rank(), 2);
        shards.pages.resize(shards.rank);
        shards.pages_per_shard.resize(shards.rank);
        for (size_t i = 0; i < shards.rank; ++i) {
            const uint64_t unit = i == 0 ? spec.page_width() : i == 1 ? spec.page_height() : 1;
            const size_t at = shards.rank - 1 - i;
            shards.pages[at] = div_up(folded_dim(spec.padded_shape(), shards.rank, i), unit);
            shards.pages_per_shard[at] = div_up<uint64_t>(shard_spec.shard_shape.from_end(i), unit);
        }
        shards.count_shards();
        if (shard_spec.shard_distribution_strategy == ShardDistributionStrategy::GRID_2D) {
            const CoreCoord start = shard_spec.grid.ranges().front().start;
            const uint64_t across = std::max<uint64_t>(shards.counts[shards.rank - 1], 1);
            for (uint64_t i = 0; i < shards.count; ++i) {
                const auto row = static_cast<uint32_t>(i / across);
                const auto column = static_cast<uint32_t>(i % across);
                shards.cores.push_back({start.x + (row_major ? column : row), start.y + (row_major ? row : column)});
            }
            shards.grid_stride = across;
            return shards;
        }
        shards.cores = shard_spec.grid.cores(row_major);
        shards.cores_dealt_to = shards.cores.size();
        shards.cores.resize(std::min<uint64_t>(shards.count, shards.cores.size()));
        return shards;
    }
};

PageMap::PageMap(const TensorSpec& spec, uint32_t num_banks, uint32_t page_alignment)
    : page_size_(spec.page_size()),
      aligned_page_size_(round_up<uint64_t>(spec.page_size(), page_alignment)),
      num_pages_(spec.num_pages()) {
    const MemoryConfig& config = spec.memory_config();
    if (!config.is_sharded()) {
        num_slots_ = num_pages_;
        banks_used_ = num_banks;
        slots_per_bank_ = div_up<uint64_t>(num_pages_, num_banks);
        return;
    }
    const bool nd = config.created_with_nd_shard_spec();
    require(nd || config.shard_spec().has_value(), "a sharded buffer needs a shard spec, but its config is {}", config);
    shards_ = std::make_shared<const Shards>(nd ? Shards::cut_nd(spec) : Shards::cut_2d(spec));
    slots_per_bank_ = shards_->slots_per_core();
    banks_used_ = static_cast<uint32_t>(shards_->cores.size());
    num_slots_ = slots_per_bank_ * banks_used_;
}

uint64_t PageMap::sharded_slot_of(uint64_t page) const {
    const Shards& shards = *shards_;
    uint64_t shard = 0;
    uint64_t inside = 0;
    uint64_t shard_weight = 1;
    uint64_t page_weight = 1;
    for (size_t i = shards.rank; i-- > 0;) {
        const uint64_t index = page % shards.pages[i];
        page /= shards.pages[i];
        shard += index / shards.pages_per_shard[i] * shard_weight;
        inside += index % shards.pages_per_shard[i] * page_weight;
        shard_weight *= shards.counts[i];
        page_weight *= shards.pages_per_shard[i];
    }
    if (shards.grid_stride != 0) {
        const uint64_t across = shards.counts[shards.rank - 1];
        return (shard / across * shards.grid_stride + shard % across) * slots_per_bank_ + inside;
    }
    return shard % shards.cores_dealt_to * slots_per_bank_ + shard / shards.cores_dealt_to * shards.shard_pages +
           inside;
}

PageMap::Place PageMap::place_of_slot(uint64_t slot) const {
    if (shards_) {
        return {static_cast<uint32_t>(slot / slots_per_bank_), slot % slots_per_bank_ * aligned_page_size_};
    }
    return {static_cast<uint32_t>(slot % banks_used_), slot / banks_used_ * aligned_page_size_};
}

std::optional<uint64_t> PageMap::storage_offset(const Place& place) const {
    const uint64_t row = place.offset / aligned_page_size_;
    const uint64_t inside = place.offset % aligned_page_size_;
    if (inside >= page_size_ || row >= slots_per_bank_ || place.shard_index >= banks_used_) {
        return std::nullopt;
    }
    const uint64_t slot = shards_ ? place.shard_index * slots_per_bank_ + row : row * banks_used_ + place.shard_index;
    return slot < num_slots_ ? std::optional(slot * page_size_ + inside) : std::nullopt;
}

const std::vector<CoreCoord>& PageMap::shard_cores() const {
    static const std::vector<CoreCoord> none;
    return shards_ ? shards_->cores : none;
}

// --- Buffer --------------------------------------------------------------------------------------------------------

std::shared_ptr<Buffer> Buffer::allocate(const std::shared_ptr<Device>& device, const TensorSpec& spec,
                                         std::optional<Direction> direction) {
    // Gives make_shared a public constructor, so that a buffer and its counters are one allocation.
    struct Shared : Buffer {
        Shared(const std::shared_ptr<Device>& on, const TensorSpec& of, std::optional<Direction> from)
            : Buffer(on, of, from) {}
    };
    require(device != nullptr, "a buffer needs a device");
    return std::make_shared<Shared>(device, spec, direction);
}

Buffer::Buffer(const std::shared_ptr<Device>& device, const TensorSpec& spec, std::optional<Direction> direction)
    : device_(device),
      size_(spec.buffer_size()),
      buffer_type_(spec.memory_config().buffer_type()),
      memory_layout_(spec.memory_config().memory_layout()),
      pages_(map_pages(*device, spec)) {
    if (dispatch_blocked()) [[unlikely]] {
        device_->pretend(*this);
    } else {
        const Direction usual = buffer_type_ == BufferType::DRAM ? Direction::BOTTOM_UP : Direction::TOP_DOWN;
        device_->reserve(*this, direction.value_or(usual));
        try {
            bytes_ = ChipBytes(pages_.storage_bytes(), device_->num_chips());
        } catch (const OutOfMemory&) {
            device_->release(*this);
            throw;
        }
    }
    if (steps_captured()) [[unlikely]] {
        notify([&](Observer& observer) { observer.buffer_allocated(*this); });
    }
}

Buffer::~Buffer() { deallocate(); }

void Buffer::deallocate() {
    if (!device_->release(*this)) {
        return;
    }
    bytes_.reset();
    if (steps_captured()) [[unlikely]] {
        notify([&](Observer& observer) { observer.buffer_deallocated(*this); });
    }
}

PageLocation Buffer::locate(uint64_t page) const {
    require(page < pages_.num_pages(), "page must be below the {} pages of the buffer, got {}", pages_.num_pages(),
            page);
    const PageMap::Place place = pages_.place_of_slot(pages_.slot_of(page));
    const uint64_t address = address_ + place.offset;
    if (pages_.identity()) {
        return {place.shard_index, device_->core_of_bank(buffer_type_, place.shard_index), address};
    }
    const CoreCoord core = pages_.shard_cores()[place.shard_index];
    return {device_->bank_of_shard(buffer_type_, core), core, address};
}

}  // namespace ttnn
