// ChipBytes: the bytes of a buffer on every chip of a mesh. Chips that were written together share their bytes until
// one of them is written alone, so that replicated tensors are held once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace ttnn {

class ChipBytes {
public:
    ChipBytes() = default;
    // Zeroed. Throws OutOfMemory.
    ChipBytes(uint64_t size, uint32_t chips);

    explicit operator bool() const { return chips_ != 0; }
    void reset();

    std::span<const std::byte> read(uint32_t chip) const;
    // To change the bytes of one chip, or of all alike. What other chips shared with it stays as it was.
    std::span<std::byte> write(uint32_t chip);
    std::span<std::byte> write_all();
    // Chips for which this is equal hold the same bytes.
    const void* identity(uint32_t chip) const;
    // From now on `to` holds what `from` holds.
    void share(uint32_t from, uint32_t to);

private:
    struct FreeBytes {
        size_t mapped;  // bytes; 0: from calloc
        void operator()(std::byte* bytes) const;
    };
    using Bytes = std::unique_ptr<std::byte[], FreeBytes>;
    using Shared = std::shared_ptr<Bytes>;
    static Bytes zeroed(uint64_t size);
    // Of several chips only: nothing is held before something is asked for.
    const Shared& zeros() const;

    uint64_t size_ = 0;
    uint32_t chips_ = 0;
    Bytes only_;  // of one chip
    struct Several {
        std::vector<Shared> chips;  // nullptr: zeros, never written
        mutable std::mutex mutex;
        mutable Shared zeros;
    };
    std::unique_ptr<Several> several_;
};

}  // namespace ttnn
