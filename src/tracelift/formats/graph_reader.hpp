// Calls out of graph captures: a trace (list of nodes) or a report that holds one under "graph". Arguments are C++
// text.
#pragma once

#include <filesystem>
#include <string_view>

#include "tracelift/dialects/call_stream.hpp"

namespace tracelift {

struct GraphSummary {
    uint64_t nodes = 0;
    uint64_t calls = 0;
    uint64_t without_arguments = 0;  // outermost calls whose arguments the capture did not write down
};

// Every outermost function with arguments is a call; what it calls in turn is its own affair.
GraphSummary read_graph_calls(std::string_view json, const std::string& name, CallSink& sink);
GraphSummary read_graph_calls(const std::filesystem::path& path, CallSink& sink);

}  // namespace tracelift
