// NodeView: a node of a report, parsed and not yet copied. Missing fields are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tracelift/report/report_file.hpp"
#include "ttnn/graph/trace.hpp"

namespace tracelift::report {

using ttnn::graph::NodeType;

struct NodeView {
    size_t position = 0;
    int64_t counter = 0;
    std::optional<NodeType> type;  // nothing: a type that is not known here
    Element object;
    std::optional<Element> params, connections, input_tensors, arguments, stack_trace;
    int64_t duration_ns = 0;

    bool is(NodeType wanted) const { return type == wanted; }
    // Text of a parameter; empty when there is none or it is no text.
    std::string_view text(std::string_view param) const;
    std::optional<int64_t> integer(std::string_view param) const;
    bool has(std::string_view param) const { return params && member(*params, param).has_value(); }
    // Counters; what is no number is left out.
    std::vector<uint64_t> links() const { return counters(connections); }
    std::vector<uint64_t> inputs() const { return counters(input_tensors); }

private:
    static std::vector<uint64_t> counters(const std::optional<Element>& list);
};

// Parses nodes one at a time; a view is valid until the next.
class NodeReader {
public:
    explicit NodeReader(const ReportFile& report) : report_(report) {}
    const NodeView& read(size_t position);

private:
    const ReportFile& report_;
    simdjson::dom::parser parser_;
    NodeView node_;
};

}  // namespace tracelift::report
