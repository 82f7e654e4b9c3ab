// Folders of parameter files (dialects/parameter_file.hpp), one file per call. They may hold `_trace_metadata.json`
// (source, machine, trace uid), and folders of single tests with their `_status.json`.
#pragma once

#include <filesystem>

#include "tracelift/dialects/call_stream.hpp"

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

}  // namespace tracelift
