// CapturedGraph: the nodes of one operation as a graph of its own, which the viewer shows as its device operations.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tracelift/report/context.hpp"
#include "tracelift/report/viewer_params.hpp"

namespace tracelift::report {

class CapturedGraph {
public:
    // Longer texts are not stored: an answer of the viewer could not carry them.
    static constexpr size_t longest = size_t{32} << 20;

    CapturedGraph(Context& context, const NodeReader& recent)
        : context_(context), reader_(context.report, recent), params_(context.devices) {}

    // The nodes from `first` to `last`, and tensors outside that they refer to: results, then inputs. A start and an
    // end are put around; counters become positions; links that lead out are dropped.
    void write(int64_t operation_id, size_t first, size_t last, const std::vector<size_t>& tensors);
    // A free that is an operation.
    void write_free(int64_t operation_id, size_t position);
    // Nodes that Python recorded for an operation.
    void write_recorded(int64_t operation_id, const Element& nodes);

private:
    void begin(int64_t operation_id);
    void append_node(const NodeView& node, int64_t number);
    void append_links(const std::vector<uint64_t>& counters);
    void add_edge(int64_t from, int64_t to, int64_t index);
    void finish(bool whole);
    std::optional<int64_t> number_of(uint64_t counter) const;

    Context& context_;
    NodeLookup reader_;
    ViewerParams params_;
    int64_t operation_id_ = 0;
    size_t first_ = 0;
    size_t last_ = 0;
    std::unordered_map<size_t, int64_t> outside_;  // position to number
    std::vector<int64_t> links_;                   // of the node being written
    std::string text_;
};

}  // namespace tracelift::report
