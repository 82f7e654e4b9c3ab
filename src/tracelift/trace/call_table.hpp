// CallTable: the unique calls of raw traces, counted. Memory grows with distinct calls, not with calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracelift/capture/raw_reader.hpp"

namespace tracelift {

struct UniqueCall {
    std::string operation;  // "ttnn.add"
    std::string board;
    std::string arguments;  // byte form of a dict by name
    uint64_t count = 0;
    uint64_t failed = 0;  // ended with an error
    uint64_t nanoseconds = 0;
    std::string first_error;
    uint64_t order = 0;  // file, then sequence of the first beginning
};

// What became of the records of some raw files.
struct RawLedger {
    uint64_t files = 0;
    uint64_t calls = 0;
    uint64_t failed = 0;
    uint64_t unfinished = 0;  // never returned: the process hung, crashed or was killed
    uint64_t incomplete = 0;  // records cut off in the middle
    uint64_t used_bytes = 0;
};

class CallTable {
public:
    // Adds a raw file. Throws where read_raw_file does.
    RawSummary read(const std::filesystem::path& path);

    const RawLedger& ledger() const { return ledger_; }
    std::vector<const UniqueCall*> calls() const;                // in the order of their first beginnings
    const std::string& trace_uid() const { return trace_uid_; }  // of the first session; empty: none
    uint64_t started() const { return started_; }

private:
    struct OpenCall {
        uint64_t sequence;
        size_t index;
    };
    uint64_t order_of(const BeginRecord& record) const;
    size_t index_of(const BeginRecord& record);
    void end(const EndRecord& record, std::vector<OpenCall>& open);

    std::unordered_map<std::string, size_t> by_key_;
    std::string key_;  // reused
    std::vector<UniqueCall> calls_;
    RawLedger ledger_;
    std::string trace_uid_;
    uint64_t started_ = 0;
};

// The raw files in a folder, by name.
std::vector<std::filesystem::path> raw_files_in(const std::filesystem::path& directory);

}  // namespace tracelift
