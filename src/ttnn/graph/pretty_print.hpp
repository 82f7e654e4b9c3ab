// A trace as indented lines, one per node.
#pragma once

#include <cstdint>
#include <string>

#include "ttnn/graph/trace.hpp"

namespace ttnn::graph {

enum class PrintStyle : uint8_t {
    DOC,  // the guide's: "Begin: ttnn::add"; errors are shown
    E26,  // the implementation's of early 2026: "Function Start: ttnn::add", lines padded to 50; errors throw
};

// A tensor without tensor_id is shown by its ordinal among the tensors of the trace, as in the guide's sample.
// Functions need not balance. Indentation stops growing 100 levels deep, so that the text stays linear in the trace.
std::string pretty_format(const Trace& trace, PrintStyle style = PrintStyle::DOC);

}  // namespace ttnn::graph
