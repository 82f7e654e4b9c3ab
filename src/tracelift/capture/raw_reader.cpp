#include "tracelift/capture/raw_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

// A whole file, mapped for reading.
class MappedFile {
public:
    explicit MappedFile(const std::filesystem::path& path) {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat facts {};
        if (fd < 0 || fstat(fd, &facts) != 0) {
            const int reason = errno;
            if (fd >= 0) {
                close(fd);
            }
            throw std::runtime_error(fmt::format("cannot read {}: {}", path.string(), std::strerror(reason)));
        }
        size_ = static_cast<size_t>(facts.st_size);
        void* memory = size_ == 0 ? nullptr : mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (memory == MAP_FAILED) {
            throw std::runtime_error(fmt::format("cannot map {}: {}", path.string(), std::strerror(errno)));
        }
        memory_ = static_cast<const char*>(memory);
        if (size_ != 0) {
            madvise(memory, size_, MADV_SEQUENTIAL);
        }
    }
    ~MappedFile() {
        if (size_ != 0) {
            munmap(const_cast<char*>(memory_), size_);
        }
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view view() const { return {memory_, size_}; }
    // Pages before `offset` are not needed any more; keeps memory flat over a long file.
    void release_before(size_t offset) {
        constexpr size_t step = size_t{8} << 20;
        const size_t end = offset / step * step;
        if (end > released_) {
            madvise(const_cast<char*>(memory_) + released_, end - released_, MADV_DONTNEED);
            released_ = end;
        }
    }

private:
    const char* memory_ = nullptr;
    size_t size_ = 0;
    size_t released_ = 0;
};

SessionRecord read_session(std::string_view payload) {
    ByteReader reader(payload);
    const std::string_view uid = reader.raw_text();
    return {uid, reader.varint()};
}

BeginRecord read_begin(std::string_view payload) {
    ByteReader reader(payload);
    BeginRecord record;
    record.sequence = reader.varint();
    record.operation = reader.raw_text();
    record.board = reader.raw_text();
    record.arguments = payload.substr(reader.position());
    return record;
}

EndRecord read_end(std::string_view payload) {
    ByteReader reader(payload);
    EndRecord record;
    record.sequence = reader.varint();
    record.nanoseconds = reader.varint();
    record.error = reader.raw_text();
    record.result = payload.substr(reader.position());
    return record;
}

void visit(RecordKind kind, std::string_view payload, const RawVisitor& visitor) {
    if (kind == RecordKind::BEGIN) {
        visitor.begin(read_begin(payload));
    } else if (kind == RecordKind::END) {
        visitor.end(read_end(payload));
    } else {
        visitor.session(read_session(payload));
    }
}

bool is_record(RecordKind kind) {
    return kind == RecordKind::BEGIN || kind == RecordKind::END || kind == RecordKind::SESSION;
}

}  // namespace

RawSummary read_raw_file(const std::filesystem::path& path, const RawVisitor& visitor) {
    MappedFile file(path);
    const std::string_view bytes = file.view();
    if (!bytes.starts_with(raw_magic)) {
        throw std::runtime_error(
            fmt::format("{}: not a raw trace: expected it to begin with '{}'", path.string(), raw_magic));
    }
    RawSummary summary{.used_bytes = raw_magic.size()};
    size_t at = raw_magic.size();
    while (at + sizeof(RecordHeader) <= bytes.size()) {
        RecordHeader header;
        std::memcpy(&header, bytes.data() + at, sizeof(header));
        if (!is_record(header.kind)) {
            at += 8;  // zeros: the unused end of a chunk, or a place that was reserved and never written
            continue;
        }
        const size_t payload_at = at + sizeof(header);
        if (header.size > bytes.size() - payload_at) {
            ++summary.incomplete;
            break;
        }
        at = payload_at + ((header.size + size_t{7}) & ~size_t{7});
        summary.used_bytes = std::min(at, bytes.size());
        if (header.complete != 1) {
            ++summary.incomplete;
            continue;
        }
        try {
            visit(header.kind, bytes.substr(payload_at, header.size), visitor);
        } catch (const BadBytes& error) {
            throw std::runtime_error(fmt::format("{}: record at byte {}: {}", path.string(), payload_at, error.what()));
        }
        ++summary.records;
        file.release_before(payload_at);
    }
    return summary;
}

}  // namespace tracelift
