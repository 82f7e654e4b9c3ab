#include "ttnn/device/chip_bytes.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include "ttnn/core/error.hpp"

namespace ttnn {

namespace {

// From this size on memory is mapped without reserving it, so that tensors larger than this machine can be traced.
constexpr uint64_t mapping_threshold = uint64_t{1} << 30;

}  // namespace

ChipBytes::ChipBytes(uint64_t size, uint32_t chips) : size_(size), chips_(chips) {
    if (chips == 1) {
        only_ = zeroed(size);
    } else {
        several_ = std::make_unique<Several>();
        several_->chips.resize(chips);
    }
}

void ChipBytes::reset() {
    chips_ = 0;
    only_.reset();
    several_.reset();
}

ChipBytes::Bytes ChipBytes::zeroed(uint64_t size) {
    Bytes bytes;
    if (size < mapping_threshold) {
        bytes = Bytes(static_cast<std::byte*>(std::calloc(std::max<uint64_t>(size, 1), 1)), FreeBytes{0});
    } else {
        void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        bytes = Bytes(mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped), FreeBytes{size});
    }
    if (!bytes) {
        throw OutOfMemory(fmt::format("not enough host memory for a buffer of {} B", size));
    }
    return bytes;
}

void ChipBytes::FreeBytes::operator()(std::byte* bytes) const {
    if (mapped == 0) {
        std::free(bytes);
    } else {
        munmap(bytes, mapped);
    }
}

const ChipBytes::Shared& ChipBytes::zeros() const {
    const std::lock_guard lock(several_->mutex);
    if (!several_->zeros) {
        several_->zeros = std::make_shared<Bytes>(zeroed(size_));
    }
    return several_->zeros;
}

std::span<const std::byte> ChipBytes::read(uint32_t chip) const {
    if (!several_) [[likely]] {
        return {only_.get(), chips_ == 0 ? 0 : size_};
    }
    const Shared& bytes = several_->chips[chip];
    return {(bytes ? *bytes : *zeros()).get(), size_};
}

std::span<std::byte> ChipBytes::write(uint32_t chip) {
    if (!several_) [[likely]] {
        return {only_.get(), chips_ == 0 ? 0 : size_};
    }
    Shared& bytes = several_->chips[chip];
    if (!bytes) {
        bytes = std::make_shared<Bytes>(zeroed(size_));
    } else if (bytes.use_count() > 1) {
        auto own = std::make_shared<Bytes>(zeroed(size_));
        std::memcpy(own->get(), bytes->get(), size_);
        bytes = std::move(own);
    }
    return {bytes->get(), size_};
}

std::span<std::byte> ChipBytes::write_all() {
    if (several_) {
        for (uint32_t chip = 1; chip < chips_; ++chip) {
            several_->chips[chip].reset();
        }
        write(0);
        for (uint32_t chip = 1; chip < chips_; ++chip) {
            share(0, chip);
        }
        return {several_->chips[0]->get(), size_};
    }
    return write(0);
}

const void* ChipBytes::identity(uint32_t chip) const {
    return several_ ? static_cast<const void*>(several_->chips[chip].get()) : only_.get();
}

void ChipBytes::share(uint32_t from, uint32_t to) {
    if (from != to) {
        several_->chips[to] = several_->chips[from];
    }
}

}  // namespace ttnn
