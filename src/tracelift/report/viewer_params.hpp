// Parameters of nodes in the form that the viewer reads, from the form that captures have.
#pragma once

#include <string>
#include <string_view>

#include "tracelift/report/context.hpp"
#include "tracelift/report/device_operation.hpp"

namespace tracelift::report {

// To be used on the nodes of one operation in their order.
class ViewerParams {
public:
    explicit ViewerParams(const Devices& devices) : devices_(devices) {}

    // Functions get the names that the viewer knows from hardware, allocations their size per bank.
    void append(std::string& out, const NodeView& node, const Element& params);
    // Of a node whose functions have their names already.
    static void append_texts(std::string& out, const Element& params);
    void clear() { names_.clear(); }

private:
    void append_size_per_bank(std::string& out, const NodeView& node) const;

    const Devices& devices_;
    DeviceOperationNames names_;
};

// The nodes of one operation's capture, JSON as `end_graph_capture` gives it, with their ids. `devices` is the list of
// that name in its report: JSON, too.
std::string viewer_graph(std::string_view nodes, std::string_view devices);

}  // namespace tracelift::report
