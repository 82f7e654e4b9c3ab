#include "ttnn/graph/svg_edges.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "ttnn/graph/svg_lanes.hpp"

namespace ttnn::graph::svg {
namespace {

bool encloses(const Layout& layout, uint32_t outer, uint32_t inner) {
    return outer < inner && inner <= layout.places[outer].last;
}

bool is_nesting(const Trace& trace, const Layout& layout, uint32_t from, uint32_t to) {
    const bool points_outwards = trace[from].type == NodeType::CIRCULAR_BUFFER_DEALLOCATE_ALL;
    return points_outwards ? encloses(layout, to, from) : encloses(layout, from, to);
}

EdgeKind kind_of(NodeType from, NodeType to) {
    if (from == NodeType::BUFFER || to == NodeType::BUFFER) {
        return EdgeKind::BUFFER;
    }
    return from == NodeType::TENSOR || to == NodeType::TENSOR ? EdgeKind::TENSOR : EdgeKind::ORDER;
}

bool is_wanted(EdgeKind kind, const SvgOptions& options) {
    switch (kind) {
        case EdgeKind::TENSOR: return options.tensor_edges;
        case EdgeKind::BUFFER: return options.buffer_edges;
        case EdgeKind::ORDER: return options.order_edges;
    }
    return false;
}

std::vector<Edge> edges_from(const Trace& trace, const Layout& layout, const SvgOptions& options, uint32_t from) {
    std::vector<Edge> edges;
    for (const uint32_t to : trace[from].connections) {
        const EdgeKind kind = kind_of(trace[from].type, trace[to].type);
        if (layout.places[to].shown && is_wanted(kind, options) && !is_nesting(trace, layout, from, to)) {
            edges.push_back({from, to, 1, kind, 0});
        }
    }
    std::ranges::sort(edges, {}, [](const Edge& edge) { return std::tuple(edge.kind, edge.to); });
    return edges;
}

void append_merged(std::vector<Edge>& all, const std::vector<Edge>& edges) {
    const size_t first = all.size();
    for (const Edge& edge : edges) {
        if (all.size() > first && all.back().to == edge.to) {
            ++all.back().count;
        } else {
            all.push_back(edge);
        }
    }
}

Span span_of(std::span<const Edge> edges, const Layout& layout) {
    const int leave = leave_y(layout.places[edges.front().from]);
    Span span{leave, leave, 0};
    for (const Edge& edge : edges) {
        const int arrive = arrive_y(layout.places[edge.to], edge.kind);
        span.top = std::min(span.top, arrive);
        span.bottom = std::max(span.bottom, arrive);
    }
    return span;
}

// Edges of one kind from one node share a lane: a trunk with branches is easier to follow than parallel lines.
std::vector<std::span<Edge>> trunks(std::vector<Edge>& edges, bool left) {
    std::vector<std::span<Edge>> found;
    for (size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && edges[end].from == edges[begin].from && edges[end].kind == edges[begin].kind) {
            ++end;
        }
        if (runs_left(edges[begin].kind) == left) {
            found.emplace_back(&edges[begin], end - begin);
        }
    }
    return found;
}

uint32_t assign_lanes(std::vector<Edge>& edges, const Layout& layout, bool left) {
    const auto found = trunks(edges, left);
    std::vector<Span> spans;
    spans.reserve(found.size());
    for (const auto& trunk : found) {
        spans.push_back(span_of(trunk, layout));
    }
    const uint32_t lanes = choose_lanes(spans);
    for (size_t i = 0; i < found.size(); ++i) {
        for (Edge& edge : found[i]) {
            edge.lane = spans[i].lane;
        }
    }
    return lanes;
}

}  // namespace

Edges find_edges(const Trace& trace, const Layout& layout, const SvgOptions& options) {
    Edges edges;
    for (uint32_t from = 0; from < trace.size(); ++from) {
        if (layout.places[from].shown) {
            append_merged(edges.all, edges_from(trace, layout, options, from));
        }
    }
    edges.left_lanes = assign_lanes(edges.all, layout, true);
    edges.right_lanes = assign_lanes(edges.all, layout, false);
    return edges;
}

}  // namespace ttnn::graph::svg
