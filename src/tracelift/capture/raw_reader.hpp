// Reads the records of a raw file, also of one whose writer died.
#pragma once

#include <filesystem>
#include <functional>

#include "tracelift/capture/record.hpp"

namespace tracelift {

struct RawVisitor {
    std::function<void(const SessionRecord&)> session;
    std::function<void(const BeginRecord&)> begin;
    std::function<void(const EndRecord&)> end;
};

struct RawSummary {
    uint64_t records = 0;
    uint64_t incomplete = 0;  // their writer died while writing
    uint64_t used_bytes = 0;  // up to the end of the last record; the rest of the file is reserved space
};

// Visits all complete records in file order, in bounded memory. Throws an error that names the file and the offset when
// it is not a raw file or a complete record cannot be read.
RawSummary read_raw_file(const std::filesystem::path& path, const RawVisitor& visitor);

}  // namespace tracelift
