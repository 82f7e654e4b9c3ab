#include "tracelift/formats/graph_reader.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "tracelift/formats/cpp_text.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace tracelift {

GraphSummary read_graph_calls(std::string_view json, const std::string& name, CallSink& sink) {
    using ttnn::graph::NodeType;
    ttnn::graph::Trace trace;
    try {
        trace = ttnn::graph::read_trace(json, name);
    } catch (const ttnn::graph::TraceError& error) {
        throw FileError(error.what());
    }
    GraphSummary summary;
    summary.nodes = trace.size();
    int32_t outermost = std::numeric_limits<int32_t>::max();
    for (const auto& node : trace) {
        if (node.type == NodeType::FUNCTION_START) {
            outermost = std::min(outermost, node.stacking_level);
        }
    }
    for (const auto& node : trace) {
        if (node.type != NodeType::FUNCTION_START || node.stacking_level != outermost) {
            continue;
        }
        if (node.arguments.empty()) {
            ++summary.without_arguments;
            continue;
        }
        const auto operation = node.find("name");
        if (!operation) {
            sink.unread({fmt::format("{}: node {}", name, node.counter),
                         fmt::format("{}", fmt::join(node.arguments, "; ")), "a function without a name"});
            continue;
        }
        FileCall call;
        call.call.operation = *operation;
        call.order = Order::CPP;
        for (const std::string& text : node.arguments) {
            Value value = read_cpp_text(text);
            call.call.positional.push_back(value.is_null() ? std::nullopt : std::optional(std::move(value)));
        }
        ++summary.calls;
        sink.call(std::move(call));
    }
    return summary;
}

GraphSummary read_graph_calls(const std::filesystem::path& path, CallSink& sink) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw FileError(fmt::format("{}: cannot be read", path.string()));
    }
    return read_graph_calls(std::move(text).str(), path.string(), sink);
}

}  // namespace tracelift
