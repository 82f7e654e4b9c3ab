// Operation calls as JSON lines (`--ops-jsonl`, TT_OP_RESULTS_JSONL): one object per line.
//
//   {"run_id", "test_nodeid", "module", "op_index", "op_name": "ttnn.linear", "start_ts", "duration_ms",
//    "inputs": [V, ...], "kwargs": {name: V}, "output": V [, "error": {"type", "message"}]}
//
// Values: {"__type__": "ttnn.TensorRef", "shape", "dtype", "memory_config"}, {"__enum__": class, "name"}, ... Layout
// and storage of tensors are not written down; they are read as TILE and DEVICE.
#pragma once

#include <filesystem>
#include <string_view>

#include "tracelift/formats/call_stream.hpp"

namespace tracelift {

struct CallsSummary {
    uint64_t lines = 0;  // without blank ones
    uint64_t calls = 0;
};

// Lines that cannot be read go to the sink's `unread`, with their number.
CallsSummary read_calls(const std::filesystem::path& path, CallSink& sink);

// One line; throws FileError.
FileCall read_call_line(std::string_view line, const std::string& name);

// A value of such a line, from its plain tree.
Value read_call_value(const Value& tree);

}  // namespace tracelift
