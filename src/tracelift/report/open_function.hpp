// What an error node says about the functions that are open around it.
#pragma once

#include <string>

#include "tracelift/report/node_view.hpp"

namespace tracelift::report {

// Whether an open function still ends behind the node at `position`: its end is the last thing that it is linked to. An
// exception ends the others. `Reader` is a NodeReader or a NodeLookup.
template <class Reader>
bool ends_after(const ReportFile& report, Reader& look, size_t function, size_t position) {
    const NodeView& start = look.read(function);
    const std::string name(start.text("name"));
    const std::vector<uint64_t> links = start.links();
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
        const auto end = report.position_of(*link);
        if (!end || *end <= position) {
            continue;
        }
        const NodeView& node = look.read(*end);
        if (node.is(NodeType::FUNCTION_END) && node.text("name") == name) {
            return true;
        }
    }
    return false;
}

}  // namespace tracelift::report
