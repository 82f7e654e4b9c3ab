// Where the boxes of a flow picture stand: one under the other in columns, from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttnn/graph/flow_fold.hpp"

namespace ttnn::graph::svg {

// Lengths in pixels.
constexpr int flow_box_width = 270;
constexpr int flow_line_height = 13;
constexpr int flow_column_inset = 30;  // of boxes, on both sides: frames of runs inside runs are there

struct FlowBox {
    size_t call = 0;
    std::vector<std::string> lines{};  // below its name
    uint32_t column = 0;
    int top = 0;
    int height = 0;
};

// A part of a run's frame that is in one column.
struct FlowFrame {
    size_t first = 0, length = 0, times = 0;
    size_t depth = 0;
    uint32_t column = 0;
    int top = 0, bottom = 0;
    bool begins = true, ends = true;  // false: goes on from, or into, another column
};

struct FlowEdge {
    uint32_t from = 0, to = 0;  // boxes
    bool repeats = false;       // from a run into its next repetition
    uint32_t lane = 0;          // right of the column of `from`
    bool straight = false;      // down to the next box, needs no lane
};

struct FlowLayout {
    std::vector<FlowBox> boxes;
    std::vector<FlowFrame> frames;
    std::vector<FlowEdge> edges;
    std::vector<uint32_t> lanes;  // right of each column
    int bottom = 0;
    size_t drawn = 0;   // calls, counted from the first: all, unless there are too many
    size_t folded = 0;  // calls that are drawn by another one like them
    uint32_t columns = 1;
};

// Never higher than `tallest`: what does not fit is left out at the end.
FlowLayout lay_out(const std::vector<FlowCall>& calls, size_t first_number, int top, int tallest);

}  // namespace ttnn::graph::svg
