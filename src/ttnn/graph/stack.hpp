// Call stacks: return addresses while capturing, names when they are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ttnn::graph {

// Switch of all captures; off by default.
void enable_stack_traces(bool on);
bool stack_traces_enabled();

// Up to 64 return addresses, without the innermost ones that belong to the capture itself.
std::vector<void*> current_frames();

// Set by the Python module: the Python frames of this thread, innermost first, one a line; empty outside Python.
extern std::string (*python_frames)();
std::string current_python_frames();

// "library(symbol+0x12) [0x7f...]" per frame; Python frames come first.
std::vector<std::string> stack_texts(const std::vector<void*>& frames, std::string_view python);

}  // namespace ttnn::graph
