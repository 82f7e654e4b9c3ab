// Call stacks: return addresses while capturing, names when they are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttnn::graph {

// Switch of all captures. ON takes Python frames, and C++ frames where there are none.
enum class StackTraces : uint8_t { OFF, ON, WITH_CPP };
void enable_stack_traces(StackTraces traces);
bool stack_traces_enabled();
bool cpp_frames_wanted();  // also beside Python frames

// Up to 64 return addresses, without the innermost ones that belong to the capture itself.
std::vector<void*> current_frames();

// Set by the Python module: the Python frames of this thread, innermost first, one a line, as tracebacks print them
// (`File "x.py", line 188, in f`); empty outside Python.
extern std::string (*python_frames)();
std::string current_python_frames();

// "library(symbol+0x12) [0x7f...]" per frame; Python frames come first.
std::vector<std::string> stack_texts(const std::vector<void*>& frames, std::string_view python);

}  // namespace ttnn::graph
