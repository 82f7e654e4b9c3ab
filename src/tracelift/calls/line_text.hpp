// The text of a line of op-call JSONL: one call, and the test it belongs to.
#pragma once

#include <cstdint>
#include <string>

#include "tracelift/calls/traced_call.hpp"

namespace tracelift {

// Where a call happened.
struct CallContext {
    std::string run_id;
    std::string test_nodeid = "<unknown>";
    std::string module;
};

struct LineFacts {
    uint64_t op_index = 0;
    double started = 0;  // seconds since 1970
    double milliseconds = 0;
};

// What a call that never came back has in place of its error.
inline constexpr const char* unfinished_type = "Unfinished";

// With the line break.
std::string call_line(const TracedCall& call, const CallContext& context, const LineFacts& facts);

}  // namespace tracelift
