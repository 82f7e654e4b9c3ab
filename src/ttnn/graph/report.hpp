// The report file of a capture: trace, devices, metadata, and pages of L1 buffers where asked for.
#pragma once

#include <filesystem>
#include <string>

#include "ttnn/graph/capture.hpp"

namespace ttnn::graph {

inline constexpr int report_version = 1;

// Streams the report node by node; missing folders are made. Throws an Error that names the file.
void write_report(const Capture& capture, const std::filesystem::path& path, bool buffer_pages);
std::string report_text(const Capture& capture, bool buffer_pages);
// The entry of a device in a report, as JSON.
std::string device_facts(const Device& device);

}  // namespace ttnn::graph
