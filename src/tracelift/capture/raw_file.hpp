// RawFile: an append-only file in mapped memory that several threads write at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tracelift/capture/record.hpp"

namespace tracelift {

class RawFile {
public:
    // Makes the file; throws when it exists already or cannot be made.
    explicit RawFile(const std::filesystem::path& path);
    ~RawFile();
    RawFile(const RawFile&) = delete;
    RawFile& operator=(const RawFile&) = delete;

    // Appends one complete record. Records are dropped once the disk is full; `dropped` counts them.
    void append(RecordKind kind, std::string_view payload);
    uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

private:
    // A piece of the file that is mapped as a whole; records do not cross its end. It stays mapped as long as the
    // object lives, because a slow thread may still be writing into a chunk that others have left.
    struct Chunk {
        char* memory = nullptr;
        uint64_t size = 0;
        uint64_t offset = 0;  // in the file
        std::atomic<uint64_t> used{0};
    };
    Chunk* next_chunk(Chunk* full, uint64_t at_least);
    // Where the calling thread writes its next record; nullptr: the disk is full.
    char* place_for(uint64_t size);

    int fd_ = -1;
    const uint64_t number_;  // of the files of this process
    std::mutex mutex_;       // only for a new chunk
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::atomic<Chunk*> current_{nullptr};
    std::atomic<uint64_t> dropped_{0};
};

}  // namespace tracelift
