// The lines of the picture: which connections are drawn, and in which lane beside the boxes each runs.
#pragma once

#include <cstdint>
#include <vector>

#include "ttnn/graph/svg.hpp"
#include "ttnn/graph/svg_layout.hpp"

namespace ttnn::graph::svg {

enum class EdgeKind : uint8_t { TENSOR, BUFFER, ORDER };

struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t count = 1;  // equal connections
    EdgeKind kind = EdgeKind::TENSOR;
    uint32_t lane = 0;  // 0: next to the boxes
};

// Memory runs at the left, everything else at the right.
constexpr bool runs_left(EdgeKind kind) { return kind == EdgeKind::BUFFER; }

struct Edges {
    std::vector<Edge> all;  // by source, then kind, then target
    uint32_t left_lanes = 0;
    uint32_t right_lanes = 0;
};

// Connections that nesting shows already are left out, and those from or to nodes that are not shown.
Edges find_edges(const Trace& trace, const Layout& layout, const SvgOptions& options);

// Lines arrive at the upper part of a row and leave at the lower, so that it is clear which is which.
constexpr int arrive_y(const Place& place, EdgeKind kind) { return place.top + (kind == EdgeKind::ORDER ? 8 : 4); }
constexpr int leave_y(const Place& place) { return place.top + 12; }

}  // namespace ttnn::graph::svg
