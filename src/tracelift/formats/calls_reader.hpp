// Files of operation calls as JSON lines (`--ops-jsonl`, TT_OP_RESULTS_JSONL): one object per line
// (dialects/call_line.hpp).
#pragma once

#include <filesystem>

#include "tracelift/dialects/call_stream.hpp"

namespace tracelift {

struct CallsSummary {
    uint64_t lines = 0;  // without blank ones
    uint64_t calls = 0;
};

// Lines that cannot be read go to the sink's `unread`, with their number.
CallsSummary read_calls(const std::filesystem::path& path, CallSink& sink);

}  // namespace tracelift
