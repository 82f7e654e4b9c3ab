// Where the nodes of a trace stand in the picture: which function encloses which node, what is shown, and how high.
#pragma once

#include <cstdint>
#include <vector>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph::svg {

// Lengths in pixels.
constexpr int row_height = 16;
constexpr int row_gap = 4;
constexpr int label_height = 16;

struct Place {
    uint32_t level = 0;  // how many functions enclose it; a function's start and end count as inside
    uint32_t last = 0;   // of function_start and capture_start: the last node inside; else the node itself
    bool ended = true;   // false: a function_start without function_end
    bool shown = true;
    uint32_t hidden = 0;  // of a shown function_start: how many nodes inside are not drawn
    int top = 0;          // of the row
    int box_bottom = 0;   // of a shown function_start: where its box ends
};

struct Layout {
    std::vector<Place> places;  // by node
    uint32_t deepest = 0;       // level that is shown
    int bottom = 0;
    uint32_t cut = 0;  // nodes at the end that are not drawn because the picture would be too tall
};

// What is to be drawn.
struct Wanted {
    uint32_t max_level = 0;
    uint32_t first = 0;  // nodes
    uint32_t last = 0;
    int top = 0;      // of the first row
    int tallest = 0;  // nothing is drawn below
};

// Throws TraceError for a trace that cannot be drawn, see to_svg; gives what encloses what.
std::vector<Place> check(const Trace& trace);
Layout lay_out(const Trace& trace, const Wanted& wanted);

}  // namespace ttnn::graph::svg
