// The calls of a trace as a picture: one SVG document that any browser shows, without scripts or other files.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ttnn/graph/flow.hpp"

namespace ttnn::graph {

// No picture is taller, in pixels: viewers do not show more.
inline constexpr int tallest_picture = 20'000;

enum class SvgKind : uint8_t {
    AUTO,   // STEPS for a few calls, FLOW for more
    STEPS,  // a box per function around a row per node, time running downwards
    FLOW,   // a box per call of the program in columns, with the data flow between them; repeated runs of calls once
};

struct SvgOptions {
    SvgKind kind = SvgKind::AUTO;
    // Calls that the program made itself, counted from 1: only these are drawn.
    size_t first_call = 1;
    size_t last_call = std::numeric_limits<size_t>::max();
    // How the picture names the file in the commands that show what it leaves out.
    std::string source = "REPORT.json";

    // Of STEPS:
    bool tensor_edges = true;  // tensor -> function that takes it, function_end -> tensor that it gave
    bool buffer_edges = true;  // buffer -> tensor, allocation and deallocation -> buffer
    bool order_edges = true;   // function_end -> what came next
    // Functions nested deeper are left out with everything inside, except errors and the tensors that a drawn
    // function takes or gives. 1: only the functions that the program called itself.
    uint32_t max_level = std::numeric_limits<uint32_t>::max();

    // Calls as people write them: "17" or "17-30". Throws Error for anything else.
    void choose_calls(std::string_view text);
};

// A function without function_end is drawn up to the exception that left it, else to the end of what encloses it. The
// picture says what it leaves out.
// Throws TraceError when a counter is not the node's place, when a function_end has no open function of its name, when
// a connection leads out of the trace, and when it has none of the calls that are asked for.
std::string to_svg(const Trace& trace, const SvgOptions& options = {});

// The FLOW picture of calls from anywhere, which have `nodes` nodes.
std::string flow_svg(std::vector<FlowCall> calls, size_t nodes, const SvgOptions& options);

}  // namespace ttnn::graph
