// Traces as JSON: the form that `end_graph_capture` hands out and that report files hold under "graph".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "tracelift/base/json_text.hpp"
#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

// Writes a trace node by node; memory does not grow with its length. Keys, also those of params, stand in alphabetical
// order; duration_ns is written when known and stack_trace when there is one.
class TraceWriter {
public:
    using Sink = std::function<void(std::string_view)>;

    // `sink` gets the text in pieces. `depth`: how deep in an indented document the array stands.
    explicit TraceWriter(Sink sink, tracelift::JsonForm form = tracelift::JsonForm::COMPACT, size_t depth = 0);
    void add(const Node& node);
    // Closes the array and hands over what is left; nothing may be added afterwards.
    void finish();

private:
    void flush();

    Sink sink_;
    tracelift::JsonText json_;
};

std::string to_json(const Trace& trace, tracelift::JsonForm form = tracelift::JsonForm::COMPACT);

// Reads a trace, or the "graph" of a report. Liberal where flavours differ: numbers and booleans in params become text,
// unknown keys are skipped, duration_ns may stand in params. What older flavours do not write is derived:
// stacking_level from the nesting, input_tensors from the tensors' connections (in the order of the tensors, the best
// that is known of the arguments). Params end up in alphabetical order.
// Throws TraceError with `name`, and with the node and key, or the byte where the JSON is broken.
Trace read_trace(std::string_view json, const std::string& name);

}  // namespace ttnn::graph
