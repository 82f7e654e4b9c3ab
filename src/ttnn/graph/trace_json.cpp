#include "ttnn/graph/trace_json.hpp"

#include <algorithm>
#include <utility>

namespace ttnn::graph {

namespace {

constexpr size_t piece_size = size_t{1} << 16;

void write_params(tracelift::JsonText& json, const Node::Params& params) {
    const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(params.begin(), params.end(), by_name)) {
        Node::Params sorted = params;
        std::stable_sort(sorted.begin(), sorted.end(), by_name);
        write_params(json, sorted);
        return;
    }
    json.begin_object();
    for (const auto& [name, value] : params) {
        json.key(name);
        json.text(value);
    }
    json.end_object();
}

}  // namespace

TraceWriter::TraceWriter(Sink sink, tracelift::JsonForm form, size_t depth)
    : sink_(std::move(sink)), json_(form, depth) {
    json_.begin_array();
}

void TraceWriter::add(const Node& node) {
    json_.begin_object();
    json_.key("arguments");
    json_.texts(node.arguments);
    json_.key("connections");
    json_.numbers(node.connections);
    json_.key("counter");
    json_.number(node.counter);
    if (node.duration_ns > 0) {
        json_.key("duration_ns");
        json_.number(node.duration_ns);
    }
    json_.key("input_tensors");
    json_.numbers(node.input_tensors);
    json_.key("node_type");
    json_.text(member_name(node.type));
    json_.key("params");
    write_params(json_, node.params);
    if (!node.stack_trace.empty()) {
        json_.key("stack_trace");
        json_.texts(node.stack_trace);
    }
    json_.key("stacking_level");
    json_.number(node.stacking_level);
    json_.end_object();
    if (json_.buffer().size() >= piece_size) {
        flush();
    }
}

void TraceWriter::finish() {
    json_.end_array();
    flush();
}

void TraceWriter::flush() {
    sink_(json_.buffer());
    json_.buffer().clear();
}

std::string to_json(const Trace& trace, tracelift::JsonForm form) {
    std::string text;
    TraceWriter writer([&](std::string_view piece) { text += piece; }, form);
    for (const Node& node : trace) {
        writer.add(node);
    }
    writer.finish();
    return text;
}

}  // namespace ttnn::graph
