// Records of raw traces: one for the process, then one when a call begins and one when it ends.
//
// A raw file starts with `raw_magic`. Records follow, 8-byte aligned: a header and a payload in the byte form of
// values. A record is complete once its header says so; a process that dies leaves at most one incomplete record per
// thread and zeros behind what each thread wrote, and readers skip both.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracelift {

inline constexpr std::string_view raw_magic = "TLRAW001";
inline constexpr std::string_view raw_extension = ".tlraw";

enum class RecordKind : uint32_t {
    SESSION = 0x31534C54,  // "TLS1": trace uid, Unix time of the start
    BEGIN = 0x31424C54,    // "TLB1": sequence, operation, board, arguments as a dict
    END = 0x31454C54,      // "TLE1": sequence, nanoseconds, error text (empty: none); older files: the result
};

struct RecordHeader {
    RecordKind kind{};
    uint32_t size = 0;      // of the payload
    uint32_t complete = 0;  // 1 when the payload is written
    uint32_t reserved = 0;
};
static_assert(sizeof(RecordHeader) == 16);

// The views point into the file and are valid during a visit only. `arguments` stay in their byte form: equal calls are
// recognised without reading them.
struct SessionRecord {
    std::string_view trace_uid;
    uint64_t started = 0;
};
struct BeginRecord {
    uint64_t sequence = 0;  // order of beginnings in the process
    std::string_view operation;
    std::string_view board;  // of the device it ran on, with the mesh; empty for calls on the host
    std::string_view arguments;
};
struct EndRecord {
    uint64_t sequence = 0;
    uint64_t nanoseconds = 0;
    std::string_view error;
};

}  // namespace tracelift
