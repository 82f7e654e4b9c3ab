// Graph capture of a whole process that was not changed for it.
#pragma once

namespace tracelift {

inline constexpr const char* graph_variable = "TRACELIFT_GRAPH";  // the folder for graph-<pid>.json

// Captures all threads from here on and writes a report when the process ends by itself.
void start_graph_from_environment();
// Writes it now, if there is one. For hosts that take their operations down before the process ends.
void finish_graph();

}  // namespace tracelift
