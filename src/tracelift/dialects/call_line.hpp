// A line of op-call JSONL: one call, and the test it belongs to.
//
//   {"run_id", "test_nodeid", "module", "op_index", "op_name": "ttnn.linear", "start_ts", "duration_ms",
//    "inputs": [V, ...], "kwargs": {name: V}, "output": V [, "error": {"type", "message"}]}
//
// Values are those of the serializer (serializer.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracelift/dialects/call_stream.hpp"
#include "tracelift/dialects/traced_call.hpp"

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
    std::string_view board;  // of the device it ran on; empty for calls on the host
};

// What a call that never returned has in place of its error.
inline constexpr const char* unfinished_type = "Unfinished";

// Appends a line with its line break. `arguments` is "inputs":[...],"kwargs":{...}, and `output` JSON.
void append_call_line(std::string& line, const CallContext& context, const LineFacts& facts, std::string_view operation,
                      std::string_view arguments, std::string_view output, const std::optional<CallError>& error);

// Reads one; `name` stands for it in messages. Throws FileError.
FileCall read_call_line(std::string_view line, const std::string& name);

}  // namespace tracelift
