// The call graph of a trace as a picture: one SVG document that any browser shows, without scripts or other files.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

// What is drawn; big traces become readable with a small max_level and fewer edges.
struct SvgOptions {
    bool tensor_edges = true;  // tensor -> function that takes it, function_end -> tensor that it gave
    bool buffer_edges = true;  // buffer -> tensor, allocation and deallocation -> buffer
    bool order_edges = true;   // function_end -> what came next
    // Functions nested deeper are left out with everything inside, except errors and the tensors that a drawn
    // function takes or gives. 1: only the functions that the program called itself.
    uint32_t max_level = std::numeric_limits<uint32_t>::max();
};

// A box per function around a row per node, time running downwards. A function without function_end is drawn up to
// the end of what encloses it. Throws TraceError when a counter is not the node's place, when a function_end has no
// open function of its name, and when a connection leads out of the trace.
std::string to_svg(const Trace& trace, const SvgOptions& options = {});

}  // namespace ttnn::graph
