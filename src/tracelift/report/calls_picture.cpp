#include "tracelift/report/pictures.hpp"
#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/trace_json.hpp"

namespace tracelift::report {
namespace {

using ttnn::graph::Node;

// Reports of up to so many nodes are read as traces, which can be drawn step by step.
constexpr size_t few_nodes = 1000;

std::string text_of(const ReportFile& report) {
    std::string text = "[";
    for (size_t i = 0; i < report.nodes(); ++i) {
        text += (i == 0 ? "" : ",") + std::string(report.json().text(report.node(i)));
    }
    return text + "]";
}

std::vector<uint32_t> positions(const ReportFile& report, const std::vector<uint64_t>& counters) {
    std::vector<uint32_t> list;
    for (const uint64_t counter : counters) {
        if (const auto position = report.position_of(counter)) {
            list.push_back(static_cast<uint32_t>(*position));
        }
    }
    return list;
}

// What a picture of the data flow needs of a node.
Node flow_node(const ReportFile& report, const NodeView& view) {
    Node node{.counter = static_cast<uint32_t>(view.position), .type = *view.type};
    for (const std::string_view param : {"name", "shape", "dtype", "layout", "buffer_type"}) {
        if (const std::string_view text = view.text(param); !text.empty()) {
            node.params.emplace_back(param, text);
        }
    }
    node.connections = positions(report, view.links());
    node.input_tensors = positions(report, view.inputs());
    node.duration_ns = static_cast<uint64_t>(std::max<int64_t>(view.duration_ns, 0));
    return node;
}

bool matters(const NodeView& view) {
    return view.is(NodeType::FUNCTION_START) || view.is(NodeType::FUNCTION_END) || view.is(NodeType::TENSOR) ||
           view.is(NodeType::ERROR) || view.is(NodeType::CAPTURE_END);
}

}  // namespace

std::string calls_svg(const ReportFile& report) {
    const ttnn::graph::SvgOptions options{.source = report.name()};
    if (report.nodes() <= few_nodes) {
        return to_svg(ttnn::graph::read_trace(text_of(report), report.name()), options);
    }
    NodeReader reader(report);
    NodeReader ahead(report);
    ttnn::graph::FlowBuilder builder([&](uint32_t position, std::string_view name) {
        const NodeView& node = ahead.read(position);  // only positions of nodes are handed in
        return node.is(NodeType::FUNCTION_END) && node.text("name") == name;
    });
    for (size_t position = 0; position < report.nodes(); ++position) {
        const NodeView& view = reader.read(position);
        if (matters(view)) {
            builder.add(flow_node(report, view));
        }
    }
    return flow_svg(builder.finish(), report.nodes(), options);
}

}  // namespace tracelift::report
