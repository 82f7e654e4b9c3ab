// What the picture says about a node.
#pragma once

#include <string>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph::svg {

// The node in one line: number, type, name, and what matters most of its parameters. Not yet escaped.
std::string row_text(const Node& node);

// A tensor by what it is: "[1, 384, 1024] bfloat16 TILE L1".
std::string tensor_text(const Node& node);

// Appends everything known about the node except its stack trace, escaped, a fact per line.
void append_hover_text(std::string& out, const Node& node);

// Milliseconds; empty when no duration is known. Apart from the row's text so that a long name cannot push it out.
std::string duration_text(const Node& node);

}  // namespace ttnn::graph::svg
