#include "tracelift/capture/raw_reader.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "tracelift/base/mapped_file.hpp"
#include "tracelift/value/bytes.hpp"

namespace tracelift {
namespace {

constexpr size_t release_step = size_t{8} << 20;  // pages behind the reader go in steps; memory stays flat

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
    const MappedFile file(path);
    const std::string_view bytes = file.text();
    size_t released = 0;
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
        if (payload_at >= released + release_step) {
            file.release(released, payload_at);
            released = payload_at / release_step * release_step;
        }
    }
    return summary;
}

}  // namespace tracelift
