#include "tracelift/capture/raw_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tracelift {
namespace {

constexpr uint64_t chunk_bytes = uint64_t{16} << 20;
constexpr uint64_t page_bytes = 4096;

// What a thread takes of a chunk at a time, so that threads neither count together nor write to the same lines of a
// cache. Nothing is lost by what it leaves: readers skip zeros.
constexpr uint64_t room_bytes = uint64_t{64} << 10;
struct Room {
    uint64_t file = 0;  // its number; 0: none
    char* memory = nullptr;
    uint64_t left = 0;
};
thread_local Room room;

uint64_t next_number() {
    static std::atomic<uint64_t> last = 0;
    return ++last;
}

constexpr uint64_t rounded_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

RawFile::RawFile(const std::filesystem::path& path)
    : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644)), number_(next_number()) {
    if (fd_ < 0) {
        throw std::runtime_error(
            fmt::format("cannot create the raw trace {}: {}", path.string(), std::strerror(errno)));
    }
    Chunk* first = next_chunk(nullptr, raw_magic.size());
    if (first == nullptr) {
        close(fd_);
        throw std::runtime_error(fmt::format("no space for the raw trace {}", path.string()));
    }
    std::memcpy(first->memory, raw_magic.data(), raw_magic.size());
    first->used = raw_magic.size();
}

RawFile::~RawFile() {
    for (const auto& chunk : chunks_) {
        munmap(chunk->memory, chunk->size);
    }
    close(fd_);
}

RawFile::Chunk* RawFile::next_chunk(Chunk* full, uint64_t at_least) {
    const std::lock_guard lock(mutex_);
    if (Chunk* now = current_.load(std::memory_order_acquire); now != full) {
        return now;  // another thread was first
    }
    auto chunk = std::make_unique<Chunk>();
    chunk->offset = full == nullptr ? 0 : full->offset + full->size;
    chunk->size = std::max(chunk_bytes, rounded_up(at_least, page_bytes));
    const auto offset = static_cast<off_t>(chunk->offset);
    // Really reserved, not sparse: a full disk shows here and not as a signal in the middle of the model.
    if (posix_fallocate(fd_, offset, static_cast<off_t>(chunk->size)) != 0) {
        return nullptr;
    }
    void* memory = mmap(nullptr, chunk->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, offset);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    chunk->memory = static_cast<char*>(memory);
    chunks_.push_back(std::move(chunk));
    current_.store(chunks_.back().get(), std::memory_order_release);
    return chunks_.back().get();
}

char* RawFile::place_for(uint64_t size) {
    if (room.file != number_ || room.left < size) {
        const uint64_t wanted = std::max(size, room_bytes);
        Chunk* chunk = current_.load(std::memory_order_acquire);
        uint64_t at = chunk->used.fetch_add(wanted, std::memory_order_relaxed);
        while (at + wanted > chunk->size) {
            chunk = next_chunk(chunk, wanted);
            if (chunk == nullptr) {
                return nullptr;
            }
            at = chunk->used.fetch_add(wanted, std::memory_order_relaxed);
        }
        room = {number_, chunk->memory + at, wanted};
    }
    char* place = room.memory;
    room.memory += size;
    room.left -= size;
    return place;
}

void RawFile::append(RecordKind kind, std::string_view payload) {
    const uint64_t size = sizeof(RecordHeader) + rounded_up(payload.size(), 8);
    char* place = place_for(size);
    if (place == nullptr) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const RecordHeader header{kind, static_cast<uint32_t>(payload.size()), 0, 0};
    std::memcpy(place, &header, sizeof(header));
    std::memcpy(place + sizeof(header), payload.data(), payload.size());
    std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(place + offsetof(RecordHeader, complete)))
        .store(1, std::memory_order_release);
}

}  // namespace tracelift
