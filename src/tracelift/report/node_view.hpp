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
    // Text of a parameter; empty when there is none or it is not text.
    std::string_view text(std::string_view param) const;
    std::optional<int64_t> integer(std::string_view param) const;
    bool has(std::string_view param) const { return params && member(*params, param).has_value(); }
    // Counters; what is not a number is left out.
    std::vector<uint64_t> links() const { return counters(connections); }
    std::vector<uint64_t> inputs() const { return counters(input_tensors); }

private:
    static std::vector<uint64_t> counters(const std::optional<Element>& list);
};

// Parses nodes. The last `kept` of them stay valid, each until another takes its slot; of large ones only the last.
class NodeReader {
public:
    static constexpr size_t largest_kept = size_t{1} << 16;  // bytes

    explicit NodeReader(const ReportFile& report, size_t kept = 1) : report_(report), slots_(kept) {}
    const NodeView& read(size_t position);
    // What was read lately; null when it is gone.
    const NodeView* find(size_t position) const {
        for (const Slot* slot : {&slots_[position % slots_.size()], &large_}) {
            if (slot->filled && slot->node.position == position) {
                return &slot->node;
            }
        }
        return nullptr;
    }

private:
    struct Slot {
        simdjson::dom::parser parser{};
        NodeView node{};
        bool filled = false;
    };
    const ReportFile& report_;
    std::vector<Slot> slots_;
    Slot large_;
};

// A reader for looking around, which first asks what the main reader has at hand.
class NodeLookup {
public:
    NodeLookup(const ReportFile& report, const NodeReader& recent) : recent_(recent), reader_(report) {}
    const NodeView& read(size_t position) {
        const NodeView* found = recent_.find(position);
        return found != nullptr ? *found : reader_.read(position);
    }

private:
    const NodeReader& recent_;
    NodeReader reader_;
};

}  // namespace tracelift::report
