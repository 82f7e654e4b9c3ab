#include <algorithm>

#include "ttnn/graph/analysis.hpp"

namespace ttnn::graph {

namespace {

constexpr double seconds_per_nanosecond = 1e-9;

}  // namespace

std::vector<std::string> extract_calltrace(const Trace& trace) {
    std::vector<std::string> names;
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_START) {
            names.emplace_back(node.text("name"));
        }
    }
    return names;
}

std::vector<OperationArguments> extract_arguments(const Trace& trace) {
    std::vector<OperationArguments> calls;
    for (const Node& node : trace) {
        if (!node.arguments.empty()) {
            calls.push_back({std::string(node.text("name")), node.arguments});
        }
    }
    return calls;
}

std::map<std::string, double> extract_operation_durations(const Trace& trace) {
    std::map<std::string, double> seconds;
    for (const Node& node : trace) {
        if (node.type == NodeType::FUNCTION_END && node.duration_ns > 0) {
            seconds[std::string(node.text("name"))] = static_cast<double>(node.duration_ns) * seconds_per_nanosecond;
        }
    }
    return seconds;
}

double extract_total_duration(const Trace& trace) {
    // The end of a capture is its last node, unless somebody joined traces: then the last end counts.
    const auto end =
        std::find_if(trace.rbegin(), trace.rend(), [](const Node& node) { return node.type == NodeType::CAPTURE_END; });
    return end == trace.rend() ? 0 : static_cast<double>(end->duration_ns) * seconds_per_nanosecond;
}

}  // namespace ttnn::graph
