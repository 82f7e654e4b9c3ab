// A kept trace for people and their tools: the calls of a run, however it told them, as one JSON file, in the form of
// the original's capture files, {"content": [{"operation": "ttnn::add", "arguments": [{"arg0": ...}, ...]}, ...]}.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "tracelift/dialects/call_stream.hpp"
#include "tracelift/trace/filter.hpp"

namespace tracelift {

// "test_model_ops_20251016_042252.json" for "path/test_file.py::test_model", started at "2025-10-16 04:22:52".
std::string readable_name(std::string_view target, std::string_view started);

// Every call that the filter keeps, in the order in which they began; those that raised an error only when asked for.
void write_readable_trace(std::span<const std::filesystem::path> raw_files, const OperationFilter& filter,
                          bool include_failed, const std::filesystem::path& path);
// The same from the calls that `read` hands to its sink.
void write_readable_trace(const std::function<void(CallSink&)>& read, const OperationFilter& filter,
                          bool include_failed, const std::filesystem::path& path);

}  // namespace tracelift
