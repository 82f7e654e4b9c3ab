// Per-operation parameter files: one JSON file per call, in a folder.
//
//   {"operation_number" | "operation_id": 3, "operation_name": "ttnn.add", "args": [{"position": 0, "value": V}, ...],
//    "kwargs": {name: V}, "timestamp", "num_tensors", "return_value", ...}
//
// The folder may hold `_trace_metadata.json` (source, machine, trace uid), and folders of single tests with their
// `_status.json`.
#pragma once

#include <filesystem>
#include <string_view>

#include "tracelift/formats/call_stream.hpp"

namespace tracelift {

struct ParamFolderOptions {
    bool include_failed = false;  // tests that did not pass, too
    bool lexicographic = false;   // by file name, as the original collects; else by the number in front
};

// What a folder says beside its calls.
struct ParamFolderSummary {
    uint64_t files = 0;
    uint64_t calls = 0;
    uint64_t skipped_tests = 0;  // folders of tests that did not pass
};

bool is_param_folder(const std::filesystem::path& folder);
ParamFolderSummary read_param_folder(const std::filesystem::path& folder, CallSink& sink,
                                     const ParamFolderOptions& options = {});

// The text of one file; `name` stands for it in messages. Throws FileError when it is not a parameter file.
FileCall read_param_file(std::string_view text, const std::string& name);

}  // namespace tracelift
